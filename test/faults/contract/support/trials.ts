/** The payments of one kind that run in parallel, each with a faulty provider or merchant. */
import { ended } from '../../../support/payments/timeline';
import type { Flow } from '../rail-contract';
import { forgeFailure, type AfterForgery } from './forged-failure';
import { timeScale, type Begun, type Fault, type ContractStage } from './stand';

export interface Trials {
  tenTimes: Begun;
  /** Only if the customer is not sent to a page first. */
  overtaken?: Begun;
  forgedBefore: Begun;
  forgedForFailure: Begun;
  lost: Begun;
  lostFailure: Begun;
  contradicted: Begun;
  /** Only if the provider can return a payout. */
  takenBack?: Begun;
  merchantDown: Begun;
  /** Only if a payment can stay without a result: that payment, and its state after a forged failure. */
  silent?: Begun;
  forgedInSilence?: AfterForgery;
  /** It gets no notification except a forged failure. */
  forgedAndPaid: Begun;
  /** Only on a rail where a payment without an answer to its submission fails. */
  abandoned?: Begun;
  /** By the provider's answer to the submission. */
  initiations: Record<string, Begun>;
  /** By its answer to the first two status queries. */
  questions: Record<string, Begun>;
}

export async function beginTrials(stand: ContractStage, flow: Flow): Promise<Trials> {
  const {
    notifications: times,
    notificationsAreTrusted,
    initiation,
    question,
    givesUpAfterMs,
    submission = 'initiate',
    takeBack,
  } = stand.contract;
  const callback = (behave: string): Fault => ({ call: 'callback', behave, times });
  const pays = (...faults: Fault[]) => stand.begin(flow, 'pays', faults);
  const fails = (...faults: Fault[]) => stand.begin(flow, 'fails', faults);

  /** Signed notifications need no query, so the notification must be lost for one. */
  const asked = (behave: string): Promise<Begun> =>
    pays({ call: question.call, behave, times: 2 }, ...(notificationsAreTrusted ? [callback('drop')] : []));

  async function each(names: readonly string[], begin: (name: string) => Promise<Begun>) {
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await begin(name)] as const)),
    );
  }

  const [tenTimes, overtaken, forgedBefore, forgedForFailure, lost, lostFailure, contradicted, merchantDown] =
    await Promise.all([
      pays(callback('duplicate')),
      flow.customerActs ? undefined : pays({ call: 'callback', behave: 'reorder' }),
      pays(callback('forge')),
      fails(callback('forge')),
      pays(callback('drop')),
      fails(callback('drop')),
      pays(),
      beginForMerchantWhoIsDown(stand, flow),
    ]);
  const [initiations, questions, abandoned] = await Promise.all([
    each(Object.keys(initiation), (behave) => pays({ call: submission, behave })),
    each(question.faults, asked),
    givesUpAfterMs === undefined ? undefined : beginGivenUp(stand, flow, givesUpAfterMs),
  ]);
  const forgedAndPaid = await pays(callback('drop'));
  await forgeFailure(stand, forgedAndPaid);
  const takenBack = takeBack ? await pays() : undefined;
  const isSilent = flow.customer('silent', 0) !== undefined;
  const silent = isSilent ? await stand.begin(flow, 'silent') : undefined;
  return {
    ...{ tenTimes, forgedBefore, forgedForFailure, lost, lostFailure, contradicted, merchantDown },
    ...(overtaken ? { overtaken } : {}),
    ...{ initiations, questions, forgedAndPaid },
    ...(silent ? { silent, forgedInSilence: await forgeFailure(stand, silent) } : {}),
    ...(abandoned ? { abandoned } : {}),
    ...(takenBack ? { takenBack } : {}),
  };
}

/** The merchant's server rejects the first two attempts of the webhook about the final state. */
async function beginForMerchantWhoIsDown(stand: ContractStage, flow: Flow): Promise<Begun> {
  const merchant = await stand.createMerchant();
  const prepared = await stand.prepare(flow, 'pays', [], merchant);
  const tries = new Map<unknown, number>();
  merchant.receiver.answerWith((request, response) => {
    const id = request.headers['webhook-id'];
    tries.set(id, (tries.get(id) ?? 0) + 1);
    response.statusCode = (tries.get(id) ?? 0) <= 2 ? 503 : 200;
    response.end();
  });
  return stand.send(prepared);
}

/** The provider has acted, its answer is lost, and its report arrives after our payment has failed. */
async function beginGivenUp(stand: ContractStage, flow: Flow, givesUpAfterMs: number): Promise<Begun> {
  const reportedAfterMs = 15_000;
  const { lookup } = stand.contract;
  const begun = await stand.begin(flow, 'pays', [
    { call: stand.contract.submission ?? 'initiate', behave: 'act_then_500' },
    {
      call: 'callback',
      behave: 'delay',
      ms: reportedAfterMs * timeScale,
      times: stand.contract.notifications,
    },
    ...(lookup === undefined ? [] : [{ call: lookup, behave: '503', times: 9 }]),
  ]);
  await begun.answer;
  const payment = await begun.row();
  await stand.engine.advance(payment, givesUpAfterMs);
  await ended(stand.stack.db, payment.payment_id, ['timed_out']);
  return begun;
}
