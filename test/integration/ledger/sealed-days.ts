/** A ledger with days behind it: what is booked is dated by our own clock, and sealed by the database's. */
import { utcDay } from '../../../src/ledger/utc-days';
import type { Database } from '../../../src/store/database';

const begun = Date.now();

/** `2026-01-31`, so many days before the file began: the same day still when a midnight passes meanwhile. */
export function daysAgo(days: number): string {
  return utcDay(new Date(begun - days * 86_400_000));
}

const allButDate = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

/** Works as if it were that time of a day so many days ago: by default one that has been, at whatever hour this runs. */
export async function onDay<T>(
  ago: number,
  work: () => Promise<T>,
  time = ago === 0 ? '00:00:00.000' : '12:00:00.000',
): Promise<T> {
  jest.useFakeTimers({ doNotFake: allButDate, now: new Date(`${daysAgo(ago)}T${time}Z`) });
  try {
    return await work();
  } finally {
    jest.useRealTimers();
  }
}

/** Does it without the trigger that refuses it, and has the database as it was afterwards. */
export async function withoutTrigger(
  db: Database,
  table: 'ledger_entries' | 'ledger_postings' | 'ledger_links' | 'payment_log' | 'audit_log' | 'audit_rows',
  action: 'update' | 'delete',
  work: () => Promise<unknown>,
): Promise<void> {
  const [[made]] = (await db.raw(`SHOW CREATE TRIGGER ${table}_no_${action}`)) as unknown as [
    [{ 'SQL Original Statement': string }],
  ];
  await db.raw(`DROP TRIGGER ${table}_no_${action}`);
  try {
    await work();
  } finally {
    await db.raw(made['SQL Original Statement']);
  }
}

/** Begins the ledger anew, on the accounts that there are, which hold nothing. */
export async function emptyLedger(db: Database): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('SET FOREIGN_KEY_CHECKS = 0');
    for (const table of ['ledger_links', 'ledger_postings', 'ledger_entries'])
      await trx.raw(`TRUNCATE ${table}`);
    await trx.raw('SET FOREIGN_KEY_CHECKS = 1');
    await trx('ledger_accounts').whereNotNull('balance').update({ balance: '0', may_go_negative: 0 });
  });
}
