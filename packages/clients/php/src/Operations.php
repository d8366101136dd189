<?php

// Generated from docs/openapi.json by `npm run clients`.

declare(strict_types=1);

namespace Malipo;

trait Operations
{
    /**
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    abstract protected function call(Route $route, array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array;

    /**
     * What the merchant's KES wallet holds
     *
     * @return array{success: bool, merchant_id: string, merchant_name: string, balance: int|float, currency: string, timestamp: string, timestamp_utc: string}
     */
    public function queryBalance(): array
    {
        $route = new Route('GET', '/api/v1/query_balance', false, true);
        return $this->call($route, []);
    }

    /**
     * The same under another name
     *
     * @return array{success: bool, merchant_id: string, merchant_name: string, balance: int|float, currency: string, timestamp: string, timestamp_utc: string}
     */
    public function merchantBalance(): array
    {
        $route = new Route('GET', '/api/v1/merchant/balance', false, true);
        return $this->call($route, []);
    }

    /**
     * What moved on the merchant's accounts, day by day. With `format=csv`, or `Accept: text/csv`, the whole of it is one file; as JSON it comes in pages
     *
     * @param array{from: string, to: string, currency: string, limit?: string, cursor?: string} $input
     * @return array{success: bool, merchant_id: string, currency: string, from: string, to: string, time_zone: string, is_final: bool, accounts: list<array{account: string, rail: string|null, country: string|null, opening_balance: string, closing_balance: string}>, movements: list<array{account: string, time: string, type: string, payment_id: string|null, rail: string|null, kind: string|null, order_id: string|null, reference: string|null, source_id: string|null, amount: string, balance: string}>, next_cursor: string|null}
     */
    public function statement(array $input): array
    {
        $route = new Route('GET', '/api/v1/statement', false, true);
        return $this->call($route, $input);
    }

    /**
     * Every change of every payment, in order and without gaps
     *
     * @param array{after?: string, types?: string, limit?: string} $input
     * @return array{success: bool, events: list<array{id: string, type: string, created_at: string, payment_id: string, rail: string, callback_type: string, has_webhook: bool, data: array{payment_id: string, merchant_request_id: string, checkout_request_id: string, status: string, result_code: string, result_description: string, initial_amount: int|float, asked_amount: int|float, actual_amount: int|float, fee?: int|float, fee_currency?: string, mm_receipt_number: string, transaction_date: string, transaction_date_utc?: string, phone_number: string, payer_phone: string, payer_name: string, account_reference: string, order_id: string, possible_duplicate_of?: string, sequence: int, event_type: string, callback_type: string, correction?: bool, timestamp: string, timestamp_utc?: string, next_step?: array{code: string, en: string, sw: string, safe_to_repeat: bool}}|array{transaction_id: string, type: string, status: string, provider: string, country: string, currency: string, requested_amount: string, amount: string, returned_amount?: string, fee?: string, fee_currency?: string, phone_number: string, provider_transaction_id: string, account_reference: string, failure_code: string|null, failure_message: string|null, possible_duplicate_of?: string, event_type: string, callback_type: string, sequence: int, correction?: bool, updated_at: string, timestamp: string, next_step?: array{code: string, en: string, sw: string, safe_to_repeat: bool}}|array{id: string, invoice: array{invoice_id: string, state: string, value: string, api_ref: string, currency: string, mm_reference: string, charges: string, net_amount: string}, possible_duplicate_of?: string, fee?: string, fee_currency?: string, event_type: string, callback_type: string, sequence: int, correction?: bool, next_step?: array{code: string, en: string, sw: string, safe_to_repeat: bool}}|array{event_id: string, type: string, rail: string, transaction_id: string, order_id: string, provider_reference: string, status: string, amount: int|float, currency: string, credited_amount: int|float|null, credited_currency: string|null, fee?: int|float, fee_currency?: string, failure_code: string|null, failure_message: string|null, refund_amount?: int|float, refunded_total?: int|float, refund_currency?: string, debited_amount?: int|float, debited_total?: int|float, partially_refunded?: bool, possible_duplicate_of?: string, event_type: string, callback_type: string, sequence: int, correction: bool, timestamp: string, refund_id?: string, next_step?: array{code: string, en: string, sw: string, safe_to_repeat: bool}}|array{event_id: string, type: string, rail: string, transaction_id: string, order_id: string, provider_reference: string, status: string, amount: int|float, currency: string, credited_amount: int|float|null, credited_currency: string|null, fee?: int|float, fee_currency?: string, failure_code: string|null, failure_message: string|null, refund_amount?: int|float, refunded_total?: int|float, refund_currency?: string, debited_amount?: int|float, debited_total?: int|float, partially_refunded?: bool, possible_duplicate_of?: string, event_type: string, callback_type: string, sequence: int, correction: bool, timestamp: string, returned_amount?: int|float, returned_currency?: string, next_step?: array{code: string, en: string, sw: string, safe_to_repeat: bool}}|array{event_id: string, type: string, rail: string, transaction_id: string, order_id: string, provider_reference: string, status: string, amount: int|float, currency: string, credited_amount: int|float|null, credited_currency: string|null, fee?: int|float, fee_currency?: string, failure_code: string|null, failure_message: string|null, refund_amount?: int|float, refunded_total?: int|float, refund_currency?: string, debited_amount: int|float, debited_total?: int|float, partially_refunded?: bool, possible_duplicate_of?: string, event_type: string, callback_type: string, sequence: int, correction: bool, timestamp: string, deposit_transaction_id: string|null, refund_id: string, debited_currency: string, returned_amount?: int|float, returned_currency?: string, next_step?: array{code: string, en: string, sw: string, safe_to_repeat: bool}}|array{event_id: string, type: string, rail: string, transaction_id: string, order_id: string, provider_reference: string, status: string, amount: int|float, currency: string, credited_amount: int|float|null, credited_currency: string|null, fee?: int|float, fee_currency?: string, failure_code: string|null, failure_message: string|null, refund_amount?: int|float, refunded_total?: int|float, refund_currency?: string, debited_amount?: int|float, debited_total?: int|float, partially_refunded?: bool, possible_duplicate_of?: string, event_type: string, callback_type: string, sequence: int, correction: bool, timestamp: string, next_step?: array{code: string, en: string, sw: string, safe_to_repeat: bool}}}>, next_cursor: string, has_more: bool}
     */
    public function events(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/events', false, true);
        return $this->call($route, $input);
    }

    /**
     * The merchant's own requests of the last 7 days, newest first. Those with right keys, a few seconds after they were answered; never what was in them, nor in their answers. A page looks at 2,000 at most: where a filter matches few, it may be short, or empty
     *
     * @param array{request_id?: string, code?: string, result?: string, limit?: string, cursor?: string} $input
     * @return array{success: bool, requests: list<array{at: string, request_id: string, method: string, path: string, status: int, code: string|null, duration_ms: int}>, next_cursor: string|null}
     */
    public function listRequests(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/requests', false, true);
        return $this->call($route, $input);
    }

    /**
     * The merchant's payments on all rails, newest first. A page looks at 2,000 payments at most: where a filter matches few, it may be short, or empty
     *
     * @param array{rail?: string, type?: string, state?: string, created_from?: string, created_before?: string, currency?: string, amount?: string, reference?: string, phone_ends?: string, limit?: string, cursor?: string} $input
     * @return array{success: bool, payments: list<array{payment_id: string, rail: string, type: string, state: string, is_final: bool, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, hold_reason?: string, hold_until?: string|null, amount: string, currency: string, confirmed_amount: string|null, confirmed_currency: string|null, fee?: string, fee_currency?: string, order_id: string|null, reference: string|null, phone_number: string|null, provider: string, provider_reference: string|null, receipt: string|null, deposit_id: string|null, failure_code: string|null, failure_message: string|null, correction: bool, possible_duplicate_of?: string, sequence: int, created_at: string, updated_at: string, finished_at: string|null}>, next_cursor: string|null}
     */
    public function listPayments(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/payments', false, true);
        return $this->call($route, $input);
    }

    /**
     * One payment with its story
     *
     * @param array{payment_id: string} $input
     * @return array{success: bool, payment: array{payment_id: string, rail: string, type: string, state: string, is_final: bool, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, hold_reason?: string, hold_until?: string|null, amount: string, currency: string, confirmed_amount: string|null, confirmed_currency: string|null, fee?: string, fee_currency?: string, order_id: string|null, reference: string|null, phone_number: string|null, provider: string, provider_reference: string|null, receipt: string|null, deposit_id: string|null, failure_code: string|null, failure_message: string|null, correction: bool, possible_duplicate_of?: string, sequence: int, created_at: string, updated_at: string, finished_at: string|null, timeline: list<array{state: string, at: string}>, refunds: list<array{payment_id: string, state: string}>}}
     */
    public function payment(array $input): array
    {
        $route = new Route('GET', '/api/v1/payments/{payment_id}', false, true);
        return $this->call($route, $input);
    }

    /**
     * What the merchant was, or is to be, sent
     *
     * @param array{payment_id?: string, state?: string, limit?: string, cursor?: string} $input
     * @return array{success: bool, webhooks: list<array{webhook_id: string, payment_id: string, payment_state: string, callback_type: string, endpoint: string, state: string, sequence: int|null, superseded_by: string|null, tries: int, created_at: string, next_at: string|null, settled_at: string|null}>, next_cursor: string|null}
     */
    public function listWebhooks(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/webhooks', false, true);
        return $this->call($route, $input);
    }

    /**
     * How each try to send a webhook went
     *
     * @param array{webhook_id: string} $input
     * @return array{success: bool, webhook: array{webhook_id: string, payment_id: string, payment_state: string, callback_type: string, endpoint: string, state: string, sequence: int|null, superseded_by: string|null, tries: int, created_at: string, next_at: string|null, settled_at: string|null}, deliveries: list<array{n: int, at: string, url: string|null, http_status: int|null, duration_ms: int, error: string|null, response_excerpt: string|null}>}
     */
    public function webhookDeliveries(array $input): array
    {
        $route = new Route('GET', '/api/v1/webhooks/{webhook_id}/deliveries', false, true);
        return $this->call($route, $input);
    }

    /**
     * Sends a webhook once more. Under the same `webhook-id`, with all tries before it. A status that a later one has replaced is not sent again
     *
     * @param array{webhook_id: string} $input
     * @return array{success: bool, webhook: array{webhook_id: string, payment_id: string, payment_state: string, callback_type: string, endpoint: string, state: string, sequence: int|null, superseded_by: string|null, tries: int, created_at: string, next_at: string|null, settled_at: string|null}}
     */
    public function resendWebhook(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/webhooks/{webhook_id}/resend', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Sends a webhook that tells of nothing, and says how it was answered
     *
     * @param array{endpoint?: string|null} $input
     * @return array{success: bool, webhook_id: string, delivered: bool, http_status: int|null, duration_ms: int, error: string|null, response_excerpt: string|null, sent_at: string}
     */
    public function testWebhook(array $input = [], ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/webhooks/test', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Adds an address that is told what happens from now on. It is sent the events of its types in the order of the feed, each at least once, with the id of the event as `webhook-id`. At most 10 are in use at a time. It takes no Idempotency-Key, as its answer holds a secret: where that answer is lost, list the endpoints and end the new one
     *
     * @param array{url: string, types?: string|null} $input
     * @return array{success: bool, endpoint: array{endpoint_id: string, url: string, types: list<string>, failed_tries: int, skipped: int, last_status: int|null, last_error: string|null, delivered_at: string|null, created_at: string}, webhook_secret: string}
     */
    public function addWebhookEndpoint(array $input): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints', false, false);
        return $this->call($route, $input);
    }

    /**
     * The further addresses that the merchant is told at
     *
     * @return array{success: bool, endpoints: list<array{endpoint_id: string, url: string, types: list<string>, failed_tries: int, skipped: int, last_status: int|null, last_error: string|null, delivered_at: string|null, created_at: string}>}
     */
    public function listWebhookEndpoints(): array
    {
        $route = new Route('GET', '/api/v1/webhook_endpoints', false, true);
        return $this->call($route, []);
    }

    /**
     * Gives an endpoint a new secret. What is sent is signed with the one before, too, until the next change. Where the answer is lost, the one before goes on signing: change it once more, and use the new one at once
     *
     * @param array{endpoint_id: string} $input
     * @return array{success: bool, endpoint: array{endpoint_id: string, url: string, types: list<string>, failed_tries: int, skipped: int, last_status: int|null, last_error: string|null, delivered_at: string|null, created_at: string}, webhook_secret: string}
     */
    public function changeWebhookEndpointSecret(array $input): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints/{endpoint_id}/change_secret', false, false);
        return $this->call($route, $input);
    }

    /**
     * Sends an endpoint nothing more
     *
     * @param array{endpoint_id: string} $input
     * @return array{success: bool, endpoint: array{endpoint_id: string, url: string, types: list<string>, failed_tries: int, skipped: int, last_status: int|null, last_error: string|null, delivered_at: string|null, created_at: string}}
     */
    public function endWebhookEndpoint(array $input): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints/{endpoint_id}/end', false, false);
        return $this->call($route, $input);
    }

    /**
     * How each try to tell an endpoint of an event went. Kept as long as the events are, 90 days
     *
     * @param array{endpoint_id: string, event_id?: string, limit?: string, cursor?: string} $input
     * @return array{success: bool, deliveries: list<array{event_id: string, type: string, payment_id: string, n: int, at: string, delivered: bool, superseded_by: string|null, http_status: int|null, duration_ms: int, error: string|null, response_excerpt: string|null}>, next_cursor: string|null}
     */
    public function webhookEndpointDeliveries(array $input): array
    {
        $route = new Route('GET', '/api/v1/webhook_endpoints/{endpoint_id}/deliveries', false, true);
        return $this->call($route, $input);
    }

    /**
     * Sends an endpoint an event once more. Under the same `webhook-id`, with all tries before it, beside what the endpoint is sent in order. What is on its way again already is begun anew. A status that a later one of the types it takes has replaced is not sent again
     *
     * @param array{endpoint_id: string, event_id: string} $input
     * @return array{success: bool, event_id: string, type: string, payment_id: string}
     */
    public function resendToWebhookEndpoint(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints/{endpoint_id}/resend', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Sends an endpoint a webhook that tells of nothing, and says how it was answered
     *
     * @param array{endpoint_id: string} $input
     * @return array{success: bool, webhook_id: string, delivered: bool, http_status: int|null, duration_ms: int, error: string|null, response_excerpt: string|null, sent_at: string}
     */
    public function testWebhookEndpoint(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints/{endpoint_id}/test', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Sets wallet money aside and mails a code for it
     *
     * @param array{email: string, amount: int|float|string, currency: string} $input
     * @return array{success: bool, data: array{voucher_id: string, code_last4: string, email: string, amount: int|float, currency: string, status: string, expires_at: string}}
     */
    public function createVoucher(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/create_voucher', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Brings a voucher's money back to the wallet, once
     *
     * @param array{code: string} $input
     * @return array{success: bool, data: array{voucher_id: string, code_last4: string, email: string, amount: int|float, currency: string, status: string, expires_at: string}}
     */
    public function redeemVoucher(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/redeem_voucher', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Asks a customer in Kenya on the handset. The customer is asked for whole shillings: cents are cut off. The result follows by webhook. In the sandbox 254708374149 pays, 254711223344 lacks the money, 254722334455 cancels and 254733445566 does not answer
     *
     * @param array{phone_number: string, amount: int|float|string, account_reference: string, order_id?: string|null, transaction_desc: string, metadata?: array<string, mixed>|null, currency?: string|null} $input
     * @return array{success: bool, warnings?: list<string>, message: string, data: array{payment_id: string, merchant_request_id: string, checkout_request_id: string, customer_message: string, amount: int|float, initial_amount: int|float, asked_amount: int|float, phone_number: string, order_id: string}}
     */
    public function stkPush(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/stk_push', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * How that payment stands
     *
     * @param array{payment_id: string} $input
     * @return array{success: bool, data: array{payment_id: string, merchant_request_id: string, checkout_request_id: string, status: string, result_code: string, result_description: string, initial_amount: int|float, asked_amount: int|float, actual_amount: int|float, fee?: int|float, fee_currency?: string, mm_receipt_number: string, transaction_date: string, transaction_date_utc?: string, phone_number: string, payer_phone: string, payer_name: string, account_reference: string, order_id: string, possible_duplicate_of?: string, sequence: int, is_final: bool, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, correction: bool, metadata: array<string, mixed>|null, created_at: string, updated_at: string}}
     */
    public function stkPushStatus(array $input): array
    {
        $route = new Route('GET', '/api/v1/stk_push/status', false, true);
        return $this->call($route, $input);
    }

    /**
     * Collects from a mobile-money customer. The outcome follows by callback. Where `redirect_url` is answered, the customer must be sent there
     *
     * @param array{amount: int|float|string, currency: string, phone_number: string, country: string, account_reference: string, customer_message?: string|null, provider?: string|null, preauth_code?: string|null} $input
     * @return array{success: bool, transaction_id: string, status: string, provider: string, country: string, provider_name: string, provider_predicted: bool, currency: string, amount: string, cancellable?: bool, hold_reason?: string, hold_until?: string|null, message: string, redirect_url?: string}
     */
    public function momoDeposit(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/deposit', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Pays out of the float of a country and currency
     *
     * @param array{amount: int|float|string, currency: string, phone_number: string, country: string, account_reference: string, customer_message?: string|null, provider?: string|null} $input
     * @return array{success: bool, transaction_id: string, status: string, provider: string, country: string, provider_name: string, provider_predicted: bool, currency: string, amount: string, cancellable?: bool, hold_reason?: string, hold_until?: string|null, message: string, redirect_url?: string}
     */
    public function momoPayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Cancels a payout that its network has not begun
     *
     * @param array{transaction_id: string} $input
     * @return array{success: bool, transaction_id: string, type: string, status: string, is_final: bool, message: string}
     */
    public function momoCancelPayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/cancel_payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Gives a deposit back, or a part of it
     *
     * @param array{transaction_id: string, amount?: int|float|string|null} $input
     * @return array{success: bool, transaction_id: string, deposit_transaction_id: string|null, type: string, status: string, amount: string, currency: string, message: string}
     */
    public function momoRefund(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/refund', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * How a deposit, payout or refund stands
     *
     * @param array{transaction_id: string} $input
     * @return array{success: bool, transaction_id: string, type: string, status: string, is_final: bool, payment_status: string, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, provider: string, country: string, currency: string, requested_amount: string, amount: string, returned_amount?: string, fee?: string, fee_currency?: string, provider_transaction_id: string, account_reference: string, failure_code: string|null, failure_message: string|null, possible_duplicate_of?: string, cancellable?: bool, hold_reason?: string, hold_until?: string|null, deposit_transaction_id?: string, redirect_url?: string, sequence: int, created_at: string, updated_at: string}
     */
    public function momoStatus(array $input): array
    {
        $route = new Route('GET', '/api/v1/momo/status', false, true);
        return $this->call($route, $input);
    }

    /**
     * The networks, their limits and what they ask for
     *
     * @param array{country?: string} $input
     * @return array{success: bool, providers: list<array{provider: string, country: string, provider_name: string, country_name: string, currency: string, requires_redirect: bool, requires_preauth: bool, operations: array<string, mixed>}>}
     */
    public function momoProviders(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/momo/providers', false, true);
        return $this->call($route, $input);
    }

    /**
     * Pays out to up to 1,000 at once, all or none. Each row is then a payout like any other, with its own callback, status and end
     *
     * @param array{order_id: string, payouts: list<array{amount: int|float|string, currency: string, phone_number: string, country: string, account_reference: string, customer_message?: string|null, provider?: string|null}>} $input
     * @return array{success: bool, bulk_id: string, order_id: string, is_final: bool, count: int, totals: list<array{currency: string, count: int, amount: string, by_status: array<string, mixed>}>, payouts: list<array{index: int, transaction_id: string, account_reference: string, phone_number: string, provider: string, country: string, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, failure_code: string|null, failure_message: string|null, hold_reason?: string, hold_until?: string|null, amount: string, currency: string, status: string, is_final: bool}>, created_at: string, message?: string}
     */
    public function momoBulkPayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/bulk_payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * How these stand, with totals. Asked with `bulk_id` or `order_id`
     *
     * @param array{bulk_id?: string, order_id?: string} $input
     * @return array{success: bool, bulk_id: string, order_id: string, is_final: bool, count: int, totals: list<array{currency: string, count: int, amount: string, by_status: array<string, mixed>}>, payouts: list<array{index: int, transaction_id: string, account_reference: string, phone_number: string, provider: string, country: string, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, failure_code: string|null, failure_message: string|null, hold_reason?: string, hold_until?: string|null, amount: string, currency: string, status: string, is_final: bool}>, created_at: string, message?: string}
     */
    public function momoBulkPayoutStatus(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/momo/bulk_payout', false, true);
        return $this->call($route, $input);
    }

    /**
     * Asks a customer in Uganda or Tanzania on the handset. The result follows by webhook. `order_id`, `transaction_desc` and `metadata` are not taken here
     *
     * @param array{currency: string, phone_number: string, amount: int|float|string, api_ref?: string|null, country?: string|null} $input
     * @return array{success: bool, data: array{invoice_id: string, state: string, api_ref: string}}
     */
    public function xbStkPush(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/xb/stk_push', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * How that payment stands. Asked with one of `invoice_id`, `api_ref` and `payment_id`; of equal names the newest is told
     *
     * @param array{invoice_id?: string, api_ref?: string, payment_id?: string} $input
     * @return array{success: bool, data: array{id: string, invoice: array{invoice_id: string, state: string, value: string, api_ref: string, currency: string, mm_reference: string, charges: string, net_amount: string}, possible_duplicate_of?: string, fee?: string, fee_currency?: string, is_final: bool, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, correction: bool, failure_reason: string|null, phone_number: string, sequence: int, created_at: string, updated_at: string}}
     */
    public function xbStkPushStatus(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/xb/stk_push/status', false, true);
        return $this->call($route, $input);
    }

    /**
     * Makes an order, and answers the page where the buyer approves it. The same `order_id` with the same body is answered as it was, for ever. At least 1.00 USD, or as much in KES
     *
     * @param array{amount: int|float|string, currency: string, order_id: string, metadata?: array<string, mixed>|null} $input
     * @return array{success: bool, data: array{walletpay_order_id: string, transaction_id: string, order_id: string|null, approval_url: string, status: string, amount: int|float, currency: string}}
     */
    public function walletpayCreateOrder(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/walletpay/create_order', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Takes the money of an approved order, once
     *
     * @param array{token: string, order_id: string} $input
     * @return array{success: bool, message?: string, data: array{capture_id: string, status: string, amount: int|float, currency: string, order_id: string|null, walletpay_order_id: string}}
     */
    public function walletpayCapture(array $input): array
    {
        $route = new Route('GET', '/api/v1/walletpay/capture', false, true);
        return $this->call($route, $input);
    }

    /**
     * How an order stands, and what was credited at which rate. Asked with one of `walletpay_order_id`, `order_id` and `payment_id`
     *
     * @param array{walletpay_order_id?: string, order_id?: string, payment_id?: string} $input
     * @return array{success: bool, message?: string, data: array{walletpay_order_id: string, transaction_id: string, order_id: string|null, approval_url: string, status: string, is_final: bool, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, amount: int|float, currency: string, order_rate: string|null, capture_id: string|null, capture_status: string|null, captured_amount: int|float|null, captured_currency: string|null, credited_amount: int|float|null, credited_currency: string|null, fee?: int|float, fee_currency?: string, rate: string|null, rounding_amount: int|float|null, refund_id?: string, refund_amount?: int|float, refunded_total?: int|float, refund_currency?: string, debited_amount?: int|float, debited_total?: int|float, partially_refunded?: bool, held_amount?: int|float, held_currency?: string, dispute_id?: string, dispute_status?: string, dispute_reason?: string, possible_duplicate_of?: string, failure_code: string|null, failure_message: string|null, correction: bool, sequence: int, created_at: string, updated_at: string}}
     */
    public function walletpayOrderStatus(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/walletpay/order_status', false, true);
        return $this->call($route, $input);
    }

    /**
     * Pays an e-mail address out of the float. The merchant needs the permission `is_admin` or `can_payout`
     *
     * @param array{amount: int|float|string, currency: string, recipient_email: string, order_id: string, note?: string|null, metadata?: array<string, mixed>|null} $input
     * @return array{success: bool, data: array{payout_id: string, walletpay_batch_id: string, hold_reason?: string, hold_until?: string|null}}
     */
    public function walletpayCreatePayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/walletpay/create_payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * How a payout stands. Asked with `payout_id` or `order_id`
     *
     * @param array{payout_id?: string, order_id?: string} $input
     * @return array{success: bool, data: array{payout_id: string, walletpay_batch_id: string, order_id: string|null, status: string, is_final: bool, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, amount: int|float, currency: string, sent_amount: int|float, sent_currency: string, fee?: int|float, fee_currency?: string, rate: string|null, recipient_email: string, item_status: string|null, hold_reason?: string, hold_until?: string|null, returned_amount?: int|float, returned_currency?: string, failure_code: string|null, failure_message: string|null, correction: bool, sequence: int, created_at: string, updated_at: string}}
     */
    public function walletpayPayoutStatus(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/walletpay/payout_status', false, true);
        return $this->call($route, $input);
    }

    /**
     * Gives a captured order back, or a part of it
     *
     * @param array{transaction_id: string, amount?: int|float|string|null} $input
     * @return array{success: bool, transaction_id: string, deposit_transaction_id: string|null, order_id: string, type: string, status: string, amount: string, currency: string, debited_amount: string, debited_currency: string, message: string}
     */
    public function walletpayRefund(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/walletpay/refund', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * How a refund stands
     *
     * @param array{transaction_id: string} $input
     * @return array{success: bool, data: array{transaction_id: string, deposit_transaction_id: string|null, order_id: string, refund_id: string, debited_amount: int|float, debited_currency: string, status: string, is_final: bool, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, amount: int|float, currency: string, hold_reason?: string, hold_until?: string|null, returned_amount?: int|float, returned_currency?: string, failure_code: string|null, failure_message: string|null, correction: bool, sequence: int, created_at: string, updated_at: string}}
     */
    public function walletpayRefundStatus(array $input): array
    {
        $route = new Route('GET', '/api/v1/walletpay/refund_status', false, true);
        return $this->call($route, $input);
    }

    /**
     * Pays out to up to 1,000 at once, all or none. Each row is then a payout like any other, with its own callback, status and end
     *
     * @param array{order_id: string, payouts: list<array{amount: int|float|string, currency: string, recipient_email: string, order_id: string, note?: string|null, metadata?: array<string, mixed>|null}>} $input
     * @return array{success: bool, message?: string, data: array{bulk_id: string, order_id: string, is_final: bool, count: int, totals: list<array{currency: string, count: int, amount: int|float, by_status: array<string, mixed>}>, payouts: list<array{index: int, payout_id: string, order_id: string|null, recipient_email: string, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, hold_reason?: string, hold_until?: string|null, returned_amount?: int|float, returned_currency?: string, failure_code: string|null, failure_message: string|null, amount: int|float, currency: string, status: string, is_final: bool}>, created_at: string}}
     */
    public function walletpayBulkPayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/walletpay/bulk_payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * How these stand, with totals. Asked with `bulk_id` or `order_id`
     *
     * @param array{bulk_id?: string, order_id?: string} $input
     * @return array{success: bool, message?: string, data: array{bulk_id: string, order_id: string, is_final: bool, count: int, totals: list<array{currency: string, count: int, amount: int|float, by_status: array<string, mixed>}>, payouts: list<array{index: int, payout_id: string, order_id: string|null, recipient_email: string, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, hold_reason?: string, hold_until?: string|null, returned_amount?: int|float, returned_currency?: string, failure_code: string|null, failure_message: string|null, amount: int|float, currency: string, status: string, is_final: bool}>, created_at: string}}
     */
    public function walletpayBulkPayoutStatus(array $input = []): array
    {
        $route = new Route('GET', '/api/v1/walletpay/bulk_payout', false, true);
        return $this->call($route, $input);
    }

    /**
     * An order through the wrapper: answers the page to pay at. An acceptance is no proof of payment, nor is the way back of the browser: ask transaction_status.php, or wait for the webhook
     *
     * @param array{merchant_id: string, order_id: string, amount: int|float|string, currency: string, description: string, phone_number: string, email_address: string, first_name: string, last_name: string, callback_url?: string|null} $input
     * @return array{success: bool, redirect_url: string, order_tracking_id: string|null, order_id: string|null}
     */
    public function initiate(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v2/initiate.php', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * The same under the other path of the specification. An acceptance is no proof of payment, nor is the way back of the browser: ask transaction_status.php, or wait for the webhook
     *
     * @param array{merchant_id: string, order_id: string, amount: int|float|string, currency: string, description: string, phone_number: string, email_address: string, first_name: string, last_name: string, callback_url?: string|null} $input
     * @return array{success: bool, redirect_url: string, order_tracking_id: string|null, order_id: string|null}
     */
    public function initiateCardproc(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v2/cardproc/initiate.php', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * An order through the card API: answers the page to pay at. An acceptance is no proof of payment, nor is the way back of the browser: ask transaction_status.php, or wait for the webhook
     *
     * @param array{merchant_id: string, merchant_ref: string, amount: int|float|string, currency?: string|null, description: string, callback_url: string, billing_address: array{phone_number?: string|null, email_address?: string|null, first_name?: string|null, last_name?: string|null}, cancellation_url?: string|null} $input
     * @return array{success: bool, order_tracking_id: string|null, merchant_reference: string|null, redirect_url: string}
     */
    public function submitOrder(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/cardproc/submit_order.php', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * How an order stands, for whoever knows its order_tracking_id
     *
     * @param array{order_tracking_id: string} $input
     * @return array{success: bool, order_tracking_id: string|null, merchant_reference: string|null, status: string, status_code: int|float, is_final: bool, message: string, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, amount: int|float, currency: string, payment_method: string, confirmation_code: string, sequence: int}
     */
    public function transactionStatus(array $input): array
    {
        $route = new Route('POST', '/api/cardproc/transaction_status.php', false, true);
        return $this->call($route, $input);
    }
}
