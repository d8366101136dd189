<?php

declare(strict_types=1);

namespace Malipo;

/**
 * Nobody knows what became of the request: it may have been taken. Repeat it with the key, or ask for the status; never
 * begin anew with another key.
 */
final class OutcomeUnknown extends \RuntimeException
{
    public function __construct(string $message, public readonly ?string $idempotencyKey)
    {
        parent::__construct($message);
    }
}
