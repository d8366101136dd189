import { cutText } from '../../../../domain/cut-text';
import { formatAmount } from '../../../../domain/money';
import type { SubmissionResult, ProviderResult, Recovery } from '../../../../domain/outcome';
import { msSince } from '../../../../payments/read/payment-clock';
import type { Operation, ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import { sentAgain } from '../../../../rail-kit/provider-words';
import type { PaymentRow } from '../../../../store/tables';
import type { Ask, PaypalAnswer } from './calls';
import { resultOf, readBatch, senderIdOf, type Batch } from './payout';
import { notAccepted, payoutErrorCodes } from './error-codes';
import { readError, recordOf, wordOf } from './wire';

/** The provider's limit for a note to the receiver. */
const noteLength = 4_000;
const emailSubject = 'You have a payment';
/** The provider recognises a sender_batch_id for 30 days; a later repeat would pay twice. */
const rememberedMs = 29 * 24 * 60 * 60_000;
/** Leaves time to repeat a submission whose answer was lost. */
const firstTryShare = 0.5;

type PayoutOperation = Pick<Operation, 'initiate' | 'retrieveStatus'> &
  Required<Pick<Operation, 'cancel' | 'recover'>>;

/** Payouts v1: one batch with one item per payment, identified by our own id. */
export function payoutOperation(
  begin: (call: ProviderCall) => Ask,
  { timeScale }: Pick<RailSettings, 'timeScale'>,
): PayoutOperation {
  function send(payment: PaymentRow, ask: Ask, atMostMs?: number): Promise<PaypalAnswer> {
    return ask({
      call: 'initiate',
      method: 'POST',
      path: '/v1/payments/payouts',
      body: submissionBody(payment),
      ...(atMostMs === undefined ? {} : { atMostMs }),
    });
  }

  /** The provider drops repeats of the same sender_batch_id and returns the id of the existing batch. */
  async function sendAgain(payment: PaymentRow, ask: Ask): Promise<Recovery> {
    const answer = await send(payment, ask);
    return sentAgain(readSubmission(answer, payment), isAboutItsWords(answer));
  }

  async function findBatch(payment: PaymentRow, ask: Ask): Promise<Batch | { lost: string }> {
    const reference = wordOf(payment.provider_reference);
    if (reference === '') return { lost: 'there is no batch to query' };
    const answer = await ask({ call: 'query', method: 'GET', path: `/v1/payments/payouts/${reference}` });
    if (answer.kind !== 'answered' || answer.status !== 200) return { lost: answer.text };
    const batch = readBatch(answer.json);
    return batch?.id === reference ? batch : { lost: 'another batch' };
  }

  return {
    async initiate(payment, call) {
      const ask = begin(call);
      const first = readSubmission(await send(payment, ask, call.timeoutMs * firstTryShare), payment);
      return first.kind === 'unknown' ? sendAgain(payment, ask) : first;
    },

    recover: (payment, call) => sendAgain(payment, begin(call)),

    async retrieveStatus(payment, call): Promise<ProviderResult> {
      const ask = begin(call);
      if (payment.provider_reference !== null) return query(payment, ask);
      // The batch id is unknown. A repeat with its sender_batch_id returns it, as long as the provider recognises the
      // id.
      const ageMs = msSince(payment, payment.created_at);
      if (payment.is_final === 1 || ageMs > rememberedMs / timeScale) {
        return { kind: 'unknown', text: 'there is no batch to query' };
      }
      const again = await sendAgain(payment, ask);
      if (again.kind === 'accepted') {
        return query({ ...payment, provider_reference: again.providerReference }, ask);
      }
      return again.kind === 'refused'
        ? { kind: 'failed', code: again.providerCode, text: again.text }
        : { kind: 'unknown', text: 'text' in again ? again.text : again.kind };
    },

    async cancel(payment, call) {
      const ask = begin(call);
      const itemId = wordOf(payment.details['payout_item_id']) || (await findItemId(payment, ask));
      if (itemId === '') return 'unknown';
      const path = `/v1/payments/payouts-item/${itemId}/cancel`;
      return readCancellation(await ask({ call: 'cancel', method: 'POST', path, body: {} }));
    },
  };

  async function query(payment: PaymentRow, ask: Ask): Promise<ProviderResult> {
    const found = await findBatch(payment, ask);
    return 'lost' in found ? { kind: 'unknown', text: found.lost } : resultOf(found, payment);
  }

  async function findItemId(payment: PaymentRow, ask: Ask): Promise<string> {
    const found = await findBatch(payment, ask);
    if ('lost' in found || found.senderBatchId !== senderIdOf(payment)) return '';
    return found.items.find(({ senderItemId }) => senderItemId === senderIdOf(payment))?.id ?? '';
  }
}

function submissionBody(payment: PaymentRow): Record<string, unknown> {
  const { instructed_currency: currency, instructed_minor: minor, details } = payment;
  const { recipient_email: receiver, note } = details;
  const senderId = senderIdOf(payment);
  return {
    sender_batch_header: { sender_batch_id: senderId, email_subject: emailSubject },
    items: [
      {
        recipient_type: 'EMAIL',
        receiver,
        amount: { currency, value: formatAmount(BigInt(minor), currency) },
        ...(note === undefined || note === '' ? {} : { note: cutText(note, noteLength) }),
        sender_item_id: senderId,
      },
    ],
  };
}

function readSubmission(answer: PaypalAnswer, payment: PaymentRow): SubmissionResult {
  if (answer.kind !== 'answered') return notAccepted(answer, payoutErrorCodes);
  if (answer.status === 200 || answer.status === 201) {
    const batch = readBatch(answer.json);
    const reported = batch?.senderBatchId ?? '';
    const isOurs = batch && (reported === '' || reported === senderIdOf(payment));
    return isOurs ? accepted(batch.id) : { kind: 'unknown', text: answer.text };
  }
  const twin = twinOf(answer);
  return twin === '' ? notAccepted(answer, payoutErrorCodes) : accepted(twin);
}

/**
 * The batch with our sender_batch_id. Its link is read, but never followed. Each answer about the batch shows whether
 * it is ours.
 */
function twinOf(answer: PaypalAnswer): string {
  const error = answer.kind === 'account_refused' ? undefined : readError(answer);
  if (error?.status !== 400 || error.name !== 'USER_BUSINESS_ERROR') return '';
  const [, id] = /\/v1\/payments\/payouts\/([^/?#]+)$/.exec(error.link) ?? [];
  return wordOf(id);
}

function accepted(providerReference: string): SubmissionResult {
  return { kind: 'accepted', providerReference };
}

function isAboutItsWords(answer: PaypalAnswer): boolean {
  const name = answer.kind === 'account_refused' ? undefined : readError(answer)?.name;
  return name === 'VALIDATION_ERROR' || name === 'INVALID_REQUEST';
}

type Cancellation = 'taken' | 'too_late' | 'unknown';

function readCancellation(answer: PaypalAnswer): Cancellation {
  if (answer.kind !== 'answered') return 'unknown';
  if (answer.status === 200) {
    return recordOf(answer.json)['transaction_status'] === 'RETURNED' ? 'taken' : 'unknown';
  }
  const error = readError(answer);
  if (error?.status !== 400) return 'unknown';
  const words = [error.name, error.issue];
  if (words.includes('ITEM_ALREADY_CANCELLED')) return 'taken';
  return words.includes('ITEM_INCORRECT_STATUS') ? 'too_late' : 'unknown';
}
