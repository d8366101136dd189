<?php

declare(strict_types=1);

namespace Malipo;

final class Webhook
{
    private const TOLERANCE_S = 300;
    private const KEY_BYTES_MIN = 24;

    /**
     * @param string $id the same for every attempt; process each id once
     * @param string $type the kind of body: its callback_type, from the signed body
     * @param array<string, mixed> $body
     * @param string $eventType the event type, such as deposit.succeeded; test for a test
     */
    private function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly array $body,
        public readonly string $eventType,
    ) {
    }

    /**
     * Takes all types, so that a shop that passes a wrong one gets an error of this client and not of PHP.
     *
     * @param string|\Stringable $rawBody as received: file_get_contents('php://input'), or the body of a PSR-7 message
     * @param array<mixed>|object $headers in any form in which a framework gives them: getallheaders(), $_SERVER, a
     *     Symfony or Laravel request or its headers, a PSR-7 message, a WP_REST_Request
     * @param string $secret whsec_…
     * @throws WebhookError for a wrong signature or a webhook older than five minutes
     * @throws \InvalidArgumentException for an invalid secret
     */
    public static function verify(
        mixed $rawBody,
        mixed $headers,
        #[\SensitiveParameter] mixed $secret,
        ?int $nowS = null,
    ): self {
        $key = self::keyIn($secret);
        if (!is_string($rawBody) && !$rawBody instanceof \Stringable) {
            throw new WebhookError('The body must be the received text, before any parser');
        }
        $rawBody = (string) $rawBody;
        $byName = self::byName($headers);
        [$id, $timestamp, $signatures, $type] = array_map(
            static fn (string $name): string => $byName[$name] ?? '',
            ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-callback-type'],
        );
        if (!ctype_digit($timestamp) || strlen($timestamp) > 15) {
            throw new WebhookError('The webhook-timestamp header is missing or not a time');
        }
        if (abs(($nowS ?? time()) - (int) $timestamp) >= self::TOLERANCE_S) {
            throw new WebhookError('The webhook is too old, or its time is in the future');
        }
        $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
        foreach (explode(' ', $signatures) as $one) {
            if (hash_equals($wanted, $one)) {
                $body = self::objectIn($rawBody);
                // The header is not signed, so the body has priority.
                $told = $body['callback_type'] ?? $type;
                $eventType = $body['event_type'] ?? '';
                return new self($id, is_string($told) ? $told : '', $body, is_string($eventType) ? $eventType : '');
            }
        }
        throw new WebhookError('The signature is wrong');
    }

    /**
     * Whether a webhook, an event's data or a status reports a later change than the highest sequence that you have
     * processed. Otherwise it is outdated or a repeat. A test webhook has no sequence, and is never later.
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
            throw new WebhookError('The body is not a JSON object');
        }
        return $body;
    }

    /**
     * The value of each header by its lower-case name; several values are joined, as HTTP does. A value that is not a
     * text is dropped.
     *
     * @return array<string, string>
     */
    private static function byName(mixed $headers): array
    {
        [$plain, $ofServer] = [[], []];
        foreach (self::listed($headers) as $name => $value) {
            $isText = static fn (mixed $one): bool => is_string($one) || is_int($one);
            $texts = array_filter(is_array($value) ? $value : [$value], $isText);
            if ($texts === [] || !is_scalar($name)) {
                continue;
            }
            // webhook_id in WordPress, HTTP_WEBHOOK_ID in $_SERVER.
            $lower = str_replace('_', '-', strtolower((string) $name));
            if (str_starts_with((string) $name, 'HTTP_')) {
                $ofServer[substr($lower, strlen('http-'))][] = implode(', ', $texts);
            } else {
                $plain[$lower][] = implode(', ', $texts);
            }
        }
        // $_SERVER may also hold the variables of the process: the header comes before a WEBHOOK_ID of theirs.
        return array_map(static fn (array $values): string => implode(', ', $values), $ofServer + $plain);
    }

    /** @return iterable<mixed, mixed> */
    private static function listed(mixed $headers): iterable
    {
        if (is_iterable($headers)) {
            return $headers;
        }
        if (!is_object($headers)) {
            return [];
        }
        foreach (['getHeaders', 'get_headers'] as $method) {
            // Not is_callable: Laravel's requests take a call of any method, and fail in it.
            if (method_exists($headers, $method)) {
                $given = $headers->$method();
                return is_iterable($given) ? $given : [];
            }
        }
        $given = $headers->headers ?? [];
        return is_iterable($given) ? $given : [];
    }

    /** With an empty secret, anyone could sign. */
    private static function keyIn(#[\SensitiveParameter] mixed $secret): string
    {
        $text = is_string($secret) && str_starts_with($secret, 'whsec_') ? substr($secret, strlen('whsec_')) : '';
        $key = base64_decode($text, true);
        if ($key === false || strlen($key) < self::KEY_BYTES_MIN || base64_encode($key) !== $text) {
            $wanted = 'whsec_ and at least 24 bytes in base64';
            throw new \InvalidArgumentException("A webhook secret is $wanted");
        }
        return $key;
    }
}
