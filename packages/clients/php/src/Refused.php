<?php

declare(strict_types=1);

namespace Malipo;

/** The service has refused: nothing was started, unless `paymentId` names what was. Decide by `errorCode`. */
final class Refused extends \RuntimeException
{
    public readonly string $errorCode;
    /** @var list<array{field: string, message: string}> */
    public readonly array $details;
    public readonly ?string $paymentId;
    /** Tell it when you ask the operator. */
    public readonly string $requestId;

    /**
     * @param array<string, mixed> $body the whole answer
     * @param int $retryAfterS how long to wait before it is worth asking again; 0 where nothing is said
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
