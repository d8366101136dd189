/** How many notifications were refused, by rail: a wrong key or secret of ours looks like many forged ones. */
import type { Database } from '../../../store/database';
import { slotOf } from './counts';

/** Adds what an API process has refused since it last told. */
export async function keepRefusals(db: Database, refused: ReadonlyMap<string, number>): Promise<void> {
  const slot = slotOf(new Date());
  for (const [rail, n] of refused) {
    await db.raw(
      `INSERT INTO callback_refusals (slot_at, rail, refused) VALUES (?, ?, ?)
       ON DUPLICATE KEY UPDATE refused = refused + VALUES(refused)`,
      [slot, rail, n],
    );
  }
}

/** @returns how many were refused since then, by rail; rails without any are left out. */
export async function refusalsSince(db: Database, since: Date): Promise<Map<string, number>> {
  const rows: { rail: string; n: string | number }[] = await db('callback_refusals')
    .where('slot_at', '>=', slotOf(since))
    .groupBy('rail')
    .orderBy('rail')
    .select('rail')
    .sum({ n: 'refused' });
  return new Map(rows.map(({ rail, n }) => [rail, Number(n)]));
}
