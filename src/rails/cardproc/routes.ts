import type { Environment } from '../../config';
import { PaymentError, invalid, type ErrorCode, type FieldFault } from '../../domain/errors';
import type { PaymentDraft } from '../../payments/accept-payment';
import type { AnyEndpoint, Call, Endpoint, OpenEndpoint } from '../../payments/endpoint';
import { findPayment } from '../../payments/payments';
import type { RailApi } from '../../payments/rail';
import type { PaymentRow } from '../../store/tables';
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

/** Which of the two paths an account uses is not said, so both serve all. */
const initiatePaths = ['/api/v2/initiate.php', '/api/v2/cardproc/initiate.php'];

export function cardprocEndpoints(api: RailApi, environment: Environment): AnyEndpoint[] {
  const order = { method: 'POST', access: 'merchant_id', rateLimit: 'api', starts: true } as const;
  const initiate: Omit<Endpoint, 'path'> = {
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
    translateError: asProcessorFailure,
    async handle(call) {
      const input = call.input as unknown as SubmitOrderInput;
      refuseForeignPages(call, environment, ['callback_url', 'cancellation_url']);
      return { status: 200, body: submitOrderAnswer(await accepted(api, call, cardApiDraft(input))) };
    },
  };
  const transactionStatus: OpenEndpoint = {
    method: 'POST',
    path: '/api/cardproc/transaction_status.php',
    access: 'anyone',
    input: transactionStatusBody,
    async handle({ input }) {
      const payment = await findByTrackingId(api, String(input['order_tracking_id']));
      if (!payment) throw new PaymentError('PAYMENT_NOT_FOUND');
      return { status: 200, body: transactionStatusAnswer(payment) };
    },
  };
  return [...initiatePaths.map((path) => ({ ...initiate, path })), submitOrder, transactionStatus];
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
 * Submits the order. Without the processor's page nobody can pay it, so an answer without one is an error whatever
 * becomes of the order later.
 */
async function accepted(api: RailApi, call: Call, draft: PaymentDraft): Promise<PaymentRow> {
  const { payment } = await api.accept(call, draft).catch(async (error: unknown) => {
    throw await inProcessorsWords(api, error);
  });
  if (payment.details['redirect_url'] === undefined) {
    throw new PaymentError('PROVIDER_UNAVAILABLE', { extra: { payment_id: payment.payment_id } });
  }
  return payment;
}

/** Refusals that name what the merchant may change. */
const explained: readonly ErrorCode[] = ['AMOUNT_OUT_OF_RANGE', 'PROVIDER_REJECTED_REQUEST'];

async function inProcessorsWords({ db }: RailApi, error: unknown): Promise<unknown> {
  if (!(error instanceof PaymentError) || !explained.includes(error.code)) return error;
  const payment = await findPayment(db, error.options.extra?.['payment_id'] ?? '');
  const text = payment?.result_text ?? '';
  return text === '' ? error : new PaymentError(error.code, { ...error.options, message: text });
}

const processorFailures: readonly ErrorCode[] = [
  'PROVIDER_ACCOUNT_REFUSED',
  'PROVIDER_TEMPORARILY_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
];

/** Specification, Errors, card API: what fails at the processor is 500. */
function asProcessorFailure(error: PaymentError): PaymentError {
  if (!processorFailures.includes(error.code)) return error;
  const { extra, detail } = error.options;
  return new PaymentError('PROCESSOR_FAILURE', {
    cause: error,
    ...(extra === undefined ? {} : { extra }),
    ...(detail === undefined ? {} : { detail }),
  });
}

async function findByTrackingId({ db }: RailApi, trackingId: string): Promise<PaymentRow | undefined> {
  if (!/^[\x21-\x7e]+$/.test(trackingId)) return undefined;
  const payment = await db('payments').where({ rail: 'cardproc', provider_reference: trackingId }).first();
  return payment?.provider_reference === trackingId ? payment : undefined;
}
