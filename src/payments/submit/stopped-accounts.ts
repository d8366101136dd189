/**
 * Where a provider says that it does not know what it has told of before, our token may be one of another environment:
 * what is sent then may be paid twice, or nowhere. So an open case of that kind stops everything that would be started
 * through that account, in every process. Only the provider's own answers open one, so that no stranger can.
 */
import { barrierNow, type Barrier } from '../../controls/gate';
import { holdsBack, knownPayoutStops, type Going as Outgoing } from '../../controls/stops';
import { PaymentError } from '../../domain/errors';
import type { Finding } from '../../domain/outcome';
import type { PaymentsContext } from '../../rail-kit/context';
import { accountOf } from '../../rail-kit/rail';
import type { Database, Transaction } from '../../store/database';
import { remembered } from '../../store/remembered';
import type { PaymentRow, PayoutStopRow } from '../../store/tables';
import { reasonOfHold, type Hold } from '../read/on-hold';

/** A process asks the database this often at most, however many payments it starts: so late may it know. */
const knownForMs = 1_000;
/** When a merchant who was refused may try again: a person decides first. */
const retryAfterSeconds = 60;

export interface Stop {
  /** The rail that has the account at the provider. */
  account: string;
  /** The oldest case that has to be closed, and how many there are. */
  caseId: string;
  cases: number;
}

/** @returns what is stopped, each account once. */
export async function findStops(db: Database): Promise<Stop[]> {
  const rows: { account: string; caseId: string | number; cases: string | number }[] = await db('cases')
    .whereNull('closed_at')
    .whereNotNull('stops')
    .groupBy('stops')
    .orderBy('stops')
    .select({ account: 'stops' })
    .min({ caseId: 'case_id' })
    .count({ cases: '*' });
  return rows.map(({ account, caseId, cases }) => ({
    account,
    caseId: String(caseId),
    cases: Number(cases),
  }));
}

/** As of a second ago at the most. What cannot be asked stops nothing that was not stopped before. */
export const knownStops = remembered(findStops, { forMs: knownForMs, what: 'what is stopped' });

type Going = Pick<PaymentRow, 'rail' | 'kind' | 'provider'>;
type Asking = Pick<PaymentsContext, 'db' | 'log' | 'rails'>;

/** What stops such a payment, as of a second ago at the most. */
export async function stopOf(context: Asking, payment: Going): Promise<Stop | undefined> {
  const stops = await knownStops(context);
  if (stops.length === 0) return undefined;
  const account = accountOf(context.rails.get(payment.rail), payment);
  return stops.find((stop) => stop.account === account);
}

/**
 * What a provider is believed of its answer. While it is stopped, as of now, it has nothing to say of what it does not
 * have: that would end a payment, and release what it holds.
 */
export async function believed<T extends Finding | undefined>(
  { db, rails }: Pick<PaymentsContext, 'db' | 'rails'>,
  payment: Going,
  answer: T,
): Promise<T | Finding> {
  if (answer?.kind !== 'failed' || !answer.neverReceived) return answer;
  const account = accountOf(rails.get(payment.rail), payment);
  const isStopped = (await findStops(db)).some((stop) => stop.account === account);
  return isStopped ? { kind: 'open', text: `${answer.code}, while its account is stopped` } : answer;
}

export function stoppedText({ account, caseId }: Stop): string {
  return `what goes through the account of ${account} is stopped by case ${caseId}`;
}

/** @throws PaymentError PROVIDER_TEMPORARILY_UNAVAILABLE where one of them is stopped: nothing was started. */
export async function assertNotStopped(context: Asking, payments: readonly Going[]): Promise<void> {
  for (const payment of payments) {
    const stop = await stopOf(context, payment);
    if (!stop) continue;
    throw new PaymentError('PROVIDER_TEMPORARILY_UNAVAILABLE', {
      message: 'The provider is not used until an operator has looked into it; nothing was started',
      detail: stoppedText(stop),
      retryAfterSeconds,
    });
  }
}

// Why a payment may not be sent now, in words for its merchant, for operators and for whoever looks at the workflow.

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
