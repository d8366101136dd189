import type { Statements } from './migration';

export const kind = 'migrate';

/** Since when orders and payouts are looked at on these days, too, after they were paid; before, day 30 was the last. */
const days = [60, 90, 120, 180];
/** How late a look may be before the sweeper sees to it (plan-check.ts). */
const grace = 'INTERVAL 10 MINUTE';
/** When it was paid, by the wall clock: a payment's own may be ahead of it. */
const paidAt = 'finished_at - INTERVAL clock_ahead_ms * 1000 MICROSECOND';

/**
 * What was paid through the wallet may go back for 180 days. What had its last look before those of later days were
 * planned is given the next of them: it costs nothing until then, and plans the rest itself.
 */
export async function up(schema: Statements): Promise<void> {
  const moments = days.map((day) => `${paidAt} + INTERVAL ${String(day)} DAY + ${grace}`);
  await schema.raw(`
    UPDATE payments
    SET next_look_at = CASE ${moments.map((at) => `WHEN ${at} > UTC_TIMESTAMP(3) THEN ${at}`).join(' ')} END
    WHERE rail = 'walletpay' AND is_final = 1 AND next_look_at IS NULL
      AND (kind = 'payout' AND state = 'succeeded'
        OR kind = 'deposit' AND state IN ('succeeded', 'refunded', 'reversed') AND given_back_minor < confirmed_minor)`);
}

/** Nothing to undo: a look too many changes nothing. */
export function down(): Promise<void> {
  return Promise.resolve();
}
