import type { PaymentsContext } from '../../rail-kit/context';

/**
 * How long the open payment that waits longest should have been looked at. Workers claim what is due within seconds, and
 * put its next look ahead: where this grows, none of them gets anything done. What has ended waits for nobody.
 * @returns milliseconds; 0 where nothing is late.
 */
export async function overdueMs({ db, rails }: Pick<PaymentsContext, 'db' | 'rails'>): Promise<number> {
  // One jump in the index for each rail, however many payments wait.
  const rows: { rail: string; first: Date | null }[] = await db('payments')
    .where({ is_final: 0 })
    .groupBy('is_final', 'rail')
    .select('rail')
    .min({ first: 'next_look_at' });
  // What is served no more is nobody's work.
  const served = rows.filter(({ rail }) => rails.all.some(({ name }) => name === rail));
  return Math.max(0, ...served.map(({ first }) => (first ? Date.now() - first.getTime() : 0)));
}
