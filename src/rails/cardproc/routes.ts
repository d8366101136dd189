import type { Environment } from '../../config';
import { PaymentError, invalid, type ErrorCode, type FieldFault } from '../../domain/errors';
import { isSettled } from '../../domain/payment';
import { canQueryNow } from '../../payments/submit/query-provider';
import type { PaymentDraft } from '../../rail-kit/draft';
import type { AnyEndpoint, Call, Endpoint, OpenEndpoint } from '../../rail-kit/endpoint';
import { findPayment } from '../../payments/read/payments';
import { creationUnknown } from '../../payments/read/creation-errors';
import type { RailApi } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { cardprocAbout } from './description';
import { cardApiDraft, wrapperDraft } from './drafts';
import {
  initiateBody,
  submitOrderBody,
  transactionStatusBody,
  type InitiateInput,
  type SubmitOrderInput,
} from './requests';
import { initiateAnswer, submitOrderAnswer, transactionStatusAnswer } from './responses';
import { faultOfHost } from './return-url';
import { isFollowed } from './status';

/** The specification does not say which path an account uses, so both paths serve all accounts. */
const initiatePaths = [
  { path: '/api/v2/initiate.php', about: cardprocAbout.initiate },
  { path: '/api/v2/cardproc/initiate.php', about: cardprocAbout.initiateCardproc },
];

interface Pace {
  /** Milliseconds between two queries to the processor about one order, however often its status is requested. */
  askedEveryMs: number;
  /** How long an unpaid order is polled, in milliseconds: until then it may still be paid. */
  followedMs: number;
}

export function cardprocEndpoints(api: RailApi, environment: Environment, pace: Pace): AnyEndpoint[] {
  const order = {
    method: 'POST',
    access: 'merchant_id',
    scope: 'collect',
    rateLimit: 'api',
    starts: true,
  } as const;
  const initiate: Omit<Endpoint, 'path' | 'about'> = {
    ...order,
    input: initiateBody,
    async handle(call) {
      const input = call.input as unknown as InitiateInput;
      refuseForeignPages(call, environment, ['callback_url']);
      return { status: 200, body: initiateAnswer(await accepted(api, call, wrapperDraft(input))) };
    },
  };
  const submitOrder: Endpoint = {
    ...order,
    path: '/api/cardproc/submit_order.php',
    input: submitOrderBody,
    about: cardprocAbout.submitOrder,
    translateError: asProcessorFailure,
    async handle(call) {
      const input = call.input as unknown as SubmitOrderInput;
      refuseForeignPages(call, environment, ['callback_url', 'cancellation_url']);
      const payment = await accepted(api, call, cardApiDraft(input)).catch((error: unknown) => {
        throw underBilling(error);
      });
      return { status: 200, body: submitOrderAnswer(payment) };
    },
  };
  const transactionStatus: OpenEndpoint = {
    method: 'POST',
    path: '/api/cardproc/transaction_status.php',
    access: 'anyone',
    input: transactionStatusBody,
    about: cardprocAbout.transactionStatus,
    async handle({ input }) {
      const payment = await findByTrackingId(api, String(input['order_tracking_id']));
      if (!payment) throw new PaymentError('PAYMENT_NOT_FOUND');
      const mayStillCome = isFollowed(payment, pace.followedMs);
      const isOpen = mayStillCome && !isSettled(payment.state);
      const asks = isOpen && (await canQueryNow(api.db, payment, pace.askedEveryMs));
      const now = asks ? (await api.checkNow(payment)).payment : payment;
      return { status: 200, body: transactionStatusAnswer(now, mayStillCome) };
    },
  };
  return [...initiatePaths.map((named) => ({ ...initiate, ...named })), submitOrder, transactionStatus];
}

function refuseForeignPages(
  { input, merchant }: Call,
  environment: Environment,
  fields: readonly string[],
): void {
  const faults = fields.flatMap((field): FieldFault[] => {
    const url = input[field];
    if (typeof url !== 'string') return [];
    const fault = faultOfHost(url, environment, merchant.checkout_hosts);
    return fault === undefined ? [] : [{ field, message: `${field} ${fault}` }];
  });
  if (faults.length > 0) throw invalid(faults);
}

/**
 * Submits the order. Without the payment page the customer cannot pay, so an answer without a page is useless. A repeat
 * with the same key gets the page once it exists.
 */
async function accepted(api: RailApi, call: Call, draft: PaymentDraft): Promise<PaymentRow> {
  const payment = await submitted(api, call, draft).catch(async (error: unknown) => {
    throw await inProcessorsWords(api, error);
  });
  if (payment.details['redirect_url'] === undefined) {
    throw creationUnknown({ payment_id: payment.payment_id }, 'the payment page is not known yet');
  }
  return payment;
}

/** A repeated order is the same order, and gets the first answer again: the customer still needs the page. */
async function submitted(api: RailApi, call: Call, draft: PaymentDraft): Promise<PaymentRow> {
  try {
    return (await api.accept(call, draft)).payment;
  } catch (error) {
    if (!(error instanceof PaymentError) || error.code !== 'DUPLICATE_PAYMENT') throw error;
    const firstId = error.options.extra?.['payment_id'] ?? '';
    const first = await findPayment(api.db, firstId).catch(() => undefined);
    if (!first) throw error;
    return (await api.answerAgain(first)).payment;
  }
}

/** Errors that name a field which the merchant can change. */
const explained: readonly ErrorCode[] = [
  'AMOUNT_OUT_OF_RANGE',
  'UNSUPPORTED_CURRENCY',
  'PROVIDER_REJECTED_REQUEST',
];

async function inProcessorsWords({ db }: RailApi, error: unknown): Promise<unknown> {
  if (!(error instanceof PaymentError) || !explained.includes(error.code)) return error;
  const paymentId = error.options.extra?.['payment_id'] ?? '';
  const payment = await findPayment(db, paymentId).catch(() => undefined);
  const text = payment?.result_text ?? '';
  return text === '' ? error : new PaymentError(error.code, { ...error.options, message: text });
}

const billingFields = ['phone_number', 'email_address', 'first_name', 'last_name'];

/** The card API has the customer's fields in an object of their own. */
function underBilling(error: unknown): unknown {
  const { details } = error instanceof PaymentError ? error.options : {};
  if (!(error instanceof PaymentError) || !details) return error;
  const placed = details.map(({ field, message }) => ({
    field: billingFields.includes(field) ? `billing_address.${field}` : field,
    message,
  }));
  return new PaymentError(error.code, { message: error.message, ...error.options, details: placed });
}

const processorFailures: readonly ErrorCode[] = [
  'ACCEPTANCE_UNKNOWN',
  'PROVIDER_ACCOUNT_REFUSED',
  'PROVIDER_TEMPORARILY_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
];

/** Specification, Errors, card API: a failure at the processor is a 500. */
function asProcessorFailure(error: PaymentError): PaymentError {
  if (!processorFailures.includes(error.code)) return error;
  const { extra, detail } = error.options;
  return new PaymentError('PROCESSOR_FAILURE', {
    cause: error,
    // The code's own sentence says that the order was not created, which is unknown here.
    ...(error.code === 'ACCEPTANCE_UNKNOWN' && { message: error.message }),
    ...(extra === undefined ? {} : { extra }),
    ...(detail === undefined ? {} : { detail }),
  });
}

async function findByTrackingId({ db }: RailApi, trackingId: string): Promise<PaymentRow | undefined> {
  if (!/^[\x21-\x7e]+$/.test(trackingId)) return undefined;
  const payment = await db('payments').where({ rail: 'cardproc', provider_reference: trackingId }).first();
  return payment?.provider_reference === trackingId ? payment : undefined;
}
