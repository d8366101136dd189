import { DateTime } from 'luxon';
import type { FloatCheck, JobActivities, Verification } from '../src/domain/recurring-jobs';
import type { PaymentsContext } from '../src/rail-kit/context';
import { noteFetched, noteNotFetched } from '../src/reconciliation/fetch-log';
import { earliestUnreported } from '../src/reconciliation/missing-lines';
import { compare, type Period } from '../src/reconciliation/reconcile';
import { reportOn } from '../src/reconciliation/report';
import type { StatementFormat } from '../src/reconciliation/statement';
import { bringStatement, type StatementSource } from '../src/reconciliation/statement-source';
import { giveUp, tryAgain } from './failures';

/** Days that are fetched each night: the earlier ones may have late lines. */
const days = 3;
/**
 * How far back the payment of a statement line may have started: a payout can be collected, or returned, within a
 * month.
 */
const daysMost = 31;
const aliveEveryMs = 5_000;
/** Milliseconds until another worker picks up the job of one that stops. */
const leftMs = 1_000;
/**
 * Milliseconds until the next check of the balances, while another process, such as an operator's, is checking them.
 */
const busyMs = 30_000;
/** How long a provider without a statement rests, for each try so far. */
const again = { eachMs: 60_000, mostMs: 30 * 60_000 };

/** The work of the jobs, without Temporal. The signal ends each of them: it throws, or returns the results so far. */
export interface Jobs {
  prune(signal: AbortSignal): Promise<Record<string, number>>;
  verify(signal: AbortSignal): Promise<Verification>;
  /** @returns undefined where another process is checking them now. */
  checkFloats(signal: AbortSignal): Promise<FloatCheck | undefined>;
  /** Undefined where this deployment has no source of exchange rates. */
  refreshRates: ((signal: AbortSignal) => Promise<number>) | undefined;
}

export interface JobDependencies {
  context: PaymentsContext;
  /** The zone whose midnight ends a day. */
  timezone: string;
  jobs: Jobs;
  /** Aborted when the worker begins to stop. */
  stopping: AbortSignal;
  /** Reports to Temporal that the activity is still working. */
  heartbeat(): void;
  /** Aborted once the activity is cancelled. */
  cancelled(): AbortSignal;
  attempt(): number;
}

export function createJobActivities({
  context,
  timezone,
  jobs,
  stopping,
  heartbeat,
  cancelled,
  attempt,
}: JobDependencies): JobActivities {
  const { db, log, timeScale } = context;

  /** Sends heartbeats during work that has no steps of its own. */
  async function alive<T>(work: () => Promise<T>): Promise<T> {
    const beating = setInterval(heartbeat, aliveEveryMs);
    try {
      return await work();
    } finally {
      clearInterval(beating);
    }
  }

  /** Ends at once when the worker stops, and leaves the job to the next worker. */
  async function whileRunning<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([stopping, cancelled()]);
    const left = () => tryAgain('STOPPED', 'the worker stops, and leaves this job to the next one', leftMs);
    if (signal.aborted) throw left();
    let leave: () => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      leave = () => {
        reject(left());
      };
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await alive(() => Promise.race([work(signal), aborted]));
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  function statementsOf(rail: string): { format: StatementFormat; source: StatementSource } {
    // A schedule may outlive a rail that the settings no longer name.
    const served = context.rails.all.find(({ name }) => name === rail);
    if (!served) throw giveUp('NOT_FETCHED', 'this deployment does not serve the rail: delete its schedule');
    const { statement: format, statementSource: source } = served;
    if (format && source && 'fetch' in source) return { format, source };
    throw giveUp(
      'NOT_FETCHED',
      source && 'missing' in source ? source.missing : 'the rail has no statements',
    );
  }

  /**
   * Whole days of the deployment's zone, up to the last midnight: from the day when a payment in the statement may
   * have started.
   */
  async function periodOf(format: StatementFormat, moment: Date): Promise<Period> {
    const midnight = DateTime.fromJSDate(moment, { zone: timezone }).startOf('day');
    const [to, since] = [midnight.toJSDate(), midnight.minus({ days })];
    const most = midnight.minus({ days: daysMost }).toJSDate();
    const begun = await earliestUnreported(db, format, { from: since.toJSDate(), to }, most);
    const from = begun && DateTime.min(since, DateTime.fromJSDate(begun, { zone: timezone }).startOf('day'));
    return { from: (from ?? since).toJSDate(), to };
  }

  return {
    async fetchStatement({ rail, at }) {
      const { format, source } = statementsOf(rail);
      const period = await alive(() => periodOf(format, new Date(at)));
      const call = { alive: heartbeat, signal: AbortSignal.any([stopping, cancelled()]) };
      const brought = await alive(() => bringStatement(db, format, source, period, call));
      if (brought.kind === 'kept') {
        const { statementId, lines } = brought.statement;
        await noteFetched(db, rail, brought.covers.to);
        return { from: period.from.toISOString(), to: period.to.toISOString(), statementId, lines };
      }
      const { kind, text } = brought;
      await noteNotFetched(db, rail, text);
      log.warn('a statement could not be fetched', { rail, kind, why: text });
      if (kind === 'refused') throw giveUp('NOT_FETCHED', text);
      const afterMs = Math.min(again.eachMs * attempt(), again.mostMs) / timeScale;
      throw tryAgain('NOT_FETCHED', text, afterMs);
    },

    async compareStatement({ rail, from, to, statementId, lines }) {
      const { format } = statementsOf(rail);
      const period = { from: new Date(from), to: new Date(to) };
      const unexplained = await alive(async () => {
        await compare(db, format, period, statementId);
        return (await reportOn(db, format, period)).unexplained;
      });
      const fields = { rail, provider: format.provider, from, to, lines, unexplained };
      if (unexplained === 0) log.info('a statement agrees with our books', fields);
      else log.warn('a statement has unmatched money; see malipo reconcile', fields);
      return { unexplained };
    },

    pruneOldRows: () => whileRunning(jobs.prune),

    verifyBooks: () => whileRunning(jobs.verify),

    async checkFloats() {
      const found = await whileRunning(jobs.checkFloats);
      if (found) return found;
      throw tryAgain('BUSY', 'another process is checking the balances now', busyMs);
    },

    async refreshExchangeRates() {
      const { refreshRates } = jobs;
      if (!refreshRates) throw giveUp('NO_SOURCE', 'MALIPO_FX_SOURCE is not set: delete this schedule');
      return { stored: await whileRunning(refreshRates) };
    },
  };
}
