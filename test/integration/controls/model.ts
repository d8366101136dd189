/** The expected results for payouts, as plain sums over plain rows: the model for the property tests. */

/** Amounts in minor units, times in milliseconds, and a number of recipients. */
export const bounds = {
  per_payment: 600n,
  per_hour: 1_500n,
  per_day: 2_500n,
  per_recipient_day: 1_000n,
  cooldownAbove: 300n,
  cooldownMs: 3_600_000,
  newcomers: 2,
} as const;

const hour = 3_600_000;
const day = 24 * hour;
const givenUpMs = 72 * hour;

export interface Paid {
  id: string;
  state: string;
  amount: bigint;
  recipient: string;
  createdAt: number;
  acceptedAt: number;
  /** True if it counts against limits. */
  counts: boolean;
  isNoted: boolean;
  hold: { reason: string; untilAt: number | null; isReleased: boolean } | undefined;
}

export interface ModelRequest {
  amount: bigint;
  recipient: string;
}

const sumOf = (rows: readonly { amount: bigint }[]) => rows.reduce((sum, { amount }) => sum + amount, 0n);

const isHeld = ({ hold }: Paid, now: number) =>
  hold !== undefined && !hold.isReleased && (hold.untilAt === null || hold.untilAt > now);

/** The first limit that is exceeded; undefined if none is. */
export function exceeded(rows: readonly Paid[], now: number): string | undefined {
  const counted = rows.filter(({ counts }) => counts);
  const within = (ms: number) => counted.filter(({ acceptedAt }) => acceptedAt > now - ms);
  if (counted.some(({ amount }) => amount > bounds.per_payment)) return 'per_payment';
  if (sumOf(within(hour)) > bounds.per_hour) return 'per_hour';
  if (sumOf(within(day)) > bounds.per_day) return 'per_day';
  const recipients = new Set(counted.map(({ recipient }) => recipient));
  const isOver = (each: string) =>
    sumOf(within(day).filter(({ recipient }) => recipient === each)) > bounds.per_recipient_day;
  return [...recipients].some(isOver) ? 'per_recipient_day' : undefined;
}

/** @returns the hold reason of each payout, undefined without a hold; 'refused' if a limit is reached. */
export function verdictOf(
  rows: readonly Paid[],
  now: number,
  asked: readonly ModelRequest[],
): 'refused' | (string | undefined)[] {
  const added = asked.map((each, n): Paid => {
    const row = { id: `asked-${String(n)}`, state: 'received', createdAt: now, acceptedAt: now };
    return { ...each, ...row, counts: true, isNoted: false, hold: undefined };
  });
  if (exceeded([...rows, ...added], now) !== undefined) return 'refused';

  const known = rows.filter((row) => row.counts && !isHeld(row, now));
  return added.map((each) => {
    const reason = holdOf(known, each, now);
    if (reason === undefined) known.push(each);
    return reason;
  });
}

function holdOf(
  known: readonly Paid[],
  { amount, recipient }: ModelRequest,
  now: number,
): string | undefined {
  const since = (who: string) =>
    Math.min(...known.filter((row) => row.recipient === who).map(({ acceptedAt }) => acceptedAt));
  const everybody = [...new Set(known.map((row) => row.recipient))];
  const newcomers = everybody.filter((who) => since(who) > now - day).length;
  const first = since(recipient);
  if (first === Infinity && newcomers >= bounds.newcomers) return 'new_recipients_per_day';
  const knownFor = first === Infinity ? 0 : now - first;
  return amount > bounds.cooldownAbove && knownFor < bounds.cooldownMs ? 'first_payment_cooldown' : undefined;
}

/** The result of submitting a payout that was not sent before. */
export function fateOf(row: Paid, now: number, isStopped: boolean): 'ended' | 'waits' | 'given_up' | 'sent' {
  if (row.state !== 'received' && row.state !== 'initiating') return 'ended';
  const isBack = isStopped || isHeld(row, now);
  if ((isBack || row.isNoted) && now - row.createdAt >= givenUpMs) return 'given_up';
  return isBack ? 'waits' : 'sent';
}

const gone = ['failed', 'cancelled', 'returned'];
const over = [...gone, 'succeeded'];

/** The amounts that the payouts took from the float, and how much of them is reserved. */
export function moneyOf(rows: readonly Paid[]): { taken: bigint; reserved: bigint } {
  return {
    taken: sumOf(rows.filter(({ state }) => !gone.includes(state))),
    reserved: sumOf(rows.filter(({ state }) => !over.includes(state))),
  };
}
