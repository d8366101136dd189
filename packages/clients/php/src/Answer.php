<?php

declare(strict_types=1);

namespace Malipo;

/**
 * The answer to one attempt of a request, and whether it means that something was started.
 *
 * @internal
 */
final class Answer
{
    /** Errors that are temporary. */
    private const PASSING = [429, 500, 503, 504];
    /** Not final yet. */
    private const UNDECIDED = ['REQUEST_IN_PROGRESS', 'CANCELLATION_IN_PROGRESS'];
    /** Server errors that mean that nothing was started. */
    private const STARTED_NOTHING = [502, 503];
    /** With these statuses the service answers for the key; other errors come before it checks the key. */
    private const ANSWERS_OF_KEY = [400, 404, 409, 422];
    /** Codes with these statuses that say nothing about the key. */
    private const BESIDE_THE_KEY = ['CREDENTIALS_MISSING', 'NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'];

    public readonly bool $isTaken;
    /** Without it the connection failed, or a proxy answered. */
    public readonly bool $isRefusal;

    /**
     * @param array<string, mixed> $body empty if it cannot be read
     * @param string $fault the error of the connection
     */
    public function __construct(
        public readonly int $status,
        public readonly array $body,
        public readonly int $afterS,
        private readonly bool $isReplayed,
        private readonly string $fault,
    ) {
        $success = $body['success'] ?? null;
        $this->isTaken = $status >= 200 && $status < 300 && $success === true;
        $told = [$body['code'] ?? null, $body['message'] ?? null, $body['request_id'] ?? null];
        // Other services also send errors as JSON.
        $this->isRefusal = $status >= 400 && $success === false && array_filter($told, 'is_string') === $told;
    }

    public function mayPass(): bool
    {
        return !$this->isRefusal || in_array($this->status, self::PASSING, true) || $this->isUndecided();
    }

    /**
     * Whether something may have been started, by this attempt or an earlier one. If a later attempt is rejected, this
     * says nothing about an earlier one.
     */
    public function staysInDoubt(bool $isInDoubt): bool
    {
        if (!$this->isRefusal || $this->isUndecided()) {
            return true;
        }
        if ($this->status >= 500 && !in_array($this->status, self::STARTED_NOTHING, true)) {
            return true;
        }
        if ($this->isReplayed) {
            return false;
        }
        $isOfKey = in_array($this->status, self::ANSWERS_OF_KEY, true)
            && !in_array($this->body['code'], self::BESIDE_THE_KEY, true);
        return $isInDoubt && !$isOfKey;
    }

    public function inWords(): string
    {
        if ($this->isRefusal) {
            return "{$this->body['code']}: {$this->body['message']}";
        }
        return $this->status === 0 ? $this->fault : "HTTP {$this->status}, not an answer of the service";
    }

    private function isUndecided(): bool
    {
        return in_array($this->body['code'], self::UNDECIDED, true);
    }
}
