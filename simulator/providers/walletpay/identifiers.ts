/** Ids and dates in the provider's formats. */
import { randomBytes, randomInt } from 'node:crypto';
import { BASE36 } from '../../identifiers';

const SHORT = 13;
const LONG = 17;

const drawn = (length: number) =>
  Array.from({ length }, () => BASE36.charAt(randomInt(BASE36.length))).join('');

/** Of orders, captures, refunds and transactions, such as 5O190127TN364715T. */
export const newLongId = () => drawn(LONG);

/** Of payout batches, payout items and payers, such as CR9VS2K4X4846. */
export const newShortId = () => drawn(SHORT);

export const newEventId = () => `WH-${drawn(LONG)}-${drawn(LONG)}`;

export const newDebugId = () => randomBytes(7).toString('hex').slice(1);

/** Whole seconds, as in 2026-01-05T09:00:00Z. */
export function wireTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
