import { createHash } from 'node:crypto';
import type { StrangersHint } from '../../rail-kit/rail';
import type { PaymentsContext } from '../../rail-kit/context';

const second = 1_000;

/** How many in a row are followed at once although they change nothing: copies, and the true one behind a false one. */
const atOnce = 3;
/** How long the next one waits, each twice as long as the one before. */
const wait = { firstMs: 10 * second, longestMs: 24 * 3_600 * second };

/** `follow`: the provider is to be asked now. `later`: the sweeper sees to it. `known`: one like it waits already. */
export type StoredHint = 'follow' | 'later' | 'known';

/**
 * Stores a hint. There is one unread hint of a payment at most, and the more of them have changed nothing the later the
 * next one is followed, so that a stranger who repeats them for ever makes few rows and few questions of them.
 */
export async function storeHint(
  { db, timeScale }: Pick<PaymentsContext, 'db' | 'timeScale'>,
  rail: string,
  { payment: { payment_id }, body, sourceAddress }: StrangersHint,
): Promise<StoredHint> {
  const last = await db('inbox')
    .where({ payment_id })
    .whereNotNull('follow_at')
    .orderBy('inbox_id', 'desc')
    .first('inbox_id', 'state', 'processed_at', 'follow_at', 'repeats');
  if (last?.state === 'new' && last.processed_at === null) return 'known';
  const now = Date.now();
  const futile = last?.state === 'applied' ? undefined : last;
  const repeats = futile ? futile.repeats + 1 : 0;
  const due = (futile?.follow_at?.getTime() ?? 0) + waitMs(repeats) / timeScale;
  const followAt = Math.min(Math.max(now, due), now + wait.longestMs / timeScale);
  const [inserted] = (await db('inbox')
    .insert({
      rail,
      // Of several at once, all of which saw the same last one, the first is kept.
      event_key: createHash('sha256')
        .update(`${payment_id}:${last?.inbox_id ?? 'first'}`)
        .digest(),
      payment_id,
      source_address: sourceAddress,
      body,
      state: 'new',
      reason: null,
      received_at: new Date(now),
      processed_at: null,
      follow_at: new Date(followAt),
      repeats,
    })
    .onConflict()
    .ignore()) as [number];
  if (inserted === 0) return 'known';
  return followAt > now ? 'later' : 'follow';
}

/** Whether a hint is a repetition of ones that changed nothing: the provider's answer to it is waited for no longer. */
export function isRepetition({ repeats }: { repeats: number }): boolean {
  return repeats >= atOnce;
}

function waitMs(repeats: number): number {
  return repeats < atOnce ? 0 : Math.min(wait.longestMs, wait.firstMs * 2 ** (repeats - atOnce));
}
