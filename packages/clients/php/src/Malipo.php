<?php

declare(strict_types=1);

namespace Malipo;

/**
 * Every operation by its name. An error of the service is thrown as Refused, an unknown outcome as OutcomeUnknown.
 * Keys are sent as headers of each request, and are never part of an error.
 *
 * An operation that starts something takes an idempotency key, which identifies what must happen only once, such as your
 * order. By default it is random. `$isRepeat` means that the outcome of an earlier call with this key is unknown. It stays
 * unknown until the service answers for the key.
 */
final class Malipo
{
    use Operations;

    private const PAUSE_MAX_S = 30.0;
    private const ADDRESS = '~^https?://[^\s\\\\/?#@]+(?:/[^\s\\\\?#]*)?$~D';

    private readonly string $baseUrl;

    /**
     * @param int $triesMax the maximal number of attempts
     * @param int $timeoutS the timeout of one attempt
     * @param float $firstPauseS the pause before the second attempt; each later pause is twice as long
     */
    public function __construct(
        string $baseUrl,
        private readonly string $apiKey,
        #[\SensitiveParameter]
        private readonly string $apiSecret,
        private readonly int $triesMax = 4,
        private readonly int $timeoutS = 40,
        private readonly float $firstPauseS = 0.5,
    ) {
        if (preg_match(self::ADDRESS, $baseUrl) !== 1 || parse_url($baseUrl) === false) {
            throw new \InvalidArgumentException('baseUrl must be an http or https address without user, query and fragment');
        }
        self::requirePrintable('apiKey', $apiKey);
        self::requirePrintable('apiSecret', $apiSecret);
        $this->baseUrl = rtrim($baseUrl, '/');
    }

    /**
     * The event feed from `after` to its current end, page by page. Store `next_cursor` of a page in the transaction that
     * processes its events, and continue from there the next time.
     *
     * @param array{after?: string, types?: string, limit?: string} $input
     * @return \Generator<int, array<string, mixed>> each page in the form of the answer of `events`
     */
    public function eventPages(array $input = []): \Generator
    {
        do {
            $page = $this->events($input);
            yield $page;
            $input['after'] = $page['next_cursor'];
        } while ($page['has_more']);
    }

    /**
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    protected function call(Route $route, array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $key = $route->takesKey ? ($idempotencyKey ?? bin2hex(random_bytes(16))) : null;
        if ($key !== null) {
            self::requirePrintable('idempotencyKey', $key);
        }
        // An attempt may have been accepted, and the service has not answered for the key since.
        $isInDoubt = $isRepeat;
        $paymentId = null;
        for ($n = 1; ; $n++) {
            $answer = $this->send($route, $input, $key);
            if ($answer->isTaken) {
                return $answer->body;
            }
            $isInDoubt = $answer->staysInDoubt($isInDoubt);
            $paymentId = $answer->isRefusal ? $answer->body['payment_id'] ?? $paymentId : $paymentId;
            $isLast = $n >= $this->triesMax || !$answer->mayPass() || $answer->afterS > self::PAUSE_MAX_S;
            if ($isLast || ($isInDoubt && !$route->mayRepeat)) {
                throw $isInDoubt
                    ? self::doubt($answer, $route, $key, $paymentId)
                    : new Refused($answer->status, $answer->body, $answer->afterS);
            }
            $pauseS = min(max($answer->afterS, $this->firstPauseS * 2 ** ($n - 1)), self::PAUSE_MAX_S);
            // Random, so that clients that failed at the same time do not retry at the same time.
            usleep((int) (1_000_000 * $pauseS * (1 + random_int(0, 250) / 1000)));
        }
    }

    /** @param array<string, mixed> $input */
    private function send(Route $route, array $input, ?string $key): Answer
    {
        $inPath = preg_replace_callback('/\{(\w+)\}/', static function (array $found) use (&$input): string {
            $value = (string) ($input[$found[1]] ?? '');
            if (in_array($value, ['', '.', '..'], true)) {
                throw new \InvalidArgumentException("{$found[1]} is missing");
            }
            unset($input[$found[1]]);
            return rawurlencode($value);
        }, $route->path);
        $headers = ["X-API-Key: {$this->apiKey}", "X-API-Secret: {$this->apiSecret}"];
        if ($key !== null) {
            $headers[] = "Idempotency-Key: $key";
        }
        $url = $this->baseUrl . $inPath;
        $options = [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => $this->timeoutS,
            // Keys must not be sent to another host.
            CURLOPT_FOLLOWLOCATION => false,
        ];
        if ($route->method === 'GET') {
            $url .= $input === [] ? '' : '?' . http_build_query($input);
        } else {
            $headers[] = 'Content-Type: application/json';
            $options[CURLOPT_POSTFIELDS] = json_encode((object) $input, JSON_THROW_ON_ERROR);
        }
        [$afterS, $isReplayed] = [0, false];
        $options[CURLOPT_HTTPHEADER] = $headers;
        $options[CURLOPT_HEADERFUNCTION] = static function ($_, string $line) use (&$afterS, &$isReplayed): int {
            if (preg_match('/^retry-after:\s*(\d{1,6})\s*$/i', $line, $found) === 1) {
                $afterS = (int) $found[1];
            }
            $isReplayed = $isReplayed || preg_match('/^idempotent-replayed:\s*true\s*$/i', $line) === 1;
            return strlen($line);
        };
        $curl = curl_init($url);
        curl_setopt_array($curl, $options);
        $text = curl_exec($curl);
        $body = is_string($text) ? json_decode($text, true) : null;
        $status = is_string($text) ? curl_getinfo($curl, CURLINFO_RESPONSE_CODE) : 0;
        return new Answer($status, is_array($body) ? $body : [], $afterS, $isReplayed, curl_error($curl));
    }

    private static function doubt(Answer $answer, Route $route, ?string $key, ?string $paymentId): OutcomeUnknown
    {
        $hasNoKey = '. The request has no Idempotency-Key and was not retried: check what exists before you send it again';
        return new OutcomeUnknown(
            "It is unknown whether the service accepted the request ({$answer->inWords()})" . ($route->mayRepeat ? '' : $hasNoKey),
            $key,
            $paymentId,
            $answer->isRefusal ? $answer->body['request_id'] : null,
        );
    }

    private static function requirePrintable(string $name, #[\SensitiveParameter] string $value): void
    {
        if (preg_match('/^[\x20-\x7e]{1,255}$/D', $value) !== 1) {
            throw new \InvalidArgumentException("$name must be 1 to 255 printable ASCII characters");
        }
    }
}
