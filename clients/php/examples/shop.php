<?php

/**
 * A shop's checkout in plain PHP: takes a mobile-money payment, learns of it by webhook, and gives it back.
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

$malipo = new Malipo(getenv('MALIPO_URL'), getenv('MALIPO_API_KEY'), getenv('MALIPO_API_SECRET'));

/** A shop keeps its orders in its database. Each change reads and writes under a lock. */
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

function pay(Malipo $malipo, string $phoneNumber): void
{
    $id = bin2hex(random_bytes(16));
    order($id, static fn (): array => ['order_id' => $id, 'status' => 'waiting', 'seen' => []]);
    $deposit = $malipo->momoDeposit(
        [
            'amount' => '25.50',
            'currency' => 'ZMW',
            'country' => 'ZMB',
            'phone_number' => $phoneNumber,
            'account_reference' => $id,
            'customer_message' => 'Your order',
        ],
        // Whatever happens on the way, and however often this is sent: one order is one payment.
        "pay-$id",
    );
    $named = ['transaction_id' => $deposit['transaction_id']];
    answer(201, order($id, static fn (array $order): array => $named + $order));
}

function show(Malipo $malipo, string $id): void
{
    $order = order($id);
    if (!isset($order['transaction_id'])) {
        answer(404, ['error' => 'no such order']);
        return;
    }
    $status = $malipo->momoStatus(['transaction_id' => $order['transaction_id']]);
    answer(200, ['next_step' => $status['next_step']['en']] + $order);
}

function giveBack(Malipo $malipo, string $id): void
{
    $order = order($id);
    if (($order['status'] ?? '') !== 'paid') {
        answer(409, ['error' => 'not paid']);
        return;
    }
    $malipo->momoRefund(['transaction_id' => $order['transaction_id']], "refund-$id");
    answer(200, order($id, static function (array $order): array {
        return ($order['status'] === 'paid' ? ['status' => 'refunding'] : []) + $order;
    }));
}

function hear(): void
{
    // The body as it came: the signature is over its bytes.
    $webhook = Webhook::verify(file_get_contents('php://input'), getallheaders(), getenv('MALIPO_WEBHOOK_SECRET'));
    $id = $webhook->body['account_reference'] ?? '';
    if ($webhook->type === 'Mobile-Money' && order($id) !== null) {
        order($id, static function (array $order) use ($webhook): array {
            if (in_array($webhook->id, $order['seen'], true)) {
                return $order;
            }
            $isSuccess = $webhook->body['status'] === 'Success';
            $status = match ($webhook->body['type']) {
                'deposit' => $isSuccess ? 'paid' : 'not_paid',
                'refund' => $isSuccess ? 'refunded' : 'paid',
                default => $order['status'],
            };
            return ['status' => $status, 'seen' => [...$order['seen'], $webhook->id]] + $order;
        });
    }
    answer(204, []);
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$isPost = $_SERVER['REQUEST_METHOD'] === 'POST';
// A refusal is the shop's to mend, or the customer's; anything else is in doubt, and asked about later.
try {
    if ($path === '/' && !$isPost) {
        echo '<form method="post" action="/orders"><label>Your number <input name="phone_number" value="+260763456789"></label> <button>Pay 25.50 ZMW</button></form>';
    } elseif ($path === '/webhooks' && $isPost) {
        hear();
    } elseif ($path === '/orders' && $isPost) {
        $form = $_POST ?: json_decode(file_get_contents('php://input'), true);
        pay($malipo, (string) $form['phone_number']);
    } elseif (preg_match('#^/orders/(\w+)/refund$#', $path, $found) === 1 && $isPost) {
        giveBack($malipo, $found[1]);
    } elseif (preg_match('#^/orders/(\w+)$#', $path, $found) === 1) {
        show($malipo, $found[1]);
    } else {
        answer(404, ['error' => 'not found']);
    }
} catch (WebhookError $error) {
    answer(400, ['error' => $error->getMessage()]);
} catch (Refused $error) {
    answer(422, ['error' => $error->getMessage(), 'code' => $error->errorCode]);
} catch (OutcomeUnknown) {
    answer(202, ['error' => 'We do not know yet. Do not pay again.']);
}
