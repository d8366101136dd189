/** Why a payment may not be sent now, in words for its merchant, for operators and for whoever looks at the workflow. */
import { barrierNow, type Barrier } from '../../controls/gate';
import { holdsBack, knownPayoutStops, type Going as Outgoing } from '../../controls/stops';
import type { Transaction } from '../../store/database';
import type { PaymentRow, PayoutStopRow } from '../../store/tables';
import type { PaymentsContext } from '../../rail-kit/context';
import { reasonOfHold, type Hold } from '../read/on-hold';
import { stoppedText, type Stop } from './stopped-accounts';

export interface Obstacle extends Hold {
  /** For whoever looks at the workflow. */
  text: string;
}

export const ofAccount = (stop: Stop): Obstacle => ({
  holdReason: 'PROVIDER_STOPPED',
  untilAt: null,
  text: stoppedText(stop),
});

const ofStop = (stop: PayoutStopRow): Obstacle => ({
  holdReason: 'PAYOUTS_STOPPED',
  untilAt: null,
  text: `stopped by ${stop.begun_by}: ${stop.reason}`,
});

/** @param held `untilAt`: by the payment's own clock. */
export function ofHold({
  reason,
  untilAt,
}: Pick<Extract<Barrier, { kind: 'hold' }>, 'reason' | 'untilAt'>): Obstacle {
  const until = untilAt === null ? 'until an operator releases it' : `until ${untilAt.toISOString()}`;
  return {
    holdReason: reasonOfHold[reason],
    untilAt,
    text: `${reason.replaceAll('_', ' ')}: it waits ${until}`,
  };
}

/** The gate, asked in the transaction that is about to write an attempt, before anything else in it is locked. */
export async function obstacleNow(trx: Transaction, payment: PaymentRow): Promise<Obstacle | undefined> {
  const barrier = await barrierNow(trx, payment);
  if (barrier?.kind === 'stop') return ofStop(barrier.stop);
  return barrier && ofHold(barrier);
}

/** What will hold a new payment back, as of a second ago: nobody is kept waiting for it to be begun. */
export async function knownObstacle(
  context: Pick<PaymentsContext, 'db' | 'log'>,
  going: Outgoing,
): Promise<Obstacle | undefined> {
  if (going.kind === 'deposit') return undefined;
  const stop = (await knownPayoutStops(context)).find((each) => holdsBack(each, going));
  return stop && ofStop(stop);
}
