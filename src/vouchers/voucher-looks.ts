/**
 * By when somebody must have looked at a voucher again. Its workflow looks by itself; what it has not done by then is
 * the sweeper's, which finds it by this alone. The times are the wall's: the sandbox moves workflows, and not these.
 */
import type { VoucherRow } from '../store/tables';

/** How late a look may be: until then its workflow, or the signal to it, is most likely under way. */
const graceMs = 60_000;
/** A mail that was not taken is tried again after half a minute, and a try may take as long as three of those. */
const mailedAgainWithinMs = 300_000;

type Planned = Pick<VoucherRow, 'next_look_at' | 'wakes'>;

/** It was just made, or redeemed: its workflow is to be told of it. */
export function lookSoon(): Planned {
  return { next_look_at: new Date(Date.now() + graceMs), wakes: 0 };
}

/** It has ended, and nobody need know of it any more. */
export const lookNoMore: Planned = { next_look_at: null, wakes: 0 };

/** Nothing is expected of it before its last day. */
export function lookWhenOver({ expires_at: expiresAt }: Pick<VoucherRow, 'expires_at'>): Planned {
  return { next_look_at: new Date(expiresAt.getTime() + graceMs), wakes: 0 };
}

/** Its mail is being tried again. */
export function lookAfterNextTry(): Planned {
  return { next_look_at: new Date(Date.now() + mailedAgainWithinMs), wakes: 0 };
}
