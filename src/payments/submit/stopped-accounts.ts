/**
 * A provider that no longer knows a payment it reported before may mean that our token belongs to another
 * environment. A payment sent then may be paid twice, or nowhere. An open case of that kind therefore stops every new
 * submission through the account, in every process. Only the provider's own answers open such a case, so no
 * unauthenticated caller can.
 */
import { barrierNow, type PayoutBarrier } from '../../controls/payout-barrier';
import { holdsBack, knownPayoutPauses, type Going as Outgoing } from '../../controls/pauses';
import { PaymentError } from '../../domain/errors';
import type { ProviderResult } from '../../domain/outcome';
import type { PaymentsContext } from '../../rail-kit/context';
import { accountOf } from '../../rail-kit/rail';
import type { Database, Transaction } from '../../store/database';
import { remembered } from '../../store/remembered';
import type { PaymentRow, PayoutPauseRow } from '../../store/tables';
import { reasonOfHold, type Hold } from '../read/on-hold';

/**
 * Each process asks the database this often at most, however many payments it starts. Its knowledge may be this old.
 */
const knownForMs = 1_000;
/** When a refused merchant may try again: an operator decides first. */
const retryAfterSeconds = 60;

export interface AccountStop {
  /** The rail that has the account at the provider. */
  account: string;
  /** The oldest case that must be closed, and the number of such cases. */
  caseId: string;
  cases: number;
}

/** @returns the stopped accounts, each once. */
export async function findStops(db: Database): Promise<AccountStop[]> {
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

/** At most a second old. A failed query adds no stop and removes none. */
export const knownStops = remembered(findStops, { forMs: knownForMs, what: 'paused accounts' });

type Going = Pick<PaymentRow, 'rail' | 'kind' | 'provider'>;
type Asking = Pick<PaymentsContext, 'db' | 'log' | 'rails'>;

/** The stop that applies to such a payment, at most a second old. */
export async function stopOf(context: Asking, payment: Going): Promise<AccountStop | undefined> {
  const stops = await knownStops(context);
  if (stops.length === 0) return undefined;
  const account = accountOf(context.rails.get(payment.rail), payment);
  return stops.find((stop) => stop.account === account);
}

/**
 * Checks whether a provider's answer may be believed. While its account is stopped now, the answer "never received"
 * counts as open. Otherwise it would end a payment and release its reserve.
 */
export async function trusted<T extends ProviderResult | undefined>(
  { db, rails }: Pick<PaymentsContext, 'db' | 'rails'>,
  payment: Going,
  answer: T,
): Promise<T | ProviderResult> {
  if (answer?.kind !== 'failed' || !answer.neverReceived) return answer;
  const account = accountOf(rails.get(payment.rail), payment);
  const isStopped = (await findStops(db)).some((stop) => stop.account === account);
  return isStopped ? { kind: 'open', text: `${answer.code}, while its account is paused` } : answer;
}

export function stoppedText({ account, caseId }: AccountStop): string {
  return `the account ${account} is paused by case ${caseId}`;
}

/** @throws PaymentError PROVIDER_TEMPORARILY_UNAVAILABLE where one of the accounts is stopped: nothing was started. */
export async function assertNotStopped(context: Asking, payments: readonly Going[]): Promise<void> {
  for (const payment of payments) {
    const stop = await stopOf(context, payment);
    if (!stop) continue;
    throw new PaymentError('PROVIDER_TEMPORARILY_UNAVAILABLE', {
      message: 'The provider account is paused until an operator has reviewed it; nothing was started',
      detail: stoppedText(stop),
      retryAfterSeconds,
    });
  }
}

// Why a payment may not be sent now, in words for its merchant, for operators, and for the workflow's detail view.

export interface Obstacle extends Hold {
  /** For operators who inspect the workflow. */
  text: string;
}

export const ofAccount = (stop: AccountStop): Obstacle => ({
  holdReason: 'PROVIDER_STOPPED',
  untilAt: null,
  text: stoppedText(stop),
});

const ofStop = (stop: PayoutPauseRow): Obstacle => ({
  holdReason: 'PAYOUTS_STOPPED',
  untilAt: null,
  text: `paused by ${stop.begun_by}: ${stop.reason}`,
});

/** @param held `untilAt`: by the payment's own clock. */
export function ofHold({
  reason,
  untilAt,
}: Pick<Extract<PayoutBarrier, { kind: 'hold' }>, 'reason' | 'untilAt'>): Obstacle {
  const until = untilAt === null ? 'until an operator releases it' : `until ${untilAt.toISOString()}`;
  return {
    holdReason: reasonOfHold[reason],
    untilAt,
    text: `${reason.replaceAll('_', ' ')}: on hold ${until}`,
  };
}

/** The gate's answer, read in the transaction that will write an attempt, before that transaction takes other locks. */
export async function obstacleNow(trx: Transaction, payment: PaymentRow): Promise<Obstacle | undefined> {
  const barrier = await barrierNow(trx, payment);
  if (barrier?.kind === 'stop') return ofStop(barrier.stop);
  return barrier && ofHold(barrier);
}

/** The hold that a new payment will get, at most a second old: the merchant then does not wait for its start. */
export async function knownObstacle(
  context: Pick<PaymentsContext, 'db' | 'log'>,
  going: Outgoing,
): Promise<Obstacle | undefined> {
  if (going.kind === 'deposit') return undefined;
  const stop = (await knownPayoutPauses(context)).find((each) => holdsBack(each, going));
  return stop && ofStop(stop);
}
