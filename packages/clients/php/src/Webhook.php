<?php

declare(strict_types=1);

namespace Malipo;

final class Webhook
{
    private const TOLERANCE_S = 300;
    private const KEY_BYTES_MIN = 24;

    /**
     * @param string $id the same at every try: deal with each once
     * @param string $type what kind of body it is: its callback_type, as the signed body has it
     * @param array<string, mixed> $body
     * @param string $eventType what became of the payment, such as deposit.succeeded; test for a test
     */
    private function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly array $body,
        public readonly string $eventType,
    ) {
    }

    /**
     * @param string $rawBody as it came: file_get_contents('php://input')
     * @param iterable<string, string|array<mixed>|null> $headers as getallheaders() has them, or with a list of values for each
     * @throws WebhookError for what is not ours, or older than five minutes
     * @throws \InvalidArgumentException for a secret that is none of ours
     */
    public static function verify(
        string $rawBody,
        iterable $headers,
        #[\SensitiveParameter] string $secret,
        ?int $nowS = null,
    ): self {
        $key = self::keyIn($secret);
        $byName = self::byName($headers);
        [$id, $timestamp, $signatures, $type] = array_map(
            static fn (string $name): string => $byName[$name] ?? '',
            ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-callback-type'],
        );
        if (!ctype_digit($timestamp) || strlen($timestamp) > 15) {
            throw new WebhookError('It has no webhook-timestamp header that is a time');
        }
        if (abs(($nowS ?? time()) - (int) $timestamp) >= self::TOLERANCE_S) {
            throw new WebhookError('It is too old, or from the future');
        }
        $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
        foreach (explode(' ', $signatures) as $one) {
            if (hash_equals($wanted, $one)) {
                $body = self::objectIn($rawBody);
                // The header is not signed: it counts for nothing where the body says it.
                $told = $body['callback_type'] ?? $type;
                $eventType = $body['event_type'] ?? '';
                return new self($id, is_string($told) ? $told : '', $body, is_string($eventType) ? $eventType : '');
            }
        }
        throw new WebhookError('The signature is not ours');
    }

    /**
     * Whether a webhook, an event's data or a status tells a later change than the highest sequence you have dealt with:
     * what is not later was overtaken, or is a repeat. What has no sequence tells of no change: a test.
     *
     * @param array<string, mixed> $told
     */
    public static function isLater(array $told, ?int $highest): bool
    {
        $sequence = self::sequenceOf($told);
        return $sequence !== null && ($highest === null || $sequence > $highest);
    }

    /** @param array<string, mixed> $told */
    public static function sequenceOf(array $told): ?int
    {
        $data = $told['data'] ?? null;
        $sequence = $told['sequence'] ?? (is_array($data) ? $data['sequence'] ?? null : null);
        return is_int($sequence) ? $sequence : null;
    }

    /** @return array<string, mixed> */
    private static function objectIn(string $rawBody): array
    {
        $body = json_decode($rawBody, true);
        if (!is_array($body) || !str_starts_with(ltrim($rawBody, " \t\r\n"), '{')) {
            throw new WebhookError('The body is no JSON object');
        }
        return $body;
    }

    /**
     * The first value of each, by its name in lower case; what is no text is none.
     *
     * @param iterable<mixed, mixed> $headers
     * @return array<string, string>
     */
    private static function byName(iterable $headers): array
    {
        $byName = [];
        foreach ($headers as $name => $value) {
            $first = is_array($value) ? reset($value) : $value;
            if (is_string($first) || is_int($first)) {
                $byName[strtolower((string) $name)] = (string) $first;
            }
        }
        return $byName;
    }

    /** With an empty secret anybody could sign. */
    private static function keyIn(#[\SensitiveParameter] string $secret): string
    {
        $text = str_starts_with($secret, 'whsec_') ? substr($secret, strlen('whsec_')) : '';
        $key = base64_decode($text, true);
        if ($key === false || strlen($key) < self::KEY_BYTES_MIN || base64_encode($key) !== $text) {
            $wanted = 'whsec_ and at least 24 bytes in base64, as you were shown it';
            throw new \InvalidArgumentException("The secret of a webhook is $wanted");
        }
        return $key;
    }
}
