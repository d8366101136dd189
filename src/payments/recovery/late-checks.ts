/**
 * Checks final payments, which have no waiting workflow: was paid money taken back or returned, weeks or months
 * later? These checks are rows. A due check polls the provider. Where nothing has changed, one statement plans the
 * next check. Only a change signals the workflow, which polls by itself, decides and books as for any other payment.
 */
import { inParallel } from '../../domain/in-parallel';
import type { PaymentRow } from '../../store/tables';
import { replanCheck } from '../transition/plan-check';
import { postponeCheck } from '../transition/postpone-check';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Engine } from '../../rail-kit/engine';
import { policyOf } from '../../rail-kit/uncertainty';
import { operationOf } from '../../rail-kit/rail';
import { dryRunPoll, isForWorkflow } from '../resolve/assess';
import { releaseChecks } from './claim-checks';
import { openCaseOfStuck, isStuck, claimLateChecks } from './sweeper';

/**
 * The limits of one run for a provider: so many concurrent calls, and no new call after `budgetMs`. A provider that
 * left so many calls in a row unanswered is not called again in this run, and its other checks are postponed.
 */
const round = { atOnce: 4, budgetMs: 2_000, unansweredMax: 3 };

/**
 * One run for a rail. Each rail has its own, so a provider that does not answer delays no other provider. A process
 * that dies during the run has claimed some checks: they are due again later, and a second check changes nothing.
 * @returns how many payments were checked, and how many of their workflows were signalled.
 */
export async function runLateChecks(
  context: PaymentsContext,
  engine: Engine,
  rail: string,
): Promise<{ checked: number; signalled: number }> {
  const { db, log, timeScale } = context;
  const claimed = await claimLateChecks(db, rail);
  const until = Date.now() + round.budgetMs;
  const policyFor = (payment: PaymentRow) => policyOf(operationOf(context.rails.get(payment.rail), payment));
  const putOff = (payment: PaymentRow, how: { mayGiveUp: boolean }) =>
    postponeCheck(db, policyFor(payment), payment, { timeScale, ...how });
  let signalled = 0;
  let unanswered = 0;
  const isSilent = () => unanswered >= round.unansweredMax;

  async function signalOrStart(payment: PaymentRow): Promise<void> {
    await engine.signalOrStart(payment, 'recovery');
    signalled += 1;
  }

  async function checkAt(payment: PaymentRow): Promise<void> {
    const found = await dryRunPoll(context, payment);
    unanswered = found === 'unanswered' ? unanswered + 1 : 0;
    if (found === 'unanswered') {
      await putOff(payment, { mayGiveUp: true });
    } else if (found === 'same') {
      await replanCheck(db, policyFor(payment), payment, { unconfirmed: false });
    } else {
      await signalOrStart(payment);
    }
  }

  /** The provider does not answer, so it is not called. A payment that needs no answer is signalled all the same. */
  async function leave(payment: PaymentRow): Promise<void> {
    if (await isForWorkflow(context, payment)) await signalOrStart(payment);
    else await putOff(payment, { mayGiveUp: false });
  }

  async function seeTo(payment: PaymentRow, how: (payment: PaymentRow) => Promise<void>): Promise<void> {
    try {
      if (isStuck(payment)) await openCaseOfStuck(db, payment);
      await how(payment);
    } catch (error) {
      // The row stays claimed for a while, so that it cannot block the checks of all others.
      log.warn('a late status check of a payment failed', { payment_id: payment.payment_id, error });
    }
  }

  const { done, left } = await inParallel(claimed, round.atOnce, async (payment) => {
    if (isSilent() || Date.now() > until) return 'stop';
    await seeTo(payment, checkAt);
    return 'go_on';
  });
  if (isSilent()) {
    log.warn('a provider does not answer status queries; late checks are postponed', {
      rail,
      checks: unanswered + left.length,
    });
    for (const payment of left) await seeTo(payment, leave);
  } else if (left.length > 0) {
    await releaseChecks(db, 'payments', left);
  }
  return { checked: done.length, signalled };
}
