<?php

declare(strict_types=1);

use Malipo\Webhook;
use Malipo\WebhookError;
use PHPUnit\Framework\TestCase;

final class WebhookTest extends TestCase
{
    private const SECRET = 'whsec_YSBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcyAuLi4u';
    private const BODY = '{"transaction_id":"0199","status":"Success","name":"Wanjikũ"}';
    private const OURS = 'v1,pLxnjxn8aU2impiYNchp1L5F/X1n11gwu8AclSZpabA=';
    private const OF_OTHER_SECRET = 'v1,2SUx8mUtMMj8HPmEaDUddRov7gKD1QmhkwBqnGlxh9Y=';
    private const OF_EMPTY_SECRET = 'v1,47VWFz5AiB9Q9SOEXuB5Xp53c1mfxfJPhJXFwDZQPHY=';
    private const AT = 1_700_000_000;

    private static function verify(
        string $signature,
        string $body = self::BODY,
        string $secret = self::SECRET,
        int $nowS = self::AT + 5,
    ): Webhook {
        $headers = [
            'Webhook-Id' => 'msg_1',
            'Webhook-Timestamp' => (string) self::AT,
            'Webhook-Signature' => $signature,
            'X-Callback-Type' => 'Mobile-Money',
        ];
        return Webhook::verify($body, $headers, $secret, $nowS);
    }

    private function assertRefused(string $error, callable $verifies): void
    {
        try {
            $verifies();
        } catch (\Throwable $thrown) {
            self::assertInstanceOf($error, $thrown);
            return;
        }
        self::fail('It was believed');
    }

    public function testReadsAnAuthenticWebhook(): void
    {
        $webhook = self::verify(self::OURS);
        self::assertSame(
            ['msg_1', 'Mobile-Money', 'Wanjikũ'],
            [$webhook->id, $webhook->type, $webhook->body['name']],
        );
    }

    public function testAcceptsEitherOfTwoSignatures(): void
    {
        self::assertSame('msg_1', self::verify(self::OF_OTHER_SECRET . ' ' . self::OURS)->id);
        self::assertSame('msg_1', self::verify(self::OURS . ' ' . self::OF_OTHER_SECRET)->id);
    }

    public function testRejectsAForeignOrChangedWebhook(): void
    {
        $others = [self::OF_OTHER_SECRET, '', 'v1,', 'v1', str_replace('v1', 'v2', self::OURS), self::OURS . 'A'];
        foreach ($others as $signature) {
            $this->assertRefused(WebhookError::class, static fn () => self::verify($signature));
        }
        $this->assertRefused(WebhookError::class, static fn () => self::verify(self::OURS, self::BODY . ' '));
        $this->assertRefused(WebhookError::class, static fn () => Webhook::verify(self::BODY, [], self::SECRET));
    }

    public function testRejectsAWebhookOlderThanFiveMinutesOrFromTheFuture(): void
    {
        self::assertSame('msg_1', self::verify(self::OURS, nowS: self::AT + 299)->id);
        foreach ([self::AT + 300, self::AT - 300] as $nowS) {
            $this->assertRefused(WebhookError::class, static fn () => self::verify(self::OURS, nowS: $nowS));
        }
    }

    public function testAnInvalidSecretIsAnErrorOfTheShop(): void
    {
        $none = ['', 'whsec_', 'whsec_c2hvcnQ=', str_repeat('whsec_*', 9), substr(self::SECRET, 6), self::SECRET . "\n"];
        foreach ($none as $secret) {
            $this->assertRefused(
                \InvalidArgumentException::class,
                static fn () => self::verify(self::OF_EMPTY_SECRET, secret: $secret),
            );
        }
        // As getenv answers for a missing one.
        foreach ([false, null, 3, []] as $secret) {
            $this->assertRefused(
                \InvalidArgumentException::class,
                static fn () => Webhook::verify(self::BODY, [], $secret, self::AT),
            );
        }
    }

    private static function sign(string $body): string
    {
        $key = base64_decode(substr(self::SECRET, strlen('whsec_')), true);
        $at = self::AT;
        return 'v1,' . base64_encode(hash_hmac('sha256', "msg_1.$at.$body", (string) $key, true));
    }

    public function testReadsTheTypeFromTheSignedBody(): void
    {
        $body = '{"callback_type":"STK-Push","event_type":"deposit.timed_out","sequence":4}';
        $webhook = self::verify(self::sign($body), $body);
        self::assertSame(['STK-Push', 'deposit.timed_out'], [$webhook->type, $webhook->eventType]);
    }

    public function testThrowsAWebhookErrorForAnInvalidBodyOrHeader(): void
    {
        foreach (['', '[]', 'null', '3', '"a"', '{', "\xff\xfe", str_repeat('[', 1000)] as $body) {
            $this->assertRefused(WebhookError::class, static fn () => self::verify(self::sign($body), $body));
        }
        foreach ([[], null, false, 3, new \stdClass()] as $parsed) {
            $this->assertRefused(
                WebhookError::class,
                static fn () => Webhook::verify($parsed, [], self::SECRET, self::AT),
            );
        }
        $odd = [
            [],
            null,
            false,
            self::OURS,
            ['webhook-timestamp' => null],
            ['webhook-timestamp' => [[]]],
            ['webhook-timestamp' => new \stdClass()],
            ['a', 'b'],
            ['webhook-id' => 'msg_1', 'webhook-timestamp' => str_repeat('9', 40), 'webhook-signature' => self::OURS],
        ];
        foreach ($odd as $headers) {
            $this->assertRefused(
                WebhookError::class,
                static fn () => Webhook::verify(self::BODY, $headers, self::SECRET, self::AT),
            );
        }
    }

    public function testAcceptsAListOfValuesForAHeader(): void
    {
        $headers = [
            'webhook-id' => ['msg_1'],
            'WEBHOOK-TIMESTAMP' => [(string) self::AT],
            'Webhook-Signature' => [self::OURS],
        ];
        self::assertSame('msg_1', Webhook::verify(self::BODY, $headers, self::SECRET, self::AT)->id);
        $bag = new \ArrayIterator($headers);
        self::assertSame('msg_1', Webhook::verify(self::BODY, $bag, self::SECRET, self::AT)->id);
    }

    public function testCountsBothValuesOfAHeaderThatComesTwice(): void
    {
        $once = ['webhook-id' => 'msg_1', 'webhook-timestamp' => (string) self::AT, 'webhook-signature' => self::OURS];
        $twice = [
            ['webhook-id' => ['msg_1', 'msg_2']] + $once,
            $once + ['Webhook-Id' => 'msg_2'],
            ['webhook-timestamp' => [(string) self::AT, '0']] + $once,
        ];
        foreach ($twice as $headers) {
            $this->assertRefused(
                WebhookError::class,
                static fn () => Webhook::verify(self::BODY, $headers, self::SECRET, self::AT),
            );
        }
    }

    public function testReadsNoVariableOfTheProcessAsAHeader(): void
    {
        $variables = ['WEBHOOK_ID' => 'wh_1', 'WEBHOOK_TIMESTAMP' => '0', 'WEBHOOK_SIGNATURE' => 'v1,A'];
        $headers = [
            'HTTP_WEBHOOK_ID' => 'msg_1',
            'HTTP_WEBHOOK_TIMESTAMP' => (string) self::AT,
            'HTTP_WEBHOOK_SIGNATURE' => self::OURS,
        ];
        foreach ([$variables + $headers, $headers + $variables] as $server) {
            self::assertSame('msg_1', Webhook::verify(self::BODY, $server, self::SECRET, self::AT)->id);
        }
    }

    public function testReadsTheHeadersOfEveryFramework(): void
    {
        $lists = [
            'Webhook-Id' => ['msg_1'],
            'Webhook-Timestamp' => [(string) self::AT],
            'Webhook-Signature' => [self::OURS],
        ];
        $server = ['SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_TIME_FLOAT' => 1.5];
        $wordpress = [];
        foreach ($lists as $name => [$value]) {
            $server['HTTP_' . strtoupper(str_replace('-', '_', $name))] = $value;
            $wordpress[strtolower(str_replace('-', '_', $name))] = [$value];
        }
        // As Symfony and Laravel have them; a request of Laravel takes a call of any method, and fails in it.
        $request = new class (new \ArrayIterator($lists)) {
            /** @param \ArrayIterator<string, list<string>> $headers */
            public function __construct(public \ArrayIterator $headers)
            {
            }

            /** @param list<mixed> $arguments */
            public function __call(string $method, array $arguments): never
            {
                throw new \BadMethodCallException("Method $method does not exist");
            }
        };
        $body = new class (self::BODY) {
            public function __construct(private string $text)
            {
            }

            public function __toString(): string
            {
                return $this->text;
            }
        };
        self::assertSame('msg_1', Webhook::verify($body, $request, self::SECRET, self::AT)->id);
        $message = new class ($lists) {
            /** @param array<string, list<string>> $lists */
            public function __construct(private array $lists)
            {
            }

            /** @return array<string, list<string>> */
            public function getHeaders(): array
            {
                return $this->lists;
            }
        };
        $rest = new class ($wordpress) {
            /** @param array<string, list<string>> $lists */
            public function __construct(private array $lists)
            {
            }

            /** @return array<string, list<string>> */
            public function get_headers(): array
            {
                return $this->lists;
            }
        };
        foreach ([$server, $wordpress, $request, $message, $rest] as $headers) {
            self::assertSame('msg_1', Webhook::verify(self::BODY, $headers, self::SECRET, self::AT)->id);
        }
        $this->assertRefused(
            WebhookError::class,
            static fn () => Webhook::verify(self::BODY, new \stdClass(), self::SECRET, self::AT),
        );
    }

    public function testOnlyAWebhookWithAHigherSequenceIsLater(): void
    {
        self::assertTrue(Webhook::isLater(['sequence' => 3], null));
        self::assertTrue(Webhook::isLater(['data' => ['sequence' => 4]], 3));
        foreach ([['sequence' => 3], ['sequence' => 2], ['type' => 'test']] as $told) {
            self::assertFalse(Webhook::isLater($told, 3));
        }
    }
}
