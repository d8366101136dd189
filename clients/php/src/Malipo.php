<?php

declare(strict_types=1);

namespace Malipo;

/**
 * Every operation by its name. A refusal is thrown as Refused, doubt as OutcomeUnknown.
 * Keys are sent as headers with each request, and are never part of an error.
 */
final class Malipo
{
    use Operations;

    /** Refusals that pass by themselves. Where a key is sent, a repeat is answered as the first was. */
    private const PASSING = [429, 500, 503, 504];
    private const PAUSE_MAX_S = 30.0;

    private readonly string $baseUrl;

    public function __construct(
        string $baseUrl,
        private readonly string $apiKey,
        #[\SensitiveParameter]
        private readonly string $apiSecret,
        private readonly int $triesMax = 4,
        private readonly int $timeoutS = 40,
    ) {
        $this->baseUrl = rtrim($baseUrl, '/');
    }

    protected function call(string $method, string $path, bool $takesKey, array $input, ?string $idempotencyKey): array
    {
        $key = $takesKey ? ($idempotencyKey ?? bin2hex(random_bytes(16))) : null;
        for ($n = 1; ; $n++) {
            [$status, $body, $afterS] = $this->send($method, $path, $input, $key);
            if ($status >= 200 && $status < 300) {
                return $body;
            }
            $mayPass = $status === 0
                || in_array($status, self::PASSING, true)
                || $body['code'] === 'REQUEST_IN_PROGRESS';
            if ($n >= $this->triesMax || !$mayPass) {
                throw self::errorOf($status, $body, $key);
            }
            $pauseS = min(max($afterS, 0.5 * 2 ** ($n - 1)), self::PAUSE_MAX_S);
            usleep((int) (1_000_000 * $pauseS) + random_int(0, 250_000));
        }
    }

    /** @return array{int, array<string, mixed>, int} a status of 0 without an answer that can be read */
    private function send(string $method, string $path, array $input, ?string $key): array
    {
        $inPath = preg_replace_callback('/\{(\w+)\}/', static function (array $found) use (&$input): string {
            $value = rawurlencode((string) $input[$found[1]]);
            unset($input[$found[1]]);
            return $value;
        }, $path);
        $headers = ["X-API-Key: {$this->apiKey}", "X-API-Secret: {$this->apiSecret}"];
        if ($key !== null) {
            $headers[] = "Idempotency-Key: $key";
        }
        $url = $this->baseUrl . $inPath;
        $options = [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => $this->timeoutS,
            CURLOPT_FOLLOWLOCATION => false,
        ];
        if ($method === 'GET') {
            $url .= $input === [] ? '' : '?' . http_build_query($input);
        } else {
            $headers[] = 'Content-Type: application/json';
            $options[CURLOPT_POSTFIELDS] = json_encode((object) $input, JSON_THROW_ON_ERROR);
        }
        $afterS = 0;
        $options[CURLOPT_HTTPHEADER] = $headers;
        $options[CURLOPT_HEADERFUNCTION] = static function ($_, string $line) use (&$afterS): int {
            if (preg_match('/^retry-after:\s*(\d{1,6})\s*$/i', $line, $found) === 1) {
                $afterS = (int) $found[1];
            }
            return strlen($line);
        };
        $curl = curl_init($url);
        curl_setopt_array($curl, $options);
        $text = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $body = is_string($text) ? json_decode($text, true) : null;
        // A page of something between here and there is no answer of the service.
        $isAnswer = is_array($body) && ($status < 300 || isset($body['code']));
        return $isAnswer ? [$status, $body, $afterS] : [0, ['message' => "HTTP $status " . curl_error($curl)], 0];
    }

    private static function errorOf(int $status, array $body, ?string $key): \RuntimeException
    {
        if ($status === 0) {
            return new OutcomeUnknown("The service gave no answer: {$body['message']}", $key);
        }
        return in_array($body['code'], ['ACCEPTANCE_UNKNOWN', 'REQUEST_IN_PROGRESS'], true)
            ? new OutcomeUnknown($body['message'], $key)
            : new Refused($status, $body);
    }
}
