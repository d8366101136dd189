/** All the provider's errors, to the letter: name, status, and issues. */
import type { CallResponse, ErrorAnswers } from '../../calls';
import { newDebugId } from './identifiers';

const errors = {
  INVALID_REQUEST: [400, 'Request is not well-formed, syntactically incorrect, or violates schema.'],
  VALIDATION_ERROR: [400, 'Invalid request - see details.'],
  USER_BUSINESS_ERROR: [400, 'User business error.'],
  ITEM_ALREADY_CANCELLED: [400, 'Item has already been cancelled.'],
  ITEM_INCORRECT_STATUS: [400, 'Item is not in the correct status to be cancelled.'],
  AUTHENTICATION_FAILURE: [
    401,
    'Authentication failed due to invalid authentication credentials or a missing Authorization header.',
  ],
  AUTHORIZATION_ERROR: [403, 'Authorization error occurred.'],
  NOT_AUTHORIZED: [403, 'Authorization failed due to insufficient permissions.'],
  SENDER_RESTRICTED: [403, "The sender's account is restricted."],
  SENDER_EMAIL_UNCONFIRMED: [403, "The sender's email is not confirmed."],
  INVALID_RESOURCE_ID: [404, 'The requested resource ID was not found.'],
  RESOURCE_NOT_FOUND: [404, 'The specified resource does not exist.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The server does not support the request payload’s media type.'],
  UNPROCESSABLE_ENTITY: [
    422,
    'The requested action could not be performed, semantically incorrect, or failed business validation.',
  ],
  INSUFFICIENT_FUNDS: [422, 'Sender does not have sufficient funds.'],
  RATE_LIMIT_REACHED: [429, 'Too many requests. Blocked due to rate limiting.'],
  INTERNAL_SERVER_ERROR: [500, 'An internal server error occurred.'],
  SERVICE_UNAVAILABLE: [503, 'Service Unavailable.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorName = keyof typeof errors;

/** The issues of a 422, each with its sentence. */
export const issues = {
  AUTH_CAPTURE_NOT_ENABLED: 'Authorization and Capture feature is not enabled for the merchant.',
  CANNOT_BE_ZERO_OR_NEGATIVE:
    'Must be greater than zero. If the currency supports decimals, two places are allowed.',
  CAPTURE_FULLY_REFUNDED: 'The capture has already been fully refunded.',
  COMPLIANCE_VIOLATION: 'Transaction is declined due to compliance violation.',
  CURRENCY_NOT_SUPPORTED: 'Currency code is not currently supported.',
  DECIMAL_PRECISION: 'If the currency supports decimals, only two decimal place precision is supported.',
  DOMESTIC_TRANSACTION_REQUIRED:
    'This transaction requires the payee and payer to be resident in the same country.',
  DUPLICATE_INVOICE_ID:
    'Duplicate Invoice ID detected. To avoid a potential duplicate transaction, it was refused.',
  INSTRUMENT_DECLINED:
    'The instrument presented was either declined by the processor or bank, or it cannot be used.',
  MAX_NUMBER_OF_REFUNDS_EXCEEDED: 'Too many refunds were asked for of this capture.',
  MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: 'You have exceeded the maximum number of payment attempts.',
  ORDER_ALREADY_CAPTURED: 'Order already captured. If intent=CAPTURE only one capture per order is allowed.',
  ORDER_COMPLETION_IN_PROGRESS: 'Order is being completed. Get the order to see its status.',
  ORDER_NOT_APPROVED: 'Payer has not yet approved the Order for payment.',
  PAYEE_ACCOUNT_RESTRICTED: 'The merchant account is restricted.',
  PAYEE_BLOCKED_TRANSACTION:
    'The fraud settings for this seller are such that this payment cannot be executed.',
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: 'The payer account cannot be used for this transaction.',
  PAYER_ACCOUNT_RESTRICTED: 'Payer account is restricted.',
  PAYER_ACTION_REQUIRED: 'Payer needs to perform an action before proceeding with payment.',
  PAYER_CANNOT_PAY: 'Payer cannot pay for this transaction.',
  PARTIAL_REFUND_NOT_ALLOWED: 'Only the whole capture can be refunded.',
  PENDING_CAPTURE: 'Cannot initiate a refund as the capture is pending.',
  REDIRECT_PAYER_FOR_ALTERNATE_FUNDING:
    'Transaction failed. Redirect the payer to select another funding source.',
  REFUND_AMOUNT_EXCEEDED:
    'The refund amount must be less than or equal to the capture amount that is not refunded.',
  REFUND_CAPTURE_CURRENCY_MISMATCH: 'Refund must be in the same currency as the capture.',
  REFUND_FAILED_INSUFFICIENT_FUNDS: 'Capture could not be refunded due to insufficient funds.',
  REFUND_NOT_ALLOWED: 'The capture cannot be refunded in its status.',
  REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK: 'A capture that was charged back is not refunded.',
  REFUND_TIME_LIMIT_EXCEEDED: 'You are over the time limit to perform a refund on this capture.',
  TRANSACTION_BLOCKED_BY_PAYEE: "Transaction blocked by payee's fraud protection settings.",
  TRANSACTION_DISPUTED: 'Partial refunds cannot be offered at this time as the capture is disputed.',
  TRANSACTION_LIMIT_EXCEEDED: 'Total payment amount exceeded transaction limit.',
  TRANSACTION_RECEIVING_LIMIT_EXCEEDED: "The transaction exceeds the receiver's receiving limit.",
  TRANSACTION_REFUSED: 'The request was refused.',
} as const satisfies Record<string, string>;

export type Issue = keyof typeof issues;

export interface Link {
  href: string;
  rel: string;
  method: string;
  encType?: string;
}

export interface Detail {
  field?: string;
  value?: string;
  location?: 'body' | 'header' | 'path';
  issue: string;
  description?: string;
  link?: Link[];
}

export function denial(
  name: ErrorName,
  details: readonly Detail[] = [],
  links: readonly Link[] = [],
): CallResponse {
  const [status, message] = errors[name];
  const debugId = newDebugId();
  return {
    status,
    json: { name, message, debug_id: debugId, details, links },
    headers: { 'paypal-debug-id': debugId },
  };
}

/** A 422 for one issue. */
export function refusedFor(
  issue: Issue,
  detail: Partial<Detail> = {},
  links: readonly Link[] = [],
): CallResponse {
  const information: Link = {
    href: `https://developer.paypal.com/docs/api/orders/v2/#error-${issue}`,
    rel: 'information_link',
    method: 'GET',
  };
  const reported = { ...detail, issue, description: issues[issue] };
  return denial('UNPROCESSABLE_ENTITY', [reported], [information, ...links]);
}

export const notFound = () =>
  denial('RESOURCE_NOT_FOUND', [
    {
      issue: 'INVALID_RESOURCE_ID',
      description: 'Specified resource ID does not exist. Please check the resource ID and try again.',
    },
  ]);

export const unreadable = () =>
  denial('INVALID_REQUEST', [
    {
      location: 'body',
      issue: 'MALFORMED_REQUEST_JSON',
      description: 'The request JSON is not well formed.',
    },
  ]);

export const errorAnswers: ErrorAnswers = {
  expiredToken: () => denial('AUTHENTICATION_FAILURE'),
  rateLimited: () => denial('RATE_LIMIT_REACHED'),
  unavailable: () => denial('SERVICE_UNAVAILABLE'),
};

export function isIssue(code: unknown): code is Issue {
  return typeof code === 'string' && Object.hasOwn(issues, code);
}

export function isErrorName(code: unknown): code is ErrorName {
  return typeof code === 'string' && Object.hasOwn(errors, code);
}
