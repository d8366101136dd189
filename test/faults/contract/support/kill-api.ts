/** One kill -9 of the API while a payment of each kind is at each step of the API. */
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { sendUntilAccepted, type Sent } from '../../support/patient-merchant';
import { lockRow } from './row-lock';
import { timeScale, type Begun, type Fault, type ContractStage } from './stand';

export const apiSteps = [
  'notWritten',
  'notHandedOver',
  'awaitingTheAnswer',
  'reportLost',
  'reportStored',
] as const;
export type ApiStep = (typeof apiSteps)[number];

export interface Caught {
  prepared: Omit<Begun, 'answer'>;
  /** The requests of the merchant who was cut off, and repeated the request with its key. */
  sent?: Sent;
}

const timeoutMs = 30_000;

/** @returns the payments of every flow, by the step where they were caught. */
export async function killApiAtEachStep(stand: ContractStage): Promise<Map<string, Record<ApiStep, Caught>>> {
  const { stack, contract } = stand;
  const { db } = stack;
  /** @param realMs how long notifications are delayed in real time, whatever the provider's clock */
  const callbacks = (realMs: number): Fault => ({
    call: 'callback',
    behave: 'delay',
    ms: realMs * timeScale,
    times: contract.notifications,
  });
  const blind: Fault = { call: contract.question.call, behave: '500', times: 1_000 };
  const lockedMerchant = await stand.createMerchant();
  const caught = new Map<string, Record<ApiStep, Caught>>();
  await Promise.all(
    Object.entries(contract.flows).map(async ([name, flow]) => {
      // The first of them has its merchant's rate limit stored, so that there is a row to lock.
      await (
        await stand.begin(flow, 'pays', [], lockedMerchant)
      ).answer;
      const slow: Fault = { call: contract.submission ?? 'initiate', behave: 'delay', ms: 10_000 };
      caught.set(name, {
        notWritten: { prepared: await stand.prepare(flow, 'pays', [], lockedMerchant) },
        notHandedOver: { prepared: await stand.prepare(flow, 'pays') },
        awaitingTheAnswer: { prepared: await stand.prepare(flow, 'pays', [slow]) },
        reportLost: { prepared: await stand.prepare(flow, 'pays', [callbacks(7_000), blind]) },
        reportStored: { prepared: await stand.prepare(flow, 'pays', [callbacks(1_500), blind]) },
      });
    }),
  );
  const all = [...caught.values()];
  const waiting: Promise<void>[] = [];
  const begin = (step: Caught): void => {
    const { merchant, request, flow, row, fate } = step.prepared;
    waiting.push(
      sendUntilAccepted(stack, merchant, request).then(async (sent) => {
        step.sent = sent;
        await flow.customerActs?.(stack, await row(), fate);
      }),
    );
  };

  const buckets = await db('rate_limit_buckets').where('bucket', 'like', `%:${lockedMerchant.merchantId}`);
  const unlocks = await Promise.all(
    buckets.map(({ bucket }) => lockRow(db, 'rate_limit_buckets', { bucket })),
  );
  expect(unlocks).not.toEqual([]);
  for (const { notWritten } of all) begin(notWritten);
  const stored = all.map(({ reportStored }) => stand.send(reportStored.prepared));
  const unheard = all.map(({ reportLost }) => stand.send(reportLost.prepared));
  for (const begun of [...stored, ...unheard]) {
    await begun.answer;
    await waitFor(async () => (await stand.faultsLeft(begun, 'callback')) === 0, {
      what: 'the notification to be in progress',
      timeoutMs,
    });
  }
  for (const { awaitingTheAnswer } of all) begin(awaitingTheAnswer);
  for (const { awaitingTheAnswer } of all) {
    const { payment_id } = await awaitingTheAnswer.prepared.row();
    await waitFor(() => db('attempts').where({ payment_id }).first('n'), {
      what: 'the provider to be queried',
      timeoutMs,
    });
  }
  // From here on the API cannot reach Temporal, and can only store what it receives.
  stand.temporal.hold();
  for (const { notHandedOver } of all) begin(notHandedOver);
  for (const { notHandedOver } of all) await notHandedOver.prepared.row();
  for (const begun of stored) {
    const { payment_id } = await begun.row();
    await waitFor(() => db('inbox').where({ payment_id }).first('inbox_id'), {
      what: 'the notification to be stored',
      timeoutMs,
    });
  }

  await stack.kill('api');
  stand.temporal.release();
  for (const { notWritten } of all) expect(await rowsOf(stand, notWritten)).toEqual([]);
  for (const unlock of unlocks) await unlock();
  await stand.forgiveAll();
  await stack.start('api');
  await Promise.all(waiting);
  return caught;
}

export function rowsOf({ stack }: ContractStage, { prepared: { flow, customer } }: Caught) {
  return stack
    .db('payments')
    .where({ kind: flow.kind, ...flow.row(customer) })
    .select('payment_id', 'state');
}
