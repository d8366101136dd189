<?php

declare(strict_types=1);

namespace Malipo;

/**
 * Nobody knows what became of the request: it may have been taken. Repeat it with the key and `isRepeat: true`, or ask
 * for the status; never begin anew with another key.
 */
final class OutcomeUnknown extends \RuntimeException
{
    public function __construct(
        string $message,
        /** None where the operation takes none: see what is there before you send it again. */
        public readonly ?string $idempotencyKey,
        /** The payment, where the service had named it. */
        public readonly ?string $paymentId,
        /** Tell it when you ask the operator. */
        public readonly ?string $requestId,
    ) {
        parent::__construct($message);
    }
}
