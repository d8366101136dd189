<?php

declare(strict_types=1);

namespace Malipo;

/**
 * The outcome of the request is unknown: the service may have accepted it. Repeat it with the key and `isRepeat: true`, or
 * query the status. Never retry with another key.
 */
final class OutcomeUnknown extends \RuntimeException
{
    public function __construct(
        string $message,
        /** Empty if the operation takes no key: check what exists before you send the request again. */
        public readonly ?string $idempotencyKey,
        /** The payment, if the service reported it. */
        public readonly ?string $paymentId,
        /** Include it when you contact the operator. */
        public readonly ?string $requestId,
    ) {
        parent::__construct($message);
    }
}
