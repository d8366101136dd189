/**
 * Looks at what has ended, which no workflow waits for: whether what was paid was taken back, or came back, weeks and
 * months later. They are rows. A due one asks the provider, and where nothing has changed the next is planned: a
 * statement each. Only news takes up the workflow, which asks for itself, decides and books as for any other.
 */
import { inParallel } from '../../domain/in-parallel';
import type { PaymentRow } from '../../store/tables';
import { replanCheck } from '../transition/plan-check';
import { postponeCheck } from '../transition/postpone-check';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import { policyOf } from '../../rail-kit/uncertainty';
import { operationOf } from '../../rail-kit/rail';
import { glance, isForWorkflow } from '../resolve/consider';
import { releaseChecks } from './claim-checks';
import { askPersonWhyItStands, standsStill, claimLateChecks } from './sweeper';

/**
 * What one round asks of a provider: so many questions at once, and none is begun later than this. A provider that has
 * left so many in a row unanswered is left alone, and so is whoever else waits for it.
 */
const round = { atOnce: 4, budgetMs: 2_000, unansweredMax: 3 };

/**
 * One round of a rail, each of which has its own, so that a provider that hangs holds up nobody else's. Whoever dies in
 * the middle of it has claimed some looks: they are due again a while later, and to look twice changes nothing.
 * @returns how many payments were looked at, and how many of their workflows were taken up.
 */
export async function runLateChecks(
  context: PaymentsContext,
  engine: Engine,
  rail: string,
): Promise<{ looked: number; woken: number }> {
  const { db, log, timeScale } = context;
  const claimed = await claimLateChecks(db, rail);
  const until = Date.now() + round.budgetMs;
  const policyFor = (payment: PaymentRow) => policyOf(operationOf(context.rails.get(payment.rail), payment));
  const putOff = (payment: PaymentRow, how: { mayGiveUp: boolean }) =>
    postponeCheck(db, policyFor(payment), payment, { timeScale, ...how });
  let woken = 0;
  let unanswered = 0;
  const isSilent = () => unanswered >= round.unansweredMax;

  async function wake(payment: PaymentRow): Promise<void> {
    await engine.wake(payment);
    woken += 1;
  }

  async function lookAt(payment: PaymentRow): Promise<void> {
    const found = await glance(context, payment);
    unanswered = found === 'unanswered' ? unanswered + 1 : 0;
    if (found === 'unanswered') {
      await putOff(payment, { mayGiveUp: true });
    } else if (found === 'same') {
      await replanCheck(db, policyFor(payment), payment, { unconfirmed: false });
    } else {
      await wake(payment);
    }
  }

  /** Its provider is silent, and is not asked about it: what needs no answer goes on all the same. */
  async function leave(payment: PaymentRow): Promise<void> {
    if (await isForWorkflow(context, payment)) await wake(payment);
    else await putOff(payment, { mayGiveUp: false });
  }

  async function seeTo(payment: PaymentRow, how: (payment: PaymentRow) => Promise<void>): Promise<void> {
    try {
      if (standsStill(payment)) await askPersonWhyItStands(db, payment);
      await how(payment);
    } catch (error) {
      // It stays claimed for a while, so that it cannot keep all others from being looked at.
      log.warn('a payment could not be looked at', { payment_id: payment.payment_id, error });
    }
  }

  const { done, left } = await inParallel(claimed, round.atOnce, async (payment) => {
    if (isSilent() || Date.now() > until) return 'stop';
    await seeTo(payment, lookAt);
    return 'go_on';
  });
  if (isSilent()) {
    log.warn('a provider leaves looks unanswered: they are put off', {
      rail,
      looks: unanswered + left.length,
    });
    for (const payment of left) await seeTo(payment, leave);
  } else if (left.length > 0) {
    await releaseChecks(db, 'payments', left);
  }
  return { looked: done.length, woken };
}
