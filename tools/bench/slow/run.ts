/** `npm run bench -- --slow-provider`, `-- --slow-merchants`: how slow ones affect payments that are not slow. */
import { request } from 'undici';
import { step } from '../../sandbox/services/progress';
import { openLoop, type OpenLoopPlan } from '../load/open-loop';
import type { Pay } from '../load/payment';
import { creationMs, percentiles } from '../measures/statistics';
import { inDeployment, type Deployment } from '../ours/deployment';
import { merchantClient } from '../ours/merchant';
import { startReceiver } from '../ours/receiver';
import { untilQuiet } from '../ours/side';
import { spread } from '../ours/steady';
import { waitsOf } from '../ours/waits';
import {
  slowReportOf,
  type BesideFigures,
  type SlowFigures,
  type SlowReport,
  type WhoIsSlow,
} from './report';

export interface SlowPlan {
  who: WhoIsSlow;
  /** For payments that are not slow, and the same number that will be. */
  load: OpenLoopPlan;
}

/** How long each answer of a slow provider, or a slow merchant, takes. */
const slowMs: Record<WhoIsSlow, number> = { provider: 2_000, merchants: 5_000 };

/** A slow merchant gets few webhooks at a time, and some of them wait for a retry. */
const owedWithinMs = 600_000;

/** The payments that become slow: how they pay, and what makes them slow. */
interface Others {
  pay: Pay;
  slowDown(): Promise<void>;
  /** Ends the slowness, so that the remaining work is soon done. */
  hurryUp(): Promise<void>;
  close(): Promise<void>;
}

const othersOf: Record<WhoIsSlow, (deployment: Deployment) => Promise<Others>> = {
  provider: ({ stack, merchant }) => {
    const simulator = `${stack.env['MALIPO_SIMULATOR_URL'] ?? ''}/control`;
    const nothing = () => Promise.resolve();
    return Promise.resolve({
      pay: merchant.payBy('momo_deposit'),
      async slowDown() {
        for (const call of ['initiate', 'status', 'predict']) {
          const rule = { provider: 'momo', call, behave: 'delay', ms: slowMs.provider, times: 100_000 };
          await post(`${simulator}/next`, rule);
        }
      },
      hurryUp: nothing,
      close: nothing,
    });
  },
  merchants: async ({ stack }) => {
    const receiver = await startReceiver();
    const keys = await stack.addMerchant('Slow', receiver.url);
    const merchant = merchantClient(stack.apiUrl, keys, receiver);
    return {
      pay: merchant.payBy('stk_push'),
      slowDown() {
        receiver.answerAfter(slowMs.merchants);
        return Promise.resolve();
      },
      hurryUp() {
        receiver.answerAfter(0);
        return Promise.resolve();
      },
      async close() {
        await merchant.close();
        receiver.close();
      },
    };
  },
};

export async function runSlow({ who, load }: SlowPlan, folder: string): Promise<SlowReport> {
  const figures = await inDeployment(folder, async (deployment): Promise<SlowFigures> => {
    const others = await othersOf[who](deployment);
    const pay = deployment.merchant.payBy('stk_push');
    const both = async (plan: OpenLoopPlan) => {
      const [ours] = await Promise.all([openLoop(pay, plan), openLoop(others.pay, plan)]);
      return figuresOf(deployment, ours);
    };
    try {
      await step('warming up', () => both({ ...load, seconds: Math.ceil(load.seconds / 3) }));
      const quick = await step('no slow peer', () => both(load));
      await others.slowDown();
      // Payments from before the slowness are finished by then.
      await step(`the ${who} become slow`, () => both({ ...load, seconds: Math.ceil(load.seconds / 3) }));
      const slow = await step(`beside slow ${who}`, () => both(load));
      await others.hurryUp();
      await step('the remaining work of the slow ones', () => untilQuiet(deployment.stack.db, owedWithinMs));
      return { quick, slow };
    } finally {
      await others.close();
    }
  });
  return slowReportOf(figures, { who, load, slowMs: slowMs[who] });
}

async function figuresOf(
  { stack }: Deployment,
  { samples, turnedAway, failures }: Awaited<ReturnType<typeof openLoop>>,
): Promise<BesideFigures> {
  if (failures[0] !== undefined) throw new Error(failures[0]);
  const waits = await waitsOf(stack.db, samples);
  return {
    accepted: samples.length,
    turned_away: turnedAway,
    accept_ms: spread(percentiles(creationMs(samples))),
    accept_to_final_ms: spread(percentiles(waits.map(({ finalMs }) => finalMs))),
    accept_to_delivered_ms: spread(percentiles(waits.map(({ deliveredMs }) => deliveredMs))),
  };
}

async function post(url: string, body: Record<string, unknown>): Promise<void> {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
}
