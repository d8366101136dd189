/** The payments of one kind that are begun side by side, each with a provider or a merchant that misbehaves. */
import { ended } from '../../../support/payment-story';
import type { Flow } from '../rail-contract';
import { forgeFailure, type AfterForgery } from './forged-failure';
import { timeScale, type Begun, type Fault, type Stand } from './stand';

export interface Trials {
  tenTimes: Begun;
  /** Only where the customer need not be sent anywhere first. */
  overtaken?: Begun;
  forgedBefore: Begun;
  forgedForFailure: Begun;
  lost: Begun;
  lostFailure: Begun;
  contradicted: Begun;
  /** Only where the provider can take back what it has paid out. */
  takenBack?: Begun;
  merchantDown: Begun;
  /** Only where somebody can be silent: his payment, and how it stands after somebody has forged its failure. */
  silent?: Begun;
  forgedInSilence?: AfterForgery;
  /** Nothing is notified of it but a failure that somebody forges. */
  forgedAndPaid: Begun;
  /** Only on a rail that gives up a payment whose acceptance was lost. */
  givenUp?: Begun;
  /** By what the provider answers to the instruction. */
  initiations: Record<string, Begun>;
  /** By what it answers to the first two questions. */
  questions: Record<string, Begun>;
}

export async function beginTrials(stand: Stand, flow: Flow): Promise<Trials> {
  const {
    notifications: times,
    notificationsAreProof,
    initiation,
    question,
    givesUpAfterMs,
    instruction = 'initiate',
    takeBack,
  } = stand.contract;
  const callback = (behave: string): Fault => ({ call: 'callback', behave, times });
  const pays = (...faults: Fault[]) => stand.begin(flow, 'pays', faults);
  const fails = (...faults: Fault[]) => stand.begin(flow, 'fails', faults);

  /** What is signed needs no question, so that its notification has to be lost for one to be asked. */
  const asked = (behave: string): Promise<Begun> =>
    pays({ call: question.call, behave, times: 2 }, ...(notificationsAreProof ? [callback('drop')] : []));

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
  const [initiations, questions, givenUp] = await Promise.all([
    each(Object.keys(initiation), (behave) => pays({ call: instruction, behave })),
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
    ...(givenUp ? { givenUp } : {}),
    ...(takenBack ? { takenBack } : {}),
  };
}

/** The merchant's server refuses the first two tries of the webhook that tells of the end. */
async function beginForMerchantWhoIsDown(stand: Stand, flow: Flow): Promise<Begun> {
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

/** The provider has acted, its answer is lost, and what it reports comes when we have given up. */
async function beginGivenUp(stand: Stand, flow: Flow, givesUpAfterMs: number): Promise<Begun> {
  const reportedAfterMs = 15_000;
  const { lookup } = stand.contract;
  const begun = await stand.begin(flow, 'pays', [
    { call: stand.contract.instruction ?? 'initiate', behave: 'act_then_500' },
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
