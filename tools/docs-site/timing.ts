/** What a rail does by the clock, as rows of a table: its policy and its doubts, in words. */
import type { Operation } from '../../src/rail-kit/rail';
import type { PaymentRow } from '../../src/store/tables';

const units: [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** In the largest unit that divides it, or nearly does where the number would be large: `90 seconds`, `3 days`. */
export function inWords(ms: number): string {
  const isShort = (unit: number, name: string) => ms / unit >= (name === 'day' ? 2 : 1);
  const whole = units.find(([unit, name]) => ms % unit === 0 && isShort(unit, name));
  const near = units.find(([unit, name]) => isShort(unit, name));
  const [unit, name] = (whole && ms / whole[0] < 100 ? whole : near) ?? [1_000, 'second'];
  const count = Math.floor(ms / unit);
  return `${String(count)} ${name}${count === 1 ? '' : 's'}`;
}

/** More than a few are told by their first and their last. */
function several(times: readonly number[]): string {
  const words = times.map((ms) => (ms < 1_000 ? 'at once' : inWords(ms)));
  if (words.length <= 5) return words.join(', ');
  return `${words.slice(0, 3).join(', ')} and so on, up to ${words.at(-1) ?? ''}`;
}

const silence = {
  time_out: 'Nobody has told: the payment is given up, and its webhook says so.',
  ask_operator:
    'Nobody has told: it stays open, and your operator is asked to find out. It is not called failed.',
  wait: 'Nobody has told: it stays open.',
};
const lateSuccess = {
  correct: 'A success that comes after a failure is booked all the same, and told with `correction: true`.',
  open_case: 'A success that comes after a failure is given to your operator.',
};

/** An order that the provider knows, and that nobody has paid. */
const unpaid = { provider_reference: 'known', details: {} } as PaymentRow;

export function timingRows({ policy, inDoubt }: Operation): string[][] {
  const { checksMs, unknownDeadlineMs, rechecksMs, watchMs, queuedMaxMs, remindersMs = [] } = policy;
  const { afterSuccessChecksMs: afterSuccess = [] } = policy;
  const lastMs = checksMs.at(-1) ?? 0;
  const silent = inDoubt.whenSilent(unpaid, { kind: 'open' });
  const moments: [ms: number | undefined, when: string, what: string][] = [
    [checksMs[0], `after ${several(checksMs)}`, 'The provider is asked, if it has not told by itself.'],
    [lastMs, `after ${inWords(lastMs)}`, silence[silent]],
    [
      unknownDeadlineMs,
      `after ${inWords(unknownDeadlineMs ?? 0)}`,
      'Where the provider never even confirmed that it was asked, the payment is given up.',
    ],
    [
      queuedMaxMs,
      `after ${inWords(queuedMaxMs ?? 0)}`,
      'What still waits is cancelled, and its money is back.',
    ],
    [remindersMs[0], several(remindersMs), 'The recipient of money that waits is sent a mail.'],
    [rechecksMs[0], `after ${several(rechecksMs)}`, 'What was given up is looked at again.'],
  ];
  const rows = moments
    .filter(([ms]) => ms !== undefined)
    .sort(([a = 0], [b = 0]) => a - b)
    .map(([, when, what]) => [when, what]);
  rows.push([`for ${inWords(watchMs)}`, lateSuccess[inDoubt.whenSuccessIsLate]]);
  if (afterSuccess.length > 0) {
    rows.push([`${several(afterSuccess)} after success`, 'It is looked whether the money was taken back.']);
  }
  return rows;
}
