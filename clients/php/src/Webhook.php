<?php

declare(strict_types=1);

namespace Malipo;

final class Webhook
{
    private const TOLERANCE_S = 300;
    private const KEY_BYTES_MIN = 24;

    /**
     * @param string $id the same at every try: deal with each once
     * @param string $type the X-Callback-Type
     * @param array<string, mixed> $body
     */
    private function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly array $body,
    ) {
    }

    /**
     * @param string $rawBody as it came: file_get_contents('php://input')
     * @param array<string, string> $headers as getallheaders() has them
     * @throws WebhookError for what is not ours, or older than five minutes
     * @throws \InvalidArgumentException for a secret that is none of ours
     */
    public static function verify(
        string $rawBody,
        array $headers,
        #[\SensitiveParameter] string $secret,
        ?int $nowS = null,
    ): self {
        $key = self::keyIn($secret);
        $byName = array_change_key_case($headers);
        [$id, $timestamp, $signatures, $type] = array_map(
            static fn (string $name): string => $byName[$name] ?? '',
            ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-callback-type'],
        );
        if (!ctype_digit($timestamp) || abs(($nowS ?? time()) - (int) $timestamp) >= self::TOLERANCE_S) {
            throw new WebhookError('It is too old, or has no time');
        }
        $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
        foreach (explode(' ', $signatures) as $one) {
            if (hash_equals($wanted, $one)) {
                return new self($id, $type, json_decode($rawBody, true, flags: JSON_THROW_ON_ERROR));
            }
        }
        throw new WebhookError('The signature is not ours');
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
