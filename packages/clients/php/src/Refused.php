<?php

declare(strict_types=1);

namespace Malipo;

/** The service rejected the request: nothing was started, unless `paymentId` is set. Use `errorCode` for decisions. */
final class Refused extends \RuntimeException
{
    public readonly string $errorCode;
    /** @var list<array{field: string, message: string}> */
    public readonly array $details;
    public readonly ?string $paymentId;
    /** Include it when you contact the operator. */
    public readonly string $requestId;

    /**
     * @param array<string, mixed> $body the whole answer
     * @param int $retryAfterS seconds to wait before a retry; 0 if the service did not say
     */
    public function __construct(
        public readonly int $status,
        public readonly array $body,
        public readonly int $retryAfterS = 0,
    ) {
        parent::__construct($body['message']);
        $this->errorCode = $body['code'];
        $this->details = $body['details'] ?? [];
        $this->paymentId = $body['payment_id'] ?? null;
        $this->requestId = $body['request_id'];
    }
}
