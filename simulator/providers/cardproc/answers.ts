/** All the provider's answers, to the letter. A 200 can contain an error. */
import type { CallResponse, ErrorAnswers } from '../../calls';
import { localTime, utcTime } from './identifiers';
import { withReference, type Registration } from './notification';
import type { IssuedToken } from './accounts';
import type { Order } from './orders';
import type { Refused } from './requests';
import { scenarioOf } from './scenarios';

const PROCESSED = 'Request processed successfully';

const ok = (json: object): CallResponse => ({ status: 200, json });
const errorOf = ({ code, message }: Refused) => ({ error_type: 'api_error', code, message });

function denial(status: number, refused: Refused): CallResponse {
  return { status, json: { error: errorOf(refused), status: String(status), message: null } };
}

export const invalidToken = () =>
  denial(401, { code: 'invalid_access_token', message: 'The access token is invalid or has expired' });
export const unreadable = () =>
  denial(400, { code: 'invalid_api_request_parameters', message: 'The body is not valid JSON' });
export const notFound = () => denial(404, { code: 'not_found', message: 'There is no such call' });
export const serverError = () => denial(500, { code: 'internal_server_error', message: 'An error occurred' });

export const errors: ErrorAnswers = {
  expiredToken: invalidToken,
  rateLimited: () => denial(429, { code: 'too_many_requests', message: 'Too many requests' }),
};

export function tokenAnswer(issued: IssuedToken | undefined): CallResponse {
  if (issued) {
    const expiryDate = utcTime(issued.expiresAt);
    return ok({ token: issued.token, expiryDate, error: null, status: '200', message: PROCESSED });
  }
  const error = errorOf({ code: 'invalid_consumer_key_or_secret_provided', message: '' });
  return ok({ token: null, expiryDate: null, error, status: '500', message: null });
}

/** One address may be registered for GET and for POST, and is listed for each. */
const registrationOf = ({ number, url, createdAt, ipnId, type }: Registration) => ({
  id: number,
  url,
  created_date: utcTime(createdAt),
  ipn_id: ipnId,
  notification_type: type === 'GET' ? 0 : 1,
  ipn_notification_type_description: type,
  ipn_status: 1,
  // The provider's spelling.
  ipn_status_decription: 'Active',
  error: null,
  status: '200',
});

export const registered = (registration: Registration) => ok(registrationOf(registration));

export function registrationRefused(refused: Refused): CallResponse {
  return ok({ ipn_id: null, url: null, error: errorOf(refused), status: '500' });
}

export function registrationList(registrations: readonly Registration[]): CallResponse {
  return ok(registrations.map(registrationOf));
}

export function submitted({ trackingId, merchantReference }: Order, redirectUrl: string): CallResponse {
  return ok({
    order_tracking_id: trackingId,
    merchant_reference: merchantReference,
    redirect_url: redirectUrl,
    error: null,
    status: '200',
  });
}

export function submissionRefused(refused: Refused): CallResponse {
  return ok({
    order_tracking_id: null,
    merchant_reference: null,
    redirect_url: null,
    error: errorOf(refused),
    status: '500',
  });
}

/** The number is the status call's `status_code`. */
const stateWords = {
  OPEN: { code: 0, loose: 'Invalid', word: 'INVALID' },
  COMPLETED: { code: 1, loose: 'Completed', word: 'COMPLETED' },
  FAILED: { code: 2, loose: 'Failed', word: 'FAILED' },
  REVERSED: { code: 3, loose: 'Reversed', word: 'REVERSED' },
} as const;

/** Why a payment failed: banks send a sentence, mobile networks a code and an empty sentence. */
const failures = {
  card: {
    description: 'Unable to Authorize Transaction.Kindly contact your bank for assistance',
    code: '',
  },
  mobile: { description: '', code: 'request_terminated_by_user' },
} as const;
const noFailure = { description: null, code: '' };

export function statusOf(order: Order): CallResponse {
  const { trackingId, merchantReference, currency, state, payment } = order;
  const { code, loose, word } = stateWords[state];
  const { isLoose } = scenarioOf(order.amountCents);
  const text = (value: string | null) => (isLoose ? null : value);
  const why = state === 'FAILED' ? failures[payment?.isCard === true ? 'card' : 'mobile'] : noFailure;
  const about = {
    payment_method: payment?.method ?? '',
    amount: (payment?.amountCents ?? order.amountCents) / 100,
    created_date: localTime(order.createdAt),
    confirmation_code: payment?.code ?? '',
    order_tracking_id: trackingId,
    payment_status_description: isLoose ? loose : word,
    description: text(why.description),
    message: text(PROCESSED),
    payment_account: text(payment?.account ?? ''),
  };
  const rest = {
    status_code: code,
    merchant_reference: merchantReference,
    payment_status_code: text(why.code),
    currency,
  };
  if (!payment) {
    const error = errorOf({ code: 'payment_details_not_found', message: 'Pending Payment' });
    return ok({ ...about, ...rest, error, status: isLoose ? 500 : '500' });
  }
  return ok({
    ...about,
    call_back_url: withReference(order.callbackUrl, order),
    ...rest,
    error: { error_type: null, code: null, message: null, call_back_url: null },
    status: isLoose ? 200 : '200',
  });
}

export function unknownOrder(): CallResponse {
  const message = 'There is no order with this order_tracking_id';
  return ok({ error: errorOf({ code: 'invalid_order_tracking_id', message }), status: '500', message: null });
}

/** A refund gets a number and a sentence. */
export function done(message: string): CallResponse {
  return ok({ status: 200, message });
}

export function notDone(message: string): CallResponse {
  return ok({ status: 500, message });
}

/** A cancellation gets the same as text, as the documentation shows. */
export const cancelled = () => ok({ status: '200', message: 'Order successfully cancelled.' });
export const notCancelled = () => ok({ status: '500', message: 'Order could not be cancelled.' });
