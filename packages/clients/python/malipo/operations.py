# Generated from docs/openapi.json by `npm run clients`.
from __future__ import annotations

from typing import Any, Literal, NamedTuple, NotRequired, TypedDict, cast


class Route(NamedTuple):
    method: str
    path: str
    takes_key: bool
    # A repeat has no further effect.
    may_repeat: bool


ErrorCode = Literal["VALIDATION_FAILED", "INVALID_JSON", "INVALID_QUERY", "INVALID_PHONE_NUMBER", "INVALID_AMOUNT", "AMOUNT_OUT_OF_RANGE", "UNSUPPORTED_CURRENCY", "FLOAT_INSUFFICIENT", "OUTFLOW_LIMIT_REACHED", "BALANCE_INSUFFICIENT", "COUNTRY_NOT_SUPPORTED", "PROVIDER_NOT_FOUND", "PREAUTH_CODE_REQUIRED", "REFUND_EXCEEDS_REMAINDER", "INVALID_EVENT", "PROVIDER_REJECTED_REQUEST", "CREDENTIALS_MISSING", "CREDENTIALS_REQUIRED", "INVALID_CREDENTIALS", "KEY_OF_OTHER_ENVIRONMENT", "INVALID_SIGNATURE", "INVALID_MERCHANT", "IP_NOT_ALLOWED", "ACCOUNT_SUSPENDED", "ACCOUNT_INACTIVE", "INACTIVE_MERCHANT", "SCOPE_REQUIRED", "PERMISSION_REQUIRED", "NOT_FOUND", "PAYMENT_NOT_FOUND", "WEBHOOK_NOT_FOUND", "WEBHOOK_ENDPOINT_NOT_FOUND", "VOUCHER_NOT_FOUND", "MERCHANT_NOT_FOUND", "METHOD_NOT_ALLOWED", "REFUND_TOO_LATE", "DEPOSIT_NOT_COMPLETED", "PAYOUT_NOT_CANCELLABLE", "CANCELLATION_IN_PROGRESS", "VOUCHER_NOT_ACTIVE", "DUPLICATE_PAYMENT", "WEBHOOK_SUPERSEDED", "WEBHOOK_NOT_KEPT", "WEBHOOK_WITHOUT_ADDRESS", "CUSTOMER_BUSY", "REQUEST_IN_PROGRESS", "ORDER_ID_REUSED", "ORDER_NOT_APPROVED", "ORDER_EXPIRED", "ORDER_FAILED", "CURSOR_EXPIRED", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED", "INTERNAL_ERROR", "PROCESSOR_FAILURE", "PROVIDER_ACCOUNT_REFUSED", "PROVIDER_UNAVAILABLE", "PROVIDER_TEMPORARILY_UNAVAILABLE", "SERVICE_UNAVAILABLE", "RATE_UNAVAILABLE", "SERVICE_BUSY", "ACCEPTANCE_UNKNOWN"]


class ErrorBodyDetails(TypedDict):
    field: str
    message: str


class ErrorBody(TypedDict):
    success: bool
    error: str
    message: str
    code: ErrorCode
    request_id: str
    timestamp: str
    timestamp_utc: NotRequired[str]
    details: NotRequired[list[ErrorBodyDetails]]
    doc_url: NotRequired[str]
    payment_id: NotRequired[str]


class QueryBalanceAnswer(TypedDict):
    success: bool
    merchant_id: str
    merchant_name: str
    balance: float
    currency: Literal["KES"]
    timestamp: str
    timestamp_utc: str


class MerchantBalanceAnswer(TypedDict):
    success: bool
    merchant_id: str
    merchant_name: str
    balance: float
    currency: Literal["KES"]
    timestamp: str
    timestamp_utc: str


class StatementAnswerAccounts(TypedDict):
    account: str
    rail: str | None
    country: str | None
    opening_balance: str
    closing_balance: str


class StatementAnswerMovements(TypedDict):
    account: str
    time: str
    type: str
    payment_id: str | None
    rail: str | None
    kind: str | None
    order_id: str | None
    reference: str | None
    source_id: str | None
    amount: str
    balance: str


StatementAnswer = TypedDict(
    "StatementAnswer",
    {
        "success": bool,
        "merchant_id": str,
        "currency": str,
        "from": str,
        "to": str,
        "time_zone": str,
        "is_final": bool,
        "accounts": list[StatementAnswerAccounts],
        "movements": list[StatementAnswerMovements],
        "next_cursor": str | None,
    },
)


class EventsAnswerEvents(TypedDict):
    id: str
    type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    created_at: str
    payment_id: str
    rail: str
    callback_type: str
    has_webhook: bool
    data: EventData


class EventsAnswer(TypedDict):
    success: bool
    events: list[EventsAnswerEvents]
    next_cursor: str
    has_more: bool


class ListRequestsAnswerRequests(TypedDict):
    at: str
    request_id: str
    method: str
    path: str
    status: int
    code: str | None
    duration_ms: int


class ListRequestsAnswer(TypedDict):
    success: bool
    requests: list[ListRequestsAnswerRequests]
    next_cursor: str | None


class ListPaymentsAnswerPaymentsNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class ListPaymentsAnswerPayments(TypedDict):
    payment_id: str
    rail: str
    type: Literal["deposit", "payout", "refund"]
    state: Literal["created", "pending", "queued", "processing", "succeeded", "failed", "cancelled", "timed_out", "refunded", "reversed", "returned"]
    is_final: bool
    next_step: ListPaymentsAnswerPaymentsNextStep
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    amount: str
    currency: str
    confirmed_amount: str | None
    confirmed_currency: str | None
    fee: NotRequired[str]
    fee_currency: NotRequired[str]
    order_id: str | None
    reference: str | None
    phone_number: str | None
    provider: str
    provider_reference: str | None
    receipt: str | None
    deposit_id: str | None
    failure_code: str | None
    failure_message: str | None
    correction: bool
    possible_duplicate_of: NotRequired[str]
    sequence: int
    created_at: str
    updated_at: str
    finished_at: str | None


class ListPaymentsAnswer(TypedDict):
    success: bool
    payments: list[ListPaymentsAnswerPayments]
    next_cursor: str | None


class PaymentAnswerPaymentNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class PaymentAnswerPaymentTimeline(TypedDict):
    state: Literal["created", "pending", "queued", "processing", "succeeded", "failed", "cancelled", "timed_out", "refunded", "reversed", "returned"]
    at: str


class PaymentAnswerPaymentRefunds(TypedDict):
    payment_id: str
    state: Literal["created", "pending", "queued", "processing", "succeeded", "failed", "cancelled", "timed_out", "refunded", "reversed", "returned"]


class PaymentAnswerPayment(TypedDict):
    payment_id: str
    rail: str
    type: Literal["deposit", "payout", "refund"]
    state: Literal["created", "pending", "queued", "processing", "succeeded", "failed", "cancelled", "timed_out", "refunded", "reversed", "returned"]
    is_final: bool
    next_step: PaymentAnswerPaymentNextStep
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    amount: str
    currency: str
    confirmed_amount: str | None
    confirmed_currency: str | None
    fee: NotRequired[str]
    fee_currency: NotRequired[str]
    order_id: str | None
    reference: str | None
    phone_number: str | None
    provider: str
    provider_reference: str | None
    receipt: str | None
    deposit_id: str | None
    failure_code: str | None
    failure_message: str | None
    correction: bool
    possible_duplicate_of: NotRequired[str]
    sequence: int
    created_at: str
    updated_at: str
    finished_at: str | None
    timeline: list[PaymentAnswerPaymentTimeline]
    refunds: list[PaymentAnswerPaymentRefunds]


class PaymentAnswer(TypedDict):
    success: bool
    payment: PaymentAnswerPayment


class ListWebhooksAnswerWebhooks(TypedDict):
    webhook_id: str
    payment_id: str
    payment_state: Literal["created", "pending", "queued", "processing", "succeeded", "failed", "cancelled", "timed_out", "refunded", "reversed", "returned"]
    callback_type: str
    endpoint: Literal["webhook_url", "callback_url"]
    state: Literal["pending", "delivered", "dead", "unaddressed", "superseded"]
    sequence: int | None
    superseded_by: str | None
    tries: int
    created_at: str
    next_at: str | None
    settled_at: str | None


class ListWebhooksAnswer(TypedDict):
    success: bool
    webhooks: list[ListWebhooksAnswerWebhooks]
    next_cursor: str | None


class WebhookDeliveriesAnswerWebhook(TypedDict):
    webhook_id: str
    payment_id: str
    payment_state: Literal["created", "pending", "queued", "processing", "succeeded", "failed", "cancelled", "timed_out", "refunded", "reversed", "returned"]
    callback_type: str
    endpoint: Literal["webhook_url", "callback_url"]
    state: Literal["pending", "delivered", "dead", "unaddressed", "superseded"]
    sequence: int | None
    superseded_by: str | None
    tries: int
    created_at: str
    next_at: str | None
    settled_at: str | None


class WebhookDeliveriesAnswerDeliveries(TypedDict):
    n: int
    at: str
    url: str | None
    http_status: int | None
    duration_ms: int
    error: str | None
    response_excerpt: str | None


class WebhookDeliveriesAnswer(TypedDict):
    success: bool
    webhook: WebhookDeliveriesAnswerWebhook
    deliveries: list[WebhookDeliveriesAnswerDeliveries]


class ResendWebhookAnswerWebhook(TypedDict):
    webhook_id: str
    payment_id: str
    payment_state: Literal["created", "pending", "queued", "processing", "succeeded", "failed", "cancelled", "timed_out", "refunded", "reversed", "returned"]
    callback_type: str
    endpoint: Literal["webhook_url", "callback_url"]
    state: Literal["pending", "delivered", "dead", "unaddressed", "superseded"]
    sequence: int | None
    superseded_by: str | None
    tries: int
    created_at: str
    next_at: str | None
    settled_at: str | None


class ResendWebhookAnswer(TypedDict):
    success: bool
    webhook: ResendWebhookAnswerWebhook
    warnings: NotRequired[list[str]]


class TestWebhookAnswer(TypedDict):
    success: bool
    webhook_id: str
    delivered: bool
    http_status: int | None
    duration_ms: int
    error: str | None
    response_excerpt: str | None
    sent_at: str
    warnings: NotRequired[list[str]]


class AddWebhookEndpointAnswerEndpoint(TypedDict):
    endpoint_id: str
    url: str
    types: list[str]
    failed_tries: int
    skipped: int
    last_status: int | None
    last_error: str | None
    delivered_at: str | None
    created_at: str


class AddWebhookEndpointAnswer(TypedDict):
    success: bool
    endpoint: AddWebhookEndpointAnswerEndpoint
    webhook_secret: str
    warnings: NotRequired[list[str]]


class ListWebhookEndpointsAnswerEndpoints(TypedDict):
    endpoint_id: str
    url: str
    types: list[str]
    failed_tries: int
    skipped: int
    last_status: int | None
    last_error: str | None
    delivered_at: str | None
    created_at: str


class ListWebhookEndpointsAnswer(TypedDict):
    success: bool
    endpoints: list[ListWebhookEndpointsAnswerEndpoints]


class ChangeWebhookEndpointSecretAnswerEndpoint(TypedDict):
    endpoint_id: str
    url: str
    types: list[str]
    failed_tries: int
    skipped: int
    last_status: int | None
    last_error: str | None
    delivered_at: str | None
    created_at: str


class ChangeWebhookEndpointSecretAnswer(TypedDict):
    success: bool
    endpoint: ChangeWebhookEndpointSecretAnswerEndpoint
    webhook_secret: str
    warnings: NotRequired[list[str]]


class EndWebhookEndpointAnswerEndpoint(TypedDict):
    endpoint_id: str
    url: str
    types: list[str]
    failed_tries: int
    skipped: int
    last_status: int | None
    last_error: str | None
    delivered_at: str | None
    created_at: str


class EndWebhookEndpointAnswer(TypedDict):
    success: bool
    endpoint: EndWebhookEndpointAnswerEndpoint
    warnings: NotRequired[list[str]]


class WebhookEndpointDeliveriesAnswerDeliveries(TypedDict):
    event_id: str
    type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    payment_id: str
    n: int
    at: str
    delivered: bool
    superseded_by: str | None
    http_status: int | None
    duration_ms: int
    error: str | None
    response_excerpt: str | None


class WebhookEndpointDeliveriesAnswer(TypedDict):
    success: bool
    deliveries: list[WebhookEndpointDeliveriesAnswerDeliveries]
    next_cursor: str | None


class ResendToWebhookEndpointAnswer(TypedDict):
    success: bool
    event_id: str
    type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    payment_id: str
    warnings: NotRequired[list[str]]


class TestWebhookEndpointAnswer(TypedDict):
    success: bool
    webhook_id: str
    delivered: bool
    http_status: int | None
    duration_ms: int
    error: str | None
    response_excerpt: str | None
    sent_at: str
    warnings: NotRequired[list[str]]


class CreateVoucherAnswerData(TypedDict):
    voucher_id: str
    code_last4: str
    email: str
    amount: float
    currency: str
    status: Literal["Active", "Redeemed", "Expired"]
    expires_at: str


class CreateVoucherAnswer(TypedDict):
    success: bool
    data: CreateVoucherAnswerData
    warnings: NotRequired[list[str]]


class RedeemVoucherAnswerData(TypedDict):
    voucher_id: str
    code_last4: str
    email: str
    amount: float
    currency: str
    status: Literal["Active", "Redeemed", "Expired"]
    expires_at: str


class RedeemVoucherAnswer(TypedDict):
    success: bool
    data: RedeemVoucherAnswerData
    warnings: NotRequired[list[str]]


class StkPushAnswerData(TypedDict):
    payment_id: str
    merchant_request_id: str
    checkout_request_id: str
    customer_message: str
    amount: float
    initial_amount: float
    asked_amount: float
    phone_number: str
    order_id: str


class StkPushAnswer(TypedDict):
    success: bool
    warnings: NotRequired[list[str]]
    message: str
    data: StkPushAnswerData


class StkPushStatusAnswerDataNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class StkPushStatusAnswerData(TypedDict):
    payment_id: str
    merchant_request_id: str
    checkout_request_id: str
    status: Literal["Success", "Pending", "Failed", "Cancelled", "Timeout"]
    result_code: str
    result_description: str
    initial_amount: float
    asked_amount: float
    actual_amount: float
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    mm_receipt_number: str
    transaction_date: str
    transaction_date_utc: NotRequired[str]
    phone_number: str
    payer_phone: str
    payer_name: str
    account_reference: str
    order_id: str
    possible_duplicate_of: NotRequired[str]
    sequence: int
    is_final: bool
    next_step: StkPushStatusAnswerDataNextStep
    correction: bool
    metadata: dict[str, Any] | None
    created_at: str
    updated_at: str


class StkPushStatusAnswer(TypedDict):
    success: bool
    data: StkPushStatusAnswerData


class MomoDepositAnswer(TypedDict):
    success: bool
    transaction_id: str
    status: Literal["ACCEPTED", "ENQUEUED"]
    provider: str
    country: str
    provider_name: str
    provider_predicted: bool
    currency: str
    amount: str
    cancellable: NotRequired[bool]
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    message: str
    redirect_url: NotRequired[str]
    warnings: NotRequired[list[str]]


class MomoPayoutAnswer(TypedDict):
    success: bool
    transaction_id: str
    status: Literal["ACCEPTED", "ENQUEUED"]
    provider: str
    country: str
    provider_name: str
    provider_predicted: bool
    currency: str
    amount: str
    cancellable: NotRequired[bool]
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    message: str
    redirect_url: NotRequired[str]
    warnings: NotRequired[list[str]]


class MomoCancelPayoutAnswer(TypedDict):
    success: bool
    transaction_id: str
    type: Literal["payout"]
    status: Literal["CANCELLED"]
    is_final: bool
    message: str
    warnings: NotRequired[list[str]]


class MomoRefundAnswer(TypedDict):
    success: bool
    transaction_id: str
    deposit_transaction_id: str | None
    type: Literal["refund"]
    status: Literal["ACCEPTED"]
    amount: str
    currency: str
    message: str
    warnings: NotRequired[list[str]]


class MomoStatusAnswerNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class MomoStatusAnswer(TypedDict):
    success: bool
    transaction_id: str
    type: Literal["deposit", "payout", "refund"]
    status: Literal["COMPLETED", "ACCEPTED", "PROCESSING", "ENQUEUED", "FAILED", "CANCELLED"]
    is_final: bool
    payment_status: Literal["Success", "Processing", "Failed", "Cancelled"]
    next_step: MomoStatusAnswerNextStep
    provider: str
    country: str
    currency: str
    requested_amount: str
    amount: str
    returned_amount: NotRequired[str]
    fee: NotRequired[str]
    fee_currency: NotRequired[str]
    provider_transaction_id: str
    account_reference: str
    failure_code: str | None
    failure_message: str | None
    possible_duplicate_of: NotRequired[str]
    cancellable: NotRequired[bool]
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    deposit_transaction_id: NotRequired[str]
    redirect_url: NotRequired[str]
    sequence: int
    created_at: str
    updated_at: str


class MomoProvidersAnswerProvidersOperations(TypedDict):
    min_amount: str
    max_amount: str
    decimals: float
    status: Literal["OPERATIONAL", "DELAYED", "CLOSED"]


class MomoProvidersAnswerProviders(TypedDict):
    provider: str
    country: str
    provider_name: str
    country_name: str
    currency: str
    requires_redirect: bool
    requires_preauth: bool
    operations: dict[str, MomoProvidersAnswerProvidersOperations]


class MomoProvidersAnswer(TypedDict):
    success: bool
    providers: list[MomoProvidersAnswerProviders]


class MomoBulkPayoutAnswerTotalsByStatus(TypedDict):
    count: int
    amount: str


class MomoBulkPayoutAnswerTotals(TypedDict):
    currency: str
    count: int
    amount: str
    by_status: dict[str, MomoBulkPayoutAnswerTotalsByStatus]


class MomoBulkPayoutAnswerPayoutsNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class MomoBulkPayoutAnswerPayouts(TypedDict):
    index: int
    transaction_id: str
    account_reference: str
    phone_number: str
    provider: str
    country: str
    next_step: MomoBulkPayoutAnswerPayoutsNextStep
    failure_code: str | None
    failure_message: str | None
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    amount: str
    currency: str
    status: Literal["Success", "Processing", "Failed", "Cancelled"]
    is_final: bool


class MomoBulkPayoutAnswer(TypedDict):
    success: bool
    bulk_id: str
    order_id: str
    is_final: bool
    count: int
    totals: list[MomoBulkPayoutAnswerTotals]
    payouts: list[MomoBulkPayoutAnswerPayouts]
    created_at: str
    message: NotRequired[str]
    warnings: NotRequired[list[str]]


class MomoBulkPayoutStatusAnswerTotalsByStatus(TypedDict):
    count: int
    amount: str


class MomoBulkPayoutStatusAnswerTotals(TypedDict):
    currency: str
    count: int
    amount: str
    by_status: dict[str, MomoBulkPayoutStatusAnswerTotalsByStatus]


class MomoBulkPayoutStatusAnswerPayoutsNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class MomoBulkPayoutStatusAnswerPayouts(TypedDict):
    index: int
    transaction_id: str
    account_reference: str
    phone_number: str
    provider: str
    country: str
    next_step: MomoBulkPayoutStatusAnswerPayoutsNextStep
    failure_code: str | None
    failure_message: str | None
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    amount: str
    currency: str
    status: Literal["Success", "Processing", "Failed", "Cancelled"]
    is_final: bool


class MomoBulkPayoutStatusAnswer(TypedDict):
    success: bool
    bulk_id: str
    order_id: str
    is_final: bool
    count: int
    totals: list[MomoBulkPayoutStatusAnswerTotals]
    payouts: list[MomoBulkPayoutStatusAnswerPayouts]
    created_at: str
    message: NotRequired[str]


class XbStkPushAnswerData(TypedDict):
    invoice_id: str
    state: Literal["PENDING"]
    api_ref: str


class XbStkPushAnswer(TypedDict):
    success: bool
    data: XbStkPushAnswerData
    warnings: NotRequired[list[str]]


class XbStkPushStatusAnswerDataInvoice(TypedDict):
    invoice_id: str
    state: Literal["COMPLETE", "PENDING", "PROCESSING", "FAILED", "CANCELLED", "FAILED_VALIDATE"]
    value: str
    api_ref: str
    currency: str
    mm_reference: str
    charges: str
    net_amount: str


class XbStkPushStatusAnswerDataNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class XbStkPushStatusAnswerData(TypedDict):
    id: str
    invoice: XbStkPushStatusAnswerDataInvoice
    possible_duplicate_of: NotRequired[str]
    fee: NotRequired[str]
    fee_currency: NotRequired[str]
    is_final: bool
    next_step: XbStkPushStatusAnswerDataNextStep
    correction: bool
    failure_reason: str | None
    phone_number: str
    sequence: int
    created_at: str
    updated_at: str


class XbStkPushStatusAnswer(TypedDict):
    success: bool
    data: XbStkPushStatusAnswerData


class WalletpayCreateOrderAnswerData(TypedDict):
    walletpay_order_id: str
    transaction_id: str
    order_id: str | None
    approval_url: str
    status: Literal["Pending"]
    amount: float
    currency: str


class WalletpayCreateOrderAnswer(TypedDict):
    success: bool
    data: WalletpayCreateOrderAnswerData
    warnings: NotRequired[list[str]]


class WalletpayCaptureAnswerData(TypedDict):
    capture_id: str
    status: Literal["Completed", "Pending", "Failed", "Refunded"]
    amount: float
    currency: str
    order_id: str | None
    walletpay_order_id: str


class WalletpayCaptureAnswer(TypedDict):
    success: bool
    message: NotRequired[str]
    data: WalletpayCaptureAnswerData


class WalletpayOrderStatusAnswerDataNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class WalletpayOrderStatusAnswerData(TypedDict):
    walletpay_order_id: str
    transaction_id: str
    order_id: str | None
    approval_url: str
    status: Literal["Completed", "Pending", "Failed", "Refunded"]
    is_final: bool
    next_step: WalletpayOrderStatusAnswerDataNextStep
    amount: float
    currency: str
    order_rate: str | None
    capture_id: str | None
    capture_status: str | None
    captured_amount: float | None
    captured_currency: str | None
    credited_amount: float | None
    credited_currency: str | None
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    rate: str | None
    rounding_amount: float | None
    refund_id: NotRequired[str]
    refund_amount: NotRequired[float]
    refunded_total: NotRequired[float]
    refund_currency: NotRequired[str]
    debited_amount: NotRequired[float]
    debited_total: NotRequired[float]
    partially_refunded: NotRequired[bool]
    held_amount: NotRequired[float]
    held_currency: NotRequired[str]
    dispute_id: NotRequired[str]
    dispute_status: NotRequired[str]
    dispute_reason: NotRequired[str]
    possible_duplicate_of: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    correction: bool
    sequence: int
    created_at: str
    updated_at: str


class WalletpayOrderStatusAnswer(TypedDict):
    success: bool
    message: NotRequired[str]
    data: WalletpayOrderStatusAnswerData


class WalletpayCreatePayoutAnswerData(TypedDict):
    payout_id: str
    walletpay_batch_id: str
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]


class WalletpayCreatePayoutAnswer(TypedDict):
    success: bool
    data: WalletpayCreatePayoutAnswerData
    warnings: NotRequired[list[str]]


class WalletpayPayoutStatusAnswerDataNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class WalletpayPayoutStatusAnswerData(TypedDict):
    payout_id: str
    walletpay_batch_id: str
    order_id: str | None
    status: Literal["Success", "Pending", "Failed"]
    is_final: bool
    next_step: WalletpayPayoutStatusAnswerDataNextStep
    amount: float
    currency: str
    sent_amount: float
    sent_currency: str
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    rate: str | None
    recipient_email: str
    item_status: str | None
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    returned_amount: NotRequired[float]
    returned_currency: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    correction: bool
    sequence: int
    created_at: str
    updated_at: str


class WalletpayPayoutStatusAnswer(TypedDict):
    success: bool
    data: WalletpayPayoutStatusAnswerData


class WalletpayRefundAnswer(TypedDict):
    success: bool
    transaction_id: str
    deposit_transaction_id: str | None
    order_id: str
    type: Literal["refund"]
    status: Literal["ACCEPTED"]
    amount: str
    currency: str
    debited_amount: str
    debited_currency: str
    message: str
    warnings: NotRequired[list[str]]


class WalletpayRefundStatusAnswerDataNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class WalletpayRefundStatusAnswerData(TypedDict):
    transaction_id: str
    deposit_transaction_id: str | None
    order_id: str
    refund_id: str
    debited_amount: float
    debited_currency: str
    status: Literal["Success", "Pending", "Failed"]
    is_final: bool
    next_step: WalletpayRefundStatusAnswerDataNextStep
    amount: float
    currency: str
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    returned_amount: NotRequired[float]
    returned_currency: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    correction: bool
    sequence: int
    created_at: str
    updated_at: str


class WalletpayRefundStatusAnswer(TypedDict):
    success: bool
    data: WalletpayRefundStatusAnswerData


class WalletpayBulkPayoutAnswerDataTotalsByStatus(TypedDict):
    count: int
    amount: float


class WalletpayBulkPayoutAnswerDataTotals(TypedDict):
    currency: str
    count: int
    amount: float
    by_status: dict[str, WalletpayBulkPayoutAnswerDataTotalsByStatus]


class WalletpayBulkPayoutAnswerDataPayoutsNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class WalletpayBulkPayoutAnswerDataPayouts(TypedDict):
    index: int
    payout_id: str
    order_id: str | None
    recipient_email: str
    next_step: WalletpayBulkPayoutAnswerDataPayoutsNextStep
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    returned_amount: NotRequired[float]
    returned_currency: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    amount: float
    currency: str
    status: Literal["Success", "Pending", "Failed"]
    is_final: bool


class WalletpayBulkPayoutAnswerData(TypedDict):
    bulk_id: str
    order_id: str
    is_final: bool
    count: int
    totals: list[WalletpayBulkPayoutAnswerDataTotals]
    payouts: list[WalletpayBulkPayoutAnswerDataPayouts]
    created_at: str


class WalletpayBulkPayoutAnswer(TypedDict):
    success: bool
    message: NotRequired[str]
    data: WalletpayBulkPayoutAnswerData
    warnings: NotRequired[list[str]]


class WalletpayBulkPayoutStatusAnswerDataTotalsByStatus(TypedDict):
    count: int
    amount: float


class WalletpayBulkPayoutStatusAnswerDataTotals(TypedDict):
    currency: str
    count: int
    amount: float
    by_status: dict[str, WalletpayBulkPayoutStatusAnswerDataTotalsByStatus]


class WalletpayBulkPayoutStatusAnswerDataPayoutsNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class WalletpayBulkPayoutStatusAnswerDataPayouts(TypedDict):
    index: int
    payout_id: str
    order_id: str | None
    recipient_email: str
    next_step: WalletpayBulkPayoutStatusAnswerDataPayoutsNextStep
    hold_reason: NotRequired[str]
    hold_until: NotRequired[str | None]
    returned_amount: NotRequired[float]
    returned_currency: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    amount: float
    currency: str
    status: Literal["Success", "Pending", "Failed"]
    is_final: bool


class WalletpayBulkPayoutStatusAnswerData(TypedDict):
    bulk_id: str
    order_id: str
    is_final: bool
    count: int
    totals: list[WalletpayBulkPayoutStatusAnswerDataTotals]
    payouts: list[WalletpayBulkPayoutStatusAnswerDataPayouts]
    created_at: str


class WalletpayBulkPayoutStatusAnswer(TypedDict):
    success: bool
    message: NotRequired[str]
    data: WalletpayBulkPayoutStatusAnswerData


class InitiateAnswer(TypedDict):
    success: bool
    redirect_url: str
    order_tracking_id: str | None
    order_id: str | None
    warnings: NotRequired[list[str]]


class InitiateCardprocAnswer(TypedDict):
    success: bool
    redirect_url: str
    order_tracking_id: str | None
    order_id: str | None
    warnings: NotRequired[list[str]]


class SubmitOrderAnswer(TypedDict):
    success: bool
    order_tracking_id: str | None
    merchant_reference: str | None
    redirect_url: str
    warnings: NotRequired[list[str]]


class TransactionStatusAnswerNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class TransactionStatusAnswer(TypedDict):
    success: bool
    order_tracking_id: str | None
    merchant_reference: str | None
    status: Literal["COMPLETED", "INVALID", "FAILED", "REVERSED"]
    status_code: float
    is_final: bool
    message: str
    next_step: TransactionStatusAnswerNextStep
    amount: float
    currency: str
    payment_method: str
    confirmation_code: str
    sequence: int


class TestWebhook(TypedDict):
    type: Literal["test"]
    event_type: Literal["test"]
    callback_type: Literal["Test"]
    event_id: str
    timestamp: str


class StkPushResultWebhookNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class StkPushResultWebhook(TypedDict):
    payment_id: str
    merchant_request_id: str
    checkout_request_id: str
    status: Literal["Success", "Failed", "Cancelled", "Timeout"]
    result_code: str
    result_description: str
    initial_amount: float
    asked_amount: float
    actual_amount: float
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    mm_receipt_number: str
    transaction_date: str
    transaction_date_utc: NotRequired[str]
    phone_number: str
    payer_phone: str
    payer_name: str
    account_reference: str
    order_id: str
    possible_duplicate_of: NotRequired[str]
    sequence: int
    event_type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    callback_type: Literal["STK-Push"]
    correction: NotRequired[bool]
    timestamp: str
    timestamp_utc: NotRequired[str]
    next_step: NotRequired[StkPushResultWebhookNextStep]


class StkPushEventWebhookNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class StkPushEventWebhook(TypedDict):
    payment_id: str
    merchant_request_id: str
    checkout_request_id: str
    status: Literal["Success", "Pending", "Failed", "Cancelled", "Timeout"]
    result_code: str
    result_description: str
    initial_amount: float
    asked_amount: float
    actual_amount: float
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    mm_receipt_number: str
    transaction_date: str
    transaction_date_utc: NotRequired[str]
    phone_number: str
    payer_phone: str
    payer_name: str
    account_reference: str
    order_id: str
    possible_duplicate_of: NotRequired[str]
    sequence: int
    event_type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    callback_type: Literal["STK-Push"]
    correction: NotRequired[bool]
    timestamp: str
    timestamp_utc: NotRequired[str]
    next_step: NotRequired[StkPushEventWebhookNextStep]


class MomoCallbackWebhookNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class MomoCallbackWebhook(TypedDict):
    transaction_id: str
    type: Literal["deposit", "payout", "refund"]
    status: Literal["Success", "Processing", "Failed", "Cancelled"]
    provider: str
    country: str
    currency: str
    requested_amount: str
    amount: str
    returned_amount: NotRequired[str]
    fee: NotRequired[str]
    fee_currency: NotRequired[str]
    phone_number: str
    provider_transaction_id: str
    account_reference: str
    failure_code: str | None
    failure_message: str | None
    possible_duplicate_of: NotRequired[str]
    event_type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    callback_type: Literal["Mobile-Money"]
    sequence: int
    correction: NotRequired[bool]
    updated_at: str
    timestamp: str
    next_step: NotRequired[MomoCallbackWebhookNextStep]


class XbStkPushResultWebhookInvoice(TypedDict):
    invoice_id: str
    state: Literal["COMPLETE", "PENDING", "PROCESSING", "FAILED", "CANCELLED", "FAILED_VALIDATE"]
    value: str
    api_ref: str
    currency: str
    mm_reference: str
    charges: str
    net_amount: str


class XbStkPushResultWebhookNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class XbStkPushResultWebhook(TypedDict):
    id: str
    invoice: XbStkPushResultWebhookInvoice
    possible_duplicate_of: NotRequired[str]
    fee: NotRequired[str]
    fee_currency: NotRequired[str]
    event_type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    callback_type: Literal["Cross-Border"]
    sequence: int
    correction: NotRequired[bool]
    next_step: NotRequired[XbStkPushResultWebhookNextStep]


class WalletpayOrderUpdateWebhookNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class WalletpayOrderUpdateWebhook(TypedDict):
    event_id: str
    type: Literal["deposit", "payout", "refund"]
    rail: Literal["walletpay"]
    transaction_id: str
    order_id: str
    provider_reference: str
    status: Literal["Completed", "Pending", "Failed", "Refunded"]
    amount: float
    currency: str
    credited_amount: float | None
    credited_currency: str | None
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    refund_amount: NotRequired[float]
    refunded_total: NotRequired[float]
    refund_currency: NotRequired[str]
    debited_amount: NotRequired[float]
    debited_total: NotRequired[float]
    partially_refunded: NotRequired[bool]
    possible_duplicate_of: NotRequired[str]
    event_type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    callback_type: Literal["Wallet-Checkout"]
    sequence: int
    correction: bool
    timestamp: str
    refund_id: NotRequired[str]
    next_step: NotRequired[WalletpayOrderUpdateWebhookNextStep]


class WalletpayPayoutUpdateWebhookNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class WalletpayPayoutUpdateWebhook(TypedDict):
    event_id: str
    type: Literal["deposit", "payout", "refund"]
    rail: Literal["walletpay"]
    transaction_id: str
    order_id: str
    provider_reference: str
    status: Literal["Success", "Pending", "Failed"]
    amount: float
    currency: str
    credited_amount: float | None
    credited_currency: str | None
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    refund_amount: NotRequired[float]
    refunded_total: NotRequired[float]
    refund_currency: NotRequired[str]
    debited_amount: NotRequired[float]
    debited_total: NotRequired[float]
    partially_refunded: NotRequired[bool]
    possible_duplicate_of: NotRequired[str]
    event_type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    callback_type: Literal["Wallet-Checkout"]
    sequence: int
    correction: bool
    timestamp: str
    returned_amount: NotRequired[float]
    returned_currency: NotRequired[str]
    next_step: NotRequired[WalletpayPayoutUpdateWebhookNextStep]


class WalletpayRefundUpdateWebhookNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class WalletpayRefundUpdateWebhook(TypedDict):
    event_id: str
    type: Literal["deposit", "payout", "refund"]
    rail: Literal["walletpay"]
    transaction_id: str
    order_id: str
    provider_reference: str
    status: Literal["Success", "Pending", "Failed"]
    amount: float
    currency: str
    credited_amount: float | None
    credited_currency: str | None
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    refund_amount: NotRequired[float]
    refunded_total: NotRequired[float]
    refund_currency: NotRequired[str]
    debited_amount: float
    debited_total: NotRequired[float]
    partially_refunded: NotRequired[bool]
    possible_duplicate_of: NotRequired[str]
    event_type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    callback_type: Literal["Wallet-Checkout"]
    sequence: int
    correction: bool
    timestamp: str
    deposit_transaction_id: str | None
    refund_id: str
    debited_currency: str
    returned_amount: NotRequired[float]
    returned_currency: NotRequired[str]
    next_step: NotRequired[WalletpayRefundUpdateWebhookNextStep]


class HostedCheckoutUpdateWebhookNextStep(TypedDict):
    code: Literal["paid", "paid_less", "paid_otherwise", "enter_pin", "open_page", "wait", "check_sms", "check_sms_then_pay", "pay_again", "pay_again_later", "try_page_again", "start_over", "add_money", "check_pin", "close_other_prompt", "check_number", "ask_network", "pay_another_way", "ask_seller", "money_given_back", "money_on_its_way", "money_waits", "money_on_hold", "claim_money", "money_sent", "money_unknown", "money_not_sent", "check_recipient", "receive_less", "money_came_back", "refund_on_its_way", "refund_on_hold", "refund_done", "refund_unknown", "refund_failed"]
    en: str
    sw: str
    safe_to_repeat: bool


class HostedCheckoutUpdateWebhook(TypedDict):
    event_id: str
    type: Literal["deposit", "payout", "refund"]
    rail: Literal["cardproc"]
    transaction_id: str
    order_id: str
    provider_reference: str
    status: Literal["COMPLETED", "PENDING", "FAILED", "INVALID", "REVERSED"]
    amount: float
    currency: str
    credited_amount: float | None
    credited_currency: str | None
    fee: NotRequired[float]
    fee_currency: NotRequired[str]
    failure_code: str | None
    failure_message: str | None
    refund_amount: NotRequired[float]
    refunded_total: NotRequired[float]
    refund_currency: NotRequired[str]
    debited_amount: NotRequired[float]
    debited_total: NotRequired[float]
    partially_refunded: NotRequired[bool]
    possible_duplicate_of: NotRequired[str]
    event_type: Literal["deposit.created", "deposit.pending", "deposit.queued", "deposit.processing", "deposit.succeeded", "deposit.failed", "deposit.cancelled", "deposit.timed_out", "deposit.refunded", "deposit.reversed", "deposit.returned", "payout.created", "payout.pending", "payout.queued", "payout.processing", "payout.succeeded", "payout.failed", "payout.cancelled", "payout.timed_out", "payout.refunded", "payout.reversed", "payout.returned", "refund.created", "refund.pending", "refund.queued", "refund.processing", "refund.succeeded", "refund.failed", "refund.cancelled", "refund.timed_out", "refund.refunded", "refund.reversed", "refund.returned"]
    callback_type: Literal["Hosted-Checkout"]
    sequence: int
    correction: bool
    timestamp: str
    next_step: NotRequired[HostedCheckoutUpdateWebhookNextStep]


EventData = StkPushResultWebhook | StkPushEventWebhook | MomoCallbackWebhook | XbStkPushResultWebhook | WalletpayOrderUpdateWebhook | WalletpayPayoutUpdateWebhook | WalletpayRefundUpdateWebhook | HostedCheckoutUpdateWebhook


class MomoBulkPayoutPayouts(TypedDict):
    amount: float | str
    currency: Literal["CDF", "ETB", "GHS", "KES", "LSL", "MWK", "MZN", "NGN", "RWF", "SLE", "TZS", "UGX", "USD", "XAF", "XOF", "ZMW"]
    phone_number: str
    country: str
    account_reference: str
    customer_message: NotRequired[str | None]
    provider: NotRequired[str | None]


class WalletpayBulkPayoutPayouts(TypedDict):
    amount: float | str
    currency: Literal["USD", "KES"]
    recipient_email: str
    order_id: str
    note: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]


class SubmitOrderBilling_address(TypedDict):
    phone_number: NotRequired[str | None]
    email_address: NotRequired[str | None]
    first_name: NotRequired[str | None]
    last_name: NotRequired[str | None]


# The type of each webhook body, by its X-Callback-Type.
WEBHOOKS: dict[str, str] = {
    "Test": "TestWebhook",
    "STK-Push": "StkPushResultWebhook | StkPushEventWebhook",
    "Mobile-Money": "MomoCallbackWebhook",
    "Cross-Border": "XbStkPushResultWebhook",
    "Wallet-Checkout": "WalletpayOrderUpdateWebhook | WalletpayPayoutUpdateWebhook | WalletpayRefundUpdateWebhook",
    "Hosted-Checkout": "HostedCheckoutUpdateWebhook",
}


class Operations:
    def _call(
        self, route: Route, input: dict[str, Any], idempotency_key: str | None = None, is_repeat: bool = False
    ) -> Any:
        raise NotImplementedError

    def query_balance(self) -> QueryBalanceAnswer:
        """Get the balance of the merchant's KES wallet"""
        route = Route("GET", "/api/v1/query_balance", False, True)
        return cast(QueryBalanceAnswer, self._call(route, {}))

    def merchant_balance(self) -> MerchantBalanceAnswer:
        """Get the balance (alias of query_balance)"""
        route = Route("GET", "/api/v1/merchant/balance", False, True)
        return cast(MerchantBalanceAnswer, self._call(route, {}))

    def statement(self, *, from_: str, to: str, currency: str, limit: str | None = None, cursor: str | None = None) -> StatementAnswer:
        """List the movements on the merchant's accounts, day by day. With `format=csv` or `Accept: text/csv`, the answer is the whole statement in one file. JSON has pages"""
        route = Route("GET", "/api/v1/statement", False, True)
        return cast(StatementAnswer, self._call(route, {"from": from_, "to": to, "currency": currency, "limit": limit, "cursor": cursor}))

    def events(self, *, after: str | None = None, types: str | None = None, limit: str | None = None) -> EventsAnswer:
        """List every change of every payment, in order and without gaps"""
        route = Route("GET", "/api/v1/events", False, True)
        return cast(EventsAnswer, self._call(route, {"after": after, "types": types, "limit": limit}))

    def list_requests(self, *, request_id: str | None = None, code: str | None = None, result: Literal["all", "refused"] | None = None, limit: str | None = None, cursor: str | None = None) -> ListRequestsAnswer:
        """List the merchant's own requests of the last 7 days, newest first. Lists authenticated requests, a few seconds after their answers, without the contents of requests and answers. The service scans at most 2,000 requests for a page. If a filter matches few requests, a page may be short or empty"""
        route = Route("GET", "/api/v1/requests", False, True)
        return cast(ListRequestsAnswer, self._call(route, {"request_id": request_id, "code": code, "result": result, "limit": limit, "cursor": cursor}))

    def list_payments(self, *, rail: str | None = None, type_: Literal["deposit", "payout", "refund"] | None = None, state: Literal["created", "pending", "queued", "processing", "succeeded", "failed", "cancelled", "timed_out", "refunded", "reversed", "returned"] | None = None, created_from: str | None = None, created_before: str | None = None, currency: str | None = None, amount: str | None = None, reference: str | None = None, phone_ends: str | None = None, limit: str | None = None, cursor: str | None = None) -> ListPaymentsAnswer:
        """List the merchant's payments on all rails, newest first. The service scans at most 2,000 payments for a page. If a filter matches few payments, a page may be short or empty"""
        route = Route("GET", "/api/v1/payments", False, True)
        return cast(ListPaymentsAnswer, self._call(route, {"rail": rail, "type": type_, "state": state, "created_from": created_from, "created_before": created_before, "currency": currency, "amount": amount, "reference": reference, "phone_ends": phone_ends, "limit": limit, "cursor": cursor}))

    def payment(self, *, payment_id: str) -> PaymentAnswer:
        """Get a payment with its history"""
        route = Route("GET", "/api/v1/payments/{payment_id}", False, True)
        return cast(PaymentAnswer, self._call(route, {"payment_id": payment_id}))

    def list_webhooks(self, *, payment_id: str | None = None, state: Literal["pending", "delivered", "dead", "unaddressed", "superseded"] | None = None, limit: str | None = None, cursor: str | None = None) -> ListWebhooksAnswer:
        """List the merchant's webhooks, sent and pending"""
        route = Route("GET", "/api/v1/webhooks", False, True)
        return cast(ListWebhooksAnswer, self._call(route, {"payment_id": payment_id, "state": state, "limit": limit, "cursor": cursor}))

    def webhook_deliveries(self, *, webhook_id: str) -> WebhookDeliveriesAnswer:
        """List the delivery attempts of a webhook"""
        route = Route("GET", "/api/v1/webhooks/{webhook_id}/deliveries", False, True)
        return cast(WebhookDeliveriesAnswer, self._call(route, {"webhook_id": webhook_id}))

    def resend_webhook(self, *, webhook_id: str, idempotency_key: str | None = None, is_repeat: bool = False) -> ResendWebhookAnswer:
        """Resend a webhook. The resend has the same `webhook-id` and up to 14 new attempts. A webhook that a later status has replaced is not resent"""
        route = Route("POST", "/api/v1/webhooks/{webhook_id}/resend", True, True)
        return cast(ResendWebhookAnswer, self._call(route, {"webhook_id": webhook_id}, idempotency_key, is_repeat))

    def test_webhook(self, *, endpoint: Literal["webhook_url", "callback_url"] | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> TestWebhookAnswer:
        """Send a test webhook"""
        route = Route("POST", "/api/v1/webhooks/test", True, True)
        return cast(TestWebhookAnswer, self._call(route, {"endpoint": endpoint}, idempotency_key, is_repeat))

    def add_webhook_endpoint(self, *, url: str, types: str | None = None) -> AddWebhookEndpointAnswer:
        """Add a webhook endpoint. The endpoint gets all future events of its types in feed order. Each is sent at least once, with the event id as `webhook-id`. A merchant can have at most 10 endpoints at a time. The call accepts no Idempotency-Key, because its answer contains a secret. If the answer is lost, list the endpoints and end the new one"""
        route = Route("POST", "/api/v1/webhook_endpoints", False, False)
        return cast(AddWebhookEndpointAnswer, self._call(route, {"url": url, "types": types}))

    def list_webhook_endpoints(self) -> ListWebhookEndpointsAnswer:
        """List the merchant's additional webhook endpoints"""
        route = Route("GET", "/api/v1/webhook_endpoints", False, True)
        return cast(ListWebhookEndpointsAnswer, self._call(route, {}))

    def change_webhook_endpoint_secret(self, *, endpoint_id: str) -> ChangeWebhookEndpointSecretAnswer:
        """Change the secret of an endpoint. Webhooks are also signed with the previous secret until the next change. If the answer is lost, the previous secret still works: change the secret again, and use the new one at once"""
        route = Route("POST", "/api/v1/webhook_endpoints/{endpoint_id}/change_secret", False, False)
        return cast(ChangeWebhookEndpointSecretAnswer, self._call(route, {"endpoint_id": endpoint_id}))

    def end_webhook_endpoint(self, *, endpoint_id: str) -> EndWebhookEndpointAnswer:
        """End a webhook endpoint"""
        route = Route("POST", "/api/v1/webhook_endpoints/{endpoint_id}/end", False, False)
        return cast(EndWebhookEndpointAnswer, self._call(route, {"endpoint_id": endpoint_id}))

    def webhook_endpoint_deliveries(self, *, endpoint_id: str, event_id: str | None = None, limit: str | None = None, cursor: str | None = None) -> WebhookEndpointDeliveriesAnswer:
        """List the delivery attempts of an endpoint. Stored as long as the events, 90 days"""
        route = Route("GET", "/api/v1/webhook_endpoints/{endpoint_id}/deliveries", False, True)
        return cast(WebhookEndpointDeliveriesAnswer, self._call(route, {"endpoint_id": endpoint_id, "event_id": event_id, "limit": limit, "cursor": cursor}))

    def resend_to_webhook_endpoint(self, *, endpoint_id: str, event_id: str, idempotency_key: str | None = None, is_repeat: bool = False) -> ResendToWebhookEndpointAnswer:
        """Resend an event to an endpoint. The resend has the same `webhook-id` and up to 14 new attempts, in parallel with the ordered delivery of the endpoint. A resend that is already in progress restarts. An event that a later event of the endpoint's types has replaced is not resent"""
        route = Route("POST", "/api/v1/webhook_endpoints/{endpoint_id}/resend", True, True)
        return cast(ResendToWebhookEndpointAnswer, self._call(route, {"endpoint_id": endpoint_id, "event_id": event_id}, idempotency_key, is_repeat))

    def test_webhook_endpoint(self, *, endpoint_id: str, idempotency_key: str | None = None, is_repeat: bool = False) -> TestWebhookEndpointAnswer:
        """Send a test webhook to an endpoint"""
        route = Route("POST", "/api/v1/webhook_endpoints/{endpoint_id}/test", True, True)
        return cast(TestWebhookEndpointAnswer, self._call(route, {"endpoint_id": endpoint_id}, idempotency_key, is_repeat))

    def create_voucher(self, *, email: str, amount: float | str, currency: str, idempotency_key: str | None = None, is_repeat: bool = False) -> CreateVoucherAnswer:
        """Create a voucher from wallet money and mail its code"""
        route = Route("POST", "/api/v1/create_voucher", True, True)
        return cast(CreateVoucherAnswer, self._call(route, {"email": email, "amount": amount, "currency": currency}, idempotency_key, is_repeat))

    def redeem_voucher(self, *, code: str, idempotency_key: str | None = None, is_repeat: bool = False) -> RedeemVoucherAnswer:
        """Redeem a voucher into the wallet"""
        route = Route("POST", "/api/v1/redeem_voucher", True, True)
        return cast(RedeemVoucherAnswer, self._call(route, {"code": code}, idempotency_key, is_repeat))

    def stk_push(self, *, phone_number: str, amount: float | str, account_reference: str, order_id: str | None = None, transaction_desc: str, metadata: dict[str, Any] | None = None, currency: Literal["KES"] | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> StkPushAnswer:
        """Send a payment prompt to a customer in Kenya. The prompt asks for whole shillings: cents are cut off. A webhook reports the result. In the sandbox, 254708374149 pays, 254711223344 has too little money, 254722334455 cancels and 254733445566 does not answer"""
        route = Route("POST", "/api/v1/stk_push", True, True)
        return cast(StkPushAnswer, self._call(route, {"phone_number": phone_number, "amount": amount, "account_reference": account_reference, "order_id": order_id, "transaction_desc": transaction_desc, "metadata": metadata, "currency": currency}, idempotency_key, is_repeat))

    def stk_push_status(self, *, payment_id: str) -> StkPushStatusAnswer:
        """Get the status of a payment"""
        route = Route("GET", "/api/v1/stk_push/status", False, True)
        return cast(StkPushStatusAnswer, self._call(route, {"payment_id": payment_id}))

    def momo_deposit(self, *, amount: float | str, currency: Literal["CDF", "ETB", "GHS", "KES", "LSL", "MWK", "MZN", "NGN", "RWF", "SLE", "TZS", "UGX", "USD", "XAF", "XOF", "ZMW"], phone_number: str, country: str, account_reference: str, customer_message: str | None = None, provider: str | None = None, preauth_code: str | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> MomoDepositAnswer:
        """Collect a payment from a mobile-money customer. A callback reports the outcome. If the answer has a `redirect_url`, you must send the customer there"""
        route = Route("POST", "/api/v1/momo/deposit", True, True)
        return cast(MomoDepositAnswer, self._call(route, {"amount": amount, "currency": currency, "phone_number": phone_number, "country": country, "account_reference": account_reference, "customer_message": customer_message, "provider": provider, "preauth_code": preauth_code}, idempotency_key, is_repeat))

    def momo_payout(self, *, amount: float | str, currency: Literal["CDF", "ETB", "GHS", "KES", "LSL", "MWK", "MZN", "NGN", "RWF", "SLE", "TZS", "UGX", "USD", "XAF", "XOF", "ZMW"], phone_number: str, country: str, account_reference: str, customer_message: str | None = None, provider: str | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> MomoPayoutAnswer:
        """Pay out from the float of a country and currency"""
        route = Route("POST", "/api/v1/momo/payout", True, True)
        return cast(MomoPayoutAnswer, self._call(route, {"amount": amount, "currency": currency, "phone_number": phone_number, "country": country, "account_reference": account_reference, "customer_message": customer_message, "provider": provider}, idempotency_key, is_repeat))

    def momo_cancel_payout(self, *, transaction_id: str, idempotency_key: str | None = None, is_repeat: bool = False) -> MomoCancelPayoutAnswer:
        """Cancel a payout that its network has not started"""
        route = Route("POST", "/api/v1/momo/cancel_payout", True, True)
        return cast(MomoCancelPayoutAnswer, self._call(route, {"transaction_id": transaction_id}, idempotency_key, is_repeat))

    def momo_refund(self, *, transaction_id: str, amount: float | str | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> MomoRefundAnswer:
        """Refund a deposit, completely or in part"""
        route = Route("POST", "/api/v1/momo/refund", True, True)
        return cast(MomoRefundAnswer, self._call(route, {"transaction_id": transaction_id, "amount": amount}, idempotency_key, is_repeat))

    def momo_status(self, *, transaction_id: str) -> MomoStatusAnswer:
        """Get the status of a deposit, payout or refund"""
        route = Route("GET", "/api/v1/momo/status", False, True)
        return cast(MomoStatusAnswer, self._call(route, {"transaction_id": transaction_id}))

    def momo_providers(self, *, country: str | None = None) -> MomoProvidersAnswer:
        """List the networks with their limits and requirements"""
        route = Route("GET", "/api/v1/momo/providers", False, True)
        return cast(MomoProvidersAnswer, self._call(route, {"country": country}))

    def momo_bulk_payout(self, *, order_id: str, payouts: list[MomoBulkPayoutPayouts], idempotency_key: str | None = None, is_repeat: bool = False) -> MomoBulkPayoutAnswer:
        """Create up to 1,000 payouts at once, all or none. Each row becomes a normal payout, with its own callback, status and outcome"""
        route = Route("POST", "/api/v1/momo/bulk_payout", True, True)
        return cast(MomoBulkPayoutAnswer, self._call(route, {"order_id": order_id, "payouts": payouts}, idempotency_key, is_repeat))

    def momo_bulk_payout_status(self, *, bulk_id: str | None = None, order_id: str | None = None) -> MomoBulkPayoutStatusAnswer:
        """Get the status of a bulk, with totals. Requires `bulk_id` or `order_id`"""
        route = Route("GET", "/api/v1/momo/bulk_payout", False, True)
        return cast(MomoBulkPayoutStatusAnswer, self._call(route, {"bulk_id": bulk_id, "order_id": order_id}))

    def xb_stk_push(self, *, currency: Literal["UGX", "TZS"], phone_number: str, amount: float | str, api_ref: str | None = None, country: Literal["UG", "TZ"] | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> XbStkPushAnswer:
        """Send a payment prompt to a customer in Uganda or Tanzania. A webhook reports the result. `order_id`, `transaction_desc` and `metadata` are not accepted here"""
        route = Route("POST", "/api/v1/xb/stk_push", True, True)
        return cast(XbStkPushAnswer, self._call(route, {"currency": currency, "phone_number": phone_number, "amount": amount, "api_ref": api_ref, "country": country}, idempotency_key, is_repeat))

    def xb_stk_push_status(self, *, invoice_id: str | None = None, api_ref: str | None = None, payment_id: str | None = None) -> XbStkPushStatusAnswer:
        """Get the status of a payment. Requires one of `invoice_id`, `api_ref` and `payment_id`. If several payments have the same name, the newest is returned"""
        route = Route("GET", "/api/v1/xb/stk_push/status", False, True)
        return cast(XbStkPushStatusAnswer, self._call(route, {"invoice_id": invoice_id, "api_ref": api_ref, "payment_id": payment_id}))

    def walletpay_create_order(self, *, amount: float | str, currency: Literal["USD", "KES"], order_id: str, metadata: dict[str, Any] | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> WalletpayCreateOrderAnswer:
        """Create an order and get the page where the buyer approves it. A repeat with the same `order_id` and body always gets the same answer. The minimum is 1.00 USD, or its value in KES"""
        route = Route("POST", "/api/v1/walletpay/create_order", True, True)
        return cast(WalletpayCreateOrderAnswer, self._call(route, {"amount": amount, "currency": currency, "order_id": order_id, "metadata": metadata}, idempotency_key, is_repeat))

    def walletpay_capture(self, *, token: str, order_id: str) -> WalletpayCaptureAnswer:
        """Capture the money of an approved order, once"""
        route = Route("GET", "/api/v1/walletpay/capture", False, True)
        return cast(WalletpayCaptureAnswer, self._call(route, {"token": token, "order_id": order_id}))

    def walletpay_order_status(self, *, walletpay_order_id: str | None = None, order_id: str | None = None, payment_id: str | None = None) -> WalletpayOrderStatusAnswer:
        """Get the status of an order with its credited amount and rate. Requires one of `walletpay_order_id`, `order_id` and `payment_id`"""
        route = Route("GET", "/api/v1/walletpay/order_status", False, True)
        return cast(WalletpayOrderStatusAnswer, self._call(route, {"walletpay_order_id": walletpay_order_id, "order_id": order_id, "payment_id": payment_id}))

    def walletpay_create_payout(self, *, amount: float | str, currency: Literal["USD", "KES"], recipient_email: str, order_id: str, note: str | None = None, metadata: dict[str, Any] | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> WalletpayCreatePayoutAnswer:
        """Pay out from the float to an e-mail address. The merchant needs the permission `is_admin` or `can_payout`"""
        route = Route("POST", "/api/v1/walletpay/create_payout", True, True)
        return cast(WalletpayCreatePayoutAnswer, self._call(route, {"amount": amount, "currency": currency, "recipient_email": recipient_email, "order_id": order_id, "note": note, "metadata": metadata}, idempotency_key, is_repeat))

    def walletpay_payout_status(self, *, payout_id: str | None = None, order_id: str | None = None) -> WalletpayPayoutStatusAnswer:
        """Get the status of a payout. Requires `payout_id` or `order_id`"""
        route = Route("GET", "/api/v1/walletpay/payout_status", False, True)
        return cast(WalletpayPayoutStatusAnswer, self._call(route, {"payout_id": payout_id, "order_id": order_id}))

    def walletpay_refund(self, *, transaction_id: str, amount: float | str | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> WalletpayRefundAnswer:
        """Refund a captured order, completely or in part"""
        route = Route("POST", "/api/v1/walletpay/refund", True, True)
        return cast(WalletpayRefundAnswer, self._call(route, {"transaction_id": transaction_id, "amount": amount}, idempotency_key, is_repeat))

    def walletpay_refund_status(self, *, transaction_id: str) -> WalletpayRefundStatusAnswer:
        """Get the status of a refund"""
        route = Route("GET", "/api/v1/walletpay/refund_status", False, True)
        return cast(WalletpayRefundStatusAnswer, self._call(route, {"transaction_id": transaction_id}))

    def walletpay_bulk_payout(self, *, order_id: str, payouts: list[WalletpayBulkPayoutPayouts], idempotency_key: str | None = None, is_repeat: bool = False) -> WalletpayBulkPayoutAnswer:
        """Create up to 1,000 payouts at once, all or none. Each row becomes a normal payout, with its own callback, status and outcome"""
        route = Route("POST", "/api/v1/walletpay/bulk_payout", True, True)
        return cast(WalletpayBulkPayoutAnswer, self._call(route, {"order_id": order_id, "payouts": payouts}, idempotency_key, is_repeat))

    def walletpay_bulk_payout_status(self, *, bulk_id: str | None = None, order_id: str | None = None) -> WalletpayBulkPayoutStatusAnswer:
        """Get the status of a bulk, with totals. Requires `bulk_id` or `order_id`"""
        route = Route("GET", "/api/v1/walletpay/bulk_payout", False, True)
        return cast(WalletpayBulkPayoutStatusAnswer, self._call(route, {"bulk_id": bulk_id, "order_id": order_id}))

    def initiate(self, *, merchant_id: str, order_id: str, amount: float | str, currency: str, description: str, phone_number: str, email_address: str, first_name: str, last_name: str, callback_url: str | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> InitiateAnswer:
        """Create an order (wrapper) and get its payment page. Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook"""
        route = Route("POST", "/api/v2/initiate.php", True, True)
        return cast(InitiateAnswer, self._call(route, {"merchant_id": merchant_id, "order_id": order_id, "amount": amount, "currency": currency, "description": description, "phone_number": phone_number, "email_address": email_address, "first_name": first_name, "last_name": last_name, "callback_url": callback_url}, idempotency_key, is_repeat))

    def initiate_cardproc(self, *, merchant_id: str, order_id: str, amount: float | str, currency: str, description: str, phone_number: str, email_address: str, first_name: str, last_name: str, callback_url: str | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> InitiateCardprocAnswer:
        """Create an order (wrapper, alternative path). Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook"""
        route = Route("POST", "/api/v2/cardproc/initiate.php", True, True)
        return cast(InitiateCardprocAnswer, self._call(route, {"merchant_id": merchant_id, "order_id": order_id, "amount": amount, "currency": currency, "description": description, "phone_number": phone_number, "email_address": email_address, "first_name": first_name, "last_name": last_name, "callback_url": callback_url}, idempotency_key, is_repeat))

    def submit_order(self, *, merchant_id: str, merchant_ref: str, amount: float | str, currency: str | None = None, description: str, callback_url: str, billing_address: SubmitOrderBilling_address, cancellation_url: str | None = None, idempotency_key: str | None = None, is_repeat: bool = False) -> SubmitOrderAnswer:
        """Create an order (card API) and get its payment page. Neither the answer nor the browser's return proves a payment. Query transaction_status.php, or wait for the webhook"""
        route = Route("POST", "/api/cardproc/submit_order.php", True, True)
        return cast(SubmitOrderAnswer, self._call(route, {"merchant_id": merchant_id, "merchant_ref": merchant_ref, "amount": amount, "currency": currency, "description": description, "callback_url": callback_url, "billing_address": billing_address, "cancellation_url": cancellation_url}, idempotency_key, is_repeat))

    def transaction_status(self, *, order_tracking_id: str) -> TransactionStatusAnswer:
        """Get the status of an order by its order_tracking_id"""
        route = Route("POST", "/api/cardproc/transaction_status.php", False, True)
        return cast(TransactionStatusAnswer, self._call(route, {"order_tracking_id": order_tracking_id}))
