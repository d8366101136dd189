/** `npm run bench -- --hot`: how fast money is booked when all of it uses one wallet or one float. */
import { readConfig } from '../../../src/config';
import { createLog } from '../../../src/telemetry/logging';
import { createProcessContext } from '../../../src/process/process-context';
import { step } from '../../sandbox/services/progress';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { fill } from '../volume/fill';
import { momo, stays, type Shape } from '../volume/shapes';
import { makeTemplates, moreMerchants, type Order } from '../volume/templates';
import { rounded, sum } from '../measures/statistics';
import { inDeployment } from '../ours/deployment';
import type { Stack } from '../ours/stack';
import { bareRows } from './bare-rows';
import { hotReportOf, type HotFigures, type HotReport } from './report';
import { perSecondOf, settle } from './settle';

export interface HotPlan {
  /** Of each kind, in all rounds together. */
  settlements: number;
  rounds: number;
  /** The number of merchants with a wallet and float each. */
  merchants: number;
}

const waiting = (name: string, kind: 'deposit' | 'payout'): Shape => ({
  name,
  share: 250,
  ...momo(kind, stays),
  becomes: 'processing',
  isOpen: true,
});

/** By what they share: one account, or one of many each. */
const kinds = {
  one_wallet: waiting('deposits to one wallet', 'deposit'),
  many_wallets: waiting('deposits to many wallets', 'deposit'),
  one_float: waiting('payouts from one float', 'payout'),
  many_floats: waiting('payouts from many floats', 'payout'),
};
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as Kind[];
const isOne = (kind: Kind) => kind.startsWith('one');

const settled: Shape = {
  ...kinds.one_wallet,
  name: 'a settled deposit',
  ...momo('deposit', '789'),
  becomes: 'succeeded',
};

export async function runHot(plan: HotPlan, folder: string): Promise<HotReport> {
  const figures = await inDeployment(folder, async ({ stack }) => {
    const waitingPayments = await step('payments that wait', () => makeWaiting(stack, plan));
    const [sample] = await makeTemplates(stack, [{ merchant: stack.merchant, shape: settled }]);
    return measure(stack, plan, waitingPayments, sample?.paymentId ?? '');
  });
  return hotReportOf(figures, plan);
}

async function makeWaiting(stack: Stack, plan: HotPlan): Promise<Record<Kind, PaymentRow[]>> {
  const others = await moreMerchants(stack, plan.merchants);
  const orders = kindNames.flatMap((kind): Order[] =>
    (isOne(kind) ? [stack.merchant] : others).map((merchant) => ({ merchant, shape: kinds[kind] })),
  );
  const templates = await makeTemplates(stack, orders);
  const all = kindNames.length * plan.settlements + templates.length * kindNames.length;
  await fill(stack.admin, templates, { payments: all, open: all });
  const real = templates.map(({ paymentId }) => paymentId);
  const of = async (kind: Kind) =>
    stack
      .db('payments')
      .whereNotIn('payment_id', real)
      .where({ kind: kind.endsWith('float') || kind.endsWith('floats') ? 'payout' : 'deposit', is_final: 0 })
      .where('merchant_id', isOne(kind) ? '=' : '<>', stack.merchant.merchant_id)
      .limit(plan.settlements);
  const [one_wallet, many_wallets, one_float, many_floats] = [
    await of('one_wallet'),
    await of('many_wallets'),
    await of('one_float'),
    await of('many_floats'),
  ];
  return { one_wallet, many_wallets, one_float, many_floats };
}

async function measure(
  stack: Stack,
  { settlements, rounds }: HotPlan,
  payments: Record<Kind, PaymentRow[]>,
  sample: string,
): Promise<HotFigures> {
  const config = readConfig(stack.env);
  const log = createLog({ level: 'error', stream: process.stderr });
  const { context, close } = createProcessContext(config, log, { env: stack.env });
  const bare = await bareRows(stack.admin, sample);
  const each = Math.floor(settlements / (rounds + 1));
  const found: Record<'bare_rows' | Kind, number[]> = {
    bare_rows: [],
    one_wallet: [],
    many_wallets: [],
    one_float: [],
    many_floats: [],
  };
  try {
    // The first round is not counted: code and indexes are cold.
    for (let round = 0; round <= rounds; round += 1) {
      // Alternating, so that a machine that is busy for a while affects all of them.
      await step(`bare rows, ${turnOf(round, rounds)}`, async () => {
        const works = Array.from({ length: each }, () => () => bare.insert());
        found.bare_rows.push(await perSecondOf(works, callersMax));
      });
      for (const kind of kindNames) {
        await step(`${kinds[kind].name}, ${turnOf(round, rounds)}`, async () => {
          const turn = payments[kind].slice(round * each, (round + 1) * each);
          const works = turn.map((payment) => () => settle(context, payment));
          found[kind].push(await perSecondOf(works, callersMax));
        });
      }
    }
  } finally {
    await bare.drop();
    await close();
  }
  await notifyMerchants(stack.admin, Object.values(payments).flat());
  const average = (kind: keyof typeof found) => {
    const [, ...counted] = found[kind];
    return rounded(sum(counted) / counted.length);
  };
  return {
    bare_rows: average('bare_rows'),
    one_wallet: average('one_wallet'),
    many_wallets: average('many_wallets'),
    one_float: average('one_float'),
    many_floats: average('many_floats'),
  };
}

function turnOf(round: number, rounds: number): string {
  return round === 0 ? 'not counted' : `round ${round} of ${rounds}`;
}

/** Concurrent connections: as many as a process has by default. */
const callersMax = 8;

/** These webhooks are marked as delivered; otherwise the sweeper would start a workflow for each. */
async function notifyMerchants(admin: Database, payments: readonly PaymentRow[]): Promise<void> {
  for (let at = 0; at < payments.length; at += 1_000) {
    const ids = payments.slice(at, at + 1_000).map(({ payment_id: id }) => id);
    await admin.raw(
      `INSERT INTO webhook_deliveries (webhook_id, n, http_status, duration_ms, at)
       SELECT webhook_id, 1, 200, 0, UTC_TIMESTAMP(3) FROM outbox
       WHERE state = 'pending' AND payment_id IN (${ids.map(() => '?').join(', ')})`,
      ids,
    );
    await admin('outbox')
      .whereIn('payment_id', ids)
      .where({ state: 'pending' })
      .update({ state: 'delivered', tries: 1, settled_at: new Date() });
  }
}
