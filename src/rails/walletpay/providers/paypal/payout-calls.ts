import { cutText } from '../../../../domain/cut-text';
import { formatAmount } from '../../../../domain/money';
import type { Acceptance, Finding, Recovery } from '../../../../domain/outcome';
import { msSince } from '../../../../payments/read/payment-clock';
import type { Operation, ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import { sentAgain } from '../../../../rail-kit/provider-words';
import type { PaymentRow } from '../../../../store/tables';
import type { Ask, PaypalAnswer } from './calls';
import { findingOf, readBatch, senderIdOf, type Batch } from './payout';
import { notAccepted, payoutRefusals } from './refusals';
import { readError, recordOf, wordOf } from './wire';

/** What the provider takes for a note to the receiver. */
const noteLength = 4_000;
const emailSubject = 'You have a payment';
/** The provider remembers a sender_batch_id for 30 days; sent again later it would pay twice. */
const rememberedMs = 29 * 24 * 60 * 60_000;
/** Leaves time to repeat an instruction whose answer was lost. */
const firstTryShare = 0.5;

type PayoutOperation = Pick<Operation, 'initiate' | 'retrieveStatus'> &
  Required<Pick<Operation, 'cancel' | 'recover'>>;

/** Payouts v1: one batch with one item for each payment, told apart by our own id. */
export function payoutOperation(
  begin: (call: ProviderCall) => Ask,
  { timeScale }: Pick<RailSettings, 'timeScale'>,
): PayoutOperation {
  function send(payment: PaymentRow, ask: Ask, atMostMs?: number): Promise<PaypalAnswer> {
    return ask({
      call: 'initiate',
      method: 'POST',
      path: '/v1/payments/payouts',
      body: instructionOf(payment),
      ...(atMostMs === undefined ? {} : { atMostMs }),
    });
  }

  /** The provider drops repeats of the same sender_batch_id and names the batch it has. */
  async function sendAgain(payment: PaymentRow, ask: Ask): Promise<Recovery> {
    const answer = await send(payment, ask);
    return sentAgain(readAcceptance(answer, payment), isAboutItsWords(answer));
  }

  async function findBatch(payment: PaymentRow, ask: Ask): Promise<Batch | { lost: string }> {
    const reference = wordOf(payment.provider_reference);
    if (reference === '') return { lost: 'no batch to ask about' };
    const answer = await ask({ call: 'query', method: 'GET', path: `/v1/payments/payouts/${reference}` });
    if (answer.kind !== 'answered' || answer.status !== 200) return { lost: answer.text };
    const batch = readBatch(answer.json);
    return batch?.id === reference ? batch : { lost: 'another batch' };
  }

  return {
    async initiate(payment, call) {
      const ask = begin(call);
      const first = readAcceptance(await send(payment, ask, call.timeoutMs * firstTryShare), payment);
      return first.kind === 'unknown' ? sendAgain(payment, ask) : first;
    },

    recover: (payment, call) => sendAgain(payment, begin(call)),

    async retrieveStatus(payment, call): Promise<Finding> {
      const ask = begin(call);
      if (payment.provider_reference !== null) return query(payment, ask);
      // Nobody has told us the batch: whoever sends its sender_batch_id again is told, as long as it is remembered.
      const ageMs = msSince(payment, payment.created_at);
      if (payment.is_final === 1 || ageMs > rememberedMs / timeScale) {
        return { kind: 'unknown', text: 'no batch to ask about' };
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

  async function query(payment: PaymentRow, ask: Ask): Promise<Finding> {
    const found = await findBatch(payment, ask);
    return 'lost' in found ? { kind: 'unknown', text: found.lost } : findingOf(found, payment);
  }

  async function findItemId(payment: PaymentRow, ask: Ask): Promise<string> {
    const found = await findBatch(payment, ask);
    if ('lost' in found || found.senderBatchId !== senderIdOf(payment)) return '';
    return found.items.find(({ senderItemId }) => senderItemId === senderIdOf(payment))?.id ?? '';
  }
}

function instructionOf(payment: PaymentRow): Record<string, unknown> {
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

function readAcceptance(answer: PaypalAnswer, payment: PaymentRow): Acceptance {
  if (answer.kind !== 'answered') return notAccepted(answer, payoutRefusals);
  if (answer.status === 200 || answer.status === 201) {
    const batch = readBatch(answer.json);
    const told = batch?.senderBatchId ?? '';
    const isOurs = batch && (told === '' || told === senderIdOf(payment));
    return isOurs ? accepted(batch.id) : { kind: 'unknown', text: answer.text };
  }
  const twin = twinOf(answer);
  return twin === '' ? notAccepted(answer, payoutRefusals) : accepted(twin);
}

/**
 * The batch that has our sender_batch_id already. Its link is read, never followed; whether the batch is ours is told
 * by its own answer, each time it is asked.
 */
function twinOf(answer: PaypalAnswer): string {
  const error = answer.kind === 'account_refused' ? undefined : readError(answer);
  if (error?.status !== 400 || error.name !== 'USER_BUSINESS_ERROR') return '';
  const [, id] = /\/v1\/payments\/payouts\/([^/?#]+)$/.exec(error.link) ?? [];
  return wordOf(id);
}

function accepted(providerReference: string): Acceptance {
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
