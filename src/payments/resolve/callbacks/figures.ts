import type { Database } from '../../../store/database';
import type { CallbackHealthRow, CallbackSource } from '../../../store/tables';
import { countsSince, keyOf, noCounts } from './counts';
import { findHealth } from './health';
import { quantileOf, type Lags } from './lags';

/** What is shown of the callbacks of one kind of payment of an account. */
export interface CallbackFigures extends CallbackSource {
  verdict: CallbackHealthRow['verdict'];
  since: Date;
  /** Since then. */
  expected: number;
  come: number;
  toldFirst: number;
  /** Undefined where none came, or the last step has no end. */
  lagP50Seconds: number | undefined;
  lagP99Seconds: number | undefined;
  /** Since the beginning. */
  expectedInAll: number;
  comeInAll: number;
}

/** @param since from when on, to ten minutes, callbacks are counted. */
export async function callbackFigures(db: Database, since: Date): Promise<CallbackFigures[]> {
  const [health, counts] = await Promise.all([findHealth(db), countsSince(db, since)]);
  return health.map(({ rail, account, kind, verdict, since: turnedAt, expected: inAll, come: comeInAll }) => {
    const { lags, ...counted } = counts.get(keyOf({ rail, account, kind })) ?? noCounts;
    return {
      ...{ rail, account, kind, verdict, since: turnedAt, ...counted },
      lagP50Seconds: secondsOf(lags, 0.5),
      lagP99Seconds: secondsOf(lags, 0.99),
      expectedInAll: Number(inAll),
      comeInAll: Number(comeInAll),
    };
  });
}

function secondsOf(lags: Lags, share: number): number | undefined {
  const seconds = quantileOf(lags, share);
  return seconds === Infinity ? undefined : seconds;
}
