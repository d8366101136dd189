// Generated from docs/openapi.json by `npm run clients`.
export type ErrorBody = {
  /** The request was rejected */
  success: false;
  /** The error as a sentence */
  error: string;
  /** The same sentence */
  message: string;
  code: ErrorCode;
  /** Also the X-Request-Id header. Include it when you contact support */
  request_id: string;
  /** YYYY-MM-DD HH:MM:SS, in the service's time zone */
  timestamp: string;
  /** The same time, ISO 8601 in UTC */
  timestamp_utc?: string;
  /** Every invalid field of the request */
  details?: Array<{
    /** The field, such as `billing_address.phone_number` or `payouts.3.amount` */
    field: string;
    /** The problem with the field */
    message: string;
  }>;
  /** The page that explains the code and what to do, if the deployment configures its documentation address */
  doc_url?: string;
  /** The payment that this error concerns, if one exists */
  payment_id?: string;
};
export type ErrorCode = "VALIDATION_FAILED" | "INVALID_JSON" | "INVALID_QUERY" | "INVALID_PHONE_NUMBER" | "INVALID_AMOUNT" | "AMOUNT_OUT_OF_RANGE" | "UNSUPPORTED_CURRENCY" | "FLOAT_INSUFFICIENT" | "OUTFLOW_LIMIT_REACHED" | "BALANCE_INSUFFICIENT" | "COUNTRY_NOT_SUPPORTED" | "PROVIDER_NOT_FOUND" | "PREAUTH_CODE_REQUIRED" | "REFUND_EXCEEDS_REMAINDER" | "INVALID_EVENT" | "PROVIDER_REJECTED_REQUEST" | "CREDENTIALS_MISSING" | "CREDENTIALS_REQUIRED" | "INVALID_CREDENTIALS" | "KEY_OF_OTHER_ENVIRONMENT" | "INVALID_SIGNATURE" | "INVALID_MERCHANT" | "IP_NOT_ALLOWED" | "ACCOUNT_SUSPENDED" | "ACCOUNT_INACTIVE" | "INACTIVE_MERCHANT" | "SCOPE_REQUIRED" | "PERMISSION_REQUIRED" | "NOT_FOUND" | "PAYMENT_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "WEBHOOK_ENDPOINT_NOT_FOUND" | "VOUCHER_NOT_FOUND" | "MERCHANT_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REFUND_TOO_LATE" | "DEPOSIT_NOT_COMPLETED" | "PAYOUT_NOT_CANCELLABLE" | "CANCELLATION_IN_PROGRESS" | "VOUCHER_NOT_ACTIVE" | "DUPLICATE_PAYMENT" | "WEBHOOK_SUPERSEDED" | "WEBHOOK_NOT_KEPT" | "WEBHOOK_WITHOUT_ADDRESS" | "CUSTOMER_BUSY" | "REQUEST_IN_PROGRESS" | "ORDER_ID_REUSED" | "ORDER_NOT_APPROVED" | "ORDER_EXPIRED" | "ORDER_FAILED" | "CURSOR_EXPIRED" | "BODY_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "PROCESSOR_FAILURE" | "PROVIDER_ACCOUNT_REFUSED" | "PROVIDER_UNAVAILABLE" | "PROVIDER_TEMPORARILY_UNAVAILABLE" | "SERVICE_UNAVAILABLE" | "RATE_UNAVAILABLE" | "SERVICE_BUSY" | "ACCEPTANCE_UNKNOWN";
export type QueryBalanceAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The merchant that owns the wallet */
  merchant_id: string;
  /** The registered business name */
  merchant_name: string;
  /** The available balance, without reserved amounts. In currency units, with at most three decimals */
  balance: number;
  /** The currency of the balance */
  currency: "KES";
  /** When the balance was read. YYYY-MM-DD HH:MM:SS, in the service's time zone (default Africa/Nairobi) */
  timestamp: string;
  /** The same time. ISO 8601, UTC */
  timestamp_utc: string;
};
export type MerchantBalanceAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The merchant that owns the wallet */
  merchant_id: string;
  /** The registered business name */
  merchant_name: string;
  /** The available balance, without reserved amounts. In currency units, with at most three decimals */
  balance: number;
  /** The currency of the balance */
  currency: "KES";
  /** When the balance was read. YYYY-MM-DD HH:MM:SS, in the service's time zone (default Africa/Nairobi) */
  timestamp: string;
  /** The same time. ISO 8601, UTC */
  timestamp_utc: string;
};
export type StatementAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The merchant that owns the accounts */
  merchant_id: string;
  /** The currency of all amounts. ISO 4217 */
  currency: string;
  /** The first day, included. YYYY-MM-DD */
  from: string;
  /** The last day, included. YYYY-MM-DD */
  to: string;
  /** Your time zone, in which each day starts and ends */
  time_zone: string;
  /** Whether all days are closed. If so, the same request returns the same statement from now on */
  is_final: boolean;
  /** The accounts in this currency that were used up to the last day */
  accounts: Array<{
    /** The account, such as `wallet` or `float:momo:KEN` */
    account: string;
    /** The rail of a float */
    rail: string | null;
    /** The country of a float. ISO 3166 alpha-3 */
    country: string | null;
    /** The balance before the first day. Decimal text in currency units, with two decimals or the currency's own three */
    opening_balance: string;
    /** The balance after the last day. Decimal text in currency units, with two decimals or the currency's own three */
    closing_balance: string;
  }>;
  /** Account by account, in booking order */
  movements: Array<{
    /** The account that changed */
    account: string;
    /** When the movement was booked. ISO 8601, UTC */
    time: string;
    /** The type of movement, such as `credit`, `hold`, `spent`, `release` or `fee` */
    type: string;
    /** The payment. Null if the movement belongs to no payment */
    payment_id: string | null;
    /** The payment's rail. Null if the movement belongs to no payment */
    rail: string | null;
    /** deposit, payout or refund. Null if the movement belongs to no payment */
    kind: string | null;
    /** Your order_id, if there is one */
    order_id: string | null;
    /** Your reference, if there is one */
    reference: string | null;
    /** The voucher or transfer, if the movement belongs to no payment */
    source_id: string | null;
    /** The amount of the movement; negative if it left the account. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The account's balance after the movement. Decimal text in currency units, with two decimals or the currency's own three */
    balance: string;
  }>;
  /** The cursor of the next page; null on the last page */
  next_cursor: string | null;
};
export type EventsAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** In feed order */
  events: Array<{
    /** The event id; also the `webhook-id` of its webhook, if there is one */
    id: string;
    /** The event type */
    type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
    /** When the payment changed. ISO 8601, UTC */
    created_at: string;
    /** The payment */
    payment_id: string;
    /** The payment's rail */
    rail: string;
    /** The `X-Callback-Type` of its webhooks */
    callback_type: string;
    /** Whether a webhook with this id was created */
    has_webhook: boolean;
    data: EventData;
  }>;
  /** Send it as `after` to get the next page */
  next_cursor: string;
  /** Whether more events may be available now */
  has_more: boolean;
};
export type ListRequestsAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** Newest first */
  requests: Array<{
    /** When the request was answered. ISO 8601, UTC */
    at: string;
    /** The request's `X-Request-Id`. Include it when you contact support */
    request_id: string;
    /** The HTTP method */
    method: string;
    /** The path, without the ids in it */
    path: string;
    /** The HTTP status of the answer; 499 if you closed the connection before it */
    status: number;
    /** The error code */
    code: string | null;
    /** The duration. Milliseconds */
    duration_ms: number;
  }>;
  /** The cursor of the next page; null on the last page */
  next_cursor: string | null;
};
export type ListPaymentsAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** Newest first */
  payments: Array<{
    /** The payment */
    payment_id: string;
    /** The payment's rail */
    rail: string;
    /** The type of the payment */
    type: "deposit" | "payout" | "refund";
    /** The state of the payment */
    state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** Whether the payment has ended. A late success may still follow a failure */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
    hold_reason?: string;
    /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
    hold_until?: string | null;
    /** The requested amount, in `currency`. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The currency of the requested amount. ISO 4217 */
    currency: string;
    /** The amount that the provider confirmed. Decimal text in currency units, with two decimals or the currency's own three */
    confirmed_amount: string | null;
    /** The currency of the confirmed amount. ISO 4217 */
    confirmed_currency: string | null;
    /** The fee of the payment, if there is one. Decimal text in currency units, with two decimals or the currency's own three */
    fee?: string;
    /** The currency of the fee. ISO 4217 */
    fee_currency?: string;
    /** Your order_id */
    order_id: string | null;
    /** Your reference */
    reference: string | null;
    /** The customer's phone number */
    phone_number: string | null;
    /** The provider or network that moves the money */
    provider: string;
    /** The provider's id of the payment */
    provider_reference: string | null;
    /** The provider's receipt */
    receipt: string | null;
    /** The deposit of a refund */
    deposit_id: string | null;
    /** The failure code */
    failure_code: string | null;
    /** The failure reason as a text */
    failure_message: string | null;
    /** Whether the payment succeeded after it was reported as failed */
    correction: boolean;
    /** Your name of the earlier payment for the same reference, which may be paid twice */
    possible_duplicate_of?: string;
    /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
    sequence: number;
    /** When the payment was created. ISO 8601, UTC */
    created_at: string;
    /** When the payment last changed. ISO 8601, UTC */
    updated_at: string;
    /** When the payment ended. ISO 8601, UTC */
    finished_at: string | null;
  }>;
  /** The cursor of the next page; null on the last page */
  next_cursor: string | null;
};
export type PaymentAnswer = {
  /** Whether the request succeeded */
  success: true;
  payment: {
    /** The payment */
    payment_id: string;
    /** The payment's rail */
    rail: string;
    /** The type of the payment */
    type: "deposit" | "payout" | "refund";
    /** The state of the payment */
    state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** Whether the payment has ended. A late success may still follow a failure */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
    hold_reason?: string;
    /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
    hold_until?: string | null;
    /** The requested amount, in `currency`. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The currency of the requested amount. ISO 4217 */
    currency: string;
    /** The amount that the provider confirmed. Decimal text in currency units, with two decimals or the currency's own three */
    confirmed_amount: string | null;
    /** The currency of the confirmed amount. ISO 4217 */
    confirmed_currency: string | null;
    /** The fee of the payment, if there is one. Decimal text in currency units, with two decimals or the currency's own three */
    fee?: string;
    /** The currency of the fee. ISO 4217 */
    fee_currency?: string;
    /** Your order_id */
    order_id: string | null;
    /** Your reference */
    reference: string | null;
    /** The customer's phone number */
    phone_number: string | null;
    /** The provider or network that moves the money */
    provider: string;
    /** The provider's id of the payment */
    provider_reference: string | null;
    /** The provider's receipt */
    receipt: string | null;
    /** The deposit of a refund */
    deposit_id: string | null;
    /** The failure code */
    failure_code: string | null;
    /** The failure reason as a text */
    failure_message: string | null;
    /** Whether the payment succeeded after it was reported as failed */
    correction: boolean;
    /** Your name of the earlier payment for the same reference, which may be paid twice */
    possible_duplicate_of?: string;
    /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
    sequence: number;
    /** When the payment was created. ISO 8601, UTC */
    created_at: string;
    /** When the payment last changed. ISO 8601, UTC */
    updated_at: string;
    /** When the payment ended. ISO 8601, UTC */
    finished_at: string | null;
    /** Each state that the payment entered */
    timeline: Array<{
      /** The state of the payment */
      state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
      /** When the payment entered the state. ISO 8601, UTC */
      at: string;
    }>;
    /** The refunds of a deposit, oldest first */
    refunds: Array<{
      /** The refund */
      payment_id: string;
      /** The state of the payment */
      state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    }>;
  };
};
export type ListWebhooksAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** Newest first */
  webhooks: Array<{
    /** The webhook; the same id for every attempt */
    webhook_id: string;
    /** The payment of the webhook */
    payment_id: string;
    /** The state of the payment */
    payment_state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** The webhook's `X-Callback-Type` */
    callback_type: string;
    /** Which of your addresses gets the webhook */
    endpoint: "webhook_url" | "callback_url";
    /** The delivery state. `dead`: all attempts failed. `unaddressed`: there was no address. `superseded`: no longer sent, because a later status of the payment replaced it */
    state: "pending" | "delivered" | "dead" | "unaddressed" | "superseded";
    /** The number of the payment's change; null for a webhook from before these numbers existed */
    sequence: number | null;
    /** The webhook with the later status that replaced this one, which is not sent again */
    superseded_by: string | null;
    /** Attempts since the webhook last became due */
    tries: number;
    /** When the webhook was created. ISO 8601, UTC */
    created_at: string;
    /** When the next attempt is due, while the webhook is pending. ISO 8601, UTC */
    next_at: string | null;
    /** When the webhook was delivered, dropped or replaced. ISO 8601, UTC */
    settled_at: string | null;
  }>;
  /** The cursor of the next page; null on the last page */
  next_cursor: string | null;
};
export type WebhookDeliveriesAnswer = {
  /** Whether the request succeeded */
  success: true;
  webhook: {
    /** The webhook; the same id for every attempt */
    webhook_id: string;
    /** The payment of the webhook */
    payment_id: string;
    /** The state of the payment */
    payment_state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** The webhook's `X-Callback-Type` */
    callback_type: string;
    /** Which of your addresses gets the webhook */
    endpoint: "webhook_url" | "callback_url";
    /** The delivery state. `dead`: all attempts failed. `unaddressed`: there was no address. `superseded`: no longer sent, because a later status of the payment replaced it */
    state: "pending" | "delivered" | "dead" | "unaddressed" | "superseded";
    /** The number of the payment's change; null for a webhook from before these numbers existed */
    sequence: number | null;
    /** The webhook with the later status that replaced this one, which is not sent again */
    superseded_by: string | null;
    /** Attempts since the webhook last became due */
    tries: number;
    /** When the webhook was created. ISO 8601, UTC */
    created_at: string;
    /** When the next attempt is due, while the webhook is pending. ISO 8601, UTC */
    next_at: string | null;
    /** When the webhook was delivered, dropped or replaced. ISO 8601, UTC */
    settled_at: string | null;
  };
  /** The last 100 attempts, newest first */
  deliveries: Array<{
    /** The number of the attempt, from 1 */
    n: number;
    /** When the attempt ended. ISO 8601, UTC */
    at: string;
    /** The address */
    url: string | null;
    /** The HTTP status of the answer; null without an answer */
    http_status: number | null;
    /** The duration. Milliseconds */
    duration_ms: number;
    /** Why the webhook was not delivered */
    error: string | null;
    /** The start of the answer */
    response_excerpt: string | null;
  }>;
};
export type ResendWebhookAnswer = {
  /** Whether the request succeeded */
  success: true;
  webhook: {
    /** The webhook; the same id for every attempt */
    webhook_id: string;
    /** The payment of the webhook */
    payment_id: string;
    /** The state of the payment */
    payment_state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** The webhook's `X-Callback-Type` */
    callback_type: string;
    /** Which of your addresses gets the webhook */
    endpoint: "webhook_url" | "callback_url";
    /** The delivery state. `dead`: all attempts failed. `unaddressed`: there was no address. `superseded`: no longer sent, because a later status of the payment replaced it */
    state: "pending" | "delivered" | "dead" | "unaddressed" | "superseded";
    /** The number of the payment's change; null for a webhook from before these numbers existed */
    sequence: number | null;
    /** The webhook with the later status that replaced this one, which is not sent again */
    superseded_by: string | null;
    /** Attempts since the webhook last became due */
    tries: number;
    /** When the webhook was created. ISO 8601, UTC */
    created_at: string;
    /** When the next attempt is due, while the webhook is pending. ISO 8601, UTC */
    next_at: string | null;
    /** When the webhook was delivered, dropped or replaced. ISO 8601, UTC */
    settled_at: string | null;
  };
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type TestWebhookAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The `webhook-id` of the webhook */
  webhook_id: string;
  /** Whether the address answered with a status from 200 to 299 */
  delivered: boolean;
  /** The HTTP status of the answer; null without an answer */
  http_status: number | null;
  /** The duration. Milliseconds */
  duration_ms: number;
  /** Why the webhook was not delivered */
  error: string | null;
  /** The start of the answer */
  response_excerpt: string | null;
  /** When the webhook was sent. ISO 8601, UTC */
  sent_at: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type AddWebhookEndpointAnswer = {
  /** Whether the request succeeded */
  success: true;
  endpoint: {
    /** The endpoint */
    endpoint_id: string;
    /** The endpoint's address */
    url: string;
    /** The event types that the endpoint receives, as in the event feed */
    types: Array<string>;
    /** Failed attempts of the next event */
    failed_tries: number;
    /** Events that were dropped after 14 attempts in 72 hours. The event feed still has them */
    skipped: number;
    /** The HTTP status of the last attempt; null without an answer */
    last_status: number | null;
    /** Why the last attempt failed */
    last_error: string | null;
    /** When the last event was delivered. ISO 8601, UTC */
    delivered_at: string | null;
    /** When the endpoint was added. ISO 8601, UTC */
    created_at: string;
  };
  /** The signing secret of this endpoint, shown only once */
  webhook_secret: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type ListWebhookEndpointsAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The endpoints in use, oldest first */
  endpoints: Array<{
    /** The endpoint */
    endpoint_id: string;
    /** The endpoint's address */
    url: string;
    /** The event types that the endpoint receives, as in the event feed */
    types: Array<string>;
    /** Failed attempts of the next event */
    failed_tries: number;
    /** Events that were dropped after 14 attempts in 72 hours. The event feed still has them */
    skipped: number;
    /** The HTTP status of the last attempt; null without an answer */
    last_status: number | null;
    /** Why the last attempt failed */
    last_error: string | null;
    /** When the last event was delivered. ISO 8601, UTC */
    delivered_at: string | null;
    /** When the endpoint was added. ISO 8601, UTC */
    created_at: string;
  }>;
};
export type ChangeWebhookEndpointSecretAnswer = {
  /** Whether the request succeeded */
  success: true;
  endpoint: {
    /** The endpoint */
    endpoint_id: string;
    /** The endpoint's address */
    url: string;
    /** The event types that the endpoint receives, as in the event feed */
    types: Array<string>;
    /** Failed attempts of the next event */
    failed_tries: number;
    /** Events that were dropped after 14 attempts in 72 hours. The event feed still has them */
    skipped: number;
    /** The HTTP status of the last attempt; null without an answer */
    last_status: number | null;
    /** Why the last attempt failed */
    last_error: string | null;
    /** When the last event was delivered. ISO 8601, UTC */
    delivered_at: string | null;
    /** When the endpoint was added. ISO 8601, UTC */
    created_at: string;
  };
  /** The signing secret of this endpoint, shown only once */
  webhook_secret: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type EndWebhookEndpointAnswer = {
  /** Whether the request succeeded */
  success: true;
  endpoint: {
    /** The endpoint */
    endpoint_id: string;
    /** The endpoint's address */
    url: string;
    /** The event types that the endpoint receives, as in the event feed */
    types: Array<string>;
    /** Failed attempts of the next event */
    failed_tries: number;
    /** Events that were dropped after 14 attempts in 72 hours. The event feed still has them */
    skipped: number;
    /** The HTTP status of the last attempt; null without an answer */
    last_status: number | null;
    /** Why the last attempt failed */
    last_error: string | null;
    /** When the last event was delivered. ISO 8601, UTC */
    delivered_at: string | null;
    /** When the endpoint was added. ISO 8601, UTC */
    created_at: string;
  };
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type WebhookEndpointDeliveriesAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** Newest first */
  deliveries: Array<{
    /** The event; also its `webhook-id` header */
    event_id: string;
    /** The event type */
    type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
    /** The payment */
    payment_id: string;
    /** The number of the attempt, from 1. It restarts at 1 after a resend */
    n: number;
    /** When the attempt ended. ISO 8601, UTC */
    at: string;
    /** Whether the endpoint answered with a status from 200 to 299 */
    delivered: boolean;
    /** The later event that replaced this one. It was not sent, and does not count as an attempt. Null for an attempt */
    superseded_by: string | null;
    /** The HTTP status of the answer; null without an answer */
    http_status: number | null;
    /** The duration. Milliseconds */
    duration_ms: number;
    /** Why the webhook was not delivered */
    error: string | null;
    /** The start of the answer */
    response_excerpt: string | null;
  }>;
  /** The cursor of the next page; null on the last page */
  next_cursor: string | null;
};
export type ResendToWebhookEndpointAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The event; also its `webhook-id` header */
  event_id: string;
  /** The event type */
  type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The payment */
  payment_id: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type TestWebhookEndpointAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The `webhook-id` of the webhook */
  webhook_id: string;
  /** Whether the address answered with a status from 200 to 299 */
  delivered: boolean;
  /** The HTTP status of the answer; null without an answer */
  http_status: number | null;
  /** The duration. Milliseconds */
  duration_ms: number;
  /** Why the webhook was not delivered */
  error: string | null;
  /** The start of the answer */
  response_excerpt: string | null;
  /** When the webhook was sent. ISO 8601, UTC */
  sent_at: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type CreateVoucherAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The voucher */
    voucher_id: string;
    /** The last four characters of the code. The complete code is only in the mail */
    code_last4: string;
    /** The recipient's e-mail address */
    email: string;
    /** The value of the voucher. In currency units, with at most three decimals */
    amount: number;
    /** The currency of the value. ISO 4217 */
    currency: string;
    /** The state of the voucher */
    status: "Active" | "Redeemed" | "Expired";
    /** When the voucher expires and its money returns to the wallet. ISO 8601, UTC */
    expires_at: string;
  };
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type RedeemVoucherAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The voucher */
    voucher_id: string;
    /** The last four characters of the code. The complete code is only in the mail */
    code_last4: string;
    /** The recipient's e-mail address */
    email: string;
    /** The value of the voucher. In currency units, with at most three decimals */
    amount: number;
    /** The currency of the value. ISO 4217 */
    currency: string;
    /** The state of the voucher */
    status: "Active" | "Redeemed" | "Expired";
    /** When the voucher expires and its money returns to the wallet. ISO 8601, UTC */
    expires_at: string;
  };
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type StkPushAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
  /** What happens next, as a sentence */
  message: string;
  data: {
    /** The payment. Query its status by this id */
    payment_id: string;
    /** The provider's id of the request, once known */
    merchant_request_id: string;
    /** The provider's id of the prompt, once known */
    checkout_request_id: string;
    /** The provider's sentence for the customer, once known */
    customer_message: string;
    /** The requested amount in KES. In currency units, with at most three decimals */
    amount: number;
    /** The same amount, under its name in the webhook and the status. In currency units, with at most three decimals */
    initial_amount: number;
    /** The amount of the prompt: the requested amount in whole shillings. In currency units, with at most three decimals */
    asked_amount: number;
    /** The phone number of the prompt, as 254 and nine digits */
    phone_number: string;
    /** Your order_id, or empty */
    order_id: string;
  };
};
export type StkPushStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The payment. Query its status by this id */
    payment_id: string;
    /** The provider's id of the request, once known */
    merchant_request_id: string;
    /** The provider's id of the prompt, once known */
    checkout_request_id: string;
    /** The status of the payment; Pending until it is final */
    status: "Success" | "Pending" | "Failed" | "Cancelled" | "Timeout";
    /** 0 success, 1 insufficient balance, 1032 cancelled by the user, 1037 no answer in time, 2001 credentials or account. Empty while the payment is open */
    result_code: string;
    /** The result as a text */
    result_description: string;
    /** The requested amount in KES. In currency units, with at most three decimals */
    initial_amount: number;
    /** The amount of the prompt: the requested amount in whole shillings. In currency units, with at most three decimals */
    asked_amount: number;
    /** The paid and credited amount in KES; 0 before the payment. In currency units, with at most three decimals */
    actual_amount: number;
    /** The fee of the payment, if there is one. In currency units, with at most three decimals */
    fee?: number;
    /** The currency of the fee. ISO 4217 */
    fee_currency?: string;
    /** The network's receipt, once known */
    mm_receipt_number: string;
    /** The time of the payment: yyyymmddhhmmss, by the network's clock (Africa/Nairobi) */
    transaction_date: string;
    /** The same time; absent before the payment. ISO 8601, UTC */
    transaction_date_utc?: string;
    /** The phone number of the prompt, as 254 and nine digits */
    phone_number: string;
    /** The paying phone number, if the network reports it */
    payer_phone: string;
    /** Always empty: the network reports no payer name on this rail */
    payer_name: string;
    /** Your account_reference */
    account_reference: string;
    /** Your order_id, or empty */
    order_id: string;
    /** Your name of the earlier payment for the same reference, if there is one */
    possible_duplicate_of?: string;
    /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
    sequence: number;
    /** Whether the status is final. A payment that timed out may still be corrected for 72 hours */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** Whether another final status was reported before */
    correction: boolean;
    /** Your metadata, or null */
    metadata: Record<string, unknown> | null;
    /** When the payment was created. ISO 8601, UTC */
    created_at: string;
    /** When the payment last changed. ISO 8601, UTC */
    updated_at: string;
  };
};
export type MomoDepositAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The transaction. Query its status by this id */
  transaction_id: string;
  /** The status. A queued payout is ENQUEUED: pending, neither success nor failure */
  status: "ACCEPTED" | "ENQUEUED";
  /** The network's provider code */
  provider: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** The network's name */
  provider_name: string;
  /** Whether the network was detected from the phone number */
  provider_predicted: boolean;
  /** The currency of the amounts. ISO 4217 */
  currency: string;
  /** The requested amount. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** Whether a payout can be cancelled now */
  cancellable?: boolean;
  /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
  hold_reason?: string;
  /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
  hold_until?: string | null;
  /** What happens next, as a sentence */
  message: string;
  /** The page to which you must send the customer, if the network requires a page */
  redirect_url?: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type MomoPayoutAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The transaction. Query its status by this id */
  transaction_id: string;
  /** The status. A queued payout is ENQUEUED: pending, neither success nor failure */
  status: "ACCEPTED" | "ENQUEUED";
  /** The network's provider code */
  provider: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** The network's name */
  provider_name: string;
  /** Whether the network was detected from the phone number */
  provider_predicted: boolean;
  /** The currency of the amounts. ISO 4217 */
  currency: string;
  /** The requested amount. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** Whether a payout can be cancelled now */
  cancellable?: boolean;
  /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
  hold_reason?: string;
  /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
  hold_until?: string | null;
  /** What happens next, as a sentence */
  message: string;
  /** The page to which you must send the customer, if the network requires a page */
  redirect_url?: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type MomoCancelPayoutAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The transaction. Query its status by this id */
  transaction_id: string;
  /** The type of the transaction */
  type: "payout";
  /** The status: the payout will not be paid */
  status: "CANCELLED";
  /** Whether the status is final */
  is_final: boolean;
  /** The result as a sentence */
  message: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type MomoRefundAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The refund's own id. Query its status by this id */
  transaction_id: string;
  /** The refunded deposit */
  deposit_transaction_id: string | null;
  /** The type of the transaction */
  type: "refund";
  /** The status: the refund is in progress */
  status: "ACCEPTED";
  /** The amount of the refund. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** The currency of the amounts. ISO 4217 */
  currency: string;
  /** What happens next, as a sentence */
  message: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type MomoStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The transaction. Query its status by this id */
  transaction_id: string;
  /** The type of the transaction */
  type: "deposit" | "payout" | "refund";
  /** The status of the transaction */
  status: "COMPLETED" | "ACCEPTED" | "PROCESSING" | "ENQUEUED" | "FAILED" | "CANCELLED";
  /** Whether the status is final */
  is_final: boolean;
  /** The status in the words of the callback */
  payment_status: "Success" | "Processing" | "Failed" | "Cancelled";
  next_step: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
  /** The network's provider code */
  provider: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** The currency of the amounts. ISO 4217 */
  currency: string;
  /** The requested amount. Decimal text in currency units, with two decimals or the currency's own three */
  requested_amount: string;
  /** The confirmed amount, which is authoritative. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** The amount that was returned after the payout succeeded. Decimal text in currency units, with two decimals or the currency's own three */
  returned_amount?: string;
  /** The fee of the payment, if there is one. Decimal text in currency units, with two decimals or the currency's own three */
  fee?: string;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The network's reference, once known */
  provider_transaction_id: string;
  /** Your account_reference */
  account_reference: string;
  /** The failure code */
  failure_code: string | null;
  /** The failure reason as a text */
  failure_message: string | null;
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** Whether a payout can be cancelled now */
  cancellable?: boolean;
  /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
  hold_reason?: string;
  /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
  hold_until?: string | null;
  /** The deposit of a refund */
  deposit_transaction_id?: string;
  /** The page to which you must send the customer, if the network requires a page */
  redirect_url?: string;
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** When the transaction was created. ISO 8601, UTC */
  created_at: string;
  /** When the transaction last changed. ISO 8601, UTC */
  updated_at: string;
};
export type MomoProvidersAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The networks, one entry per currency */
  providers: Array<{
    /** The network's provider code */
    provider: string;
    /** ISO 3166 alpha-3 */
    country: string;
    /** The network's name */
    provider_name: string;
    /** The country in English */
    country_name: string;
    /** The currency of the amounts. ISO 4217 */
    currency: string;
    /** Whether you must send the customer to redirect_url */
    requires_redirect: boolean;
    /** Whether a deposit needs a preauth_code */
    requires_preauth: boolean;
    /** The limits of each supported operation: deposit, payout and refund */
    operations: Record<string, {
      /** The minimum, in units of `currency`. Decimal text */
      min_amount: string;
      /** The maximum, in units of `currency`. Decimal text */
      max_amount: string;
      /** The number of decimals that an amount may have */
      decimals: 0 | 2;
      /** Whether the network accepts the operation */
      status: "OPERATIONAL" | "DELAYED" | "CLOSED";
    }>;
  }>;
};
export type MomoBulkPayoutAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The bulk. Query its status by this id */
  bulk_id: string;
  /** Your order_id of the bulk */
  order_id: string;
  /** Whether every payout has ended */
  is_final: boolean;
  /** The number of payouts */
  count: number;
  /** One entry per currency */
  totals: Array<{
    /** The currency of these payouts. ISO 4217 */
    currency: string;
    /** The number of payouts */
    count: number;
    /** The sum of their amounts. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The number and sum by status: Success, Processing, Failed, Cancelled */
    by_status: Record<string, {
      /** The number of payouts */
      count: number;
      /** The sum of their amounts. Decimal text in currency units, with two decimals or the currency's own three */
      amount: string;
    }>;
  }>;
  /** Every payout, in the order of the request */
  payouts: Array<{
    /** The payout's index in the request, from 0 */
    index: number;
    /** The transaction. Query its status by this id */
    transaction_id: string;
    /** Your account_reference */
    account_reference: string;
    /** The recipient's phone number */
    phone_number: string;
    /** The network's provider code */
    provider: string;
    /** ISO 3166 alpha-3 */
    country: string;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** The failure code */
    failure_code: string | null;
    /** The failure reason as a text */
    failure_message: string | null;
    /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
    hold_reason?: string;
    /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
    hold_until?: string | null;
    /** The requested amount. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The currency of the amount. ISO 4217 */
    currency: string;
    /** The state of the payout */
    status: "Success" | "Processing" | "Failed" | "Cancelled";
    /** Whether the payout has ended */
    is_final: boolean;
  }>;
  /** When the bulk was created. ISO 8601, UTC */
  created_at: string;
  /** What happens next, as a sentence */
  message?: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type MomoBulkPayoutStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The bulk. Query its status by this id */
  bulk_id: string;
  /** Your order_id of the bulk */
  order_id: string;
  /** Whether every payout has ended */
  is_final: boolean;
  /** The number of payouts */
  count: number;
  /** One entry per currency */
  totals: Array<{
    /** The currency of these payouts. ISO 4217 */
    currency: string;
    /** The number of payouts */
    count: number;
    /** The sum of their amounts. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The number and sum by status: Success, Processing, Failed, Cancelled */
    by_status: Record<string, {
      /** The number of payouts */
      count: number;
      /** The sum of their amounts. Decimal text in currency units, with two decimals or the currency's own three */
      amount: string;
    }>;
  }>;
  /** Every payout, in the order of the request */
  payouts: Array<{
    /** The payout's index in the request, from 0 */
    index: number;
    /** The transaction. Query its status by this id */
    transaction_id: string;
    /** Your account_reference */
    account_reference: string;
    /** The recipient's phone number */
    phone_number: string;
    /** The network's provider code */
    provider: string;
    /** ISO 3166 alpha-3 */
    country: string;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** The failure code */
    failure_code: string | null;
    /** The failure reason as a text */
    failure_message: string | null;
    /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
    hold_reason?: string;
    /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
    hold_until?: string | null;
    /** The requested amount. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The currency of the amount. ISO 4217 */
    currency: string;
    /** The state of the payout */
    status: "Success" | "Processing" | "Failed" | "Cancelled";
    /** Whether the payout has ended */
    is_final: boolean;
  }>;
  /** When the bulk was created. ISO 8601, UTC */
  created_at: string;
  /** What happens next, as a sentence */
  message?: string;
};
export type XbStkPushAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The invoice. Match the webhook by this id, or by api_ref */
    invoice_id: string;
    /** The status: the customer gets a payment prompt */
    state: "PENDING";
    /** Your api_ref, or the one that the service created */
    api_ref: string;
  };
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type XbStkPushStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The payment */
    id: string;
    invoice: {
      /** The invoice. Match the webhook by this id, or by api_ref */
      invoice_id: string;
      /** The status. Credit your customer on COMPLETE only */
      state: "COMPLETE" | "PENDING" | "PROCESSING" | "FAILED" | "CANCELLED" | "FAILED_VALIDATE";
      /** The paid amount, or the requested amount before the payment. A whole number of units of `currency`, as text */
      value: string;
      /** Your api_ref, or the one that the service created */
      api_ref: string;
      /** UGX or TZS */
      currency: string;
      /** The network's receipt, once known */
      mm_reference: string;
      /** The provider's charges, if it reports them. Decimal text */
      charges: string;
      /** The amount after charges, if the provider reports it. Decimal text */
      net_amount: string;
    };
    /** Your name of the earlier payment for the same reference, if there is one */
    possible_duplicate_of?: string;
    /** The fee of the payment, if there is one. Decimal text in currency units, with two decimals or the currency's own three */
    fee?: string;
    /** The currency of the fee. ISO 4217 */
    fee_currency?: string;
    /** Whether the status is final */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** Whether another final status was reported before */
    correction: boolean;
    /** Why the payment failed */
    failure_reason: string | null;
    /** The phone number of the prompt */
    phone_number: string;
    /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
    sequence: number;
    /** When the payment was created. ISO 8601, UTC */
    created_at: string;
    /** When the payment last changed. ISO 8601, UTC */
    updated_at: string;
  };
};
export type WalletpayCreateOrderAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The provider's order id, which is the `token` on return */
    walletpay_order_id: string;
    /** The order; a refund request needs this id */
    transaction_id: string;
    /** Your order_id */
    order_id: string | null;
    /** The page where the buyer approves the order. It expires after a few hours */
    approval_url: string;
    /** The status: the buyer must approve the order */
    status: "Pending";
    /** The requested amount. In currency units, with at most three decimals */
    amount: number;
    /** The currency of the requested amount. ISO 4217 */
    currency: string;
  };
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type WalletpayCaptureAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** Why the status is not Completed yet */
  message?: string;
  data: {
    /** The provider's capture id, once known */
    capture_id: string;
    /** The status. Credit your customer on Completed only */
    status: "Completed" | "Pending" | "Failed" | "Refunded";
    /** The captured amount, in the currency at the provider. In currency units, with at most three decimals */
    amount: number;
    /** The currency of the captured amount. ISO 4217 */
    currency: string;
    /** Your order_id */
    order_id: string | null;
    /** The provider's order id, which is the `token` on return */
    walletpay_order_id: string;
  };
};
export type WalletpayOrderStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** Why the status is not Completed yet */
  message?: string;
  data: {
    /** The provider's order id, which is the `token` on return */
    walletpay_order_id: string;
    /** The order; a refund request needs this id */
    transaction_id: string;
    /** Your order_id */
    order_id: string | null;
    /** The page where the buyer approves the order. It expires after a few hours */
    approval_url: string;
    /** The status of the order */
    status: "Completed" | "Pending" | "Failed" | "Refunded";
    /** Whether the status is final */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** The requested amount. In currency units, with at most three decimals */
    amount: number;
    /** The currency of the requested amount. ISO 4217 */
    currency: string;
    /** The rate at which the order was converted for the provider. Decimal text; null without a conversion */
    order_rate: string | null;
    /** The provider's capture id */
    capture_id: string | null;
    /** The provider's status of the capture */
    capture_status: string | null;
    /** The captured amount. In currency units, with at most three decimals */
    captured_amount: number | null;
    /** The currency of the captured amount. ISO 4217 */
    captured_currency: string | null;
    /** The amount that is credited to the wallet now, after refunds and reversals; null before the credit. In currency units, with at most three decimals */
    credited_amount: number | null;
    /** The currency of the credit. ISO 4217 */
    credited_currency: string | null;
    /** The fee of the payment, if there is one. In currency units, with at most three decimals */
    fee?: number;
    /** The currency of the fee. ISO 4217 */
    fee_currency?: string;
    /** The rate of the credit. Decimal text; null without a conversion */
    rate: string | null;
    /** The credit less the converted payment: below zero if the buyer paid for a fraction of a cent more. In currency units, with at most three decimals */
    rounding_amount: number | null;
    /** The provider's id of the latest refund */
    refund_id?: string;
    /** The amount of the latest refund. In currency units, with at most three decimals */
    refund_amount?: number;
    /** The sum of all refunds. In currency units, with at most three decimals */
    refunded_total?: number;
    /** The currency of the refunds. ISO 4217 */
    refund_currency?: string;
    /** The amount that the latest refund debited from the wallet. In currency units, with at most three decimals */
    debited_amount?: number;
    /** The sum of all debits for refunds. In currency units, with at most three decimals */
    debited_total?: number;
    /** Whether only a part is refunded */
    partially_refunded?: boolean;
    /** The amount that is reserved in the wallet, because the provider may reverse it. In currency units, with at most three decimals */
    held_amount?: number;
    /** The currency of the reserved amount. ISO 4217 */
    held_currency?: string;
    /** The provider's dispute id */
    dispute_id?: string;
    /** The provider's status of the dispute */
    dispute_status?: string;
    /** The provider's reason of the dispute */
    dispute_reason?: string;
    /** Your name of the earlier payment for the same reference, if there is one */
    possible_duplicate_of?: string;
    /** The failure code */
    failure_code: string | null;
    /** The failure reason as a text */
    failure_message: string | null;
    /** Whether another final status was reported before */
    correction: boolean;
    /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
    sequence: number;
    /** When the payment was created. ISO 8601, UTC */
    created_at: string;
    /** When the payment last changed. ISO 8601, UTC */
    updated_at: string;
  };
};
export type WalletpayCreatePayoutAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The payout. Query its status by this id */
    payout_id: string;
    /** The provider's batch id, once known */
    walletpay_batch_id: string;
    /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
    hold_reason?: string;
    /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
    hold_until?: string | null;
  };
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type WalletpayPayoutStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The payout. Query its status by this id */
    payout_id: string;
    /** The provider's batch id, once known */
    walletpay_batch_id: string;
    /** Your order_id */
    order_id: string | null;
    /** The status of the payout. It is also Pending while a recipient without an account can claim it */
    status: "Success" | "Pending" | "Failed";
    /** Whether the status is final */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** The requested amount. In currency units, with at most three decimals */
    amount: number;
    /** The currency of the requested amount. ISO 4217 */
    currency: string;
    /** The sent amount, in the currency at the provider. In currency units, with at most three decimals */
    sent_amount: number;
    /** The currency of the sent amount. ISO 4217 */
    sent_currency: string;
    /** The fee of the payment, if there is one. In currency units, with at most three decimals */
    fee?: number;
    /** The currency of the fee. ISO 4217 */
    fee_currency?: string;
    /** The rate of the conversion. Decimal text; null without a conversion */
    rate: string | null;
    /** The recipient's e-mail address */
    recipient_email: string;
    /** The provider's status of the payout */
    item_status: string | null;
    /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
    hold_reason?: string;
    /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
    hold_until?: string | null;
    /** The complete amount that was returned to the float after success. In currency units, with at most three decimals */
    returned_amount?: number;
    /** The currency of the returned amount. ISO 4217 */
    returned_currency?: string;
    /** The failure code */
    failure_code: string | null;
    /** The failure reason as a text */
    failure_message: string | null;
    /** Whether another final status was reported before */
    correction: boolean;
    /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
    sequence: number;
    /** When the payment was created. ISO 8601, UTC */
    created_at: string;
    /** When the payment last changed. ISO 8601, UTC */
    updated_at: string;
  };
};
export type WalletpayRefundAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The refund's own id. Query its status by this id */
  transaction_id: string;
  /** The refunded order */
  deposit_transaction_id: string | null;
  /** The order_id of the order */
  order_id: string;
  /** The type of the payment */
  type: "refund";
  /** The status: the refund is in progress */
  status: "ACCEPTED";
  /** The amount that the buyer gets. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** The currency of the amount. ISO 4217 */
  currency: string;
  /** The amount that is debited from the wallet. Decimal text in currency units, with two decimals or the currency's own three */
  debited_amount: string;
  /** The currency of the debit from the wallet. ISO 4217 */
  debited_currency: string;
  /** What happens next, as a sentence */
  message: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type WalletpayRefundStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  data: {
    /** The refund's own id. Query its status by this id */
    transaction_id: string;
    /** The refunded order */
    deposit_transaction_id: string | null;
    /** The order_id of the order */
    order_id: string;
    /** The provider's id of the refund, once known */
    refund_id: string;
    /** The amount that is debited from the wallet. In currency units, with at most three decimals */
    debited_amount: number;
    /** The currency of the debit from the wallet. ISO 4217 */
    debited_currency: string;
    /** The status of the refund */
    status: "Success" | "Pending" | "Failed";
    /** Whether the status is final */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** A sentence for the customer, in English */
      en: string;
      /** The sentence in Swahili */
      sw: string;
      /** Whether a second request or payout is safe: nobody can be charged or paid twice */
      safe_to_repeat: boolean;
    };
    /** The requested amount. In currency units, with at most three decimals */
    amount: number;
    /** The currency of the requested amount. ISO 4217 */
    currency: string;
    /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
    hold_reason?: string;
    /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
    hold_until?: string | null;
    /** The complete amount that was returned to the float after success. In currency units, with at most three decimals */
    returned_amount?: number;
    /** The currency of the returned amount. ISO 4217 */
    returned_currency?: string;
    /** The failure code */
    failure_code: string | null;
    /** The failure reason as a text */
    failure_message: string | null;
    /** Whether another final status was reported before */
    correction: boolean;
    /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
    sequence: number;
    /** When the payment was created. ISO 8601, UTC */
    created_at: string;
    /** When the payment last changed. ISO 8601, UTC */
    updated_at: string;
  };
};
export type WalletpayBulkPayoutAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** What happens next, as a sentence */
  message?: string;
  data: {
    /** The bulk. Query its status by this id */
    bulk_id: string;
    /** Your order_id of the bulk */
    order_id: string;
    /** Whether every payout has ended */
    is_final: boolean;
    /** The number of payouts */
    count: number;
    /** One entry per currency */
    totals: Array<{
      /** The currency of these payouts. ISO 4217 */
      currency: string;
      /** The number of payouts */
      count: number;
      /** The sum of their amounts. In currency units, with at most three decimals */
      amount: number;
      /** The number and sum by status: Success, Pending, Failed */
      by_status: Record<string, {
        /** The number of payouts */
        count: number;
        /** The sum of their amounts. In currency units, with at most three decimals */
        amount: number;
      }>;
    }>;
    /** Every payout, in the order of the request */
    payouts: Array<{
      /** The payout's index in the request, from 0 */
      index: number;
      /** The payout. Query its status by this id */
      payout_id: string;
      /** Your order_id */
      order_id: string | null;
      /** The recipient's e-mail address */
      recipient_email: string;
      next_step: {
        /** What the customer, or the recipient of a payout, should do now */
        code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
        /** A sentence for the customer, in English */
        en: string;
        /** The sentence in Swahili */
        sw: string;
        /** Whether a second request or payout is safe: nobody can be charged or paid twice */
        safe_to_repeat: boolean;
      };
      /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
      hold_reason?: string;
      /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
      hold_until?: string | null;
      /** The complete amount that was returned to the float after success. In currency units, with at most three decimals */
      returned_amount?: number;
      /** The currency of the returned amount. ISO 4217 */
      returned_currency?: string;
      /** The failure code */
      failure_code: string | null;
      /** The failure reason as a text */
      failure_message: string | null;
      /** The requested amount. In currency units, with at most three decimals */
      amount: number;
      /** The currency of the amount. ISO 4217 */
      currency: string;
      /** The state of the payout */
      status: "Success" | "Pending" | "Failed";
      /** Whether the payout has ended */
      is_final: boolean;
    }>;
    /** When the bulk was created. ISO 8601, UTC */
    created_at: string;
  };
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type WalletpayBulkPayoutStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** What happens next, as a sentence */
  message?: string;
  data: {
    /** The bulk. Query its status by this id */
    bulk_id: string;
    /** Your order_id of the bulk */
    order_id: string;
    /** Whether every payout has ended */
    is_final: boolean;
    /** The number of payouts */
    count: number;
    /** One entry per currency */
    totals: Array<{
      /** The currency of these payouts. ISO 4217 */
      currency: string;
      /** The number of payouts */
      count: number;
      /** The sum of their amounts. In currency units, with at most three decimals */
      amount: number;
      /** The number and sum by status: Success, Pending, Failed */
      by_status: Record<string, {
        /** The number of payouts */
        count: number;
        /** The sum of their amounts. In currency units, with at most three decimals */
        amount: number;
      }>;
    }>;
    /** Every payout, in the order of the request */
    payouts: Array<{
      /** The payout's index in the request, from 0 */
      index: number;
      /** The payout. Query its status by this id */
      payout_id: string;
      /** Your order_id */
      order_id: string | null;
      /** The recipient's e-mail address */
      recipient_email: string;
      next_step: {
        /** What the customer, or the recipient of a payout, should do now */
        code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
        /** A sentence for the customer, in English */
        en: string;
        /** The sentence in Swahili */
        sw: string;
        /** Whether a second request or payout is safe: nobody can be charged or paid twice */
        safe_to_repeat: boolean;
      };
      /** The reason of the hold: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID. Only while the payout is on hold */
      hold_reason?: string;
      /** When the hold ends by itself; null if an operator must end it. Only while the payout is on hold. ISO 8601, UTC */
      hold_until?: string | null;
      /** The complete amount that was returned to the float after success. In currency units, with at most three decimals */
      returned_amount?: number;
      /** The currency of the returned amount. ISO 4217 */
      returned_currency?: string;
      /** The failure code */
      failure_code: string | null;
      /** The failure reason as a text */
      failure_message: string | null;
      /** The requested amount. In currency units, with at most three decimals */
      amount: number;
      /** The currency of the amount. ISO 4217 */
      currency: string;
      /** The state of the payout */
      status: "Success" | "Pending" | "Failed";
      /** Whether the payout has ended */
      is_final: boolean;
    }>;
    /** When the bulk was created. ISO 8601, UTC */
    created_at: string;
  };
};
export type InitiateAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The payment page. Show it in an iframe */
  redirect_url: string;
  /** The order. Everybody who knows this id can query its status */
  order_tracking_id: string | null;
  /** Your order_id */
  order_id: string | null;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type InitiateCardprocAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The payment page. Show it in an iframe */
  redirect_url: string;
  /** The order. Everybody who knows this id can query its status */
  order_tracking_id: string | null;
  /** Your order_id */
  order_id: string | null;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type SubmitOrderAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The order. Everybody who knows this id can query its status */
  order_tracking_id: string | null;
  /** Your merchant_ref */
  merchant_reference: string | null;
  /** The payment page. Show it in an iframe */
  redirect_url: string;
  /** Only in the sandbox: likely mistakes in the request, such as a field that was ignored, or an amount with cents */
  warnings?: Array<string>;
};
export type TransactionStatusAnswer = {
  /** Whether the request succeeded */
  success: true;
  /** The order. Everybody who knows this id can query its status */
  order_tracking_id: string | null;
  /** Your merchant_ref */
  merchant_reference: string | null;
  /** The status of the order. It is INVALID also while the customer has not paid yet */
  status: "COMPLETED" | "INVALID" | "FAILED" | "REVERSED";
  /** 0 INVALID, 1 COMPLETED, 2 FAILED, 3 REVERSED */
  status_code: 0 | 1 | 2 | 3;
  /** Whether the status is final: the order is paid, or can no longer be paid */
  is_final: boolean;
  /** What the status means, as a sentence */
  message: string;
  next_step: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
  /** The paid amount, or the requested amount before the payment. In currency units, with at most three decimals */
  amount: number;
  /** The currency of the amount. ISO 4217 */
  currency: string;
  /** The payment method, once known */
  payment_method: string;
  /** The processor's confirmation code, once known */
  confirmation_code: string;
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
};
export type TestWebhook = {
  /** Marks the webhook as a test */
  type: "test";
  /** The same as `type`, where other webhooks have their event type */
  event_type: "test";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "Test";
  /** The `webhook-id` of the webhook */
  event_id: string;
  /** When the webhook was sent. ISO 8601, UTC */
  timestamp: string;
};
export type StkPushResultWebhook = {
  /** The payment. Query its status by this id */
  payment_id: string;
  /** The provider's id of the request, once known */
  merchant_request_id: string;
  /** The provider's id of the prompt, once known */
  checkout_request_id: string;
  /** The final status. Credit your customer on Success only */
  status: "Success" | "Failed" | "Cancelled" | "Timeout";
  /** 0 success, 1 insufficient balance, 1032 cancelled by the user, 1037 no answer in time, 2001 credentials or account. Empty while the payment is open */
  result_code: string;
  /** The result as a text */
  result_description: string;
  /** The requested amount in KES. In currency units, with at most three decimals */
  initial_amount: number;
  /** The amount of the prompt: the requested amount in whole shillings. In currency units, with at most three decimals */
  asked_amount: number;
  /** The paid and credited amount in KES; 0 before the payment. In currency units, with at most three decimals */
  actual_amount: number;
  /** The fee of the payment, if there is one. In currency units, with at most three decimals */
  fee?: number;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The network's receipt, once known */
  mm_receipt_number: string;
  /** The time of the payment: yyyymmddhhmmss, by the network's clock (Africa/Nairobi) */
  transaction_date: string;
  /** The same time; absent before the payment. ISO 8601, UTC */
  transaction_date_utc?: string;
  /** The phone number of the prompt, as 254 and nine digits */
  phone_number: string;
  /** The paying phone number, if the network reports it */
  payer_phone: string;
  /** Always empty: the network reports no payer name on this rail */
  payer_name: string;
  /** Your account_reference */
  account_reference: string;
  /** Your order_id, or empty */
  order_id: string;
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** The event type */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "STK-Push";
  /** Whether another final status was reported before */
  correction?: boolean;
  /** When the payment changed. YYYY-MM-DD HH:MM:SS, in the service's time zone (default Africa/Nairobi) */
  timestamp: string;
  /** The same time. ISO 8601, UTC */
  timestamp_utc?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
};
export type StkPushEventWebhook = {
  /** The payment. Query its status by this id */
  payment_id: string;
  /** The provider's id of the request, once known */
  merchant_request_id: string;
  /** The provider's id of the prompt, once known */
  checkout_request_id: string;
  /** The status of the payment; Pending until it is final */
  status: "Success" | "Pending" | "Failed" | "Cancelled" | "Timeout";
  /** 0 success, 1 insufficient balance, 1032 cancelled by the user, 1037 no answer in time, 2001 credentials or account. Empty while the payment is open */
  result_code: string;
  /** The result as a text */
  result_description: string;
  /** The requested amount in KES. In currency units, with at most three decimals */
  initial_amount: number;
  /** The amount of the prompt: the requested amount in whole shillings. In currency units, with at most three decimals */
  asked_amount: number;
  /** The paid and credited amount in KES; 0 before the payment. In currency units, with at most three decimals */
  actual_amount: number;
  /** The fee of the payment, if there is one. In currency units, with at most three decimals */
  fee?: number;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The network's receipt, once known */
  mm_receipt_number: string;
  /** The time of the payment: yyyymmddhhmmss, by the network's clock (Africa/Nairobi) */
  transaction_date: string;
  /** The same time; absent before the payment. ISO 8601, UTC */
  transaction_date_utc?: string;
  /** The phone number of the prompt, as 254 and nine digits */
  phone_number: string;
  /** The paying phone number, if the network reports it */
  payer_phone: string;
  /** Always empty: the network reports no payer name on this rail */
  payer_name: string;
  /** Your account_reference */
  account_reference: string;
  /** Your order_id, or empty */
  order_id: string;
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** The event type */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "STK-Push";
  /** Whether another final status was reported before */
  correction?: boolean;
  /** When the payment changed. YYYY-MM-DD HH:MM:SS, in the service's time zone (default Africa/Nairobi) */
  timestamp: string;
  /** The same time. ISO 8601, UTC */
  timestamp_utc?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
};
export type MomoCallbackWebhook = {
  /** The transaction. Query its status by this id */
  transaction_id: string;
  /** The type of the transaction */
  type: "deposit" | "payout" | "refund";
  /** The status. Act on Success only. Processing is neither success nor failure */
  status: "Success" | "Processing" | "Failed" | "Cancelled";
  /** The network's provider code */
  provider: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** The currency of the amounts. ISO 4217 */
  currency: string;
  /** The requested amount. Decimal text in currency units, with two decimals or the currency's own three */
  requested_amount: string;
  /** The confirmed amount, which is authoritative. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** The amount that was returned after the payout succeeded. Decimal text in currency units, with two decimals or the currency's own three */
  returned_amount?: string;
  /** The fee of the payment, if there is one. Decimal text in currency units, with two decimals or the currency's own three */
  fee?: string;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The phone number of the customer or recipient, in international format */
  phone_number: string;
  /** The network's reference, once known */
  provider_transaction_id: string;
  /** Your account_reference */
  account_reference: string;
  /** The failure code */
  failure_code: string | null;
  /** The failure reason as a text */
  failure_message: string | null;
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** The event type */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "Mobile-Money";
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** Whether another final status was reported before */
  correction?: boolean;
  /** When the transaction last changed. ISO 8601, UTC */
  updated_at: string;
  /** When the callback was sent, not when the transaction changed. ISO 8601, UTC */
  timestamp: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
};
export type XbStkPushResultWebhook = {
  /** The payment */
  id: string;
  invoice: {
    /** The invoice. Match the webhook by this id, or by api_ref */
    invoice_id: string;
    /** The status. Credit your customer on COMPLETE only */
    state: "COMPLETE" | "PENDING" | "PROCESSING" | "FAILED" | "CANCELLED" | "FAILED_VALIDATE";
    /** The paid amount, or the requested amount before the payment. A whole number of units of `currency`, as text */
    value: string;
    /** Your api_ref, or the one that the service created */
    api_ref: string;
    /** UGX or TZS */
    currency: string;
    /** The network's receipt, once known */
    mm_reference: string;
    /** The provider's charges, if it reports them. Decimal text */
    charges: string;
    /** The amount after charges, if the provider reports it. Decimal text */
    net_amount: string;
  };
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** The fee of the payment, if there is one. Decimal text in currency units, with two decimals or the currency's own three */
  fee?: string;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The event type */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "Cross-Border";
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** Whether another final status was reported before */
  correction?: boolean;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
};
export type WalletpayOrderUpdateWebhook = {
  /** The id of the webhook, the same for every attempt; also its webhook-id header */
  event_id: string;
  /** The type of the payment */
  type: "deposit" | "payout" | "refund";
  /** The payment's rail */
  rail: "walletpay";
  /** The payment */
  transaction_id: string;
  /** Your order_id */
  order_id: string;
  /** The provider's id of the payment, once known */
  provider_reference: string;
  /** The state of the payment. Credit your customer on success only */
  status: "Completed" | "Pending" | "Failed" | "Refunded";
  /** The requested amount. In currency units, with at most three decimals */
  amount: number;
  /** The currency of the requested amount. ISO 4217 */
  currency: string;
  /** The amount that is credited to the wallet now, after refunds and reversals; null before the credit. In currency units, with at most three decimals */
  credited_amount: number | null;
  /** The currency of the credit. ISO 4217 */
  credited_currency: string | null;
  /** The fee of the payment, if there is one. In currency units, with at most three decimals */
  fee?: number;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The failure code, or what the recipient must do */
  failure_code: string | null;
  /** The failure reason as a text */
  failure_message: string | null;
  /** The amount of the latest refund. In currency units, with at most three decimals */
  refund_amount?: number;
  /** The sum of all refunds. In currency units, with at most three decimals */
  refunded_total?: number;
  /** The currency of the refunds. ISO 4217 */
  refund_currency?: string;
  /** The amount that the latest refund debited from the wallet. In currency units, with at most three decimals */
  debited_amount?: number;
  /** The sum of all debits for refunds. In currency units, with at most three decimals */
  debited_total?: number;
  /** Whether only a part is refunded */
  partially_refunded?: boolean;
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** The event type */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "Wallet-Checkout";
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** Whether another final status was reported before */
  correction: boolean;
  /** When the payment changed. ISO 8601, UTC */
  timestamp: string;
  /** The provider's id of the latest refund */
  refund_id?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
};
export type WalletpayPayoutUpdateWebhook = {
  /** The id of the webhook, the same for every attempt; also its webhook-id header */
  event_id: string;
  /** The type of the payment */
  type: "deposit" | "payout" | "refund";
  /** The payment's rail */
  rail: "walletpay";
  /** The payment */
  transaction_id: string;
  /** Your order_id */
  order_id: string;
  /** The provider's id of the payment, once known */
  provider_reference: string;
  /** The state of the payment. Credit your customer on success only */
  status: "Success" | "Pending" | "Failed";
  /** The requested amount. In currency units, with at most three decimals */
  amount: number;
  /** The currency of the requested amount. ISO 4217 */
  currency: string;
  /** The amount that is credited to the wallet now, after refunds and reversals; null before the credit. In currency units, with at most three decimals */
  credited_amount: number | null;
  /** The currency of the credit. ISO 4217 */
  credited_currency: string | null;
  /** The fee of the payment, if there is one. In currency units, with at most three decimals */
  fee?: number;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The failure code, or what the recipient must do */
  failure_code: string | null;
  /** The failure reason as a text */
  failure_message: string | null;
  /** The amount of the latest refund. In currency units, with at most three decimals */
  refund_amount?: number;
  /** The sum of all refunds. In currency units, with at most three decimals */
  refunded_total?: number;
  /** The currency of the refunds. ISO 4217 */
  refund_currency?: string;
  /** The amount that the latest refund debited from the wallet. In currency units, with at most three decimals */
  debited_amount?: number;
  /** The sum of all debits for refunds. In currency units, with at most three decimals */
  debited_total?: number;
  /** Whether only a part is refunded */
  partially_refunded?: boolean;
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** The event type */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "Wallet-Checkout";
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** Whether another final status was reported before */
  correction: boolean;
  /** When the payment changed. ISO 8601, UTC */
  timestamp: string;
  /** The complete amount that was returned to the float after success. In currency units, with at most three decimals */
  returned_amount?: number;
  /** The currency of the returned amount. ISO 4217 */
  returned_currency?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
};
export type WalletpayRefundUpdateWebhook = {
  /** The id of the webhook, the same for every attempt; also its webhook-id header */
  event_id: string;
  /** The type of the payment */
  type: "deposit" | "payout" | "refund";
  /** The payment's rail */
  rail: "walletpay";
  /** The payment */
  transaction_id: string;
  /** The order_id of the order */
  order_id: string;
  /** The provider's id of the payment, once known */
  provider_reference: string;
  /** The state of the payment. Credit your customer on success only */
  status: "Success" | "Pending" | "Failed";
  /** The requested amount. In currency units, with at most three decimals */
  amount: number;
  /** The currency of the requested amount. ISO 4217 */
  currency: string;
  /** The amount that is credited to the wallet now, after refunds and reversals; null before the credit. In currency units, with at most three decimals */
  credited_amount: number | null;
  /** The currency of the credit. ISO 4217 */
  credited_currency: string | null;
  /** The fee of the payment, if there is one. In currency units, with at most three decimals */
  fee?: number;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The failure code, or what the recipient must do */
  failure_code: string | null;
  /** The failure reason as a text */
  failure_message: string | null;
  /** The amount of the latest refund. In currency units, with at most three decimals */
  refund_amount?: number;
  /** The sum of all refunds. In currency units, with at most three decimals */
  refunded_total?: number;
  /** The currency of the refunds. ISO 4217 */
  refund_currency?: string;
  /** The amount that is debited from the wallet. In currency units, with at most three decimals */
  debited_amount: number;
  /** The sum of all debits for refunds. In currency units, with at most three decimals */
  debited_total?: number;
  /** Whether only a part is refunded */
  partially_refunded?: boolean;
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** The event type */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "Wallet-Checkout";
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** Whether another final status was reported before */
  correction: boolean;
  /** When the payment changed. ISO 8601, UTC */
  timestamp: string;
  /** The refunded order */
  deposit_transaction_id: string | null;
  /** The provider's id of the refund, once known */
  refund_id: string;
  /** The currency of the debit from the wallet. ISO 4217 */
  debited_currency: string;
  /** The complete amount that was returned to the float after success. In currency units, with at most three decimals */
  returned_amount?: number;
  /** The currency of the returned amount. ISO 4217 */
  returned_currency?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
};
export type HostedCheckoutUpdateWebhook = {
  /** The id of the webhook, the same for every attempt; also its webhook-id header */
  event_id: string;
  /** The type of the payment */
  type: "deposit" | "payout" | "refund";
  /** The payment's rail */
  rail: "cardproc";
  /** The payment */
  transaction_id: string;
  /** Your order_id */
  order_id: string;
  /** The provider's id of the payment, once known */
  provider_reference: string;
  /** The state of the payment. Credit your customer on success only */
  status: "COMPLETED" | "PENDING" | "FAILED" | "INVALID" | "REVERSED";
  /** The requested amount. In currency units, with at most three decimals */
  amount: number;
  /** The currency of the requested amount. ISO 4217 */
  currency: string;
  /** The amount that is credited to the wallet now, after refunds and reversals; null before the credit. In currency units, with at most three decimals */
  credited_amount: number | null;
  /** The currency of the credit. ISO 4217 */
  credited_currency: string | null;
  /** The fee of the payment, if there is one. In currency units, with at most three decimals */
  fee?: number;
  /** The currency of the fee. ISO 4217 */
  fee_currency?: string;
  /** The failure code, or what the recipient must do */
  failure_code: string | null;
  /** The failure reason as a text */
  failure_message: string | null;
  /** The amount of the latest refund. In currency units, with at most three decimals */
  refund_amount?: number;
  /** The sum of all refunds. In currency units, with at most three decimals */
  refunded_total?: number;
  /** The currency of the refunds. ISO 4217 */
  refund_currency?: string;
  /** The amount that the latest refund debited from the wallet. In currency units, with at most three decimals */
  debited_amount?: number;
  /** The sum of all debits for refunds. In currency units, with at most three decimals */
  debited_total?: number;
  /** Whether only a part is refunded */
  partially_refunded?: boolean;
  /** Your name of the earlier payment for the same reference, if there is one */
  possible_duplicate_of?: string;
  /** The event type */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The value of the `X-Callback-Type` header. The signature does not cover the header */
  callback_type: "Hosted-Checkout";
  /** The number of the payment's change. Of two webhooks about one payment, the one with the higher number is later. It rises with each change of status or money, and numbers may be missing */
  sequence: number;
  /** Whether another final status was reported before */
  correction: boolean;
  /** When the payment changed. ISO 8601, UTC */
  timestamp: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** A sentence for the customer, in English */
    en: string;
    /** The sentence in Swahili */
    sw: string;
    /** Whether a second request or payout is safe: nobody can be charged or paid twice */
    safe_to_repeat: boolean;
  };
};
export type EventData = StkPushResultWebhook | StkPushEventWebhook | MomoCallbackWebhook | XbStkPushResultWebhook | WalletpayOrderUpdateWebhook | WalletpayPayoutUpdateWebhook | WalletpayRefundUpdateWebhook | HostedCheckoutUpdateWebhook;
export type QueryBalanceInput = Record<string, never>;
export type MerchantBalanceInput = Record<string, never>;
export type StatementInput = {
  /** The first day, in your time zone. YYYY-MM-DD */
  from: string;
  /** The last day, included; at most 366 days, in your time zone. YYYY-MM-DD */
  to: string;
  /** An ISO 4217 currency code */
  currency: string;
  /** Movements per page, 10 to 1,000. Default: 500 */
  limit?: number | string;
  /** `next_cursor` of the previous page */
  cursor?: string;
};
export type EventsInput = {
  /** `next_cursor` of the previous page. Without it, the feed starts at the oldest stored event */
  after?: string;
  /** Event types, separated by commas, with `*` for all types of a kind */
  types?: string;
  /** Events per page, 1 to 500. Default: 100 */
  limit?: number | string;
};
export type ListRequestsInput = {
  /** Only this X-Request-Id */
  request_id?: string;
  /** Only requests that failed with this error code */
  code?: string;
  /** `refused`: status 400 or higher */
  result?: "all" | "refused";
  /** Requests per page, 1 to 100. Default: 50 */
  limit?: number | string;
  /** `next_cursor` of the previous page */
  cursor?: string;
};
export type ListPaymentsInput = {
  /** Only this rail */
  rail?: string;
  /** Only this type */
  type?: "deposit" | "payout" | "refund";
  /** Only this state */
  state?: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
  /** Created at or after this time. A day in your time zone, or a time with its zone */
  created_from?: string;
  /** Created before this time. A day in your time zone, or a time with its zone */
  created_before?: string;
  /** An ISO 4217 currency code */
  currency?: string;
  /** The exact requested amount, in units of `currency`. Requires `currency` */
  amount?: string;
  /** Your complete order_id or reference */
  reference?: string;
  /** The last 3 to 12 digits of the customer's number */
  phone_ends?: string;
  /** Payments per page, 1 to 100. Default: 50 */
  limit?: number | string;
  /** `next_cursor` of the previous page */
  cursor?: string;
};
export type PaymentInput = {
  /** The payment */
  payment_id: string;
};
export type ListWebhooksInput = {
  /** Only this payment */
  payment_id?: string;
  /** Only this state */
  state?: "pending" | "delivered" | "dead" | "unaddressed" | "superseded";
  /** Webhooks per page, 1 to 100. Default: 50 */
  limit?: number | string;
  /** `next_cursor` of the previous page */
  cursor?: string;
};
export type WebhookDeliveriesInput = {
  /** The webhook, as in its `webhook-id` header */
  webhook_id: string;
};
export type ResendWebhookInput = {
  /** The webhook, as in its `webhook-id` header */
  webhook_id: string;
};
export type TestWebhookInput = {
  /** The address that gets the test. Default: webhook_url */
  endpoint?: "webhook_url" | "callback_url" | null;
};
export type AddWebhookEndpointInput = {
  /** The address that gets the events */
  url: string;
  /** Event types, separated by commas, with `*` for all types of a kind. Default: all */
  types?: string | null;
};
export type ListWebhookEndpointsInput = Record<string, never>;
export type ChangeWebhookEndpointSecretInput = {
  /** The endpoint */
  endpoint_id: string;
};
export type EndWebhookEndpointInput = {
  /** The endpoint */
  endpoint_id: string;
};
export type WebhookEndpointDeliveriesInput = {
  /** The endpoint */
  endpoint_id: string;
  /** Only this event */
  event_id?: string;
  /** Attempts per page, 1 to 100. Default: 50 */
  limit?: number | string;
  /** `next_cursor` of the previous page */
  cursor?: string;
};
export type ResendToWebhookEndpointInput = {
  /** The endpoint */
  endpoint_id: string;
  /** The event, as in its `webhook-id` header; it must have been sent to this endpoint before */
  event_id: string;
};
export type TestWebhookEndpointInput = {
  /** The endpoint */
  endpoint_id: string;
};
export type CreateVoucherInput = {
  /** The recipient's e-mail address, to which the code is sent */
  email: string;
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** An ISO 4217 currency code */
  currency: string;
};
export type RedeemVoucherInput = {
  /** The code from the mail */
  code: string;
};
export type StkPushInput = {
  /** A Kenyan mobile number: 254712345678, 0712345678, 0112345678 or +254712345678 */
  phone_number: string;
  /** In units of KES, 10.00 to 150000.00; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text with exactly two decimals */
  amount: number | string;
  /** Your reference. The customer's prompt shows its first 12 characters */
  account_reference: string;
  /** Another reference of yours */
  order_id?: string | null;
  /** The purpose of the payment, which the customer sees */
  transaction_desc: string;
  /** Your own object, at most 4,096 bytes of JSON. It is returned with every digit as sent */
  metadata?: Record<string, unknown> | null;
  /** Optional */
  currency?: "KES" | null;
};
export type StkPushStatusInput = {
  /** The payment, from the answer to its request */
  payment_id: string;
};
export type MomoDepositInput = {
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** One of the currencies of the country */
  currency: "CDF" | "ETB" | "GHS" | "KES" | "LSL" | "MWK" | "MZN" | "NGN" | "RWF" | "SLE" | "TZS" | "UGX" | "USD" | "XAF" | "XOF" | "ZMW";
  /** The phone number in full international format, of the given country */
  phone_number: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** Your reference */
  account_reference: string;
  /** Shown to the customer */
  customer_message?: string | null;
  /** The network's provider code. Default: detected from the phone number */
  provider?: string | null;
  /** For networks with requires_preauth: the code that the customer got from the wallet app */
  preauth_code?: string | null;
};
export type MomoPayoutInput = {
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** One of the currencies of the country */
  currency: "CDF" | "ETB" | "GHS" | "KES" | "LSL" | "MWK" | "MZN" | "NGN" | "RWF" | "SLE" | "TZS" | "UGX" | "USD" | "XAF" | "XOF" | "ZMW";
  /** The phone number in full international format, of the given country */
  phone_number: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** Your reference */
  account_reference: string;
  /** Shown to the customer */
  customer_message?: string | null;
  /** The network's provider code. Default: detected from the phone number */
  provider?: string | null;
};
export type MomoCancelPayoutInput = {
  /** The transaction, from the answer to its request */
  transaction_id: string;
};
export type MomoRefundInput = {
  /** The deposit, from the answer to its request */
  transaction_id: string;
  /** The amount to refund, in units of the paid currency, with at most two decimals. Default: the whole rest */
  amount?: number | string | null;
};
export type MomoStatusInput = {
  /** The transaction, from the answer to its request */
  transaction_id: string;
};
export type MomoProvidersInput = {
  /** Only this country. ISO 3166 alpha-3 */
  country?: string;
};
export type MomoBulkPayoutInput = {
  /** Your id of the bulk. A repeat with the same order_id and the same rows gets its current state. It must not begin with `portal/` */
  order_id: string;
  /** The payouts, with the fields of a single payout. Either all or none are created */
  payouts: Array<{
    /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
    amount: number | string;
    /** One of the currencies of the country */
    currency: "CDF" | "ETB" | "GHS" | "KES" | "LSL" | "MWK" | "MZN" | "NGN" | "RWF" | "SLE" | "TZS" | "UGX" | "USD" | "XAF" | "XOF" | "ZMW";
    /** The phone number in full international format, of the given country */
    phone_number: string;
    /** ISO 3166 alpha-3 */
    country: string;
    /** Your reference */
    account_reference: string;
    /** Shown to the customer */
    customer_message?: string | null;
    /** The network's provider code. Default: detected from the phone number */
    provider?: string | null;
  }>;
};
export type MomoBulkPayoutStatusInput = {
  /** The bulk, from the answer to its request */
  bulk_id?: string;
  /** Or your order_id */
  order_id?: string;
};
export type XbStkPushInput = {
  /** UGX or TZS */
  currency: "UGX" | "TZS";
  /** The phone number: only digits, with the country code */
  phone_number: string;
  /** In units of the currency that `currency` names, 500 to 5000000; a whole number and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** Your reference. Default: the service creates one */
  api_ref?: string | null;
  /** UG for UGX and TZ for TZS. Default: derived from the currency */
  country?: "UG" | "TZ" | null;
};
export type XbStkPushStatusInput = {
  /** The invoice, from the answer to its request */
  invoice_id?: string;
  /** Or your reference */
  api_ref?: string;
  /** Or the payment, from an error */
  payment_id?: string;
};
export type WalletpayCreateOrderInput = {
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** The currency of the amount */
  currency: "USD" | "KES";
  /** Your reference. It identifies this request permanently. It must not begin with `portal/` */
  order_id: string;
  /** Your own object, at most 4,096 bytes of JSON. It is returned with every digit as sent */
  metadata?: Record<string, unknown> | null;
};
export type WalletpayCaptureInput = {
  /** The walletpay_order_id */
  token: string;
  /** Your reference */
  order_id: string;
};
export type WalletpayOrderStatusInput = {
  /** The provider's order id, from the answer to the order request */
  walletpay_order_id?: string;
  /** Or your reference */
  order_id?: string;
  /** Or the transaction_id of the order */
  payment_id?: string;
};
export type WalletpayCreatePayoutInput = {
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** The currency of the amount */
  currency: "USD" | "KES";
  /** The recipient's e-mail address */
  recipient_email: string;
  /** Your reference. It identifies this request permanently. It must not begin with `portal/` */
  order_id: string;
  /** A note that the recipient sees */
  note?: string | null;
  /** Your own object, at most 4,096 bytes of JSON. It is returned with every digit as sent */
  metadata?: Record<string, unknown> | null;
};
export type WalletpayPayoutStatusInput = {
  /** The payout, from the answer to its request */
  payout_id?: string;
  /** Or your reference */
  order_id?: string;
};
export type WalletpayRefundInput = {
  /** The deposit, from the answer to its request */
  transaction_id: string;
  /** The amount to refund, in units of the paid currency, with at most two decimals. Default: the whole rest */
  amount?: number | string | null;
};
export type WalletpayRefundStatusInput = {
  /** The refund, from the answer to its request */
  transaction_id: string;
};
export type WalletpayBulkPayoutInput = {
  /** Your id of the bulk. A repeat with the same order_id and the same rows gets its current state. It must not begin with `portal/` */
  order_id: string;
  /** The payouts, with the fields of a single payout. Either all or none are created */
  payouts: Array<{
    /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
    amount: number | string;
    /** The currency of the amount */
    currency: "USD" | "KES";
    /** The recipient's e-mail address */
    recipient_email: string;
    /** Your reference. It identifies this request permanently. It must not begin with `portal/` */
    order_id: string;
    /** A note that the recipient sees */
    note?: string | null;
    /** Your own object, at most 4,096 bytes of JSON. It is returned with every digit as sent */
    metadata?: Record<string, unknown> | null;
  }>;
};
export type WalletpayBulkPayoutStatusInput = {
  /** The bulk, from the answer to its request */
  bulk_id?: string;
  /** Or your order_id */
  order_id?: string;
};
export type InitiateInput = {
  /** The merchant's id */
  merchant_id: string;
  /** Your reference */
  order_id: string;
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** An ISO 4217 currency code */
  currency: string;
  /** Shown on the payment page, at most its first 100 characters */
  description: string;
  /** The customer's phone number */
  phone_number: string;
  /** The customer's e-mail address */
  email_address: string;
  /** The customer's first name */
  first_name: string;
  /** The customer's last name */
  last_name: string;
  /** The merchant's page to which the browser returns; it must be on a registered host of the merchant */
  callback_url?: string | null;
};
export type InitiateCardprocInput = {
  /** The merchant's id */
  merchant_id: string;
  /** Your reference */
  order_id: string;
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** An ISO 4217 currency code */
  currency: string;
  /** Shown on the payment page, at most its first 100 characters */
  description: string;
  /** The customer's phone number */
  phone_number: string;
  /** The customer's e-mail address */
  email_address: string;
  /** The customer's first name */
  first_name: string;
  /** The customer's last name */
  last_name: string;
  /** The merchant's page to which the browser returns; it must be on a registered host of the merchant */
  callback_url?: string | null;
};
export type SubmitOrderInput = {
  /** The merchant's id */
  merchant_id: string;
  /** Your reference */
  merchant_ref: string;
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** An ISO 4217 currency code. Default: KES */
  currency?: string | null;
  /** Shown on the payment page, at most its first 100 characters */
  description: string;
  /** The merchant's page to which the browser returns; it must be on a registered host of the merchant */
  callback_url: string;
  billing_address: {
    /** The customer's phone number */
    phone_number?: string | null;
    /** The customer's e-mail address */
    email_address?: string | null;
    /** The customer's first name */
    first_name?: string | null;
    /** The customer's last name */
    last_name?: string | null;
  };
  /** The merchant's page to which the browser returns; it must be on a registered host of the merchant */
  cancellation_url?: string | null;
};
export type TransactionStatusInput = {
  /** The order, from the answer to its request */
  order_tracking_id: string;
};
/** The input and answer of each operation, by name. */
export interface Operations {
  /** Get the balance of the merchant's KES wallet */
  queryBalance: { input: QueryBalanceInput; answer: QueryBalanceAnswer };
  /** Get the balance (alias of query_balance) */
  merchantBalance: { input: MerchantBalanceInput; answer: MerchantBalanceAnswer };
  /** List the movements on the merchant's accounts, day by day. With `format=csv` or `Accept: text/csv`, the answer is the whole statement in one file. JSON has pages */
  statement: { input: StatementInput; answer: StatementAnswer };
  /** List every change of every payment, in order and without gaps */
  events: { input: EventsInput; answer: EventsAnswer };
  /** List the merchant's own requests of the last 7 days, newest first. Lists authenticated requests, a few seconds after their answers, without the contents of requests and answers. The service scans at most 2,000 requests for a page. If a filter matches few requests, a page may be short or empty */
  listRequests: { input: ListRequestsInput; answer: ListRequestsAnswer };
  /** List the merchant's payments on all rails, newest first. The service scans at most 2,000 payments for a page. If a filter matches few payments, a page may be short or empty */
  listPayments: { input: ListPaymentsInput; answer: ListPaymentsAnswer };
  /** Get a payment with its history */
  payment: { input: PaymentInput; answer: PaymentAnswer };
  /** List the merchant's webhooks, sent and pending */
  listWebhooks: { input: ListWebhooksInput; answer: ListWebhooksAnswer };
  /** List the delivery attempts of a webhook */
  webhookDeliveries: { input: WebhookDeliveriesInput; answer: WebhookDeliveriesAnswer };
  /** Resend a webhook. The resend has the same `webhook-id` and up to 14 new attempts. A webhook that a later status has replaced is not resent */
  resendWebhook: { input: ResendWebhookInput; answer: ResendWebhookAnswer };
  /** Send a test webhook */
  testWebhook: { input: TestWebhookInput; answer: TestWebhookAnswer };
  /** Add a webhook endpoint. The endpoint gets all future events of its types in feed order. Each is sent at least once, with the event id as `webhook-id`. A merchant can have at most 10 endpoints at a time. The call accepts no Idempotency-Key, because its answer contains a secret. If the answer is lost, list the endpoints and end the new one */
  addWebhookEndpoint: { input: AddWebhookEndpointInput; answer: AddWebhookEndpointAnswer };
  /** List the merchant's additional webhook endpoints */
  listWebhookEndpoints: { input: ListWebhookEndpointsInput; answer: ListWebhookEndpointsAnswer };
  /** Change the secret of an endpoint. Webhooks are also signed with the previous secret until the next change. If the answer is lost, the previous secret still works: change the secret again, and use the new one at once */
  changeWebhookEndpointSecret: { input: ChangeWebhookEndpointSecretInput; answer: ChangeWebhookEndpointSecretAnswer };
  /** End a webhook endpoint */
  endWebhookEndpoint: { input: EndWebhookEndpointInput; answer: EndWebhookEndpointAnswer };
  /** List the delivery attempts of an endpoint. Stored as long as the events, 90 days */
  webhookEndpointDeliveries: { input: WebhookEndpointDeliveriesInput; answer: WebhookEndpointDeliveriesAnswer };
  /** Resend an event to an endpoint. The resend has the same `webhook-id` and up to 14 new attempts, in parallel with the ordered delivery of the endpoint. A resend that is already in progress restarts. An event that a later event of the endpoint's types has replaced is not resent */
  resendToWebhookEndpoint: { input: ResendToWebhookEndpointInput; answer: ResendToWebhookEndpointAnswer };
  /** Send a test webhook to an endpoint */
  testWebhookEndpoint: { input: TestWebhookEndpointInput; answer: TestWebhookEndpointAnswer };
  /** Create a voucher from wallet money and mail its code */
  createVoucher: { input: CreateVoucherInput; answer: CreateVoucherAnswer };
  /** Redeem a voucher into the wallet */
  redeemVoucher: { input: RedeemVoucherInput; answer: RedeemVoucherAnswer };
  /** Send a payment prompt to a customer in Kenya. The prompt asks for whole shillings: cents are cut off. A webhook reports the result. In the sandbox, 254708374149 pays, 254711223344 has too little money, 254722334455 cancels and 254733445566 does not answer */
  stkPush: { input: StkPushInput; answer: StkPushAnswer };
  /** Get the status of a payment */
  stkPushStatus: { input: StkPushStatusInput; answer: StkPushStatusAnswer };
  /** Collect a payment from a mobile-money customer. A callback reports the outcome. If the answer has a `redirect_url`, you must send the customer there */
  momoDeposit: { input: MomoDepositInput; answer: MomoDepositAnswer };
  /** Pay out from the float of a country and currency */
  momoPayout: { input: MomoPayoutInput; answer: MomoPayoutAnswer };
  /** Cancel a payout that its network has not started */
  momoCancelPayout: { input: MomoCancelPayoutInput; answer: MomoCancelPayoutAnswer };
  /** Refund a deposit, completely or in part */
  momoRefund: { input: MomoRefundInput; answer: MomoRefundAnswer };
  /** Get the status of a deposit, payout or refund */
  momoStatus: { input: MomoStatusInput; answer: MomoStatusAnswer };
  /** List the networks with their limits and requirements */
  momoProviders: { input: MomoProvidersInput; answer: MomoProvidersAnswer };
  /** Create up to 1,000 payouts at once, all or none. Each row becomes a normal payout, with its own callback, status and outcome */
  momoBulkPayout: { input: MomoBulkPayoutInput; answer: MomoBulkPayoutAnswer };
  /** Get the status of a bulk, with totals. Requires `bulk_id` or `order_id` */
  momoBulkPayoutStatus: { input: MomoBulkPayoutStatusInput; answer: MomoBulkPayoutStatusAnswer };
  /** Send a payment prompt to a customer in Uganda or Tanzania. A webhook reports the result. `order_id`, `transaction_desc` and `metadata` are not accepted here */
  xbStkPush: { input: XbStkPushInput; answer: XbStkPushAnswer };
  /** Get the status of a payment. Requires one of `invoice_id`, `api_ref` and `payment_id`. If several payments have the same name, the newest is returned */
  xbStkPushStatus: { input: XbStkPushStatusInput; answer: XbStkPushStatusAnswer };
  /** Create an order and get the page where the buyer approves it. A repeat with the same `order_id` and body always gets the same answer. The minimum is 1.00 USD, or its value in KES */
  walletpayCreateOrder: { input: WalletpayCreateOrderInput; answer: WalletpayCreateOrderAnswer };
  /** Capture the money of an approved order, once */
  walletpayCapture: { input: WalletpayCaptureInput; answer: WalletpayCaptureAnswer };
  /** Get the status of an order with its credited amount and rate. Requires one of `walletpay_order_id`, `order_id` and `payment_id` */
  walletpayOrderStatus: { input: WalletpayOrderStatusInput; answer: WalletpayOrderStatusAnswer };
  /** Pay out from the float to an e-mail address. The merchant needs the permission `is_admin` or `can_payout` */
  walletpayCreatePayout: { input: WalletpayCreatePayoutInput; answer: WalletpayCreatePayoutAnswer };
  /** Get the status of a payout. Requires `payout_id` or `order_id` */
  walletpayPayoutStatus: { input: WalletpayPayoutStatusInput; answer: WalletpayPayoutStatusAnswer };
  /** Refund a captured order, completely or in part */
  walletpayRefund: { input: WalletpayRefundInput; answer: WalletpayRefundAnswer };
  /** Get the status of a refund */
  walletpayRefundStatus: { input: WalletpayRefundStatusInput; answer: WalletpayRefundStatusAnswer };
  /** Create up to 1,000 payouts at once, all or none. Each row becomes a normal payout, with its own callback, status and outcome */
  walletpayBulkPayout: { input: WalletpayBulkPayoutInput; answer: WalletpayBulkPayoutAnswer };
  /** Get the status of a bulk, with totals. Requires `bulk_id` or `order_id` */
  walletpayBulkPayoutStatus: { input: WalletpayBulkPayoutStatusInput; answer: WalletpayBulkPayoutStatusAnswer };
  /** Create an order (wrapper) and get its payment page. Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook */
  initiate: { input: InitiateInput; answer: InitiateAnswer };
  /** Create an order (wrapper, alternative path). Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook */
  initiateCardproc: { input: InitiateCardprocInput; answer: InitiateCardprocAnswer };
  /** Create an order (card API) and get its payment page. Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook */
  submitOrder: { input: SubmitOrderInput; answer: SubmitOrderAnswer };
  /** Get the status of an order by its order_tracking_id */
  transactionStatus: { input: TransactionStatusInput; answer: TransactionStatusAnswer };
}
/** The body of each webhook, by its `X-Callback-Type`. */
export interface Webhooks {
  'Test': TestWebhook;
  'STK-Push': StkPushResultWebhook | StkPushEventWebhook;
  'Mobile-Money': MomoCallbackWebhook;
  'Cross-Border': XbStkPushResultWebhook;
  'Wallet-Checkout': WalletpayOrderUpdateWebhook | WalletpayPayoutUpdateWebhook | WalletpayRefundUpdateWebhook;
  'Hosted-Checkout': HostedCheckoutUpdateWebhook;
}
export interface Route {
  method: 'GET' | 'POST';
  path: string;
  /** A repeat with the same key gets the first answer again. */
  takesKey: boolean;
  /** A repeat has no further effect. */
  mayRepeat: boolean;
}
export const routes: Record<keyof Operations, Route> = {
  queryBalance: { method: 'GET', path: '/api/v1/query_balance', takesKey: false, mayRepeat: true },
  merchantBalance: { method: 'GET', path: '/api/v1/merchant/balance', takesKey: false, mayRepeat: true },
  statement: { method: 'GET', path: '/api/v1/statement', takesKey: false, mayRepeat: true },
  events: { method: 'GET', path: '/api/v1/events', takesKey: false, mayRepeat: true },
  listRequests: { method: 'GET', path: '/api/v1/requests', takesKey: false, mayRepeat: true },
  listPayments: { method: 'GET', path: '/api/v1/payments', takesKey: false, mayRepeat: true },
  payment: { method: 'GET', path: '/api/v1/payments/{payment_id}', takesKey: false, mayRepeat: true },
  listWebhooks: { method: 'GET', path: '/api/v1/webhooks', takesKey: false, mayRepeat: true },
  webhookDeliveries: { method: 'GET', path: '/api/v1/webhooks/{webhook_id}/deliveries', takesKey: false, mayRepeat: true },
  resendWebhook: { method: 'POST', path: '/api/v1/webhooks/{webhook_id}/resend', takesKey: true, mayRepeat: true },
  testWebhook: { method: 'POST', path: '/api/v1/webhooks/test', takesKey: true, mayRepeat: true },
  addWebhookEndpoint: { method: 'POST', path: '/api/v1/webhook_endpoints', takesKey: false, mayRepeat: false },
  listWebhookEndpoints: { method: 'GET', path: '/api/v1/webhook_endpoints', takesKey: false, mayRepeat: true },
  changeWebhookEndpointSecret: { method: 'POST', path: '/api/v1/webhook_endpoints/{endpoint_id}/change_secret', takesKey: false, mayRepeat: false },
  endWebhookEndpoint: { method: 'POST', path: '/api/v1/webhook_endpoints/{endpoint_id}/end', takesKey: false, mayRepeat: false },
  webhookEndpointDeliveries: { method: 'GET', path: '/api/v1/webhook_endpoints/{endpoint_id}/deliveries', takesKey: false, mayRepeat: true },
  resendToWebhookEndpoint: { method: 'POST', path: '/api/v1/webhook_endpoints/{endpoint_id}/resend', takesKey: true, mayRepeat: true },
  testWebhookEndpoint: { method: 'POST', path: '/api/v1/webhook_endpoints/{endpoint_id}/test', takesKey: true, mayRepeat: true },
  createVoucher: { method: 'POST', path: '/api/v1/create_voucher', takesKey: true, mayRepeat: true },
  redeemVoucher: { method: 'POST', path: '/api/v1/redeem_voucher', takesKey: true, mayRepeat: true },
  stkPush: { method: 'POST', path: '/api/v1/stk_push', takesKey: true, mayRepeat: true },
  stkPushStatus: { method: 'GET', path: '/api/v1/stk_push/status', takesKey: false, mayRepeat: true },
  momoDeposit: { method: 'POST', path: '/api/v1/momo/deposit', takesKey: true, mayRepeat: true },
  momoPayout: { method: 'POST', path: '/api/v1/momo/payout', takesKey: true, mayRepeat: true },
  momoCancelPayout: { method: 'POST', path: '/api/v1/momo/cancel_payout', takesKey: true, mayRepeat: true },
  momoRefund: { method: 'POST', path: '/api/v1/momo/refund', takesKey: true, mayRepeat: true },
  momoStatus: { method: 'GET', path: '/api/v1/momo/status', takesKey: false, mayRepeat: true },
  momoProviders: { method: 'GET', path: '/api/v1/momo/providers', takesKey: false, mayRepeat: true },
  momoBulkPayout: { method: 'POST', path: '/api/v1/momo/bulk_payout', takesKey: true, mayRepeat: true },
  momoBulkPayoutStatus: { method: 'GET', path: '/api/v1/momo/bulk_payout', takesKey: false, mayRepeat: true },
  xbStkPush: { method: 'POST', path: '/api/v1/xb/stk_push', takesKey: true, mayRepeat: true },
  xbStkPushStatus: { method: 'GET', path: '/api/v1/xb/stk_push/status', takesKey: false, mayRepeat: true },
  walletpayCreateOrder: { method: 'POST', path: '/api/v1/walletpay/create_order', takesKey: true, mayRepeat: true },
  walletpayCapture: { method: 'GET', path: '/api/v1/walletpay/capture', takesKey: false, mayRepeat: true },
  walletpayOrderStatus: { method: 'GET', path: '/api/v1/walletpay/order_status', takesKey: false, mayRepeat: true },
  walletpayCreatePayout: { method: 'POST', path: '/api/v1/walletpay/create_payout', takesKey: true, mayRepeat: true },
  walletpayPayoutStatus: { method: 'GET', path: '/api/v1/walletpay/payout_status', takesKey: false, mayRepeat: true },
  walletpayRefund: { method: 'POST', path: '/api/v1/walletpay/refund', takesKey: true, mayRepeat: true },
  walletpayRefundStatus: { method: 'GET', path: '/api/v1/walletpay/refund_status', takesKey: false, mayRepeat: true },
  walletpayBulkPayout: { method: 'POST', path: '/api/v1/walletpay/bulk_payout', takesKey: true, mayRepeat: true },
  walletpayBulkPayoutStatus: { method: 'GET', path: '/api/v1/walletpay/bulk_payout', takesKey: false, mayRepeat: true },
  initiate: { method: 'POST', path: '/api/v2/initiate.php', takesKey: true, mayRepeat: true },
  initiateCardproc: { method: 'POST', path: '/api/v2/cardproc/initiate.php', takesKey: true, mayRepeat: true },
  submitOrder: { method: 'POST', path: '/api/cardproc/submit_order.php', takesKey: true, mayRepeat: true },
  transactionStatus: { method: 'POST', path: '/api/cardproc/transaction_status.php', takesKey: false, mayRepeat: true },
};
