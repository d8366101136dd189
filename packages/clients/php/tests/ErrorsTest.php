<?php

declare(strict_types=1);

use Malipo\Malipo;
use Malipo\OutcomeUnknown;
use Malipo\Refused;
use PHPUnit\Framework\TestCase;

final class ErrorsTest extends TestCase
{
    private const ODD_ADDRESSES = [
        ...['', 'pay.example.com', 'ftp://pay.example.com', 'https://', 'https:///api', 'https://:443'],
        ...['https://user:word@pay.example.com', 'https://pay.example.com?key=1', 'https://pay.example.com/#top'],
        ...["https://pay.example.com\n", ' https://pay.example.com', 'https://pay.example.com:99999'],
        ...['https://pay.example.com:port', 'https://pay.example.com/a b', 'https://pay\\example.com'],
    ];

    /** @param callable(Malipo): mixed $work called with a client of a closed port */
    private static function unheard(callable $work): mixed
    {
        return $work(new Malipo('http://127.0.0.1:1', 'pk_test_1', 'sk_test_1', triesMax: 2, firstPauseS: 0.001));
    }

    public function testAnErrorHasItsCodeStatusPaymentIdAndRequestId(): void
    {
        $body = ['code' => 'SOME_CODE', 'message' => 'A sentence', 'request_id' => 'req-1', 'payment_id' => 'p-1'];
        $refused = new Refused(409, $body, 5);
        self::assertSame(['SOME_CODE', 409, 'p-1'], [$refused->errorCode, $refused->status, $refused->paymentId]);
        self::assertSame(['req-1', 5, 'A sentence'], [$refused->requestId, $refused->retryAfterS, $refused->getMessage()]);
    }

    public function testAnUnknownOutcomeHasTheKeyOfEveryAttempt(): void
    {
        try {
            self::unheard(static fn (Malipo $malipo) => $malipo->momoRefund(['transaction_id' => '7'], 'refund-1'));
            self::fail('It was answered');
        } catch (OutcomeUnknown $unknown) {
            self::assertSame('refund-1', $unknown->idempotencyKey);
            self::assertStringNotContainsString('sk_test_1', (string) $unknown);
        }
    }

    public function testRejectsInvalidSettingsAtOnce(): void
    {
        $odd = array_map(static fn (string $address): array => [$address, 'k', 's'], self::ODD_ADDRESSES);
        foreach ([...$odd, ['https://x', '', 's'], ['https://x', 'k', "a\nb"]] as $none) {
            try {
                new Malipo(...$none);
                self::fail('They were taken');
            } catch (\InvalidArgumentException $error) {
                self::assertNotSame('', $error->getMessage());
            }
        }
    }

    public function testAnAddressMayHaveAPortAndAPath(): void
    {
        foreach (['http://127.0.0.1:3000', 'http://[::1]:3000/', 'https://pay.example.com/malipo'] as $address) {
            self::assertInstanceOf(Malipo::class, new Malipo($address, 'k', 's'));
        }
    }
}
