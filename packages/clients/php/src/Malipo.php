<?php

declare(strict_types=1);

namespace Malipo;

/**
 * Every operation by its name. A refusal is thrown as Refused, doubt as OutcomeUnknown.
 * Keys are sent as headers with each request, and are never part of an error.
 *
 * What starts something takes an idempotency key, which names what is to happen once, such as your order; it is made up
 * unless told. `$isRepeat` says that an earlier call with this key ended in doubt: it lasts until the key itself is
 * answered.
 */
final class Malipo
{
    use Operations;

    private const PAUSE_MAX_S = 30.0;

    private readonly string $baseUrl;

    /**
     * @param int $triesMax how often a request is sent at most
     * @param int $timeoutS of one try
     * @param float $firstPauseS before the second try; each one after it is twice as long
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
        if (preg_match('#^https?://[^/]#', $baseUrl) !== 1) {
            throw new \InvalidArgumentException('baseUrl must be an http or https address');
        }
        self::requirePrintable('apiKey', $apiKey);
        self::requirePrintable('apiSecret', $apiSecret);
        $this->baseUrl = rtrim($baseUrl, '/');
    }

    /**
     * The feed of events from `after` to where it ends now, page by page. Keep `next_cursor` of a page in the transaction
     * in which you deal with its events, and go on from there the next time.
     *
     * @param array{after?: string, types?: string, limit?: string} $input
     * @return \Generator<int, array<string, mixed>> each page as `events` answers it
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
        // Some try may have been acted on, and the key was not answered since.
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
            // With some chance in it, so that those who were turned away together do not come back together.
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
            // Keys go to nobody else.
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
        $hasNoKey = '. It has no Idempotency-Key and was not repeated: see what is there before you send it again';
        return new OutcomeUnknown(
            "Nobody knows whether the request was taken ({$answer->inWords()})" . ($route->mayRepeat ? '' : $hasNoKey),
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
