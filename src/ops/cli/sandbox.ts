import type { Command } from 'commander';
import { WorkflowNotFoundError } from '@temporalio/client';
import { request } from 'undici';
import { inPages, unfinishedIds } from '../../payments/care/sweeper';
import { settledStates } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { readDuration } from './parse';
import { Refusal, UsageError, textOf } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count } from './table';
import { forEachWorkflow } from './wake';

/** As far as the simulator's clock moves in one step. */
const advanceMaxMs = 366 * 86_400_000;
/** A workflow that no worker runs would be waited for without end. */
const patienceMs = 10_000;

export function sandboxCommands(program: Command, run: Runner): void {
  program
    .command('sandbox')
    .description('what only the sandbox can do')
    .command('advance <duration>')
    .description(
      'move the time of open payments, due webhooks and simulated providers forward, such as by 30d, 2h or 61s',
    )
    .action(run(advance));
}

async function advance(session: Session, duration: string): Promise<Report> {
  const ms = readDuration(duration);
  if (ms > advanceMaxMs) throw new UsageError('Time moves forward by at most 366d at once.');
  if (session.config.environment === 'live') throw new Refusal('Time only moves by itself in live.');

  // The workflows look at the webhooks, at the payments and at the provider when they are moved, so these come first.
  const { client, context } = session;
  const payments: PaymentRow[] = [];
  for await (const page of inPages(context.db, await unfinishedIds(context))) payments.push(...page);
  const webhooks = await bringForward(session, ms);
  const simulator = await advanceSimulator(session, ms);
  let ended = 0;
  const inTime = async (move: () => Promise<void>) => {
    try {
      await client.withDeadline(Date.now() + patienceMs, move);
    } catch (error) {
      // It has ended since we asked, so it has no timer left.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      ended += 1;
    }
  };
  const moved = await forEachWorkflow(payments, (payment) =>
    inTime(() => session.engine.advance(payment, ms)),
  );
  const advanced = moved.done - ended;
  const vouchers = await context.db('vouchers').where({ state: 'active' });
  for (const voucher of vouchers) await inTime(() => session.vouchers.advance(voucher, ms));
  const [failure] = moved.failed;
  const sentences = [
    `${duration} later: ${count(advanced, 'open payment')}, ${count(vouchers.length, 'voucher')}, ${count(webhooks, 'pending webhook')}` +
      `${simulator ? ' and the simulated providers' : ''} moved forward.`,
    failure &&
      `${count(moved.failed.length, 'payment')} could not be moved: ${failure.payment_id} ${failure.error}. Is a worker running? malipo doctor tells.`,
  ];
  return {
    json: {
      advanced_ms: ms,
      payments: advanced,
      vouchers: vouchers.length,
      webhooks,
      simulator,
      not_advanced: moved.failed,
    },
    text: sentences.filter(Boolean).join('\n'),
    ok: moved.failed.length === 0,
  };
}

/**
 * Moves every clock that lies in the database. What waits for the wall clock comes nearer, and the payments' own clocks
 * go ahead of it. @returns how many webhooks wait.
 */
function bringForward({ context: { db } }: Session, ms: number): Promise<number> {
  const nearer = (column: string) => db.raw<Date>('?? - INTERVAL ? MICROSECOND', [column, ms * 1_000]);
  return inTransaction(db, async (trx) => {
    await trx('sandbox_clock').where({ id: 1 }).increment('ahead_ms', ms);
    await trx('payments')
      .where((payment) => void payment.where({ is_final: 0 }).orWhereNotNull('next_look_at'))
      .update({
        // What comes due by the move is its workflow's for a minute. What was paid has none that waits, and is looked
        // at as soon as the simulator has moved, too.
        next_look_at: db.raw(
          `GREATEST(next_look_at - INTERVAL ? MICROSECOND,
                    LEAST(next_look_at, UTC_TIMESTAMP(3) + INTERVAL IF(state IN (${settledStates.map(() => '?').join(', ')}), 3, 60) SECOND))`,
          [ms * 1_000, ...settledStates],
        ),
      })
      .increment('clock_ahead_ms', ms);
    await trx('inbox')
      .whereIn('state', ['new', 'parked'])
      .update({ received_at: nearer('received_at'), follow_at: nearer('follow_at') });
    await trx('duplicate_guards').update({ until_at: nearer('until_at') });
    await trx('payments')
      .whereRaw('guarded_until > UTC_TIMESTAMP(3)')
      .update({ guarded_until: db.raw('GREATEST(guarded_from, ?)', [nearer('guarded_until')]) });
    return trx('outbox')
      .where({ state: 'pending' })
      .update({ next_at: nearer('next_at') });
  });
}

async function advanceSimulator({ simulatorUrl }: Session, ms: number): Promise<boolean> {
  if (simulatorUrl === undefined) return false;
  const { statusCode, body } = await request(`${simulatorUrl}/control/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_ms: ms }),
  }).catch((error: unknown) => {
    throw new Refusal(`The simulator at ${simulatorUrl} cannot be reached (${textOf(error)}).`);
  });
  const answer = await body.text();
  if (statusCode !== 200)
    throw new Refusal(`The simulator did not move its clock: HTTP ${String(statusCode)} ${answer}`);
  return true;
}
