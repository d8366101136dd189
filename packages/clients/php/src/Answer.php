<?php

declare(strict_types=1);

namespace Malipo;

/**
 * What one try of a request was answered, and what that says of whether something was started.
 *
 * @internal
 */
final class Answer
{
    /** Refusals that pass by themselves. */
    private const PASSING = [429, 500, 503, 504];
    /** Not decided yet. */
    private const UNDECIDED = ['REQUEST_IN_PROGRESS', 'CANCELLATION_IN_PROGRESS'];
    /** Statuses with which the service says that it has started nothing, although they are errors of its own. */
    private const STARTED_NOTHING = [502, 503];
    /** With these the service answers a key, and with others before it has looked at the key. */
    private const ANSWERS_OF_KEY = [400, 404, 409, 422];
    /** Of these statuses, but not about what became of the key. */
    private const BESIDE_THE_KEY = ['CREDENTIALS_MISSING', 'NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED'];

    public readonly bool $isTaken;
    /** Without it the line dropped, or something between here and there spoke. */
    public readonly bool $isRefusal;

    /**
     * @param array<string, mixed> $body empty where nothing can be read
     * @param string $fault what the line said
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
        // Others refuse with JSON, too.
        $this->isRefusal = $status >= 400 && $success === false && array_filter($told, 'is_string') === $told;
    }

    public function mayPass(): bool
    {
        return !$this->isRefusal || in_array($this->status, self::PASSING, true) || $this->isUndecided();
    }

    /**
     * Whether something may have been started, by this try or by one before it. That a later try was turned away says
     * nothing of an earlier one.
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
        return $this->status === 0 ? $this->fault : "HTTP {$this->status}, which is no answer of the service";
    }

    private function isUndecided(): bool
    {
        return in_array($this->body['code'], self::UNDECIDED, true);
    }
}
