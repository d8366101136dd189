import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { unreported } from '../../support/ending-well';
import { expectClean } from '../../../support/expect-clean';
import type { ContractStage } from './stand';

/** Rejected without processing: too many at once, an expired token, a wrong key. */
const unheard = new Set([401, 404, 429]);

/**
 * Waits until nothing is in progress. Then every payment is final or has a case, its merchant has its webhooks, its
 * customer was prompted once, and `verify` agrees, including the provider's own books.
 */
export async function allEndsWell(stand: ContractStage): Promise<void> {
  await nothingIsOpen(stand);
  for (const merchant of stand.merchants) expect(await unreported(stand.stack.db, merchant)).toEqual([]);
  if (!stand.contract.repeatsAreDropped) expect(await askedTwice(stand)).toEqual([]);
  expect(await booksOfOthers(stand)).toEqual([]);
  await expectClean(stand.stack);
}

/** If sums differ, `verify` names the payments, which needs a reference that both sides know. */
async function booksOfOthers({ stack, provider }: ContractStage): Promise<string[]> {
  const known = await stack.db('payments').whereNotNull('provider_reference').pluck('provider_reference');
  const back = ['refund', 'reversal'];
  return (await provider.successes())
    .filter(({ kind = 'collection', reference }) => !back.includes(kind) && !known.includes(reference))
    .map(({ kind = 'collection', reference }) => `${kind} ${reference}`);
}

function nothingIsOpen({ stack: { db } }: ContractStage): Promise<true> {
  return waitFor(
    async () => {
      const asked = db('cases').whereNull('closed_at').whereNotNull('payment_id').select('payment_id');
      const open = await db('payments').where({ is_final: 0 }).whereNotIn('payment_id', asked);
      const unread = await db('inbox').where({ state: 'new' }).whereNotIn('payment_id', asked);
      const owed = await db('outbox').where({ state: 'pending' });
      if (open.length + unread.length + owed.length > 0) {
        throw new Error(`still open: ${JSON.stringify({ open, unread, owed })}`);
      }
      return true as const;
    },
    { what: 'everything to end', timeoutMs: 120_000, everyMs: 200 },
  );
}

async function askedTwice(stand: ContractStage): Promise<string[]> {
  const payments = await stand.stack.db('payments');
  const asked = await stand.provider.exchanges(stand.contract.submission ?? 'initiate');
  const heard = asked.filter(({ answer }) => !unheard.has(answer?.status ?? 0));
  return payments
    .filter(
      ({ callback_token: token }) =>
        heard.filter(({ body }) => JSON.stringify(body).includes(token ?? 'no token')).length > 1,
    )
    .map(({ payment_id: id }) => id);
}
