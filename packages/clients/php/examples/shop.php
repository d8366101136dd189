<?php

/**
 * A shop's checkout in plain PHP: collects a mobile-money payment, gets its outcome by webhook, and refunds it.
 * php -S 127.0.0.1:8000 shop.php
 */

declare(strict_types=1);

use Malipo\Malipo;
use Malipo\OutcomeUnknown;
use Malipo\Refused;
use Malipo\Webhook;
use Malipo\WebhookError;

// With Composer: require 'vendor/autoload.php';
spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/../src/' . basename(str_replace('\\', '/', $class)) . '.php';
});

/** A missing setting must fail at the start, and not at a customer's payment. */
function setting(string $name): string
{
    $value = getenv($name);
    if ($value === false || $value === '') {
        throw new RuntimeException("$name is not set");
    }
    return $value;
}

$webhookSecret = setting('MALIPO_WEBHOOK_SECRET');
$malipo = new Malipo(setting('MALIPO_URL'), setting('MALIPO_API_KEY'), setting('MALIPO_API_SECRET'));

/** A real shop stores its orders in its database. Each change reads and writes under a lock. */
function order(string $id, ?callable $change = null): ?array
{
    $path = (getenv('SHOP_FOLDER') ?: sys_get_temp_dir()) . '/order-' . preg_replace('/\W/', '', $id) . '.json';
    if ($change === null && !is_file($path)) {
        return null;
    }
    $file = fopen($path, 'c+');
    flock($file, LOCK_EX);
    $order = json_decode(stream_get_contents($file) ?: 'null', true);
    if ($change !== null) {
        $order = $change($order);
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, json_encode($order));
    }
    fclose($file);
    return $order;
}

function answer(int $status, array $body): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo $status === 204 ? '' : json_encode($body);
}

/**
 * `status` is one of waiting, paid, not_paid, to_check (the paid amount differs from the price, and the shop's staff decides),
 * refunding, refunded.
 */
function pay(Malipo $malipo, string $phoneNumber): void
{
    $id = bin2hex(random_bytes(16));
    $price = ['amount' => '25.50', 'currency' => 'ZMW'];
    order($id, static fn (): array => ['order_id' => $id, 'status' => 'waiting', ...$price, 'failed_refunds' => []]);
    try {
        $deposit = $malipo->momoDeposit(
            [
                ...$price,
                'country' => 'ZMB',
                'phone_number' => $phoneNumber,
                'account_reference' => $id,
                'customer_message' => 'Your order',
            ],
            // However often this request is sent, one order is one payment.
            "order-$id-1",
        );
    } catch (Refused $error) {
        answerRefusal($error, order($id, moves('waiting', 'not_paid')));
        return;
    } catch (OutcomeUnknown) {
        answerDoubt(order($id));
        return;
    }
    $named = ['transaction_id' => $deposit['transaction_id']];
    answer(201, order($id, static fn (array $order): array => $named + $order));
}

function show(Malipo $malipo, string $id): void
{
    $order = order($id);
    if ($order === null) {
        answer(404, ['error' => 'no such order']);
        return;
    }
    try {
        if (!isset($order['transaction_id'])) {
            // The answer was lost: was the request accepted all the same?
            $found = $malipo->listPayments(['reference' => $id, 'type' => 'deposit', 'limit' => '1'])['payments'];
            if ($found === []) {
                answer(200, $order);
                return;
            }
            $named = ['transaction_id' => $found[0]['payment_id']];
            $order = order($id, static fn (array $order): array => $order + $named);
        }
        $status = $malipo->momoStatus(['transaction_id' => $order['transaction_id']]);
        answer(200, ['next_step' => $status['next_step']['en']] + $order);
    } catch (Refused | OutcomeUnknown) {
        // The shop can always show its own data.
        answer(200, $order);
    }
}

/** Changes the status of an order only if it is still `$from`. */
function moves(string $from, string $to): callable
{
    return static fn (array $order): array => ($order['status'] === $from ? ['status' => $to] : []) + $order;
}

function giveBack(Malipo $malipo, string $id): void
{
    $order = order($id);
    if (!in_array($order['status'] ?? '', ['paid', 'refunding'], true)) {
        answer(409, ['error' => 'not paid']);
        return;
    }
    $isRepeat = $order['status'] === 'refunding';
    // A refund whose outcome is unknown is repeated with its key. After a failed refund, a new one gets a new key.
    $key = "refund-$id-" . count($order['failed_refunds']);
    // Set before the request: the webhook may arrive before the answer.
    order($id, static fn (array $order): array => ['status' => 'refunding'] + $order);
    try {
        $malipo->momoRefund(['transaction_id' => $order['transaction_id']], $key, $isRepeat);
    } catch (Refused $error) {
        answerRefusal($error, order($id, moves('refunding', 'paid')));
        return;
    } catch (OutcomeUnknown) {
        answerDoubt(order($id));
        return;
    }
    answer(200, order($id));
}

function takeWebhook(string $secret): void
{
    try {
        // The body as received: the signature covers its bytes.
        $webhook = Webhook::verify(file_get_contents('php://input'), getallheaders(), $secret);
    } catch (WebhookError $error) {
        answer(400, ['error' => $error->getMessage()]);
        return;
    }
    $id = $webhook->type === 'Mobile-Money' ? $webhook->body['account_reference'] : '';
    if ($id !== '' && order($id) !== null) {
        order($id, static fn (array $order): array => hear($order, $webhook->body));
    }
    answer(204, []);
}

/** Webhooks arrive in any order, and more than once: an older one must not overwrite a newer one. */
function hear(array $order, array $told): array
{
    ['status' => $status, 'failed_refunds' => $failedRefunds] = $order;
    $isSuccess = $told['status'] === 'Success';
    // An unknown status is not final.
    $isFailure = in_array($told['status'], ['Failed', 'Cancelled'], true);
    $isAllOfIt = $told['amount'] === $order['amount'] && $told['currency'] === $order['currency'];
    if ($told['type'] === 'deposit') {
        $order['transaction_id'] ??= $told['transaction_id'];
        if ($order['transaction_id'] !== $told['transaction_id']) {
            return $order;
        }
        // A success may follow a failure, and a failure never follows a success.
        if ($isSuccess && in_array($status, ['waiting', 'not_paid'], true)) {
            $order['status'] = $isAllOfIt ? 'paid' : 'to_check';
        } elseif ($isFailure && $status === 'waiting') {
            $order['status'] = 'not_paid';
        }
    } elseif ($told['type'] === 'refund' && $isSuccess) {
        $order['status'] = $isAllOfIt ? 'refunded' : 'to_check';
    } elseif ($told['type'] === 'refund' && $isFailure && !in_array($told['transaction_id'], $failedRefunds, true)) {
        $order['failed_refunds'][] = $told['transaction_id'];
        $order['status'] = $status === 'refunding' ? 'paid' : $status;
    }
    return $order;
}

/** The shop or the customer must correct it. */
function answerRefusal(Refused $error, array $order): void
{
    answer(422, ['error' => $error->getMessage(), 'code' => $error->errorCode] + $order);
}

/** The outcome is queried later. */
function answerDoubt(array $order): void
{
    answer(202, ['error' => 'We do not know yet. Do not pay again.'] + $order);
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$isPost = $_SERVER['REQUEST_METHOD'] === 'POST';
if ($path === '/' && !$isPost) {
    echo '<form method="post" action="/orders"><label>Your number <input name="phone_number" value="+260763456789"></label> <button>Pay 25.50 ZMW</button></form>';
} elseif ($path === '/webhooks' && $isPost) {
    takeWebhook($webhookSecret);
} elseif ($path === '/orders' && $isPost) {
    $form = $_POST ?: json_decode(file_get_contents('php://input'), true);
    pay($malipo, (string) ($form['phone_number'] ?? ''));
} elseif (preg_match('#^/orders/(\w+)/refund$#', $path, $found) === 1 && $isPost) {
    giveBack($malipo, $found[1]);
} elseif (preg_match('#^/orders/(\w+)$#', $path, $found) === 1 && !$isPost) {
    show($malipo, $found[1]);
} else {
    answer(404, ['error' => 'not found']);
}
