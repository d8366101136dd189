<?php

declare(strict_types=1);

namespace Malipo;

/** The service has refused: nothing was started, unless `payment_id` of the body names what was. Decide by `errorCode`. */
final class Refused extends \RuntimeException
{
    public readonly string $errorCode;
    /** @var list<array{field: string, message: string}> */
    public readonly array $details;
    /** Tell it when you ask the operator. */
    public readonly string $requestId;

    /** @param array<string, mixed> $body the whole answer */
    public function __construct(public readonly int $status, public readonly array $body)
    {
        parent::__construct($body['message']);
        $this->errorCode = $body['code'];
        $this->details = $body['details'] ?? [];
        $this->requestId = $body['request_id'] ?? '';
    }
}
