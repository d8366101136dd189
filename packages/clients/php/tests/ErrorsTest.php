<?php

declare(strict_types=1);

use Malipo\Malipo;
use Malipo\OutcomeUnknown;
use Malipo\Refused;
use PHPUnit\Framework\TestCase;

final class ErrorsTest extends TestCase
{
    /** @param callable(Malipo): mixed $work against a port where nobody listens */
    private static function unheard(callable $work): mixed
    {
        return $work(new Malipo('http://127.0.0.1:1', 'pk_test_1', 'sk_test_1', triesMax: 2, firstPauseS: 0.001));
    }

    public function testARefusalHasItsCodeItsStatusItsPaymentAndItsRequest(): void
    {
        $body = ['code' => 'SOME_CODE', 'message' => 'A sentence', 'request_id' => 'req-1', 'payment_id' => 'p-1'];
        $refused = new Refused(409, $body, 5);
        self::assertSame(['SOME_CODE', 409, 'p-1'], [$refused->errorCode, $refused->status, $refused->paymentId]);
        self::assertSame(['req-1', 5, 'A sentence'], [$refused->requestId, $refused->retryAfterS, $refused->getMessage()]);
    }

    public function testADoubtHasTheKeyToRepeatItWith(): void
    {
        try {
            self::unheard(static fn (Malipo $malipo) => $malipo->momoRefund(['transaction_id' => '7'], 'refund-1'));
            self::fail('It was answered');
        } catch (OutcomeUnknown $unknown) {
            self::assertSame('refund-1', $unknown->idempotencyKey);
            self::assertStringNotContainsString('sk_test_1', (string) $unknown);
        }
    }

    public function testRefusesSettingsThatAreNoneAtOnce(): void
    {
        foreach ([['', 'k', 's'], ['pay.example.com', 'k', 's'], ['https://x', '', 's'], ['https://x', 'k', "a\nb"]] as $none) {
            try {
                new Malipo(...$none);
                self::fail('They were taken');
            } catch (\InvalidArgumentException $error) {
                self::assertNotSame('', $error->getMessage());
            }
        }
    }
}
