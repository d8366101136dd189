/** The recurring jobs of an API process: writes, clean-up and metrics. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config';
import { knownPayoutPauses } from '../controls/pauses';
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import type { ReadinessCheck } from '../api/health';
import type { KeyUses } from '../merchants/key-uses';
import { forgetBucketsRepeatedly } from '../merchants/rate-limit';
import type { RequestLog } from '../merchants/request-log';
import { differenceOf, servedWallets } from '../floats/opening-adjustment';
import { knownStops } from '../payments/submit/stopped-accounts';
import type { PaymentsContext } from '../rail-kit/context';
import { openDuplicates } from '../payments/read/duplicates';
import { apiFigures } from '../telemetry/figures/api-figures';
import { keepShowing, type Figures } from '../telemetry/figures/figures';
import type { Metrics } from '../telemetry/metrics';
import { findVerdict } from '../verify/verdict';

const usesEveryMs = 60_000;
/** With the jitter at most two seconds: how late a merchant sees its requests in the log. */
const writeEveryMs = 1_600;
/** With the jitter at most two seconds: how old the metrics of pauses are. */
const showEveryMs = 1_600;

export interface ApiJobs {
  context: PaymentsContext;
  client: Client;
  config: Config;
  metrics: Metrics;
  readiness: readonly ReadinessCheck[];
  uses: KeyUses;
  requests: RequestLog;
  replicas: Figures;
}

export function startApiJobs(jobs: ApiJobs): Repeating[] {
  const { context, metrics, uses, requests, replicas } = jobs;
  const { db, log } = context;
  return [
    forgetBucketsRepeatedly(db, log),
    repeat(() => uses.write(), {
      ...{ everyMs: usesEveryMs, log },
      otherwise: 'the last uses of API keys could not be written',
    }),
    repeat(() => writeRequests(requests, log), {
      ...{ everyMs: writeEveryMs, log },
      otherwise: 'the request log of merchants could not be written',
    }),
    ...showStops(context, metrics),
    keepShowing([...apiFigures(metrics, jobs), replicas], log),
  ];
}

async function writeRequests(requests: RequestLog, log: Log): Promise<void> {
  const dropped = await requests.write();
  if (dropped > 0) log.warn('some requests of merchants are missing from the request log', { dropped });
}

/** Metrics of pauses, and of what may be a reason for one. */
function showStops(context: PaymentsContext, metrics: Metrics): Repeating[] {
  const { db, log } = context;
  // An account may belong to a rail that this deployment does not serve.
  const accounts = new Set(context.rails.all.map(({ name }) => name));

  async function showAccounts(): Promise<void> {
    const stopped = new Set((await knownStops(context)).map(({ account }) => account));
    for (const account of stopped) accounts.add(account);
    for (const account of accounts) metrics.stopped(account, stopped.has(account));
  }

  async function showPayouts(): Promise<void> {
    metrics.payoutStops((await knownPayoutPauses(context)).length);
  }

  async function showVerdict(): Promise<void> {
    const { violationCount, checkedAt } = await findVerdict(db);
    metrics.verdict(violationCount, checkedAt);
  }

  async function showFloats(): Promise<void> {
    for (const wallet of await servedWallets(context))
      metrics.floatDifference(wallet, differenceOf(wallet), wallet.reported_at);
  }

  async function showDuplicates(): Promise<void> {
    for (const n of await openDuplicates(context)) metrics.duplicates(n);
  }

  const show = (work: () => Promise<void>, otherwise: string): Repeating =>
    repeat(work, { everyMs: showEveryMs, log, otherwise });
  return [
    show(showAccounts, 'the paused accounts could not be read'),
    show(showPayouts, 'the payout pauses could not be read'),
    show(showVerdict, 'the result of the last verification could not be read'),
    show(showFloats, "the balances of providers' wallets could not be read"),
    show(showDuplicates, 'the number of possible duplicate payments could not be read'),
  ];
}
