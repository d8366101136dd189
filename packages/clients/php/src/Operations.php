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
     * Get the balance of the merchant's KES wallet
     *
     * @return array{success: bool, merchant_id: string, merchant_name: string, balance: int|float, currency: string, timestamp: string, timestamp_utc: string}
     */
    public function queryBalance(): array
    {
        $route = new Route('GET', '/api/v1/query_balance', false, true);
        return $this->call($route, []);
    }

    /**
     * Get the balance (alias of query_balance)
     *
     * @return array{success: bool, merchant_id: string, merchant_name: string, balance: int|float, currency: string, timestamp: string, timestamp_utc: string}
     */
    public function merchantBalance(): array
    {
        $route = new Route('GET', '/api/v1/merchant/balance', false, true);
        return $this->call($route, []);
    }

    /**
     * List the movements on the merchant's accounts, day by day. With `format=csv` or `Accept: text/csv`, the answer is the whole statement in one file. JSON has pages
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
     * List every change of every payment, in order and without gaps
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
     * List the merchant's own requests of the last 7 days, newest first. Lists authenticated requests, a few seconds after their answers, without the contents of requests and answers. The service scans at most 2,000 requests for a page. If a filter matches few requests, a page may be short or empty
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
     * List the merchant's payments on all rails, newest first. The service scans at most 2,000 payments for a page. If a filter matches few payments, a page may be short or empty
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
     * Get a payment with its history
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
     * List the merchant's webhooks, sent and pending
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
     * List the delivery attempts of a webhook
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
     * Resend a webhook. The resend has the same `webhook-id` and up to 14 new attempts. A webhook that a later status has replaced is not resent
     *
     * @param array{webhook_id: string} $input
     * @return array{success: bool, webhook: array{webhook_id: string, payment_id: string, payment_state: string, callback_type: string, endpoint: string, state: string, sequence: int|null, superseded_by: string|null, tries: int, created_at: string, next_at: string|null, settled_at: string|null}, warnings?: list<string>}
     */
    public function resendWebhook(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/webhooks/{webhook_id}/resend', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Send a test webhook
     *
     * @param array{endpoint?: string|null} $input
     * @return array{success: bool, webhook_id: string, delivered: bool, http_status: int|null, duration_ms: int, error: string|null, response_excerpt: string|null, sent_at: string, warnings?: list<string>}
     */
    public function testWebhook(array $input = [], ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/webhooks/test', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Add a webhook endpoint. The endpoint gets all future events of its types in feed order. Each is sent at least once, with the event id as `webhook-id`. A merchant can have at most 10 endpoints at a time. The call accepts no Idempotency-Key, because its answer contains a secret. If the answer is lost, list the endpoints and end the new one
     *
     * @param array{url: string, types?: string|null} $input
     * @return array{success: bool, endpoint: array{endpoint_id: string, url: string, types: list<string>, failed_tries: int, skipped: int, last_status: int|null, last_error: string|null, delivered_at: string|null, created_at: string}, webhook_secret: string, warnings?: list<string>}
     */
    public function addWebhookEndpoint(array $input): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints', false, false);
        return $this->call($route, $input);
    }

    /**
     * List the merchant's additional webhook endpoints
     *
     * @return array{success: bool, endpoints: list<array{endpoint_id: string, url: string, types: list<string>, failed_tries: int, skipped: int, last_status: int|null, last_error: string|null, delivered_at: string|null, created_at: string}>}
     */
    public function listWebhookEndpoints(): array
    {
        $route = new Route('GET', '/api/v1/webhook_endpoints', false, true);
        return $this->call($route, []);
    }

    /**
     * Change the secret of an endpoint. Webhooks are also signed with the previous secret until the next change. If the answer is lost, the previous secret still works: change the secret again, and use the new one at once
     *
     * @param array{endpoint_id: string} $input
     * @return array{success: bool, endpoint: array{endpoint_id: string, url: string, types: list<string>, failed_tries: int, skipped: int, last_status: int|null, last_error: string|null, delivered_at: string|null, created_at: string}, webhook_secret: string, warnings?: list<string>}
     */
    public function changeWebhookEndpointSecret(array $input): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints/{endpoint_id}/change_secret', false, false);
        return $this->call($route, $input);
    }

    /**
     * End a webhook endpoint
     *
     * @param array{endpoint_id: string} $input
     * @return array{success: bool, endpoint: array{endpoint_id: string, url: string, types: list<string>, failed_tries: int, skipped: int, last_status: int|null, last_error: string|null, delivered_at: string|null, created_at: string}, warnings?: list<string>}
     */
    public function endWebhookEndpoint(array $input): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints/{endpoint_id}/end', false, false);
        return $this->call($route, $input);
    }

    /**
     * List the delivery attempts of an endpoint. Stored as long as the events, 90 days
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
     * Resend an event to an endpoint. The resend has the same `webhook-id` and up to 14 new attempts, in parallel with the ordered delivery of the endpoint. A resend that is already in progress restarts. An event that a later event of the endpoint's types has replaced is not resent
     *
     * @param array{endpoint_id: string, event_id: string} $input
     * @return array{success: bool, event_id: string, type: string, payment_id: string, warnings?: list<string>}
     */
    public function resendToWebhookEndpoint(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints/{endpoint_id}/resend', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Send a test webhook to an endpoint
     *
     * @param array{endpoint_id: string} $input
     * @return array{success: bool, webhook_id: string, delivered: bool, http_status: int|null, duration_ms: int, error: string|null, response_excerpt: string|null, sent_at: string, warnings?: list<string>}
     */
    public function testWebhookEndpoint(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/webhook_endpoints/{endpoint_id}/test', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Create a voucher from wallet money and mail its code
     *
     * @param array{email: string, amount: int|float|string, currency: string} $input
     * @return array{success: bool, data: array{voucher_id: string, code_last4: string, email: string, amount: int|float, currency: string, status: string, expires_at: string}, warnings?: list<string>}
     */
    public function createVoucher(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/create_voucher', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Redeem a voucher into the wallet
     *
     * @param array{code: string} $input
     * @return array{success: bool, data: array{voucher_id: string, code_last4: string, email: string, amount: int|float, currency: string, status: string, expires_at: string}, warnings?: list<string>}
     */
    public function redeemVoucher(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/redeem_voucher', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Send a payment prompt to a customer in Kenya. The prompt asks for whole shillings: cents are cut off. A webhook reports the result. In the sandbox, 254708374149 pays, 254711223344 has too little money, 254722334455 cancels and 254733445566 does not answer
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
     * Get the status of a payment
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
     * Collect a payment from a mobile-money customer. A callback reports the outcome. If the answer has a `redirect_url`, you must send the customer there
     *
     * @param array{amount: int|float|string, currency: string, phone_number: string, country: string, account_reference: string, customer_message?: string|null, provider?: string|null, preauth_code?: string|null} $input
     * @return array{success: bool, transaction_id: string, status: string, provider: string, country: string, provider_name: string, provider_predicted: bool, currency: string, amount: string, cancellable?: bool, hold_reason?: string, hold_until?: string|null, message: string, redirect_url?: string, warnings?: list<string>}
     */
    public function momoDeposit(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/deposit', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Pay out from the float of a country and currency
     *
     * @param array{amount: int|float|string, currency: string, phone_number: string, country: string, account_reference: string, customer_message?: string|null, provider?: string|null} $input
     * @return array{success: bool, transaction_id: string, status: string, provider: string, country: string, provider_name: string, provider_predicted: bool, currency: string, amount: string, cancellable?: bool, hold_reason?: string, hold_until?: string|null, message: string, redirect_url?: string, warnings?: list<string>}
     */
    public function momoPayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Cancel a payout that its network has not started
     *
     * @param array{transaction_id: string} $input
     * @return array{success: bool, transaction_id: string, type: string, status: string, is_final: bool, message: string, warnings?: list<string>}
     */
    public function momoCancelPayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/cancel_payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Refund a deposit, completely or in part
     *
     * @param array{transaction_id: string, amount?: int|float|string|null} $input
     * @return array{success: bool, transaction_id: string, deposit_transaction_id: string|null, type: string, status: string, amount: string, currency: string, message: string, warnings?: list<string>}
     */
    public function momoRefund(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/refund', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Get the status of a deposit, payout or refund
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
     * List the networks with their limits and requirements
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
     * Create up to 1,000 payouts at once, all or none. Each row becomes a normal payout, with its own callback, status and outcome
     *
     * @param array{order_id: string, payouts: list<array{amount: int|float|string, currency: string, phone_number: string, country: string, account_reference: string, customer_message?: string|null, provider?: string|null}>} $input
     * @return array{success: bool, bulk_id: string, order_id: string, is_final: bool, count: int, totals: list<array{currency: string, count: int, amount: string, by_status: array<string, mixed>}>, payouts: list<array{index: int, transaction_id: string, account_reference: string, phone_number: string, provider: string, country: string, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, failure_code: string|null, failure_message: string|null, hold_reason?: string, hold_until?: string|null, amount: string, currency: string, status: string, is_final: bool}>, created_at: string, message?: string, warnings?: list<string>}
     */
    public function momoBulkPayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/momo/bulk_payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Get the status of a bulk, with totals. Requires `bulk_id` or `order_id`
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
     * Send a payment prompt to a customer in Uganda or Tanzania. A webhook reports the result. `order_id`, `transaction_desc` and `metadata` are not accepted here
     *
     * @param array{currency: string, phone_number: string, amount: int|float|string, api_ref?: string|null, country?: string|null} $input
     * @return array{success: bool, data: array{invoice_id: string, state: string, api_ref: string}, warnings?: list<string>}
     */
    public function xbStkPush(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/xb/stk_push', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Get the status of a payment. Requires one of `invoice_id`, `api_ref` and `payment_id`. If several payments have the same name, the newest is returned
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
     * Create an order and get the page where the buyer approves it. A repeat with the same `order_id` and body always gets the same answer. The minimum is 1.00 USD, or its value in KES
     *
     * @param array{amount: int|float|string, currency: string, order_id: string, metadata?: array<string, mixed>|null} $input
     * @return array{success: bool, data: array{walletpay_order_id: string, transaction_id: string, order_id: string|null, approval_url: string, status: string, amount: int|float, currency: string}, warnings?: list<string>}
     */
    public function walletpayCreateOrder(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/walletpay/create_order', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Capture the money of an approved order, once
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
     * Get the status of an order with its credited amount and rate. Requires one of `walletpay_order_id`, `order_id` and `payment_id`
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
     * Pay out from the float to an e-mail address. The merchant needs the permission `is_admin` or `can_payout`
     *
     * @param array{amount: int|float|string, currency: string, recipient_email: string, order_id: string, note?: string|null, metadata?: array<string, mixed>|null} $input
     * @return array{success: bool, data: array{payout_id: string, walletpay_batch_id: string, hold_reason?: string, hold_until?: string|null}, warnings?: list<string>}
     */
    public function walletpayCreatePayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/walletpay/create_payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Get the status of a payout. Requires `payout_id` or `order_id`
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
     * Refund a captured order, completely or in part
     *
     * @param array{transaction_id: string, amount?: int|float|string|null} $input
     * @return array{success: bool, transaction_id: string, deposit_transaction_id: string|null, order_id: string, type: string, status: string, amount: string, currency: string, debited_amount: string, debited_currency: string, message: string, warnings?: list<string>}
     */
    public function walletpayRefund(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/walletpay/refund', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Get the status of a refund
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
     * Create up to 1,000 payouts at once, all or none. Each row becomes a normal payout, with its own callback, status and outcome
     *
     * @param array{order_id: string, payouts: list<array{amount: int|float|string, currency: string, recipient_email: string, order_id: string, note?: string|null, metadata?: array<string, mixed>|null}>} $input
     * @return array{success: bool, message?: string, data: array{bulk_id: string, order_id: string, is_final: bool, count: int, totals: list<array{currency: string, count: int, amount: int|float, by_status: array<string, mixed>}>, payouts: list<array{index: int, payout_id: string, order_id: string|null, recipient_email: string, next_step: array{code: string, en: string, sw: string, safe_to_repeat: bool}, hold_reason?: string, hold_until?: string|null, returned_amount?: int|float, returned_currency?: string, failure_code: string|null, failure_message: string|null, amount: int|float, currency: string, status: string, is_final: bool}>, created_at: string}, warnings?: list<string>}
     */
    public function walletpayBulkPayout(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v1/walletpay/bulk_payout', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Get the status of a bulk, with totals. Requires `bulk_id` or `order_id`
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
     * Create an order (wrapper) and get its payment page. Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook
     *
     * @param array{merchant_id: string, order_id: string, amount: int|float|string, currency: string, description: string, phone_number: string, email_address: string, first_name: string, last_name: string, callback_url?: string|null} $input
     * @return array{success: bool, redirect_url: string, order_tracking_id: string|null, order_id: string|null, warnings?: list<string>}
     */
    public function initiate(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v2/initiate.php', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Create an order (wrapper, alternative path). Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook
     *
     * @param array{merchant_id: string, order_id: string, amount: int|float|string, currency: string, description: string, phone_number: string, email_address: string, first_name: string, last_name: string, callback_url?: string|null} $input
     * @return array{success: bool, redirect_url: string, order_tracking_id: string|null, order_id: string|null, warnings?: list<string>}
     */
    public function initiateCardproc(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/v2/cardproc/initiate.php', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Create an order (card API) and get its payment page. Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook
     *
     * @param array{merchant_id: string, merchant_ref: string, amount: int|float|string, currency?: string|null, description: string, callback_url: string, billing_address: array{phone_number?: string|null, email_address?: string|null, first_name?: string|null, last_name?: string|null}, cancellation_url?: string|null} $input
     * @return array{success: bool, order_tracking_id: string|null, merchant_reference: string|null, redirect_url: string, warnings?: list<string>}
     */
    public function submitOrder(array $input, ?string $idempotencyKey = null, bool $isRepeat = false): array
    {
        $route = new Route('POST', '/api/cardproc/submit_order.php', true, true);
        return $this->call($route, $input, $idempotencyKey, $isRepeat);
    }

    /**
     * Get the status of an order by its order_tracking_id
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
