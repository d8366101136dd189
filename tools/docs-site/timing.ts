/** A rail's schedule as rows of a table: its poll schedule and its uncertainty policy, in words. */
import type { Operation } from '../../src/rail-kit/rail';
import type { PaymentRow } from '../../src/store/tables';

const units: [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** In the largest unit that divides it, or nearly does for a large number: `90 seconds`, `3 days`. */
export function inWords(ms: number): string {
  const isShort = (unit: number, name: string) => ms / unit >= (name === 'day' ? 2 : 1);
  const whole = units.find(([unit, name]) => ms % unit === 0 && isShort(unit, name));
  const near = units.find(([unit, name]) => isShort(unit, name));
  const [unit, name] = (whole && ms / whole[0] < 100 ? whole : near) ?? [1_000, 'second'];
  const count = Math.floor(ms / unit);
  return `${String(count)} ${name}${count === 1 ? '' : 's'}`;
}

/** Long lists show only the first and last times. */
function several(times: readonly number[]): string {
  const words = times.map((ms) => (ms < 1_000 ? 'at once' : inWords(ms)));
  if (words.length <= 5) return words.join(', ');
  return `${words.slice(0, 3).join(', ')} and so on, up to ${words.at(-1) ?? ''}`;
}

const silence = {
  time_out: 'Without any result, the payment fails, and its webhook says so.',
  ask_operator:
    'Without any result, it stays open, and your operator reviews it. We do not report it as failed.',
  wait: 'Without any result, it stays open.',
};
const lateSuccess = {
  correct: 'A success after a failure is booked, and its webhook has `correction: true`.',
  open_case: 'A success after a failure becomes a case for your operator.',
};

/** An order that the provider knows, and that is unpaid. */
const unpaid = { provider_reference: 'known', details: {} } as PaymentRow;

export function timingRows({ policy, uncertainty }: Operation): string[][] {
  const { checksMs, unknownDeadlineMs, rechecksMs, watchMs, queuedMaxMs, remindersMs = [] } = policy;
  const { afterSuccessChecksMs: afterSuccess = [] } = policy;
  const lastMs = checksMs.at(-1) ?? 0;
  const silent = uncertainty.onTimeout(unpaid, { kind: 'open' });
  const moments: [ms: number | undefined, when: string, what: string][] = [
    [checksMs[0], `after ${several(checksMs)}`, 'We query the provider, if it has not notified us.'],
    [lastMs, `after ${inWords(lastMs)}`, silence[silent]],
    [
      unknownDeadlineMs,
      `after ${inWords(unknownDeadlineMs ?? 0)}`,
      'If the provider never confirmed the request, the payment fails.',
    ],
    [
      queuedMaxMs,
      `after ${inWords(queuedMaxMs ?? 0)}`,
      'A queued payout is cancelled, and its money is returned.',
    ],
    [remindersMs[0], several(remindersMs), 'We remind the recipient of an unclaimed payout by mail.'],
    [rechecksMs[0], `after ${several(rechecksMs)}`, 'We check a failed payment again.'],
  ];
  const rows = moments
    .filter(([ms]) => ms !== undefined)
    .sort(([a = 0], [b = 0]) => a - b)
    .map(([, when, what]) => [when, what]);
  rows.push([`for ${inWords(watchMs)}`, lateSuccess[uncertainty.whenSuccessIsLate]]);
  if (afterSuccess.length > 0) {
    rows.push([`${several(afterSuccess)} after success`, 'We check whether the money was reversed.']);
  }
  return rows;
}
