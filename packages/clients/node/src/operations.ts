// Generated from docs/openapi.json by `npm run clients`.
export type ErrorBody = {
  /** The request was refused */
  success: false;
  /** A sentence for a person */
  error: string;
  /** The same sentence */
  message: string;
  code: ErrorCode;
  /** Also the X-Request-Id header; tell it when you ask us */
  request_id: string;
  /** YYYY-MM-DD HH:MM:SS, in the service's time zone */
  timestamp: string;
  /** The same moment, ISO 8601 in UTC */
  timestamp_utc?: string;
  /** Every faulty field of the request at once */
  details?: Array<{
    /** The field, as `billing_address.phone_number` or `payouts.3.amount` */
    field: string;
    /** What is wrong with it */
    message: string;
  }>;
  /** What the code means and what to do about it, where the deployment names its documentation */
  doc_url?: string;
  /** The payment that the refusal is about, where one was written or exists already */
  payment_id?: string;
};
export type ErrorCode = "VALIDATION_FAILED" | "INVALID_JSON" | "INVALID_QUERY" | "INVALID_PHONE_NUMBER" | "INVALID_AMOUNT" | "AMOUNT_OUT_OF_RANGE" | "UNSUPPORTED_CURRENCY" | "FLOAT_INSUFFICIENT" | "OUTFLOW_LIMIT_REACHED" | "BALANCE_INSUFFICIENT" | "COUNTRY_NOT_SUPPORTED" | "PROVIDER_NOT_FOUND" | "PREAUTH_CODE_REQUIRED" | "REFUND_EXCEEDS_REMAINDER" | "INVALID_EVENT" | "PROVIDER_REJECTED_REQUEST" | "CREDENTIALS_MISSING" | "CREDENTIALS_REQUIRED" | "INVALID_CREDENTIALS" | "KEY_OF_OTHER_ENVIRONMENT" | "INVALID_SIGNATURE" | "INVALID_MERCHANT" | "IP_NOT_ALLOWED" | "ACCOUNT_SUSPENDED" | "ACCOUNT_INACTIVE" | "INACTIVE_MERCHANT" | "SCOPE_REQUIRED" | "PERMISSION_REQUIRED" | "NOT_FOUND" | "PAYMENT_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "WEBHOOK_ENDPOINT_NOT_FOUND" | "VOUCHER_NOT_FOUND" | "MERCHANT_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REFUND_TOO_LATE" | "DEPOSIT_NOT_COMPLETED" | "PAYOUT_NOT_CANCELLABLE" | "CANCELLATION_IN_PROGRESS" | "VOUCHER_NOT_ACTIVE" | "DUPLICATE_PAYMENT" | "WEBHOOK_SUPERSEDED" | "WEBHOOK_NOT_KEPT" | "WEBHOOK_WITHOUT_ADDRESS" | "CUSTOMER_BUSY" | "REQUEST_IN_PROGRESS" | "ORDER_ID_REUSED" | "ORDER_NOT_APPROVED" | "ORDER_EXPIRED" | "ORDER_FAILED" | "CURSOR_EXPIRED" | "BODY_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "PROCESSOR_FAILURE" | "PROVIDER_ACCOUNT_REFUSED" | "PROVIDER_UNAVAILABLE" | "PROVIDER_TEMPORARILY_UNAVAILABLE" | "SERVICE_UNAVAILABLE" | "RATE_UNAVAILABLE" | "SERVICE_BUSY" | "ACCEPTANCE_UNKNOWN";
export type QueryBalanceAnswer = {
  /** The request was taken */
  success: true;
  /** Whose wallet it is */
  merchant_id: string;
  /** The registered name */
  merchant_name: string;
  /** What may be spent; what is set aside is not in it. In currency units, with at most three decimals */
  balance: number;
  /** Of the balance */
  currency: "KES";
  /** When it was read. YYYY-MM-DD HH:MM:SS, in the service's time zone (Africa/Nairobi unless told) */
  timestamp: string;
  /** The same moment. ISO 8601, UTC */
  timestamp_utc: string;
};
export type MerchantBalanceAnswer = {
  /** The request was taken */
  success: true;
  /** Whose wallet it is */
  merchant_id: string;
  /** The registered name */
  merchant_name: string;
  /** What may be spent; what is set aside is not in it. In currency units, with at most three decimals */
  balance: number;
  /** Of the balance */
  currency: "KES";
  /** When it was read. YYYY-MM-DD HH:MM:SS, in the service's time zone (Africa/Nairobi unless told) */
  timestamp: string;
  /** The same moment. ISO 8601, UTC */
  timestamp_utc: string;
};
export type StatementAnswer = {
  /** The request was taken */
  success: true;
  /** Whose accounts they are */
  merchant_id: string;
  /** Of all amounts. ISO 4217 */
  currency: string;
  /** The first day, which is in it. YYYY-MM-DD */
  from: string;
  /** The last day, which is in it. YYYY-MM-DD */
  to: string;
  /** By which its days begin and end: yours */
  time_zone: string;
  /** All its days are sealed: the same question has the same answer from now on */
  is_final: boolean;
  /** The accounts in the currency that were used by the last day */
  accounts: Array<{
    /** Such as `wallet` or `float:momo:KEN` */
    account: string;
    /** Of a float */
    rail: string | null;
    /** Of a float. ISO 3166 alpha-3 */
    country: string | null;
    /** What it held before the first day. Decimal text in currency units, with two decimals or the currency's own three */
    opening_balance: string;
    /** What it held after the last day. Decimal text in currency units, with two decimals or the currency's own three */
    closing_balance: string;
  }>;
  /** In the order in which the balances moved, account by account */
  movements: Array<{
    /** The account that moved */
    account: string;
    /** When it was booked. ISO 8601, UTC */
    time: string;
    /** What it was, such as `credit`, `hold`, `spent`, `release` or `fee` */
    type: string;
    /** The payment. Null where the movement is of no payment */
    payment_id: string | null;
    /** Its rail. Null where the movement is of no payment */
    rail: string | null;
    /** deposit, payout or refund. Null where the movement is of no payment */
    kind: string | null;
    /** Your order_id, where it has one */
    order_id: string | null;
    /** Your reference, where it has one */
    reference: string | null;
    /** Of the voucher or transfer, where it is no payment */
    source_id: string | null;
    /** What moved; negative where it left the account. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The account's balance after it. Decimal text in currency units, with two decimals or the currency's own three */
    balance: string;
  }>;
  /** What the next page is asked for with; null on the last one */
  next_cursor: string | null;
};
export type EventsAnswer = {
  /** The request was taken */
  success: true;
  /** In the order in which they are to be read */
  events: Array<{
    /** Of the event, and of the webhook that tells of it where there is one */
    id: string;
    /** What became of the payment */
    type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
    /** When it changed. ISO 8601, UTC */
    created_at: string;
    /** The payment */
    payment_id: string;
    /** Its rail */
    rail: string;
    /** The `X-Callback-Type` of its webhooks */
    callback_type: string;
    /** A webhook with this id tells of it, too */
    has_webhook: boolean;
    data: EventData;
  }>;
  /** What the next page is asked for with, as `after` */
  next_cursor: string;
  /** There may be more right now */
  has_more: boolean;
};
export type ListRequestsAnswer = {
  /** The request was taken */
  success: true;
  /** The newest first */
  requests: Array<{
    /** When it was answered. ISO 8601, UTC */
    at: string;
    /** Its `X-Request-Id`; tell it when you ask us */
    request_id: string;
    /** How it was asked */
    method: string;
    /** What was asked, without the ids in it */
    path: string;
    /** How it was answered; 499 where you did not wait for it */
    status: number;
    /** Why it was refused */
    code: string | null;
    /** How long it took. Milliseconds */
    duration_ms: number;
  }>;
  /** What the next page is asked for with; null on the last one */
  next_cursor: string | null;
};
export type ListPaymentsAnswer = {
  /** The request was taken */
  success: true;
  /** The newest first */
  payments: Array<{
    /** The payment */
    payment_id: string;
    /** Its rail */
    rail: string;
    /** What it is */
    type: "deposit" | "payout" | "refund";
    /** Where it stands */
    state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** It has ended; a late success may still follow a failure */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
    hold_reason?: string;
    /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
    hold_until?: string | null;
    /** What was asked for, in `currency`. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** What the provider confirmed. Decimal text in currency units, with two decimals or the currency's own three */
    confirmed_amount: string | null;
    /** Of what it confirmed. ISO 4217 */
    confirmed_currency: string | null;
    /** What the payment costs, where it costs anything. Decimal text in currency units, with two decimals or the currency's own three */
    fee?: string;
    /** Of the fee. ISO 4217 */
    fee_currency?: string;
    /** Your order_id */
    order_id: string | null;
    /** Your reference */
    reference: string | null;
    /** The customer's number */
    phone_number: string | null;
    /** Who moves the money */
    provider: string;
    /** The provider's id of it */
    provider_reference: string | null;
    /** The provider's receipt */
    receipt: string | null;
    /** Of a refund: the deposit */
    deposit_id: string | null;
    /** Why it failed */
    failure_code: string | null;
    /** The same in words */
    failure_message: string | null;
    /** It succeeded after it had been told as failed */
    correction: boolean;
    /** What you call the payment that had paid the same before */
    possible_duplicate_of?: string;
    /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
    sequence: number;
    /** When it was taken on. ISO 8601, UTC */
    created_at: string;
    /** When it changed last. ISO 8601, UTC */
    updated_at: string;
    /** When it ended. ISO 8601, UTC */
    finished_at: string | null;
  }>;
  /** What the next page is asked for with; null on the last one */
  next_cursor: string | null;
};
export type PaymentAnswer = {
  /** The request was taken */
  success: true;
  payment: {
    /** The payment */
    payment_id: string;
    /** Its rail */
    rail: string;
    /** What it is */
    type: "deposit" | "payout" | "refund";
    /** Where it stands */
    state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** It has ended; a late success may still follow a failure */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
    hold_reason?: string;
    /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
    hold_until?: string | null;
    /** What was asked for, in `currency`. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** What the provider confirmed. Decimal text in currency units, with two decimals or the currency's own three */
    confirmed_amount: string | null;
    /** Of what it confirmed. ISO 4217 */
    confirmed_currency: string | null;
    /** What the payment costs, where it costs anything. Decimal text in currency units, with two decimals or the currency's own three */
    fee?: string;
    /** Of the fee. ISO 4217 */
    fee_currency?: string;
    /** Your order_id */
    order_id: string | null;
    /** Your reference */
    reference: string | null;
    /** The customer's number */
    phone_number: string | null;
    /** Who moves the money */
    provider: string;
    /** The provider's id of it */
    provider_reference: string | null;
    /** The provider's receipt */
    receipt: string | null;
    /** Of a refund: the deposit */
    deposit_id: string | null;
    /** Why it failed */
    failure_code: string | null;
    /** The same in words */
    failure_message: string | null;
    /** It succeeded after it had been told as failed */
    correction: boolean;
    /** What you call the payment that had paid the same before */
    possible_duplicate_of?: string;
    /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
    sequence: number;
    /** When it was taken on. ISO 8601, UTC */
    created_at: string;
    /** When it changed last. ISO 8601, UTC */
    updated_at: string;
    /** When it ended. ISO 8601, UTC */
    finished_at: string | null;
    /** Each state that it entered */
    timeline: Array<{
      /** Where it stands */
      state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
      /** When it was entered. ISO 8601, UTC */
      at: string;
    }>;
    /** Of a deposit, the oldest first */
    refunds: Array<{
      /** The refund */
      payment_id: string;
      /** Where it stands */
      state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    }>;
  };
};
export type ListWebhooksAnswer = {
  /** The request was taken */
  success: true;
  /** The newest first */
  webhooks: Array<{
    /** The same at every try */
    webhook_id: string;
    /** The payment that it tells of */
    payment_id: string;
    /** What became of the payment */
    payment_state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** Its `X-Callback-Type` */
    callback_type: string;
    /** Which of your addresses it goes to */
    endpoint: "webhook_url" | "callback_url";
    /** What became of it; `dead`: given up, `unaddressed`: there was no address, `superseded`: not sent any more, because a later status of the payment has replaced it */
    state: "pending" | "delivered" | "dead" | "unaddressed" | "superseded";
    /** Which change of the payment it tells; null for one from before there was any */
    sequence: number | null;
    /** The webhook of the later status that has replaced it; it is not sent again */
    superseded_by: string | null;
    /** How often it was tried since it was last due */
    tries: number;
    /** When it was written. ISO 8601, UTC */
    created_at: string;
    /** When it is tried next, while it is pending. ISO 8601, UTC */
    next_at: string | null;
    /** When it arrived, was given up or was replaced. ISO 8601, UTC */
    settled_at: string | null;
  }>;
  /** What the next page is asked for with; null on the last one */
  next_cursor: string | null;
};
export type WebhookDeliveriesAnswer = {
  /** The request was taken */
  success: true;
  webhook: {
    /** The same at every try */
    webhook_id: string;
    /** The payment that it tells of */
    payment_id: string;
    /** What became of the payment */
    payment_state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** Its `X-Callback-Type` */
    callback_type: string;
    /** Which of your addresses it goes to */
    endpoint: "webhook_url" | "callback_url";
    /** What became of it; `dead`: given up, `unaddressed`: there was no address, `superseded`: not sent any more, because a later status of the payment has replaced it */
    state: "pending" | "delivered" | "dead" | "unaddressed" | "superseded";
    /** Which change of the payment it tells; null for one from before there was any */
    sequence: number | null;
    /** The webhook of the later status that has replaced it; it is not sent again */
    superseded_by: string | null;
    /** How often it was tried since it was last due */
    tries: number;
    /** When it was written. ISO 8601, UTC */
    created_at: string;
    /** When it is tried next, while it is pending. ISO 8601, UTC */
    next_at: string | null;
    /** When it arrived, was given up or was replaced. ISO 8601, UTC */
    settled_at: string | null;
  };
  /** The last 100 tries, the newest first */
  deliveries: Array<{
    /** Counts the tries from 1 */
    n: number;
    /** When it was over. ISO 8601, UTC */
    at: string;
    /** Where to */
    url: string | null;
    /** How it was answered; null without an answer */
    http_status: number | null;
    /** How long it took. Milliseconds */
    duration_ms: number;
    /** Why it did not arrive */
    error: string | null;
    /** What the answer began with */
    response_excerpt: string | null;
  }>;
};
export type ResendWebhookAnswer = {
  /** The request was taken */
  success: true;
  webhook: {
    /** The same at every try */
    webhook_id: string;
    /** The payment that it tells of */
    payment_id: string;
    /** What became of the payment */
    payment_state: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
    /** Its `X-Callback-Type` */
    callback_type: string;
    /** Which of your addresses it goes to */
    endpoint: "webhook_url" | "callback_url";
    /** What became of it; `dead`: given up, `unaddressed`: there was no address, `superseded`: not sent any more, because a later status of the payment has replaced it */
    state: "pending" | "delivered" | "dead" | "unaddressed" | "superseded";
    /** Which change of the payment it tells; null for one from before there was any */
    sequence: number | null;
    /** The webhook of the later status that has replaced it; it is not sent again */
    superseded_by: string | null;
    /** How often it was tried since it was last due */
    tries: number;
    /** When it was written. ISO 8601, UTC */
    created_at: string;
    /** When it is tried next, while it is pending. ISO 8601, UTC */
    next_at: string | null;
    /** When it arrived, was given up or was replaced. ISO 8601, UTC */
    settled_at: string | null;
  };
};
export type TestWebhookAnswer = {
  /** The request was taken */
  success: true;
  /** Its `webhook-id` */
  webhook_id: string;
  /** It was answered with a status from 200 to 299 */
  delivered: boolean;
  /** How it was answered; null without an answer */
  http_status: number | null;
  /** How long it took. Milliseconds */
  duration_ms: number;
  /** Why it did not arrive */
  error: string | null;
  /** What the answer began with */
  response_excerpt: string | null;
  /** When it was sent. ISO 8601, UTC */
  sent_at: string;
};
export type AddWebhookEndpointAnswer = {
  /** The request was taken */
  success: true;
  endpoint: {
    /** The endpoint */
    endpoint_id: string;
    /** Where it is */
    url: string;
    /** What it is sent: types of events, as the feed has them */
    types: Array<string>;
    /** How often the event that comes next was tried in vain */
    failed_tries: number;
    /** Events that were given up after 14 tries in 72 hours; the feed has them */
    skipped: number;
    /** How the last try was answered; null without an answer */
    last_status: number | null;
    /** Why the last try failed */
    last_error: string | null;
    /** When something arrived last. ISO 8601, UTC */
    delivered_at: string | null;
    /** When it was added. ISO 8601, UTC */
    created_at: string;
  };
  /** Signs what is sent there; shown this once */
  webhook_secret: string;
};
export type ListWebhookEndpointsAnswer = {
  /** The request was taken */
  success: true;
  /** Those in use, the oldest first */
  endpoints: Array<{
    /** The endpoint */
    endpoint_id: string;
    /** Where it is */
    url: string;
    /** What it is sent: types of events, as the feed has them */
    types: Array<string>;
    /** How often the event that comes next was tried in vain */
    failed_tries: number;
    /** Events that were given up after 14 tries in 72 hours; the feed has them */
    skipped: number;
    /** How the last try was answered; null without an answer */
    last_status: number | null;
    /** Why the last try failed */
    last_error: string | null;
    /** When something arrived last. ISO 8601, UTC */
    delivered_at: string | null;
    /** When it was added. ISO 8601, UTC */
    created_at: string;
  }>;
};
export type ChangeWebhookEndpointSecretAnswer = {
  /** The request was taken */
  success: true;
  endpoint: {
    /** The endpoint */
    endpoint_id: string;
    /** Where it is */
    url: string;
    /** What it is sent: types of events, as the feed has them */
    types: Array<string>;
    /** How often the event that comes next was tried in vain */
    failed_tries: number;
    /** Events that were given up after 14 tries in 72 hours; the feed has them */
    skipped: number;
    /** How the last try was answered; null without an answer */
    last_status: number | null;
    /** Why the last try failed */
    last_error: string | null;
    /** When something arrived last. ISO 8601, UTC */
    delivered_at: string | null;
    /** When it was added. ISO 8601, UTC */
    created_at: string;
  };
  /** Signs what is sent there; shown this once */
  webhook_secret: string;
};
export type EndWebhookEndpointAnswer = {
  /** The request was taken */
  success: true;
  endpoint: {
    /** The endpoint */
    endpoint_id: string;
    /** Where it is */
    url: string;
    /** What it is sent: types of events, as the feed has them */
    types: Array<string>;
    /** How often the event that comes next was tried in vain */
    failed_tries: number;
    /** Events that were given up after 14 tries in 72 hours; the feed has them */
    skipped: number;
    /** How the last try was answered; null without an answer */
    last_status: number | null;
    /** Why the last try failed */
    last_error: string | null;
    /** When something arrived last. ISO 8601, UTC */
    delivered_at: string | null;
    /** When it was added. ISO 8601, UTC */
    created_at: string;
  };
};
export type WebhookEndpointDeliveriesAnswer = {
  /** The request was taken */
  success: true;
  /** The newest first */
  deliveries: Array<{
    /** The event, as its `webhook-id` header */
    event_id: string;
    /** What became of the payment */
    type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
    /** The payment */
    payment_id: string;
    /** Counts the tries of the event from 1, anew once it is sent again */
    n: number;
    /** When it was over. ISO 8601, UTC */
    at: string;
    /** It was answered with a status from 200 to 299 */
    delivered: boolean;
    /** The later event that has replaced it: it was not sent, and no try counts. Null for a try */
    superseded_by: string | null;
    /** How it was answered; null without an answer */
    http_status: number | null;
    /** How long it took. Milliseconds */
    duration_ms: number;
    /** Why it did not arrive */
    error: string | null;
    /** What the answer began with */
    response_excerpt: string | null;
  }>;
  /** What the next page is asked for with; null on the last one */
  next_cursor: string | null;
};
export type ResendToWebhookEndpointAnswer = {
  /** The request was taken */
  success: true;
  /** The event, as its `webhook-id` header */
  event_id: string;
  /** What became of the payment */
  type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** The payment */
  payment_id: string;
};
export type TestWebhookEndpointAnswer = {
  /** The request was taken */
  success: true;
  /** Its `webhook-id` */
  webhook_id: string;
  /** It was answered with a status from 200 to 299 */
  delivered: boolean;
  /** How it was answered; null without an answer */
  http_status: number | null;
  /** How long it took. Milliseconds */
  duration_ms: number;
  /** Why it did not arrive */
  error: string | null;
  /** What the answer began with */
  response_excerpt: string | null;
  /** When it was sent. ISO 8601, UTC */
  sent_at: string;
};
export type CreateVoucherAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The voucher */
    voucher_id: string;
    /** The last four characters of its code, which is mailed and told nowhere else */
    code_last4: string;
    /** Where the code went */
    email: string;
    /** What it is worth. In currency units, with at most three decimals */
    amount: number;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** How it stands */
    status: "Active" | "Redeemed" | "Expired";
    /** When it expires, and its money goes back to the wallet. ISO 8601, UTC */
    expires_at: string;
  };
};
export type RedeemVoucherAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The voucher */
    voucher_id: string;
    /** The last four characters of its code, which is mailed and told nowhere else */
    code_last4: string;
    /** Where the code went */
    email: string;
    /** What it is worth. In currency units, with at most three decimals */
    amount: number;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** How it stands */
    status: "Active" | "Redeemed" | "Expired";
    /** When it expires, and its money goes back to the wallet. ISO 8601, UTC */
    expires_at: string;
  };
};
export type StkPushAnswer = {
  /** The request was taken */
  success: true;
  /** In the sandbox alone: what you may not have meant, such as an amount with cents */
  warnings?: Array<string>;
  /** What happens next, for a person */
  message: string;
  data: {
    /** The payment; ask for its status by it */
    payment_id: string;
    /** The provider's name of the request, once known */
    merchant_request_id: string;
    /** The provider's name of the prompt, once known */
    checkout_request_id: string;
    /** The provider's sentence for the customer, once known */
    customer_message: string;
    /** What you asked for, in KES. In currency units, with at most three decimals */
    amount: number;
    /** The same, as the webhook and the status name it. In currency units, with at most three decimals */
    initial_amount: number;
    /** What the customer is asked for: the whole shillings of it. In currency units, with at most three decimals */
    asked_amount: number;
    /** The number that was asked, as 254 and nine digits */
    phone_number: string;
    /** Your order_id, or empty */
    order_id: string;
  };
};
export type StkPushStatusAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The payment; ask for its status by it */
    payment_id: string;
    /** The provider's name of the request, once known */
    merchant_request_id: string;
    /** The provider's name of the prompt, once known */
    checkout_request_id: string;
    /** How it stands; Pending until it has ended */
    status: "Success" | "Pending" | "Failed" | "Cancelled" | "Timeout";
    /** 0 success, 1 insufficient balance, 1032 cancelled by the user, 1037 no answer in time, 2001 credentials or account; empty while it is open */
    result_code: string;
    /** The same in words */
    result_description: string;
    /** What you asked for, in KES. In currency units, with at most three decimals */
    initial_amount: number;
    /** What the customer is asked for: the whole shillings of it. In currency units, with at most three decimals */
    asked_amount: number;
    /** What was paid, in KES, and is credited; 0 while nothing is. In currency units, with at most three decimals */
    actual_amount: number;
    /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
    fee?: number;
    /** Of the fee. ISO 4217 */
    fee_currency?: string;
    /** The network's receipt, once known */
    mm_receipt_number: string;
    /** When it was paid: yyyymmddhhmmss, by the network's clock (Africa/Nairobi) */
    transaction_date: string;
    /** The same moment; missing while there is none. ISO 8601, UTC */
    transaction_date_utc?: string;
    /** The number that was asked, as 254 and nine digits */
    phone_number: string;
    /** The number that paid, where the network tells it */
    payer_phone: string;
    /** Empty: the network names no payer on this rail */
    payer_name: string;
    /** Your account_reference */
    account_reference: string;
    /** Your order_id, or empty */
    order_id: string;
    /** What you call the payment that had paid the same reference before, where there is one */
    possible_duplicate_of?: string;
    /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
    sequence: number;
    /** It has ended. A payment that timed out may still be corrected for 72 hours */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** It had ended otherwise before */
    correction: boolean;
    /** Your metadata, or null */
    metadata: Record<string, unknown> | null;
    /** When it was taken. ISO 8601, UTC */
    created_at: string;
    /** When it changed last. ISO 8601, UTC */
    updated_at: string;
  };
};
export type MomoDepositAnswer = {
  /** The request was taken */
  success: true;
  /** The transaction; ask for its status by it */
  transaction_id: string;
  /** ENQUEUED where a payout waits: pending, and neither success nor failure */
  status: "ACCEPTED" | "ENQUEUED";
  /** The network's code */
  provider: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** The network's name */
  provider_name: string;
  /** The network was found by the number */
  provider_predicted: boolean;
  /** Of the amounts. ISO 4217 */
  currency: string;
  /** What you asked for. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** Whether a payout can be cancelled now */
  cancellable?: boolean;
  /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
  hold_reason?: string;
  /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
  hold_until?: string | null;
  /** What happens next, for a person */
  message: string;
  /** Where to send the customer, where the network asks on a page */
  redirect_url?: string;
};
export type MomoPayoutAnswer = {
  /** The request was taken */
  success: true;
  /** The transaction; ask for its status by it */
  transaction_id: string;
  /** ENQUEUED where a payout waits: pending, and neither success nor failure */
  status: "ACCEPTED" | "ENQUEUED";
  /** The network's code */
  provider: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** The network's name */
  provider_name: string;
  /** The network was found by the number */
  provider_predicted: boolean;
  /** Of the amounts. ISO 4217 */
  currency: string;
  /** What you asked for. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** Whether a payout can be cancelled now */
  cancellable?: boolean;
  /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
  hold_reason?: string;
  /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
  hold_until?: string | null;
  /** What happens next, for a person */
  message: string;
  /** Where to send the customer, where the network asks on a page */
  redirect_url?: string;
};
export type MomoCancelPayoutAnswer = {
  /** The request was taken */
  success: true;
  /** The transaction; ask for its status by it */
  transaction_id: string;
  /** What it is */
  type: "payout";
  /** It will not be paid */
  status: "CANCELLED";
  /** It has ended */
  is_final: boolean;
  /** The same for a person */
  message: string;
};
export type MomoRefundAnswer = {
  /** The request was taken */
  success: true;
  /** The refund's own; ask for its status by it */
  transaction_id: string;
  /** What it gives back */
  deposit_transaction_id: string | null;
  /** What it is */
  type: "refund";
  /** It is on its way */
  status: "ACCEPTED";
  /** What is given back. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** Of the amounts. ISO 4217 */
  currency: string;
  /** What happens next, for a person */
  message: string;
};
export type MomoStatusAnswer = {
  /** The request was taken */
  success: true;
  /** The transaction; ask for its status by it */
  transaction_id: string;
  /** What it is */
  type: "deposit" | "payout" | "refund";
  /** How it stands */
  status: "COMPLETED" | "ACCEPTED" | "PROCESSING" | "ENQUEUED" | "FAILED" | "CANCELLED";
  /** It has ended */
  is_final: boolean;
  /** How it stands, as the callback tells it */
  payment_status: "Success" | "Processing" | "Failed" | "Cancelled";
  next_step: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
  /** The network's code */
  provider: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** Of the amounts. ISO 4217 */
  currency: string;
  /** What you asked for. Decimal text in currency units, with two decimals or the currency's own three */
  requested_amount: string;
  /** What was paid: this counts. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** What came back of a payout that had succeeded. Decimal text in currency units, with two decimals or the currency's own three */
  returned_amount?: string;
  /** What the payment costs, where it costs anything. Decimal text in currency units, with two decimals or the currency's own three */
  fee?: string;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** The network's reference, once known */
  provider_transaction_id: string;
  /** Your account_reference */
  account_reference: string;
  /** Why it failed */
  failure_code: string | null;
  /** The same in words */
  failure_message: string | null;
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** Whether a payout can be cancelled now */
  cancellable?: boolean;
  /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
  hold_reason?: string;
  /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
  hold_until?: string | null;
  /** What a refund gives back */
  deposit_transaction_id?: string;
  /** Where to send the customer, where the network asks on a page */
  redirect_url?: string;
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** When it was taken. ISO 8601, UTC */
  created_at: string;
  /** When it changed last. ISO 8601, UTC */
  updated_at: string;
};
export type MomoProvidersAnswer = {
  /** The request was taken */
  success: true;
  /** The networks, one for each currency */
  providers: Array<{
    /** The network's code */
    provider: string;
    /** ISO 3166 alpha-3 */
    country: string;
    /** The network's name */
    provider_name: string;
    /** The country in English */
    country_name: string;
    /** Of the amounts. ISO 4217 */
    currency: string;
    /** The customer must be sent to redirect_url */
    requires_redirect: boolean;
    /** A deposit needs a preauth_code */
    requires_preauth: boolean;
    /** Limits for each of deposit, payout and refund that it does */
    operations: Record<string, {
      /** The least, in units of `currency`. Decimal text */
      min_amount: string;
      /** The most, in units of `currency`. Decimal text */
      max_amount: string;
      /** How many decimals an amount may have */
      decimals: 0 | 2;
      /** How the network stands with it */
      status: "OPERATIONAL" | "DELAYED" | "CLOSED";
    }>;
  }>;
};
export type MomoBulkPayoutAnswer = {
  /** The request was taken */
  success: true;
  /** The whole; ask for its status by it */
  bulk_id: string;
  /** Your name for it */
  order_id: string;
  /** Every payout has ended */
  is_final: boolean;
  /** How many payouts there are */
  count: number;
  /** One for each currency */
  totals: Array<{
    /** Of these payouts. ISO 4217 */
    currency: string;
    /** How many payouts */
    count: number;
    /** What they come to. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The same by status: Success, Processing, Failed, Cancelled */
    by_status: Record<string, {
      /** How many payouts */
      count: number;
      /** What they come to. Decimal text in currency units, with two decimals or the currency's own three */
      amount: string;
    }>;
  }>;
  /** Every payout, in the order of the request */
  payouts: Array<{
    /** Its place in the request, from 0 */
    index: number;
    /** The transaction; ask for its status by it */
    transaction_id: string;
    /** Your account_reference */
    account_reference: string;
    /** The recipient */
    phone_number: string;
    /** The network's code */
    provider: string;
    /** ISO 3166 alpha-3 */
    country: string;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** Why it failed */
    failure_code: string | null;
    /** The same in words */
    failure_message: string | null;
    /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
    hold_reason?: string;
    /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
    hold_until?: string | null;
    /** What you asked for. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** How it stands */
    status: "Success" | "Processing" | "Failed" | "Cancelled";
    /** It has ended */
    is_final: boolean;
  }>;
  /** When it was taken. ISO 8601, UTC */
  created_at: string;
  /** What happens next, for a person */
  message?: string;
};
export type MomoBulkPayoutStatusAnswer = {
  /** The request was taken */
  success: true;
  /** The whole; ask for its status by it */
  bulk_id: string;
  /** Your name for it */
  order_id: string;
  /** Every payout has ended */
  is_final: boolean;
  /** How many payouts there are */
  count: number;
  /** One for each currency */
  totals: Array<{
    /** Of these payouts. ISO 4217 */
    currency: string;
    /** How many payouts */
    count: number;
    /** What they come to. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** The same by status: Success, Processing, Failed, Cancelled */
    by_status: Record<string, {
      /** How many payouts */
      count: number;
      /** What they come to. Decimal text in currency units, with two decimals or the currency's own three */
      amount: string;
    }>;
  }>;
  /** Every payout, in the order of the request */
  payouts: Array<{
    /** Its place in the request, from 0 */
    index: number;
    /** The transaction; ask for its status by it */
    transaction_id: string;
    /** Your account_reference */
    account_reference: string;
    /** The recipient */
    phone_number: string;
    /** The network's code */
    provider: string;
    /** ISO 3166 alpha-3 */
    country: string;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** Why it failed */
    failure_code: string | null;
    /** The same in words */
    failure_message: string | null;
    /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
    hold_reason?: string;
    /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
    hold_until?: string | null;
    /** What you asked for. Decimal text in currency units, with two decimals or the currency's own three */
    amount: string;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** How it stands */
    status: "Success" | "Processing" | "Failed" | "Cancelled";
    /** It has ended */
    is_final: boolean;
  }>;
  /** When it was taken. ISO 8601, UTC */
  created_at: string;
  /** What happens next, for a person */
  message?: string;
};
export type XbStkPushAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The invoice; match the webhook by it, or by api_ref */
    invoice_id: string;
    /** The customer is being asked */
    state: "PENDING";
    /** Your api_ref, or the one that was made for you */
    api_ref: string;
  };
};
export type XbStkPushStatusAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The payment */
    id: string;
    invoice: {
      /** The invoice; match the webhook by it, or by api_ref */
      invoice_id: string;
      /** How it stands. Credit your customer on COMPLETE only */
      state: "COMPLETE" | "PENDING" | "PROCESSING" | "FAILED" | "CANCELLED" | "FAILED_VALIDATE";
      /** What was paid, or asked for while nothing is. A whole number of units of `currency`, as text */
      value: string;
      /** Your api_ref, or the one that was made for you */
      api_ref: string;
      /** UGX or TZS */
      currency: string;
      /** The network's receipt, once known */
      mm_reference: string;
      /** The provider's charges, where it tells them. Decimal text */
      charges: string;
      /** What is left of it, where the provider tells it. Decimal text */
      net_amount: string;
    };
    /** What you call the payment that had paid the same reference before, where there is one */
    possible_duplicate_of?: string;
    /** What the payment costs, where it costs anything. Decimal text in currency units, with two decimals or the currency's own three */
    fee?: string;
    /** Of the fee. ISO 4217 */
    fee_currency?: string;
    /** It has ended */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** It had ended otherwise before */
    correction: boolean;
    /** Why it was not paid */
    failure_reason: string | null;
    /** The number that was asked */
    phone_number: string;
    /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
    sequence: number;
    /** When it was taken. ISO 8601, UTC */
    created_at: string;
    /** When it changed last. ISO 8601, UTC */
    updated_at: string;
  };
};
export type WalletpayCreateOrderAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The provider's order, which is the `token` on return */
    walletpay_order_id: string;
    /** The order; a refund names it */
    transaction_id: string;
    /** Your order_id */
    order_id: string | null;
    /** Where to send the buyer, for a few hours */
    approval_url: string;
    /** The buyer has to approve it */
    status: "Pending";
    /** What you asked for. In currency units, with at most three decimals */
    amount: number;
    /** Of the amount. ISO 4217 */
    currency: string;
  };
};
export type WalletpayCaptureAnswer = {
  /** The request was taken */
  success: true;
  /** Why it is not Completed yet */
  message?: string;
  data: {
    /** The provider's capture, once known */
    capture_id: string;
    /** Credit your customer on Completed only */
    status: "Completed" | "Pending" | "Failed" | "Refunded";
    /** What was captured, in the currency that the provider moves. In currency units, with at most three decimals */
    amount: number;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** Your order_id */
    order_id: string | null;
    /** The provider's order, which is the `token` on return */
    walletpay_order_id: string;
  };
};
export type WalletpayOrderStatusAnswer = {
  /** The request was taken */
  success: true;
  /** Why it is not Completed yet */
  message?: string;
  data: {
    /** The provider's order, which is the `token` on return */
    walletpay_order_id: string;
    /** The order; a refund names it */
    transaction_id: string;
    /** Your order_id */
    order_id: string | null;
    /** Where to send the buyer, for a few hours */
    approval_url: string;
    /** How it stands */
    status: "Completed" | "Pending" | "Failed" | "Refunded";
    /** It has ended */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** What you asked for. In currency units, with at most three decimals */
    amount: number;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** At which the order was converted for the provider. Decimal text; null where nothing was converted */
    order_rate: string | null;
    /** The provider's capture */
    capture_id: string | null;
    /** The provider's word for it */
    capture_status: string | null;
    /** What was captured. In currency units, with at most three decimals */
    captured_amount: number | null;
    /** Of what was captured. ISO 4217 */
    captured_currency: string | null;
    /** What the wallet has of it now, after what went back; null while nothing is. In currency units, with at most three decimals */
    credited_amount: number | null;
    /** Of what was credited. ISO 4217 */
    credited_currency: string | null;
    /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
    fee?: number;
    /** Of the fee. ISO 4217 */
    fee_currency?: string;
    /** At which it was credited. Decimal text; null where nothing was converted */
    rate: string | null;
    /** What was credited less what was paid is worth: below zero where the buyer paid for a part of a cent more. In currency units, with at most three decimals */
    rounding_amount: number | null;
    /** The provider's name of the latest refund */
    refund_id?: string;
    /** What the latest refund gave back. In currency units, with at most three decimals */
    refund_amount?: number;
    /** What all refunds gave back. In currency units, with at most three decimals */
    refunded_total?: number;
    /** Of what went back. ISO 4217 */
    refund_currency?: string;
    /** What the wallet gave for the latest refund. In currency units, with at most three decimals */
    debited_amount?: number;
    /** What the wallet gave for all of them. In currency units, with at most three decimals */
    debited_total?: number;
    /** Something of it is left */
    partially_refunded?: boolean;
    /** What is held in the wallet, because it may be taken back. In currency units, with at most three decimals */
    held_amount?: number;
    /** Of what is held. ISO 4217 */
    held_currency?: string;
    /** The provider's dispute */
    dispute_id?: string;
    /** The provider's word for how it stands */
    dispute_status?: string;
    /** The provider's word for why */
    dispute_reason?: string;
    /** What you call the payment that had paid the same reference before, where there is one */
    possible_duplicate_of?: string;
    /** Why it failed */
    failure_code: string | null;
    /** The same in words */
    failure_message: string | null;
    /** It had ended otherwise before */
    correction: boolean;
    /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
    sequence: number;
    /** When it was taken. ISO 8601, UTC */
    created_at: string;
    /** When it changed last. ISO 8601, UTC */
    updated_at: string;
  };
};
export type WalletpayCreatePayoutAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The payout; ask for its status by it */
    payout_id: string;
    /** The provider's batch, once known */
    walletpay_batch_id: string;
    /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
    hold_reason?: string;
    /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
    hold_until?: string | null;
  };
};
export type WalletpayPayoutStatusAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The payout; ask for its status by it */
    payout_id: string;
    /** The provider's batch, once known */
    walletpay_batch_id: string;
    /** Your order_id */
    order_id: string | null;
    /** How it stands; Pending also while a recipient without an account may claim it */
    status: "Success" | "Pending" | "Failed";
    /** It has ended */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** What you asked for. In currency units, with at most three decimals */
    amount: number;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** What is sent, in the currency that the provider moves. In currency units, with at most three decimals */
    sent_amount: number;
    /** Of what is sent. ISO 4217 */
    sent_currency: string;
    /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
    fee?: number;
    /** Of the fee. ISO 4217 */
    fee_currency?: string;
    /** At which it was converted. Decimal text; null where nothing was converted */
    rate: string | null;
    /** Who is paid */
    recipient_email: string;
    /** The provider's word for how it stands */
    item_status: string | null;
    /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
    hold_reason?: string;
    /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
    hold_until?: string | null;
    /** What came back to the float, whole, of what had succeeded. In currency units, with at most three decimals */
    returned_amount?: number;
    /** Of what came back. ISO 4217 */
    returned_currency?: string;
    /** Why it failed */
    failure_code: string | null;
    /** The same in words */
    failure_message: string | null;
    /** It had ended otherwise before */
    correction: boolean;
    /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
    sequence: number;
    /** When it was taken. ISO 8601, UTC */
    created_at: string;
    /** When it changed last. ISO 8601, UTC */
    updated_at: string;
  };
};
export type WalletpayRefundAnswer = {
  /** The request was taken */
  success: true;
  /** The refund's own; ask for its status by it */
  transaction_id: string;
  /** The order that it gives back */
  deposit_transaction_id: string | null;
  /** The order's order_id */
  order_id: string;
  /** What it is */
  type: "refund";
  /** It is on its way */
  status: "ACCEPTED";
  /** What the buyer gets back. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** Of the amount. ISO 4217 */
  currency: string;
  /** What the wallet gives for it. Decimal text in currency units, with two decimals or the currency's own three */
  debited_amount: string;
  /** Of what the wallet gives. ISO 4217 */
  debited_currency: string;
  /** What happens next, for a person */
  message: string;
};
export type WalletpayRefundStatusAnswer = {
  /** The request was taken */
  success: true;
  data: {
    /** The refund's own; ask for its status by it */
    transaction_id: string;
    /** The order that it gives back */
    deposit_transaction_id: string | null;
    /** The order's order_id */
    order_id: string;
    /** The provider's name of it, once known */
    refund_id: string;
    /** What the wallet gives for it. In currency units, with at most three decimals */
    debited_amount: number;
    /** Of what the wallet gives. ISO 4217 */
    debited_currency: string;
    /** How it stands */
    status: "Success" | "Pending" | "Failed";
    /** It has ended */
    is_final: boolean;
    next_step: {
      /** What the customer, or the recipient of a payout, should do now */
      code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
      /** The same for the customer, in English */
      en: string;
      /** The same for the customer, in Swahili */
      sw: string;
      /** Asking for it, or sending it, once more cannot make anybody pay twice */
      safe_to_repeat: boolean;
    };
    /** What you asked for. In currency units, with at most three decimals */
    amount: number;
    /** Of the amount. ISO 4217 */
    currency: string;
    /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
    hold_reason?: string;
    /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
    hold_until?: string | null;
    /** What came back to the float, whole, of what had succeeded. In currency units, with at most three decimals */
    returned_amount?: number;
    /** Of what came back. ISO 4217 */
    returned_currency?: string;
    /** Why it failed */
    failure_code: string | null;
    /** The same in words */
    failure_message: string | null;
    /** It had ended otherwise before */
    correction: boolean;
    /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
    sequence: number;
    /** When it was taken. ISO 8601, UTC */
    created_at: string;
    /** When it changed last. ISO 8601, UTC */
    updated_at: string;
  };
};
export type WalletpayBulkPayoutAnswer = {
  /** The request was taken */
  success: true;
  /** What happens next, for a person */
  message?: string;
  data: {
    /** The whole; ask for its status by it */
    bulk_id: string;
    /** Your name for it */
    order_id: string;
    /** Every payout has ended */
    is_final: boolean;
    /** How many payouts there are */
    count: number;
    /** One for each currency */
    totals: Array<{
      /** Of these payouts. ISO 4217 */
      currency: string;
      /** How many payouts */
      count: number;
      /** What they come to. In currency units, with at most three decimals */
      amount: number;
      /** The same by status: Success, Pending, Failed */
      by_status: Record<string, {
        /** How many payouts */
        count: number;
        /** What they come to. In currency units, with at most three decimals */
        amount: number;
      }>;
    }>;
    /** Every payout, in the order of the request */
    payouts: Array<{
      /** Its place in the request, from 0 */
      index: number;
      /** The payout; ask for its status by it */
      payout_id: string;
      /** Your order_id */
      order_id: string | null;
      /** Who is paid */
      recipient_email: string;
      next_step: {
        /** What the customer, or the recipient of a payout, should do now */
        code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
        /** The same for the customer, in English */
        en: string;
        /** The same for the customer, in Swahili */
        sw: string;
        /** Asking for it, or sending it, once more cannot make anybody pay twice */
        safe_to_repeat: boolean;
      };
      /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
      hold_reason?: string;
      /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
      hold_until?: string | null;
      /** What came back to the float, whole, of what had succeeded. In currency units, with at most three decimals */
      returned_amount?: number;
      /** Of what came back. ISO 4217 */
      returned_currency?: string;
      /** Why it failed */
      failure_code: string | null;
      /** The same in words */
      failure_message: string | null;
      /** What you asked for. In currency units, with at most three decimals */
      amount: number;
      /** Of the amount. ISO 4217 */
      currency: string;
      /** How it stands */
      status: "Success" | "Pending" | "Failed";
      /** It has ended */
      is_final: boolean;
    }>;
    /** When it was taken. ISO 8601, UTC */
    created_at: string;
  };
};
export type WalletpayBulkPayoutStatusAnswer = {
  /** The request was taken */
  success: true;
  /** What happens next, for a person */
  message?: string;
  data: {
    /** The whole; ask for its status by it */
    bulk_id: string;
    /** Your name for it */
    order_id: string;
    /** Every payout has ended */
    is_final: boolean;
    /** How many payouts there are */
    count: number;
    /** One for each currency */
    totals: Array<{
      /** Of these payouts. ISO 4217 */
      currency: string;
      /** How many payouts */
      count: number;
      /** What they come to. In currency units, with at most three decimals */
      amount: number;
      /** The same by status: Success, Pending, Failed */
      by_status: Record<string, {
        /** How many payouts */
        count: number;
        /** What they come to. In currency units, with at most three decimals */
        amount: number;
      }>;
    }>;
    /** Every payout, in the order of the request */
    payouts: Array<{
      /** Its place in the request, from 0 */
      index: number;
      /** The payout; ask for its status by it */
      payout_id: string;
      /** Your order_id */
      order_id: string | null;
      /** Who is paid */
      recipient_email: string;
      next_step: {
        /** What the customer, or the recipient of a payout, should do now */
        code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
        /** The same for the customer, in English */
        en: string;
        /** The same for the customer, in Swahili */
        sw: string;
        /** Asking for it, or sending it, once more cannot make anybody pay twice */
        safe_to_repeat: boolean;
      };
      /** Only while it is on hold: why it has not been sent: PROVIDER_STOPPED, PAYOUTS_STOPPED, FIRST_PAYMENT_COOLDOWN, NEW_RECIPIENTS_PER_DAY, LOOKS_PAID */
      hold_reason?: string;
      /** Only while it is on hold: when it is sent by itself. Null: when an operator lets it go on. ISO 8601, UTC */
      hold_until?: string | null;
      /** What came back to the float, whole, of what had succeeded. In currency units, with at most three decimals */
      returned_amount?: number;
      /** Of what came back. ISO 4217 */
      returned_currency?: string;
      /** Why it failed */
      failure_code: string | null;
      /** The same in words */
      failure_message: string | null;
      /** What you asked for. In currency units, with at most three decimals */
      amount: number;
      /** Of the amount. ISO 4217 */
      currency: string;
      /** How it stands */
      status: "Success" | "Pending" | "Failed";
      /** It has ended */
      is_final: boolean;
    }>;
    /** When it was taken. ISO 8601, UTC */
    created_at: string;
  };
};
export type InitiateAnswer = {
  /** The request was taken */
  success: true;
  /** The page to pay at: show it in an iframe */
  redirect_url: string;
  /** The order; whoever knows it may ask how it stands */
  order_tracking_id: string | null;
  /** Your order_id */
  order_id: string | null;
};
export type InitiateCardprocAnswer = {
  /** The request was taken */
  success: true;
  /** The page to pay at: show it in an iframe */
  redirect_url: string;
  /** The order; whoever knows it may ask how it stands */
  order_tracking_id: string | null;
  /** Your order_id */
  order_id: string | null;
};
export type SubmitOrderAnswer = {
  /** The request was taken */
  success: true;
  /** The order; whoever knows it may ask how it stands */
  order_tracking_id: string | null;
  /** Your merchant_ref */
  merchant_reference: string | null;
  /** The page to pay at: show it in an iframe */
  redirect_url: string;
};
export type TransactionStatusAnswer = {
  /** The request was taken */
  success: true;
  /** The order; whoever knows it may ask how it stands */
  order_tracking_id: string | null;
  /** Your merchant_ref */
  merchant_reference: string | null;
  /** INVALID also while it waits for its customer */
  status: "COMPLETED" | "INVALID" | "FAILED" | "REVERSED";
  /** 0 INVALID, 1 COMPLETED, 2 FAILED, 3 REVERSED */
  status_code: 0 | 1 | 2 | 3;
  /** It is not paid any more, or is paid */
  is_final: boolean;
  /** What the status means, for a person */
  message: string;
  next_step: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
  /** What was paid, or asked for while nothing is. In currency units, with at most three decimals */
  amount: number;
  /** Of the amount. ISO 4217 */
  currency: string;
  /** How it was paid, once known */
  payment_method: string;
  /** The processor's code, once known */
  confirmation_code: string;
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
};
export type TestWebhook = {
  /** That it is a test */
  type: "test";
  /** The same, as every webhook says its type */
  event_type: "test";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "Test";
  /** Its `webhook-id` */
  event_id: string;
  /** When it was sent. ISO 8601, UTC */
  timestamp: string;
};
export type StkPushResultWebhook = {
  /** The payment; ask for its status by it */
  payment_id: string;
  /** The provider's name of the request, once known */
  merchant_request_id: string;
  /** The provider's name of the prompt, once known */
  checkout_request_id: string;
  /** How it ended. Credit your customer on Success only */
  status: "Success" | "Failed" | "Cancelled" | "Timeout";
  /** 0 success, 1 insufficient balance, 1032 cancelled by the user, 1037 no answer in time, 2001 credentials or account; empty while it is open */
  result_code: string;
  /** The same in words */
  result_description: string;
  /** What you asked for, in KES. In currency units, with at most three decimals */
  initial_amount: number;
  /** What the customer is asked for: the whole shillings of it. In currency units, with at most three decimals */
  asked_amount: number;
  /** What was paid, in KES, and is credited; 0 while nothing is. In currency units, with at most three decimals */
  actual_amount: number;
  /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
  fee?: number;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** The network's receipt, once known */
  mm_receipt_number: string;
  /** When it was paid: yyyymmddhhmmss, by the network's clock (Africa/Nairobi) */
  transaction_date: string;
  /** The same moment; missing while there is none. ISO 8601, UTC */
  transaction_date_utc?: string;
  /** The number that was asked, as 254 and nine digits */
  phone_number: string;
  /** The number that paid, where the network tells it */
  payer_phone: string;
  /** Empty: the network names no payer on this rail */
  payer_name: string;
  /** Your account_reference */
  account_reference: string;
  /** Your order_id, or empty */
  order_id: string;
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** What became of the payment: the type of the event */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "STK-Push";
  /** It was told to have ended otherwise before */
  correction?: boolean;
  /** When it changed. YYYY-MM-DD HH:MM:SS, in the service's time zone (Africa/Nairobi unless told) */
  timestamp: string;
  /** The same moment. ISO 8601, UTC */
  timestamp_utc?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
};
export type StkPushEventWebhook = {
  /** The payment; ask for its status by it */
  payment_id: string;
  /** The provider's name of the request, once known */
  merchant_request_id: string;
  /** The provider's name of the prompt, once known */
  checkout_request_id: string;
  /** How it stands; Pending until it has ended */
  status: "Success" | "Pending" | "Failed" | "Cancelled" | "Timeout";
  /** 0 success, 1 insufficient balance, 1032 cancelled by the user, 1037 no answer in time, 2001 credentials or account; empty while it is open */
  result_code: string;
  /** The same in words */
  result_description: string;
  /** What you asked for, in KES. In currency units, with at most three decimals */
  initial_amount: number;
  /** What the customer is asked for: the whole shillings of it. In currency units, with at most three decimals */
  asked_amount: number;
  /** What was paid, in KES, and is credited; 0 while nothing is. In currency units, with at most three decimals */
  actual_amount: number;
  /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
  fee?: number;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** The network's receipt, once known */
  mm_receipt_number: string;
  /** When it was paid: yyyymmddhhmmss, by the network's clock (Africa/Nairobi) */
  transaction_date: string;
  /** The same moment; missing while there is none. ISO 8601, UTC */
  transaction_date_utc?: string;
  /** The number that was asked, as 254 and nine digits */
  phone_number: string;
  /** The number that paid, where the network tells it */
  payer_phone: string;
  /** Empty: the network names no payer on this rail */
  payer_name: string;
  /** Your account_reference */
  account_reference: string;
  /** Your order_id, or empty */
  order_id: string;
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** What became of the payment: the type of the event */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "STK-Push";
  /** It was told to have ended otherwise before */
  correction?: boolean;
  /** When it changed. YYYY-MM-DD HH:MM:SS, in the service's time zone (Africa/Nairobi unless told) */
  timestamp: string;
  /** The same moment. ISO 8601, UTC */
  timestamp_utc?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
};
export type MomoCallbackWebhook = {
  /** The transaction; ask for its status by it */
  transaction_id: string;
  /** What it is */
  type: "deposit" | "payout" | "refund";
  /** How it stands. Act on Success only; Processing is neither success nor failure */
  status: "Success" | "Processing" | "Failed" | "Cancelled";
  /** The network's code */
  provider: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** Of the amounts. ISO 4217 */
  currency: string;
  /** What you asked for. Decimal text in currency units, with two decimals or the currency's own three */
  requested_amount: string;
  /** What was paid: this counts. Decimal text in currency units, with two decimals or the currency's own three */
  amount: string;
  /** What came back of a payout that had succeeded. Decimal text in currency units, with two decimals or the currency's own three */
  returned_amount?: string;
  /** What the payment costs, where it costs anything. Decimal text in currency units, with two decimals or the currency's own three */
  fee?: string;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** The customer, or the recipient, in international format */
  phone_number: string;
  /** The network's reference, once known */
  provider_transaction_id: string;
  /** Your account_reference */
  account_reference: string;
  /** Why it failed */
  failure_code: string | null;
  /** The same in words */
  failure_message: string | null;
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** What became of the payment: the type of the event */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "Mobile-Money";
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** It was told to have ended otherwise before */
  correction?: boolean;
  /** When it changed. ISO 8601, UTC */
  updated_at: string;
  /** When it was sent, and not when it happened. ISO 8601, UTC */
  timestamp: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
};
export type XbStkPushResultWebhook = {
  /** The payment */
  id: string;
  invoice: {
    /** The invoice; match the webhook by it, or by api_ref */
    invoice_id: string;
    /** How it stands. Credit your customer on COMPLETE only */
    state: "COMPLETE" | "PENDING" | "PROCESSING" | "FAILED" | "CANCELLED" | "FAILED_VALIDATE";
    /** What was paid, or asked for while nothing is. A whole number of units of `currency`, as text */
    value: string;
    /** Your api_ref, or the one that was made for you */
    api_ref: string;
    /** UGX or TZS */
    currency: string;
    /** The network's receipt, once known */
    mm_reference: string;
    /** The provider's charges, where it tells them. Decimal text */
    charges: string;
    /** What is left of it, where the provider tells it. Decimal text */
    net_amount: string;
  };
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** What the payment costs, where it costs anything. Decimal text in currency units, with two decimals or the currency's own three */
  fee?: string;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** What became of the payment: the type of the event */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "Cross-Border";
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** It was told to have ended otherwise before */
  correction?: boolean;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
};
export type WalletpayOrderUpdateWebhook = {
  /** The webhook: the same at every try of it, and the webhook-id header */
  event_id: string;
  /** What kind of payment it is */
  type: "deposit" | "payout" | "refund";
  /** The rail */
  rail: "walletpay";
  /** The payment */
  transaction_id: string;
  /** Your order_id */
  order_id: string;
  /** The provider's name of it, once known */
  provider_reference: string;
  /** How it stands. Credit your customer on success only */
  status: "Completed" | "Pending" | "Failed" | "Refunded";
  /** What you asked for. In currency units, with at most three decimals */
  amount: number;
  /** Of the amount. ISO 4217 */
  currency: string;
  /** What the wallet has of it now, after what went back; null while nothing is. In currency units, with at most three decimals */
  credited_amount: number | null;
  /** Of what was credited. ISO 4217 */
  credited_currency: string | null;
  /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
  fee?: number;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** Why it failed, or what its recipient has to do */
  failure_code: string | null;
  /** The same in words */
  failure_message: string | null;
  /** What the latest refund gave back. In currency units, with at most three decimals */
  refund_amount?: number;
  /** What all refunds gave back. In currency units, with at most three decimals */
  refunded_total?: number;
  /** Of what went back. ISO 4217 */
  refund_currency?: string;
  /** What the wallet gave for the latest refund. In currency units, with at most three decimals */
  debited_amount?: number;
  /** What the wallet gave for all of them. In currency units, with at most three decimals */
  debited_total?: number;
  /** Something of it is left */
  partially_refunded?: boolean;
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** What became of the payment: the type of the event */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "Wallet-Checkout";
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** It was told to have ended otherwise before */
  correction: boolean;
  /** When it changed. ISO 8601, UTC */
  timestamp: string;
  /** The provider's name of the latest refund */
  refund_id?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
};
export type WalletpayPayoutUpdateWebhook = {
  /** The webhook: the same at every try of it, and the webhook-id header */
  event_id: string;
  /** What kind of payment it is */
  type: "deposit" | "payout" | "refund";
  /** The rail */
  rail: "walletpay";
  /** The payment */
  transaction_id: string;
  /** Your order_id */
  order_id: string;
  /** The provider's name of it, once known */
  provider_reference: string;
  /** How it stands. Credit your customer on success only */
  status: "Success" | "Pending" | "Failed";
  /** What you asked for. In currency units, with at most three decimals */
  amount: number;
  /** Of the amount. ISO 4217 */
  currency: string;
  /** What the wallet has of it now, after what went back; null while nothing is. In currency units, with at most three decimals */
  credited_amount: number | null;
  /** Of what was credited. ISO 4217 */
  credited_currency: string | null;
  /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
  fee?: number;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** Why it failed, or what its recipient has to do */
  failure_code: string | null;
  /** The same in words */
  failure_message: string | null;
  /** What the latest refund gave back. In currency units, with at most three decimals */
  refund_amount?: number;
  /** What all refunds gave back. In currency units, with at most three decimals */
  refunded_total?: number;
  /** Of what went back. ISO 4217 */
  refund_currency?: string;
  /** What the wallet gave for the latest refund. In currency units, with at most three decimals */
  debited_amount?: number;
  /** What the wallet gave for all of them. In currency units, with at most three decimals */
  debited_total?: number;
  /** Something of it is left */
  partially_refunded?: boolean;
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** What became of the payment: the type of the event */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "Wallet-Checkout";
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** It was told to have ended otherwise before */
  correction: boolean;
  /** When it changed. ISO 8601, UTC */
  timestamp: string;
  /** What came back to the float, whole, of what had succeeded. In currency units, with at most three decimals */
  returned_amount?: number;
  /** Of what came back. ISO 4217 */
  returned_currency?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
};
export type WalletpayRefundUpdateWebhook = {
  /** The webhook: the same at every try of it, and the webhook-id header */
  event_id: string;
  /** What kind of payment it is */
  type: "deposit" | "payout" | "refund";
  /** The rail */
  rail: "walletpay";
  /** The payment */
  transaction_id: string;
  /** The order's order_id */
  order_id: string;
  /** The provider's name of it, once known */
  provider_reference: string;
  /** How it stands. Credit your customer on success only */
  status: "Success" | "Pending" | "Failed";
  /** What you asked for. In currency units, with at most three decimals */
  amount: number;
  /** Of the amount. ISO 4217 */
  currency: string;
  /** What the wallet has of it now, after what went back; null while nothing is. In currency units, with at most three decimals */
  credited_amount: number | null;
  /** Of what was credited. ISO 4217 */
  credited_currency: string | null;
  /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
  fee?: number;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** Why it failed, or what its recipient has to do */
  failure_code: string | null;
  /** The same in words */
  failure_message: string | null;
  /** What the latest refund gave back. In currency units, with at most three decimals */
  refund_amount?: number;
  /** What all refunds gave back. In currency units, with at most three decimals */
  refunded_total?: number;
  /** Of what went back. ISO 4217 */
  refund_currency?: string;
  /** What the wallet gives for it. In currency units, with at most three decimals */
  debited_amount: number;
  /** What the wallet gave for all of them. In currency units, with at most three decimals */
  debited_total?: number;
  /** Something of it is left */
  partially_refunded?: boolean;
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** What became of the payment: the type of the event */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "Wallet-Checkout";
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** It was told to have ended otherwise before */
  correction: boolean;
  /** When it changed. ISO 8601, UTC */
  timestamp: string;
  /** The order that it gives back */
  deposit_transaction_id: string | null;
  /** The provider's name of it, once known */
  refund_id: string;
  /** Of what the wallet gives. ISO 4217 */
  debited_currency: string;
  /** What came back to the float, whole, of what had succeeded. In currency units, with at most three decimals */
  returned_amount?: number;
  /** Of what came back. ISO 4217 */
  returned_currency?: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
};
export type HostedCheckoutUpdateWebhook = {
  /** The webhook: the same at every try of it, and the webhook-id header */
  event_id: string;
  /** What kind of payment it is */
  type: "deposit" | "payout" | "refund";
  /** The rail */
  rail: "cardproc";
  /** The payment */
  transaction_id: string;
  /** Your order_id */
  order_id: string;
  /** The provider's name of it, once known */
  provider_reference: string;
  /** How it stands. Credit your customer on success only */
  status: "COMPLETED" | "PENDING" | "FAILED" | "INVALID" | "REVERSED";
  /** What you asked for. In currency units, with at most three decimals */
  amount: number;
  /** Of the amount. ISO 4217 */
  currency: string;
  /** What the wallet has of it now, after what went back; null while nothing is. In currency units, with at most three decimals */
  credited_amount: number | null;
  /** Of what was credited. ISO 4217 */
  credited_currency: string | null;
  /** What the payment costs, where it costs anything. In currency units, with at most three decimals */
  fee?: number;
  /** Of the fee. ISO 4217 */
  fee_currency?: string;
  /** Why it failed, or what its recipient has to do */
  failure_code: string | null;
  /** The same in words */
  failure_message: string | null;
  /** What the latest refund gave back. In currency units, with at most three decimals */
  refund_amount?: number;
  /** What all refunds gave back. In currency units, with at most three decimals */
  refunded_total?: number;
  /** Of what went back. ISO 4217 */
  refund_currency?: string;
  /** What the wallet gave for the latest refund. In currency units, with at most three decimals */
  debited_amount?: number;
  /** What the wallet gave for all of them. In currency units, with at most three decimals */
  debited_total?: number;
  /** Something of it is left */
  partially_refunded?: boolean;
  /** What you call the payment that had paid the same reference before, where there is one */
  possible_duplicate_of?: string;
  /** What became of the payment: the type of the event */
  event_type: "deposit.created" | "deposit.pending" | "deposit.queued" | "deposit.processing" | "deposit.succeeded" | "deposit.failed" | "deposit.cancelled" | "deposit.timed_out" | "deposit.refunded" | "deposit.reversed" | "deposit.returned" | "payout.created" | "payout.pending" | "payout.queued" | "payout.processing" | "payout.succeeded" | "payout.failed" | "payout.cancelled" | "payout.timed_out" | "payout.refunded" | "payout.reversed" | "payout.returned" | "refund.created" | "refund.pending" | "refund.queued" | "refund.processing" | "refund.succeeded" | "refund.failed" | "refund.cancelled" | "refund.timed_out" | "refund.refunded" | "refund.reversed" | "refund.returned";
  /** As the `X-Callback-Type` header has it, which no signature covers */
  callback_type: "Hosted-Checkout";
  /** Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal */
  sequence: number;
  /** It was told to have ended otherwise before */
  correction: boolean;
  /** When it changed. ISO 8601, UTC */
  timestamp: string;
  next_step?: {
    /** What the customer, or the recipient of a payout, should do now */
    code: "paid" | "paid_less" | "paid_otherwise" | "enter_pin" | "open_page" | "wait" | "check_sms" | "check_sms_then_pay" | "pay_again" | "pay_again_later" | "try_page_again" | "start_over" | "add_money" | "check_pin" | "close_other_prompt" | "check_number" | "ask_network" | "pay_another_way" | "ask_seller" | "money_given_back" | "money_on_its_way" | "money_waits" | "money_on_hold" | "claim_money" | "money_sent" | "money_unknown" | "money_not_sent" | "check_recipient" | "receive_less" | "money_came_back" | "refund_on_its_way" | "refund_on_hold" | "refund_done" | "refund_unknown" | "refund_failed";
    /** The same for the customer, in English */
    en: string;
    /** The same for the customer, in Swahili */
    sw: string;
    /** Asking for it, or sending it, once more cannot make anybody pay twice */
    safe_to_repeat: boolean;
  };
};
export type EventData = StkPushResultWebhook | StkPushEventWebhook | MomoCallbackWebhook | XbStkPushResultWebhook | WalletpayOrderUpdateWebhook | WalletpayPayoutUpdateWebhook | WalletpayRefundUpdateWebhook | HostedCheckoutUpdateWebhook;
export type QueryBalanceInput = Record<string, never>;
export type MerchantBalanceInput = Record<string, never>;
export type StatementInput = {
  /** The first day, by your time zone. YYYY-MM-DD */
  from: string;
  /** The last day, which is in it; 366 days at most, by your time zone. YYYY-MM-DD */
  to: string;
  /** An ISO 4217 currency code */
  currency: string;
  /** Movements on a page, 10 to 1,000; 500 unless told */
  limit?: string;
  /** `next_cursor` of the page before */
  cursor?: string;
};
export type EventsInput = {
  /** `next_cursor` of the page before; from the oldest event that is kept without it */
  after?: string;
  /** Types of events with commas between them, `*` for all of a kind */
  types?: string;
  /** Events on a page, 1 to 500; 100 unless told */
  limit?: string;
};
export type ListRequestsInput = {
  /** Of one X-Request-Id alone */
  request_id?: string;
  /** Refused with this code alone */
  code?: string;
  /** `refused`: with a status from 400 on */
  result?: "all" | "refused";
  /** Requests on a page, 1 to 100; 50 unless told */
  limit?: string;
  /** `next_cursor` of the page before */
  cursor?: string;
};
export type ListPaymentsInput = {
  /** One rail alone */
  rail?: string;
  /** One type alone */
  type?: "deposit" | "payout" | "refund";
  /** One state alone */
  state?: "created" | "pending" | "queued" | "processing" | "succeeded" | "failed" | "cancelled" | "timed_out" | "refunded" | "reversed" | "returned";
  /** Taken on then or later. A day of your time zone, or a moment with its zone */
  created_from?: string;
  /** Taken on before then. A day of your time zone, or a moment with its zone */
  created_before?: string;
  /** An ISO 4217 currency code */
  currency?: string;
  /** Exactly what was asked for, in units of `currency`, which it needs */
  amount?: string;
  /** Your order_id or reference, whole */
  reference?: string;
  /** The last 3 to 12 digits of the customer's number */
  phone_ends?: string;
  /** Payments on a page, 1 to 100; 50 unless told */
  limit?: string;
  /** `next_cursor` of the page before */
  cursor?: string;
};
export type PaymentInput = {
  /** The payment */
  payment_id: string;
};
export type ListWebhooksInput = {
  /** Of one payment alone */
  payment_id?: string;
  /** In one state alone */
  state?: "pending" | "delivered" | "dead" | "unaddressed" | "superseded";
  /** Webhooks on a page, 1 to 100; 50 unless told */
  limit?: string;
  /** `next_cursor` of the page before */
  cursor?: string;
};
export type WebhookDeliveriesInput = {
  /** The webhook, as its `webhook-id` header */
  webhook_id: string;
};
export type ResendWebhookInput = {
  /** The webhook, as its `webhook-id` header */
  webhook_id: string;
};
export type TestWebhookInput = {
  /** Which of your addresses; webhook_url unless told */
  endpoint?: "webhook_url" | "callback_url" | null;
};
export type AddWebhookEndpointInput = {
  /** Where to send it */
  url: string;
  /** Types of events with commas between them, `*` for all of a kind; all unless told */
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
  /** Of one event alone */
  event_id?: string;
  /** Tries on a page, 1 to 100; 50 unless told */
  limit?: string;
  /** `next_cursor` of the page before */
  cursor?: string;
};
export type ResendToWebhookEndpointInput = {
  /** The endpoint */
  endpoint_id: string;
  /** The event, as its `webhook-id` header; one that was sent there before */
  event_id: string;
};
export type TestWebhookEndpointInput = {
  /** The endpoint */
  endpoint_id: string;
};
export type CreateVoucherInput = {
  /** Where the code is mailed to */
  email: string;
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** An ISO 4217 currency code */
  currency: string;
};
export type RedeemVoucherInput = {
  /** As it was mailed */
  code: string;
};
export type StkPushInput = {
  /** A mobile number in Kenya: 254712345678, 0712345678, 0112345678 or +254712345678 */
  phone_number: string;
  /** In units of KES, 10.00 to 150000.00; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text with exactly two decimals */
  amount: number | string;
  /** Your reference; its first 12 characters stand in the customer's prompt */
  account_reference: string;
  /** Another reference of yours */
  order_id?: string | null;
  /** What it is for; the customer sees it */
  transaction_desc: string;
  /** Your own object, at most 4,096 bytes of JSON; given back with every digit as it was sent */
  metadata?: Record<string, unknown> | null;
  /** May be left out */
  currency?: "KES" | null;
};
export type StkPushStatusInput = {
  /** The payment, as its acceptance names it */
  payment_id: string;
};
export type MomoDepositInput = {
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** One of the currencies of the country */
  currency: "CDF" | "ETB" | "GHS" | "KES" | "LSL" | "MWK" | "MZN" | "NGN" | "RWF" | "SLE" | "TZS" | "UGX" | "USD" | "XAF" | "XOF" | "ZMW";
  /** The full international number, of the country */
  phone_number: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** Your reference */
  account_reference: string;
  /** Shown to the customer */
  customer_message?: string | null;
  /** The network's code; found by the number unless told */
  provider?: string | null;
  /** For networks with requires_preauth: the code that the customer was given */
  preauth_code?: string | null;
};
export type MomoPayoutInput = {
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** One of the currencies of the country */
  currency: "CDF" | "ETB" | "GHS" | "KES" | "LSL" | "MWK" | "MZN" | "NGN" | "RWF" | "SLE" | "TZS" | "UGX" | "USD" | "XAF" | "XOF" | "ZMW";
  /** The full international number, of the country */
  phone_number: string;
  /** ISO 3166 alpha-3 */
  country: string;
  /** Your reference */
  account_reference: string;
  /** Shown to the customer */
  customer_message?: string | null;
  /** The network's code; found by the number unless told */
  provider?: string | null;
};
export type MomoCancelPayoutInput = {
  /** The transaction, as its acceptance names it */
  transaction_id: string;
};
export type MomoRefundInput = {
  /** The deposit, as its acceptance names it */
  transaction_id: string;
  /** How much to give back, in units of the currency that was paid, at most two decimals; all that is left unless told */
  amount?: number | string | null;
};
export type MomoStatusInput = {
  /** The transaction, as its acceptance names it */
  transaction_id: string;
};
export type MomoProvidersInput = {
  /** Of one country alone. ISO 3166 alpha-3 */
  country?: string;
};
export type MomoBulkPayoutInput = {
  /** Your name for the whole: the same order_id with the same rows is answered as it stands. It must not begin with `portal/` */
  order_id: string;
  /** Each as the single payout takes it; all or none are taken */
  payouts: Array<{
    /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
    amount: number | string;
    /** One of the currencies of the country */
    currency: "CDF" | "ETB" | "GHS" | "KES" | "LSL" | "MWK" | "MZN" | "NGN" | "RWF" | "SLE" | "TZS" | "UGX" | "USD" | "XAF" | "XOF" | "ZMW";
    /** The full international number, of the country */
    phone_number: string;
    /** ISO 3166 alpha-3 */
    country: string;
    /** Your reference */
    account_reference: string;
    /** Shown to the customer */
    customer_message?: string | null;
    /** The network's code; found by the number unless told */
    provider?: string | null;
  }>;
};
export type MomoBulkPayoutStatusInput = {
  /** The whole, as its acceptance names it */
  bulk_id?: string;
  /** Or your name for it */
  order_id?: string;
};
export type XbStkPushInput = {
  /** UGX or TZS */
  currency: "UGX" | "TZS";
  /** Digits alone, with the country code */
  phone_number: string;
  /** In units of the currency that `currency` names, 500 to 5000000; a whole number and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** Your reference; made for you unless told */
  api_ref?: string | null;
  /** UG for UGX and TZ for TZS, also unless told */
  country?: "UG" | "TZ" | null;
};
export type XbStkPushStatusInput = {
  /** The invoice, as its acceptance names it */
  invoice_id?: string;
  /** Or your reference */
  api_ref?: string;
  /** Or the payment, as a refusal names it */
  payment_id?: string;
};
export type WalletpayCreateOrderInput = {
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** Of the amount */
  currency: "USD" | "KES";
  /** Your reference: it stands for this request for ever. It must not begin with `portal/` */
  order_id: string;
  /** Your own object, at most 4,096 bytes of JSON; given back with every digit as it was sent */
  metadata?: Record<string, unknown> | null;
};
export type WalletpayCaptureInput = {
  /** The walletpay_order_id */
  token: string;
  /** Your reference */
  order_id: string;
};
export type WalletpayOrderStatusInput = {
  /** The provider's order, as its acceptance names it */
  walletpay_order_id?: string;
  /** Or your reference */
  order_id?: string;
  /** Or its transaction_id */
  payment_id?: string;
};
export type WalletpayCreatePayoutInput = {
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** Of the amount */
  currency: "USD" | "KES";
  /** Who is paid */
  recipient_email: string;
  /** Your reference: it stands for this request for ever. It must not begin with `portal/` */
  order_id: string;
  /** Shown to the recipient */
  note?: string | null;
  /** Your own object, at most 4,096 bytes of JSON; given back with every digit as it was sent */
  metadata?: Record<string, unknown> | null;
};
export type WalletpayPayoutStatusInput = {
  /** The payout, as its acceptance names it */
  payout_id?: string;
  /** Or your reference */
  order_id?: string;
};
export type WalletpayRefundInput = {
  /** The deposit, as its acceptance names it */
  transaction_id: string;
  /** How much to give back, in units of the currency that was paid, at most two decimals; all that is left unless told */
  amount?: number | string | null;
};
export type WalletpayRefundStatusInput = {
  /** The refund, as its acceptance names it */
  transaction_id: string;
};
export type WalletpayBulkPayoutInput = {
  /** Your name for the whole: the same order_id with the same rows is answered as it stands. It must not begin with `portal/` */
  order_id: string;
  /** Each as the single payout takes it; all or none are taken */
  payouts: Array<{
    /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
    amount: number | string;
    /** Of the amount */
    currency: "USD" | "KES";
    /** Who is paid */
    recipient_email: string;
    /** Your reference: it stands for this request for ever. It must not begin with `portal/` */
    order_id: string;
    /** Shown to the recipient */
    note?: string | null;
    /** Your own object, at most 4,096 bytes of JSON; given back with every digit as it was sent */
    metadata?: Record<string, unknown> | null;
  }>;
};
export type WalletpayBulkPayoutStatusInput = {
  /** The whole, as its acceptance names it */
  bulk_id?: string;
  /** Or your name for it */
  order_id?: string;
};
export type InitiateInput = {
  /** The merchant */
  merchant_id: string;
  /** Your reference */
  order_id: string;
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** An ISO 4217 currency code */
  currency: string;
  /** Shown on the page; its first 100 characters */
  description: string;
  /** The customer's number */
  phone_number: string;
  /** The customer's address */
  email_address: string;
  /** The customer's first name */
  first_name: string;
  /** The customer's last name */
  last_name: string;
  /** The merchant's page where the browser goes on; at a host of the merchant's */
  callback_url?: string | null;
};
export type InitiateCardprocInput = {
  /** The merchant */
  merchant_id: string;
  /** Your reference */
  order_id: string;
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** An ISO 4217 currency code */
  currency: string;
  /** Shown on the page; its first 100 characters */
  description: string;
  /** The customer's number */
  phone_number: string;
  /** The customer's address */
  email_address: string;
  /** The customer's first name */
  first_name: string;
  /** The customer's last name */
  last_name: string;
  /** The merchant's page where the browser goes on; at a host of the merchant's */
  callback_url?: string | null;
};
export type SubmitOrderInput = {
  /** The merchant */
  merchant_id: string;
  /** Your reference */
  merchant_ref: string;
  /** In units of the currency that `currency` names; at most two decimals, or as many as the currency has and at most 15 digits. A number, or the same as decimal text */
  amount: number | string;
  /** An ISO 4217 currency code; KES unless told */
  currency?: string | null;
  /** Shown on the page; its first 100 characters */
  description: string;
  /** The merchant's page where the browser goes on; at a host of the merchant's */
  callback_url: string;
  billing_address: {
    /** The customer's number */
    phone_number?: string | null;
    /** The customer's address */
    email_address?: string | null;
    /** The customer's first name */
    first_name?: string | null;
    /** The customer's last name */
    last_name?: string | null;
  };
  /** The merchant's page where the browser goes on; at a host of the merchant's */
  cancellation_url?: string | null;
};
export type TransactionStatusInput = {
  /** The order, as its acceptance names it */
  order_tracking_id: string;
};
/** By name: what each operation takes and answers. */
export interface Operations {
  /** What the merchant's KES wallet holds */
  queryBalance: { input: QueryBalanceInput; answer: QueryBalanceAnswer };
  /** The same under another name */
  merchantBalance: { input: MerchantBalanceInput; answer: MerchantBalanceAnswer };
  /** What moved on the merchant's accounts, day by day. With `format=csv`, or `Accept: text/csv`, the whole of it is one file; as JSON it comes in pages */
  statement: { input: StatementInput; answer: StatementAnswer };
  /** Every change of every payment, in order and without gaps */
  events: { input: EventsInput; answer: EventsAnswer };
  /** The merchant's own requests of the last 7 days, newest first. Those with right keys, a few seconds after they were answered; never what was in them, nor in their answers. A page looks at 2,000 at most: where a filter matches few, it may be short, or empty */
  listRequests: { input: ListRequestsInput; answer: ListRequestsAnswer };
  /** The merchant's payments on all rails, newest first. A page looks at 2,000 payments at most: where a filter matches few, it may be short, or empty */
  listPayments: { input: ListPaymentsInput; answer: ListPaymentsAnswer };
  /** One payment with its story */
  payment: { input: PaymentInput; answer: PaymentAnswer };
  /** What the merchant was, or is to be, sent */
  listWebhooks: { input: ListWebhooksInput; answer: ListWebhooksAnswer };
  /** How each try to send a webhook went */
  webhookDeliveries: { input: WebhookDeliveriesInput; answer: WebhookDeliveriesAnswer };
  /** Sends a webhook once more. Under the same `webhook-id`, with all tries before it. A status that a later one has replaced is not sent again */
  resendWebhook: { input: ResendWebhookInput; answer: ResendWebhookAnswer };
  /** Sends a webhook that tells of nothing, and says how it was answered */
  testWebhook: { input: TestWebhookInput; answer: TestWebhookAnswer };
  /** Adds an address that is told what happens from now on. It is sent the events of its types in the order of the feed, each at least once, with the id of the event as `webhook-id`. At most 10 are in use at a time. It takes no Idempotency-Key, as its answer holds a secret: where that answer is lost, list the endpoints and end the new one */
  addWebhookEndpoint: { input: AddWebhookEndpointInput; answer: AddWebhookEndpointAnswer };
  /** The further addresses that the merchant is told at */
  listWebhookEndpoints: { input: ListWebhookEndpointsInput; answer: ListWebhookEndpointsAnswer };
  /** Gives an endpoint a new secret. What is sent is signed with the one before, too, until the next change. Where the answer is lost, the one before goes on signing: change it once more, and use the new one at once */
  changeWebhookEndpointSecret: { input: ChangeWebhookEndpointSecretInput; answer: ChangeWebhookEndpointSecretAnswer };
  /** Sends an endpoint nothing more */
  endWebhookEndpoint: { input: EndWebhookEndpointInput; answer: EndWebhookEndpointAnswer };
  /** How each try to tell an endpoint of an event went. Kept as long as the events are, 90 days */
  webhookEndpointDeliveries: { input: WebhookEndpointDeliveriesInput; answer: WebhookEndpointDeliveriesAnswer };
  /** Sends an endpoint an event once more. Under the same `webhook-id`, with all tries before it, beside what the endpoint is sent in order. What is on its way again already is begun anew. A status that a later one of the types it takes has replaced is not sent again */
  resendToWebhookEndpoint: { input: ResendToWebhookEndpointInput; answer: ResendToWebhookEndpointAnswer };
  /** Sends an endpoint a webhook that tells of nothing, and says how it was answered */
  testWebhookEndpoint: { input: TestWebhookEndpointInput; answer: TestWebhookEndpointAnswer };
  /** Sets wallet money aside and mails a code for it */
  createVoucher: { input: CreateVoucherInput; answer: CreateVoucherAnswer };
  /** Brings a voucher's money back to the wallet, once */
  redeemVoucher: { input: RedeemVoucherInput; answer: RedeemVoucherAnswer };
  /** Asks a customer in Kenya on the handset. The customer is asked for whole shillings: cents are cut off. The result follows by webhook. In the sandbox 254708374149 pays, 254711223344 lacks the money, 254722334455 cancels and 254733445566 does not answer */
  stkPush: { input: StkPushInput; answer: StkPushAnswer };
  /** How that payment stands */
  stkPushStatus: { input: StkPushStatusInput; answer: StkPushStatusAnswer };
  /** Collects from a mobile-money customer. The outcome follows by callback. Where `redirect_url` is answered, the customer must be sent there */
  momoDeposit: { input: MomoDepositInput; answer: MomoDepositAnswer };
  /** Pays out of the float of a country and currency */
  momoPayout: { input: MomoPayoutInput; answer: MomoPayoutAnswer };
  /** Cancels a payout that its network has not begun */
  momoCancelPayout: { input: MomoCancelPayoutInput; answer: MomoCancelPayoutAnswer };
  /** Gives a deposit back, or a part of it */
  momoRefund: { input: MomoRefundInput; answer: MomoRefundAnswer };
  /** How a deposit, payout or refund stands */
  momoStatus: { input: MomoStatusInput; answer: MomoStatusAnswer };
  /** The networks, their limits and what they ask for */
  momoProviders: { input: MomoProvidersInput; answer: MomoProvidersAnswer };
  /** Pays out to up to 1,000 at once, all or none. Each row is then a payout like any other, with its own callback, status and end */
  momoBulkPayout: { input: MomoBulkPayoutInput; answer: MomoBulkPayoutAnswer };
  /** How these stand, with totals. Asked with `bulk_id` or `order_id` */
  momoBulkPayoutStatus: { input: MomoBulkPayoutStatusInput; answer: MomoBulkPayoutStatusAnswer };
  /** Asks a customer in Uganda or Tanzania on the handset. The result follows by webhook. `order_id`, `transaction_desc` and `metadata` are not taken here */
  xbStkPush: { input: XbStkPushInput; answer: XbStkPushAnswer };
  /** How that payment stands. Asked with one of `invoice_id`, `api_ref` and `payment_id`; of equal names the newest is told */
  xbStkPushStatus: { input: XbStkPushStatusInput; answer: XbStkPushStatusAnswer };
  /** Makes an order, and answers the page where the buyer approves it. The same `order_id` with the same body is answered as it was, for ever. At least 1.00 USD, or as much in KES */
  walletpayCreateOrder: { input: WalletpayCreateOrderInput; answer: WalletpayCreateOrderAnswer };
  /** Takes the money of an approved order, once */
  walletpayCapture: { input: WalletpayCaptureInput; answer: WalletpayCaptureAnswer };
  /** How an order stands, and what was credited at which rate. Asked with one of `walletpay_order_id`, `order_id` and `payment_id` */
  walletpayOrderStatus: { input: WalletpayOrderStatusInput; answer: WalletpayOrderStatusAnswer };
  /** Pays an e-mail address out of the float. The merchant needs the permission `is_admin` or `can_payout` */
  walletpayCreatePayout: { input: WalletpayCreatePayoutInput; answer: WalletpayCreatePayoutAnswer };
  /** How a payout stands. Asked with `payout_id` or `order_id` */
  walletpayPayoutStatus: { input: WalletpayPayoutStatusInput; answer: WalletpayPayoutStatusAnswer };
  /** Gives a captured order back, or a part of it */
  walletpayRefund: { input: WalletpayRefundInput; answer: WalletpayRefundAnswer };
  /** How a refund stands */
  walletpayRefundStatus: { input: WalletpayRefundStatusInput; answer: WalletpayRefundStatusAnswer };
  /** Pays out to up to 1,000 at once, all or none. Each row is then a payout like any other, with its own callback, status and end */
  walletpayBulkPayout: { input: WalletpayBulkPayoutInput; answer: WalletpayBulkPayoutAnswer };
  /** How these stand, with totals. Asked with `bulk_id` or `order_id` */
  walletpayBulkPayoutStatus: { input: WalletpayBulkPayoutStatusInput; answer: WalletpayBulkPayoutStatusAnswer };
  /** An order through the wrapper: answers the page to pay at. An acceptance is no proof of payment, nor is the way back of the browser: ask transaction_status.php, or wait for the webhook */
  initiate: { input: InitiateInput; answer: InitiateAnswer };
  /** The same under the other path of the specification. An acceptance is no proof of payment, nor is the way back of the browser: ask transaction_status.php, or wait for the webhook */
  initiateCardproc: { input: InitiateCardprocInput; answer: InitiateCardprocAnswer };
  /** An order through the card API: answers the page to pay at. An acceptance is no proof of payment, nor is the way back of the browser: ask transaction_status.php, or wait for the webhook */
  submitOrder: { input: SubmitOrderInput; answer: SubmitOrderAnswer };
  /** How an order stands, for whoever knows its order_tracking_id */
  transactionStatus: { input: TransactionStatusInput; answer: TransactionStatusAnswer };
}
/** By its `X-Callback-Type`: what a webhook tells. */
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
  /** Repeats of the same key are answered as the first was. */
  takesKey: boolean;
  /** Done twice, it is as done once. */
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
