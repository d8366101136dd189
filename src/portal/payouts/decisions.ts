/** What becomes of payouts that were put together: asked for, approved by somebody else, or rejected. */
import { cutText } from '../../domain/cut-text';
import { PaymentError } from '../../domain/errors';
import { currentRequest } from '../../api/request-context';
import { enqueueMail } from '../../mail/enqueue-mail';
import { waitsHours } from '../../users/asked';
import { othersWithTheRight } from '../../users/deciders';
import { NotNow } from '../../users/key-confirmations';
import type { Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { payoutsWaitMail } from '../mails';
import { recordOf, somebodyOf } from '../pages/parts';
import { sentenceOf } from '../pages/payment-actions';
import { notFound } from '../pages/refusals';
import { go, type Answer, type MerchantVisit } from '../visit';
import { batchPage, totalsPlanned } from './batch';
import { ask, findBatch, noteSent, orderIdOf, reject, rowsOf, type Batch } from './batches';

async function ofBatch(
  visit: MerchantVisit,
  then: (batch: Batch) => Promise<Answer> | Answer,
): Promise<Answer> {
  const { db, place, params, session } = visit;
  const found = await findBatch(db, place.merchant.merchant_id, params['batch'] ?? '');
  // A draft is its maker's alone.
  const isTheirs = found && (found.state !== 'draft' || found.made_by === session.person.userId);
  return isTheirs ? then(found) : notFound(visit);
}

const pageOf = ({ place }: MerchantVisit, { batch_id: id }: Batch) =>
  `/m/${place.merchant.merchant_id}/payouts/${id}`;

const askedOf = ({ place }: MerchantVisit, batch: Batch) => ({
  merchant: place.merchant,
  rail: batch.rail,
  orderId: orderIdOf(batch),
  rows: rowsOf(batch),
  requestId: currentRequest()?.requestId ?? '',
});

const record = (visit: MerchantVisit, trx: Transaction, action: string, batch: Batch, bulkId?: string) =>
  recordOf(visit, trx, action, {
    batch_id: batch.batch_id,
    count: batch.row_count,
    ...(bulkId !== undefined && { bulk_id: bulkId }),
  });

export function showBatch(visit: MerchantVisit): Promise<Answer> {
  return ofBatch(visit, (batch) => batchPage(visit, batch));
}

/** Does it, or says on the page why not. */
function deciding(
  visit: MerchantVisit,
  done: string,
  work: (batch: Batch) => Promise<unknown>,
): Promise<Answer> {
  return ofBatch(visit, async (batch) => {
    const { acts, place, t } = visit;
    if (batch.state === 'sent' || batch.state === 'rejected') return go(pageOf(visit, batch));
    // What goes out needs its rail; what is rejected goes nowhere.
    if (done !== 'rejected' && !acts.payoutRails.includes(batch.rail))
      return batchPage(visit, batch, t('payouts.not_now.unserved'));
    try {
      await work(batch);
      return go(`${pageOf(visit, batch)}?done=${done}`);
    } catch (error) {
      const fault = error instanceof NotNow ? t(`payouts.not_now.${error.why}`) : faultOf(visit, error);
      const now = (await findBatch(visit.db, place.merchant.merchant_id, batch.batch_id)) ?? batch;
      return batchPage(visit, now, fault);
    }
  });
}

/** Of one row among many it says which. */
function faultOf(visit: MerchantVisit, error: unknown): string {
  const sentence = sentenceOf(visit, error);
  const [first] = error instanceof PaymentError ? (error.options.details ?? []) : [];
  const n = /^payouts\.(\d+)/.exec(first?.field ?? '')?.[1];
  return n === undefined ? sentence : `${visit.t('payouts.at_row', { n: Number(n) + 1 })} ${sentence}`;
}

/** Nothing waits that could not be done now: it is tried whole, and taken back. */
export function askFor(visit: MerchantVisit): Promise<Answer> {
  return deciding(visit, 'asked', async (batch) => {
    await visit.acts.tryPayOut(askedOf(visit, batch));
    await inTransaction(visit.db, async (trx) => {
      await ask(trx, batch.batch_id, somebodyOf(visit), visit.standingSeconds);
      await tellOthers(visit, trx, batch);
      await record(visit, trx, 'payouts.ask', batch);
    });
  });
}

async function tellOthers(visit: MerchantVisit, trx: Transaction, batch: Batch): Promise<void> {
  const { place, session, settings, sendsMail } = visit;
  if (!sendsMail) return;
  const { name: merchant } = place.merchant;
  const told = {
    path: pageOf(visit, batch),
    who: session.person.email,
    ...{ merchant, count: batch.row_count, totals: totalsPlanned(batch), hours: waitsHours },
  };
  for (const one of await othersWithTheRight(trx, somebodyOf(visit)))
    await enqueueMail(trx, payoutsWaitMail(settings.url, one, told));
}

/** Who approves, and the payouts, are written in one transaction: however often it is confirmed, they are these. */
export function approveBatch(visit: MerchantVisit): Promise<Answer> {
  return deciding(visit, 'sent', (batch) =>
    visit.acts.payOut(askedOf(visit, batch), async (trx, bulkId) => {
      const { batch_id: batchId } = batch;
      await noteSent(trx, { batchId, userId: visit.session.person.userId, bulkId }, visit.standingSeconds);
      await record(visit, trx, 'payouts.approve', batch, bulkId);
    }),
  );
}

export function rejectBatch(visit: MerchantVisit): Promise<Answer> {
  return deciding(visit, 'rejected', (batch) =>
    inTransaction(visit.db, async (trx) => {
      const reason = cutText(visit.form('reason').trim(), 300);
      await reject(trx, batch.batch_id, visit.session.person.userId, reason);
      await record(visit, trx, 'payouts.reject', batch);
    }),
  );
}
