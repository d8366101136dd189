/** One kill -9 of the worker while a payment of each kind is at each step of its life. */
import type { ServerResponse } from 'node:http';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { TestMerchant } from '../../../support/stack';
import { lockRow } from './row-lock';
import { timeScale, type Begun, type Fault, type ContractStage } from './stand';

const workerSteps = [
  'notBegun',
  'neverAnswered',
  'answerOnItsWay',
  'reportedWhileDown',
  'asking',
  'booking',
  'beingNotified',
  'notified',
] as const;
export type WorkerStep = (typeof workerSteps)[number];
/** The steps from which a paying customer's payment is paid in every case. */
export const paidSteps = workerSteps.filter((step) => step !== 'neverAnswered');
/** The same if the customer acts after the creation: the customer has left when that comes too late. */
export const stepsAfterCreation = paidSteps.filter((step) => step !== 'answerOnItsWay');

const timeoutMs = 30_000;
/** Real milliseconds of a notification's delay, in the provider's time. */
const later = (ms: number) => ms * timeScale;

/** @returns the payments of every flow, by the step where they were caught. */
export async function killWorkerAtEachStep(
  stand: ContractStage,
): Promise<Map<string, Record<WorkerStep, Begun>>> {
  const { stack, contract } = stand;
  const { submission = 'initiate' } = contract;
  const callbacks = (fault: Omit<Fault, 'call'>): Fault => ({
    call: 'callback',
    times: contract.notifications,
    ...fault,
  });
  const unlocks: (() => Promise<void>)[] = [];
  const held: (() => void)[] = [];
  const caught = new Map<string, Record<WorkerStep, Begun>>();
  const prepared = new Map<string, Omit<Begun, 'answer'>>();

  await Promise.all(
    Object.entries(contract.flows).map(async ([name, flow]) => {
      const beingNotified = await caughtBeingNotified(stand, flow, held);
      const notified = await caughtNotified(stand, flow, unlocks);
      const neverAnswered = await stand.begin(flow, 'pays', [{ call: submission, behave: 'hang' }]);
      const delayed: Fault = { call: submission, behave: 'delay', ms: 60_000 };
      const answerOnItsWay = await stand.begin(flow, 'pays', [delayed]);
      await happened(stand, submission, neverAnswered);
      if (flow.customerActs) await happened(stand, submission, answerOnItsWay);
      else await reported(stand, answerOnItsWay);

      const booking = await stand.begin(flow, 'pays', [callbacks({ behave: 'delay', ms: later(1_500) })]);
      await accepted(stand, booking);
      const { payment_id: id } = await booking.row();
      unlocks.push(await lockRow(stack.db, 'payments', { payment_id: id }));
      await reported(stand, booking);

      const unanswered: Fault = { call: contract.question.call, behave: 'hang', times: 2 };
      const asking = await stand.begin(
        flow,
        'pays',
        contract.notificationsAreTrusted ? [unanswered, callbacks({ behave: 'drop' })] : [unanswered],
      );
      await happened(stand, contract.question.call, asking);
      prepared.set(name, await stand.prepare(flow, 'pays'));
      caught.set(name, {
        beingNotified,
        notified,
        neverAnswered,
        answerOnItsWay,
        booking,
        asking,
      } as Record<WorkerStep, Begun>);
    }),
  );
  // Reported late, and not found by a query before.
  await Promise.all(
    Object.entries(contract.flows).map(async ([name, flow]) => {
      const begun = await stand.begin(flow, 'pays', [
        callbacks({ behave: 'delay', ms: later(4_000) }),
        { call: contract.question.call, behave: '500', times: 1_000 },
      ]);
      await accepted(stand, begun);
      (caught.get(name) as Record<WorkerStep, Begun>).reportedWhileDown = begun;
    }),
  );

  await stack.kill('worker');
  for (const unlock of unlocks) await unlock();
  for (const answer of held) answer();
  for (const { reportedWhileDown } of caught.values()) {
    await waitFor(async () => (await stand.faultsLeft(reportedWhileDown, 'callback')) === 0, {
      what: 'the notification to be in progress',
      timeoutMs,
    });
  }
  await stand.forgiveAll();
  for (const [name, steps] of caught) {
    steps.notBegun = stand.send(prepared.get(name) as Omit<Begun, 'answer'>);
    await steps.notBegun.row();
    await reported(stand, steps.reportedWhileDown);
  }
  await stack.start('worker');
  return caught;
}

/** The merchant does not answer before the kill. */
async function caughtBeingNotified(
  stand: ContractStage,
  flow: Begun['flow'],
  held: (() => void)[],
): Promise<Begun> {
  const merchant = await stand.createMerchant();
  const prepared = await stand.prepare(flow, 'pays', [], merchant);
  const waiting: ServerResponse[] = [];
  merchant.receiver.answerWith((_request, response) => waiting.push(response));
  held.push(() => answerOk(merchant));
  const begun = stand.send(prepared);
  await waitFor(() => Promise.resolve(waiting.length > 0), { what: 'the held webhook', timeoutMs });
  return begun;
}

/** The merchant has answered, and the worker cannot store the answer. */
async function caughtNotified(
  stand: ContractStage,
  flow: Begun['flow'],
  unlocks: (() => Promise<void>)[],
): Promise<Begun> {
  const merchant = await stand.createMerchant();
  const prepared = await stand.prepare(flow, 'pays', [], merchant);
  const answered = new Promise<void>((resolve, reject) => {
    merchant.receiver.answerWith((_request, response) => {
      answerOk(merchant);
      prepared
        .row()
        .then(({ payment_id }) => lockRow(stand.stack.db, 'outbox', { payment_id }))
        .then((unlock) => {
          unlocks.push(unlock);
          response.end('ok', resolve);
        })
        .catch(reject);
    });
  });
  const begun = stand.send(prepared);
  await answered;
  return begun;
}

function answerOk({ receiver }: TestMerchant): void {
  receiver.answerWith((_request, response) => response.end('ok'));
}

/** The provider has accepted it. A refund is answered before that. */
async function accepted(stand: ContractStage, begun: Begun): Promise<void> {
  const { payment_id } = await begun.row();
  await waitFor(
    () => stand.stack.db('attempts').where({ payment_id, operation: 'initiate', state: 'accepted' }).first(),
    { what: `${begun.customer} to be accepted`, timeoutMs },
  );
}

async function reported(stand: ContractStage, begun: Begun): Promise<void> {
  const { payment_id } = await begun.row();
  await waitFor(() => stand.stack.db('inbox').where({ payment_id }).first('inbox_id'), {
    what: `the notification about ${begun.customer}`,
    timeoutMs,
  });
}

async function happened(stand: ContractStage, call: string, begun: Begun): Promise<void> {
  await waitFor(async () => (await stand.exchanges(call, await begun.row())).length > 0, {
    what: `the ${call} of ${begun.customer}`,
    timeoutMs,
  });
}
