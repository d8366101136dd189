<?php

/**
 * A small shop: it asks a customer's phone for money (M-PESA, STK push). Three rules make it safe:
 * 1. It saves the order, with the key of its attempt, before it calls Malipo.
 * 2. It repeats a request whose answer is unknown, with the same key.
 * 3. Only a verified webhook or a queried status says what became of a payment, and each change counts once.
 */

declare(strict_types=1);

use Malipo\Malipo;
use Malipo\OutcomeUnknown;
use Malipo\Refused;
use Malipo\Webhook;
use Malipo\WebhookError;

spl_autoload_register(static function (string $class): void {
    require __DIR__ . '/malipo/' . basename(str_replace('\\', '/', $class)) . '.php';
});

/** A missing setting must fail at once, and not at a customer's payment. */
function setting(string $name): string
{
    $missing = "$name is not set. `source .malipo/env` sets it, in the folder of `npm start`.";
    return getenv($name) ?: throw new RuntimeException($missing);
}

$webhookSecret = setting('MALIPO_WEBHOOK_SECRET');
$malipo = new Malipo(setting('MALIPO_URL'), setting('MALIPO_API_KEY'), setting('MALIPO_API_SECRET'));

// One file for each order: no web server may show this folder. A real shop has a database, and changes each order in a
// transaction. An order has id, phone, amount (its price), attempts, message (for the customer) and changes (those that
// counted). An attempt is one request to the customer: key, paymentId, sequence (of its last change), status, amount (paid),
// mayPayAgain.
const ORDERS = __DIR__ . '/orders';
is_dir(ORDERS) || mkdir(ORDERS);

function find(string $id): ?array
{
    $file = ORDERS . "/$id.json";
    return preg_match('/^\w+$/D', $id) === 1 && is_file($file) ? json_decode(file_get_contents($file), true) : null;
}

/** A rename makes the file appear complete or not at all. */
function save(array $order): array
{
    $path = ORDERS . "/{$order['id']}.unfinished";
    $file = fopen($path, 'w');
    fwrite($file, json_encode($order, JSON_PRETTY_PRINT));
    fsync($file);
    fclose($file);
    rename($path, ORDERS . "/{$order['id']}.json");
    return $order;
}

/**
 * Changes the order of this key as it is now: a webhook may have changed it meanwhile. `$edit` gets the order and the index
 * of the attempt.
 */
function change(string $key, callable $edit): ?array
{
    $lock = fopen(ORDERS . '/lock', 'c');
    flock($lock, LOCK_EX);
    $order = find(explode('-', $key)[1] ?? '');
    $n = array_search($key, array_column($order['attempts'] ?? [], 'key'), true);
    return $n === false ? null : save($edit($order, $n));
}

/** Deliver what is `paid`. `to_check` is money that differs from the price, or came twice. */
function stateOf(array $order): string
{
    $paid = array_filter($order['attempts'], static fn (array $one): bool => ($one['status'] ?? '') === 'Success');
    if ($paid !== []) {
        return array_column($paid, 'amount') == [$order['amount']] ? 'paid' : 'to_check';
    }
    return (end($order['attempts'])['mayPayAgain'] ?? false) ? 'not_paid' : 'waiting';
}

/** Sends the last attempt, which is saved. */
function ask(Malipo $malipo, array $order): void
{
    $key = end($order['attempts'])['key'];
    $input = ['phone_number' => $order['phone'], 'amount' => $order['amount'], 'transaction_desc' => 'Your order'];
    try {
        $reference = ['account_reference' => $order['id'], 'order_id' => $key];
        // Another page, or this shop before a crash, may have sent it: so only an answer for the key counts as refused.
        $answer = $malipo->stkPush($input + $reference, $key, isRepeat: true);
        [$known, $message] = [['paymentId' => $answer['data']['payment_id']], ''];
    } catch (Refused | OutcomeUnknown $error) {
        $isRefused = $error instanceof Refused;
        // If there is a payment, its status decides.
        $known = $error->paymentId === null ? ['mayPayAgain' => $isRefused] : ['paymentId' => $error->paymentId];
        $message = $isRefused ? $error->getMessage() : 'We do not know yet. Do not pay again.';
        error_log($error->getMessage());
    }
    change($key, static function (array $order, int $n) use ($known, $message): array {
        // A webhook may come before the answer.
        if (!isset($order['attempts'][$n]['paymentId'])) {
            $order['attempts'][$n] = $known + $order['attempts'][$n];
            $order['message'] = $message;
        }
        return $order;
    });
}

/** Repeats a request without an answer, or queries the status: a webhook may be late. */
function refresh(Malipo $malipo, array $order): void
{
    if (stateOf($order) !== 'waiting') {
        return;
    }
    $paymentId = end($order['attempts'])['paymentId'] ?? null;
    if ($paymentId === null) {
        ask($malipo, $order);
        return;
    }
    try {
        record($malipo->stkPushStatus(['payment_id' => $paymentId])['data']);
    } catch (Refused | OutcomeUnknown $error) {
        // Without an answer the shop shows what it knows.
        error_log($error->getMessage());
    }
}

/** Records what a webhook or a status says. */
function record(array $reported): void
{
    change($reported['order_id'], static function (array $order, int $n) use ($reported): array {
        $attempt = $order['attempts'][$n] + ['paymentId' => $reported['payment_id'], 'sequence' => null];
        if ($attempt['paymentId'] !== $reported['payment_id'] || !Webhook::isLater($reported, $attempt['sequence'])) {
            return $order;
        }
        $step = $reported['next_step'] ?? [];
        $code = $step['code'] ?? '';
        // Money that was given back leaves nothing.
        $amount = $code === 'money_given_back' ? 0 : $reported['actual_amount'];
        $mayPayAgain = ($step['safe_to_repeat'] ?? false) || $code === 'check_sms_then_pay';
        $known = ['sequence' => $reported['sequence'], 'status' => $reported['status']];
        $order['attempts'][$n] = $known + ['amount' => $amount, 'mayPayAgain' => $mayPayAgain] + $attempt;
        $order['message'] = $step['en'] ?? '';
        $order['changes'][] = "{$reported['status']} KES $amount {$reported['mm_receipt_number']}";
        return $order;
    });
}

function checkoutPage(): string
{
    $lines = '';
    // For you, while you build: customers must not see the orders of others.
    foreach (glob(ORDERS . '/*.json') as $file) {
        $order = find(basename($file, '.json'));
        $link = "<a href=\"/orders/{$order['id']}\">{$order['id']}</a>";
        $lines .= "<li>$link KES {$order['amount']} " . stateOf($order);
    }
    return <<<HTML
        <h1>Checkout</h1><form method="post" action="/orders">
        <p><label>Phone <input name="phone" type="tel" value="254708374149" required></label>
        <p><label>Amount in KES <input name="amount" inputmode="numeric" value="1250" required></label>
        <p><button>Pay with M-PESA</button></form><h2>Orders</h2><ul>$lines</ul>
        HTML;
}

function orderPage(array $order): string
{
    $state = stateOf($order);
    $refreshes = $state === 'waiting' ? '<meta http-equiv="refresh" content="2">' : '';
    $again = $state === 'not_paid' ? '<form method="post"><button>Pay again</button></form>' : '';
    $changes = implode('<li>', array_map(htmlspecialchars(...), ['', ...$order['changes']]));
    $message = htmlspecialchars($order['message']);
    return <<<HTML
        $refreshes<h1>Order {$order['id']}: <b id="state">$state</b></h1>
        <p>KES {$order['amount']}. $message$again<ol>$changes</ol><a href="/">The shop</a>
        HTML;
}

function keyOf(string $id, array $attempts): string
{
    return "order-$id-" . (count($attempts) + 1);
}

/** A form may send a list for a field, or bytes that are no text. */
function textOf(mixed $sent): string
{
    return is_string($sent) && preg_match('//u', $sent) === 1 ? $sent : '';
}

function checkOut(Malipo $malipo, string $phone, string $amount): void
{
    if (preg_match('/^\d{1,6}$/D', $amount) !== 1) {
        answer(400, 'The amount must be in whole shillings.');
        return;
    }
    $id = bin2hex(random_bytes(6));
    $attempts = [['key' => keyOf($id, [])]];
    $price = ['phone' => $phone, 'amount' => (int) $amount];
    ask($malipo, save(['id' => $id, ...$price, 'attempts' => $attempts, 'message' => '', 'changes' => []]));
    header("Location: /orders/$id", true, 303);
}

function payAgain(Malipo $malipo, array $order): void
{
    $isNext = false;
    $order = change(end($order['attempts'])['key'], static function (array $now) use (&$isNext): array {
        // A second click finds the order waiting.
        $isNext = stateOf($now) === 'not_paid';
        $next = $isNext ? [['key' => keyOf($now['id'], $now['attempts'])]] : [];
        return ['attempts' => [...$now['attempts'], ...$next]] + $now;
    });
    if ($isNext) {
        ask($malipo, $order);
    }
    header("Location: /orders/{$order['id']}", true, 303);
}

function takeWebhook(string $secret): void
{
    try {
        // The body as received: the signature covers its bytes.
        $webhook = Webhook::verify(file_get_contents('php://input'), getallheaders(), $secret);
    } catch (WebhookError $error) {
        answer(400, $error->getMessage());
        return;
    }
    if ($webhook->type === 'STK-Push') {
        record($webhook->body);
    }
    http_response_code(204);
}

function answer(int $status, string $page): void
{
    http_response_code($status);
    echo '<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>';
    echo '<meta name="viewport" content="width=device-width">', $page;
}

$route = "{$_SERVER['REQUEST_METHOD']} {$_SERVER['REQUEST_URI']}";
$order = find(explode('/orders/', $route)[1] ?? '');
match (true) {
    $route === 'GET /' => answer(200, checkoutPage()),
    $route === 'POST /orders' => checkOut($malipo, textOf($_POST['phone'] ?? ''), textOf($_POST['amount'] ?? '')),
    $route === 'POST /webhooks' => takeWebhook($webhookSecret),
    $order === null => answer(404, 'There is no such page.'),
    str_starts_with($route, 'POST ') => payAgain($malipo, $order),
    default => [refresh($malipo, $order), answer(200, orderPage(find($order['id'])))],
};
