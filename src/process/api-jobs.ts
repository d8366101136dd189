/** The recurring jobs of an API process: what it writes now and then, what it tidies, and what its metrics show. */
import type { Client } from '@temporalio/client';
import type { Config } from '../config';
import { knownPayoutStops } from '../controls/stops';
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
/** With its jitter within two seconds: a merchant sees its requests no later. */
const writeEveryMs = 1_600;
/** With its jitter within two seconds: what the metrics show of what is stopped is no older. */
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
      otherwise: 'when API keys were used could not be written',
    }),
    repeat(() => writeRequests(requests, log), {
      ...{ everyMs: writeEveryMs, log },
      otherwise: 'the requests of merchants could not be written',
    }),
    ...showStops(context, metrics),
    keepShowing([...apiFigures(metrics, jobs), replicas], log),
  ];
}

async function writeRequests(requests: RequestLog, log: Log): Promise<void> {
  const dropped = await requests.write();
  if (dropped > 0) log.warn('requests of merchants were left out of their log', { dropped });
}

/** What is stopped, and what may be a reason to stop something. */
function showStops(context: PaymentsContext, metrics: Metrics): Repeating[] {
  const { db, log } = context;
  // An account may be that of a rail which this deployment does not serve.
  const accounts = new Set(context.rails.all.map(({ name }) => name));

  async function showAccounts(): Promise<void> {
    const stopped = new Set((await knownStops(context)).map(({ account }) => account));
    for (const account of stopped) accounts.add(account);
    for (const account of accounts) metrics.stopped(account, stopped.has(account));
  }

  async function showPayouts(): Promise<void> {
    metrics.payoutStops((await knownPayoutStops(context)).length);
  }

  async function showVerdict(): Promise<void> {
    const { promisesBroken, lookedAt } = await findVerdict(db);
    metrics.verdict(promisesBroken, lookedAt);
  }

  async function showFloats(): Promise<void> {
    for (const wallet of await servedWallets(context))
      metrics.floatDifference(wallet, differenceOf(wallet), wallet.told_at);
  }

  async function showDuplicates(): Promise<void> {
    for (const n of await openDuplicates(context)) metrics.duplicates(n);
  }

  const show = (work: () => Promise<void>, otherwise: string): Repeating =>
    repeat(work, { everyMs: showEveryMs, log, otherwise });
  return [
    show(showAccounts, 'which accounts are stopped could not be shown'),
    show(showPayouts, 'which payouts are stopped could not be shown'),
    show(showVerdict, 'what the last look at the books found could not be read'),
    show(showFloats, "what providers' wallets hold could not be read"),
    show(showDuplicates, 'how many payments may be duplicates could not be shown'),
  ];
}
