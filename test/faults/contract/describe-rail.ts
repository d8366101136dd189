/**
 * The invariants of every rail, whatever its provider. Each folder under src/rails is tested automatically
 * (`contract.test.ts`); `rails/` beside this file describes how its providers are made to fail. Each rail has its own
 * test file, so that they run in parallel.
 */
import type { PaymentRow } from '../../../src/store/tables';
import { atRest, caseOpened, ended } from '../../support/payments/timeline';
import { allEndsWell } from './support/all-ends-well';
import { apiSteps, killApiAtEachStep, rowsOf, type ApiStep, type Caught } from './support/kill-api';
import { actInTemporal, uiActs, type UiAct } from './support/act-in-temporal';
import { expectChargedOnce } from './support/charged';
import type { AfterForgery } from './support/forged-failure';
import { killWorkerAtEachStep, paidSteps, stepsAfterCreation, type WorkerStep } from './support/kill-worker';
import {
  bookingsOf,
  endingsReported,
  failedOrQueried,
  startContractStage,
  type Begun,
  type ContractStage,
} from './support/stand';
import { itWhere } from './support/it-where';
import { stageOf, type Stage } from './support/rails';
import { expectBackOnce, takeBack } from './support/taken-back';
import { beginTrials, type Trials } from './support/trials';
import { triesOfSuccess } from './support/webhook-tries';

const patienceMs = 120_000;
const longerThanWatchedMs = 73 * 3_600_000;
/** @param name of the rail, and of its provider if it has several: `stk`, `xb/intasend`. */
export function describeRail(name: string): void {
  const stage = stageOf(name);
  describe(`the rail ${name}`, () => keepsItsPromises(stage));
}

function keepsItsPromises(stage: Stage): void {
  const { contract } = stage;
  const flows = Object.keys(contract.flows);
  const { givesUpAfterMs } = contract;
  let stand: ContractStage;
  let trials: Record<string, Trials>;
  beforeAll(async () => {
    stand = await startContractStage(stage);
    const begun = Object.entries(contract.flows).map(
      async ([name, flow]) => [name, await beginTrials(stand, flow)] as const,
    );
    trials = Object.fromEntries(await Promise.all(begun));
  });
  afterAll(() => stand.stop());

  const trialsOf = (flow: string): Trials => trials[flow] as Trials;
  const rowOf = async (begun: Begun): Promise<PaymentRow> => begun.row();
  async function settled(begun: Begun, states?: readonly PaymentRow['state'][]): Promise<PaymentRow> {
    const { payment_id: id } = await rowOf(begun);
    const payment = await ended(stand.stack.db, id, states, patienceMs);
    await atRest(stand.stack.db, id, patienceMs);
    return payment;
  }
  /** Booked, charged and reported once, or, without success, not booked at all. */
  async function expectOneEnding(payment: PaymentRow): Promise<void> {
    const { db } = stand.stack;
    const booked = (await bookingsOf(db, payment.payment_id)).map((minor) => (minor < 0n ? -minor : minor));
    expect(booked).toEqual(payment.state === 'succeeded' ? [BigInt(payment.requested_minor)] : []);
    expect(await endingsReported(db, payment.payment_id)).toEqual([payment.state]);
    await expectChargedOnce(db, payment);
  }
  async function expectPaidOnce(begun: Begun): Promise<PaymentRow> {
    const payment = await settled(begun, ['succeeded']);
    await expectOneEnding(payment);
    return payment;
  }

  describe.each(flows)('%s', (flow) => {
    const customerActs = contract.flows[flow]?.customerActs !== undefined;
    const hasSilentCustomers = contract.flows[flow]?.customer('silent', 0) !== undefined;

    it('whose notification comes ten times at once is booked once, and each copy is acknowledged', async () => {
      const payment = await expectPaidOnce(trialsOf(flow).tenTimes);
      const copies = await stand.answeredNotifications(payment, 10 * contract.notifications);
      expect(copies.map(({ answer }) => answer?.status)).toEqual(copies.map(() => 200));
      const kept = await stand.stack.db('inbox').where({ payment_id: payment.payment_id });
      if (contract.notificationsAreUnverified) expect(kept.length).toBeLessThan(copies.length);
      else expect(kept).toHaveLength(contract.notifications);
    });

    itWhere(!customerActs)(
      'whose notification overtakes the answer to our request is not moved back by that answer',
      async () => {
        await expectPaidOnce(trialsOf(flow).overtaken as Begun);
      },
    );

    it('with forged notifications is settled by the genuine one', async () => {
      await expectPaidOnce(trialsOf(flow).forgedBefore);
    });

    it('that fails is not paid by a forged notification', async () => {
      const { payment_id: id } = await rowOf(trialsOf(flow).forgedForFailure);
      // The provider denies the forged result: the payment fails, or a case is opened before that.
      await failedOrQueried(stand.stack.db, id, patienceMs);
      expect(await bookingsOf(stand.stack.db, id)).toEqual([]);
      expect(await endingsReported(stand.stack.db, id)).not.toContain('succeeded');
    });

    it('with an unproven failure report is paid all the same', async () => {
      await expectPaidOnce(trialsOf(flow).forgedAndPaid);
    });

    itWhere(hasSilentCustomers)('that somebody says has failed, without proof, is not ended by it', () => {
      const { status, state, reported, bookings, holds } = trialsOf(flow).forgedInSilence as AfterForgery;
      // Accepted if nothing is signed, and then checked by a query; otherwise rejected at once.
      expect([200, 400, 401]).toContain(status);
      expect(['failed', 'cancelled']).not.toContain(state);
      expect(reported).not.toEqual(expect.arrayContaining([expect.stringMatching(/failed|cancelled/)]));
      expect([bookings, holds]).toEqual([[], contract.flows[flow]?.kind === 'deposit' ? [] : ['open']]);
    });

    it('whose notification is lost ends by our own query', async () => {
      await expectPaidOnce(trialsOf(flow).lost);
      await expectOneEnding(await settled(trialsOf(flow).lostFailure, ['failed']));
    });

    it('whose notification comes after all of that is not booked again', async () => {
      const payment = await settled(trialsOf(flow).lost, ['succeeded']);
      const withheld = (await stand.exchanges('callback', payment)).at(-1);
      if (!withheld) throw new Error('the provider has withheld nothing');
      expect(await contract.repeat(stand.stack, payment, withheld)).toBe(200);
      await expectPaidOnce(trialsOf(flow).lost);
    });

    itWhere(contract.contradict !== undefined)(
      'that is reported to have failed after it succeeded stands, and a person is told',
      async () => {
        const payment = await expectPaidOnce(trialsOf(flow).contradicted);
        expect(await contract.contradict?.(stand.stack, payment)).toBe(200);
        const cases = await caseOpened(stand.stack.db, payment.payment_id);
        expect(cases).toEqual(['contradictory_outcome']);
        await expectPaidOnce(trialsOf(flow).contradicted);
      },
    );

    itWhere(contract.takeBack !== undefined)(
      'that comes back after it succeeded is back in its purse once, and told as a correction',
      async () => {
        const begun = trialsOf(flow).takenBack as Begun;
        const payment = await expectPaidOnce(begun);
        await takeBack(stand, begun, payment);
        await expectBackOnce(stand, await settled(begun, ['returned']));
      },
    );

    describe.each(Object.entries(contract.initiation))('with the provider’s answer "%s"', (fault, ends) => {
      const caught = () => trialsOf(flow).initiations[fault] as Begun;

      it('is accepted, and never treated as rejected', async () => {
        expect((await caught().answer).status).toBe(200);
        const { payment_id } = await rowOf(caught());
        const refused = { payment_id, from_state: 'initiating' as const, to_state: 'failed' as const };
        expect(await stand.stack.db('payment_log').where(refused)).toEqual([]);
      });

      it(`ends as ${ends.join(' or ')}, and is booked if the provider did it`, async () => {
        await caught().answer;
        if (givesUpAfterMs !== undefined && ends.includes('timed_out')) {
          await stand.engine.advance(await rowOf(caught()), givesUpAfterMs);
        }
        await expectOneEnding(await settled(caught(), ends));
      });
    });

    it.each(contract.question.faults)(
      'whose status query is answered "%s" is queried again',
      async (fault) => {
        await expectPaidOnce(trialsOf(flow).questions[fault] as Begun);
      },
    );

    it('reaches a merchant whose server was down as soon as it is up, with the same webhook id', async () => {
      const begun = trialsOf(flow).merchantDown;
      const payment = await expectPaidOnce(begun);
      const { answers, areCopies } = await triesOfSuccess(stand, begun.merchant, payment);
      expect(answers).toEqual([503, 503, 200]);
      expect(areCopies).toEqual([true, true, true]);
    });

    itWhere(hasSilentCustomers)('nobody tells the end of moves no money', async () => {
      const begun = trialsOf(flow).silent as Begun;
      await begun.answer;
      const { payment_id: id } = await rowOf(begun);
      await stand.engine.advance(await rowOf(begun), longerThanWatchedMs);
      if (contract.silence === 'timed_out') await settled(begun, ['timed_out']);
      else expect(await caseOpened(stand.stack.db, id, patienceMs)).toEqual([contract.silence]);
      expect(await bookingsOf(stand.stack.db, id)).toEqual([]);
    });

    itWhere(givesUpAfterMs !== undefined)(
      'that we gave up and that succeeds after all is booked once, and told as a correction',
      async () => {
        const payment = await settled(trialsOf(flow).abandoned as Begun, ['succeeded']);
        const { payment_id: id } = payment;
        expect(await endingsReported(stand.stack.db, id)).toEqual(['timed_out', 'succeeded']);
        expect(payment.corrected).toBe(1);
        expect(await bookingsOf(stand.stack.db, id)).toEqual([-BigInt(payment.requested_minor)]);
      },
    );
  });

  describe('kill -9 of the worker', () => {
    let caught: Map<string, Record<WorkerStep, Begun>>;
    beforeAll(async () => (caught = await killWorkerAtEachStep(stand)));
    const at = (flow: string, step: WorkerStep): Begun =>
      (caught.get(flow) as Record<WorkerStep, Begun>)[step];

    describe.each(flows)('%s', (flow) => {
      const customerActs = contract.flows[flow]?.customerActs !== undefined;

      it.each(customerActs ? stepsAfterCreation : paidSteps)(
        'caught at "%s" is booked exactly once',
        async (step) => {
          const { payment_id: id } = await settled(at(flow, step), ['succeeded']);
          expect(await bookingsOf(stand.stack.db, id)).toHaveLength(1);
          expect((await endingsReported(stand.stack.db, id)).at(-1)).toBe('succeeded');
        },
      );

      itWhere(!customerActs)('whose unanswered instruction is unknown, and not refused', async () => {
        const begun = at(flow, 'neverAnswered');
        const ends = contract.initiation['hang'] ?? [];
        await begun.answer;
        if (givesUpAfterMs !== undefined) await stand.engine.advance(await rowOf(begun), givesUpAfterMs);
        await expectOneEnding(await settled(begun, ends));
      });

      itWhere(customerActs)('whose page came too late is paid by nobody', async () => {
        for (const step of ['neverAnswered', 'answerOnItsWay'] as const) {
          const begun = at(flow, step);
          expect((await begun.answer).status).toBe(504);
          await settled(begun, ['pending', 'timed_out']);
          await stand.engine.advance(await rowOf(begun), longerThanWatchedMs);
          await expectOneEnding(await settled(begun, ['timed_out']));
        }
      });

      it('whose merchant was waiting is answered as accepted', async () => {
        const waiting = ['notBegun', 'neverAnswered', 'answerOnItsWay'] as const;
        for (const step of customerActs ? (['notBegun'] as const) : waiting) {
          expect((await at(flow, step).answer).status).toBe(200);
        }
      });

      it.each(['beingNotified', 'notified'] as const)(
        'caught at "%s" is delivered again, with the same webhook id',
        async (step) => {
          const { merchant } = at(flow, step);
          await settled(at(flow, step), ['succeeded']);
          const ids = merchant.receiver.received.map(({ headers }) => headers['webhook-id']);
          // A later status may have replaced the webhook that was being delivered: then it is not sent again.
          const { payment_id: id } = await rowOf(at(flow, step));
          const replaced = await stand.stack.db('outbox').where({ payment_id: id, state: 'superseded' });
          if (replaced.length === 0) expect(ids.length).toBeGreaterThan(new Set(ids).size);
          else expect(await endingsReported(stand.stack.db, id)).toContain('succeeded');
        },
      );
    });
  });

  describe('kill -9 of the API', () => {
    let caught: Map<string, Record<ApiStep, Caught>>;
    beforeAll(async () => (caught = await killApiAtEachStep(stand)));
    const at = (flow: string, step: ApiStep): Caught => (caught.get(flow) as Record<ApiStep, Caught>)[step];

    describe.each(flows)('%s', (flow) => {
      it.each(apiSteps)('caught at "%s" exists once, and is booked exactly once', async (step) => {
        const rows = await rowsOf(stand, at(flow, step));
        expect(rows).toHaveLength(1);
        const id = rows[0]?.payment_id ?? '';
        await ended(stand.stack.db, id, ['succeeded'], patienceMs);
        expect(await bookingsOf(stand.stack.db, id)).toHaveLength(1);
      });

      const { answersAtOnce } = contract.flows[flow] ?? {};
      const waiting: ApiStep[] = ['notWritten', 'notHandedOver'];
      it.each(answersAtOnce ? waiting : [...waiting, 'awaitingTheAnswer' as const])(
        'whose merchant was cut off at "%s" and repeated the request with its key is accepted',
        async (step) => {
          const { sent } = at(flow, step);
          expect(sent?.broken).toBeGreaterThan(0);
          expect(sent?.answers.at(-1)?.status).toBe(200);
        },
      );
    });
  });

  describe('an operator who ends or resets its workflow in the Temporal UI', () => {
    let caught: Map<string, Record<UiAct, Begun>>;
    beforeAll(async () => (caught = await actInTemporal(stand)));

    describe.each(flows)('%s', (flow) => {
      it.each(uiActs)('%s: is booked once, and its merchant is notified once', async (act) => {
        const begun = (caught.get(flow) as Record<UiAct, Begun>)[act];
        await expectPaidOnce(begun);
        const { payment_id: id, workflow_id: workflowId } = await rowOf(begun);
        const attempts = await stand.stack.db('attempts').where({ payment_id: id, operation: 'initiate' });
        expect(attempts).toHaveLength(1);
        const { status } = await stand.engine.client.workflow.getHandle(workflowId).describe();
        expect(['RUNNING', 'COMPLETED']).toContain(status.name);
      });
    });
  });

  it('in the end every webhook is delivered, no customer was prompted twice, and the books agree with the provider’s', async () => {
    await allEndsWell(stand);
    const cases = await stand.stack.db('cases').whereNull('closed_at');
    const wanted = /^(?:contradictory_outcome|submission_unknown|no_outcome|success_not_confirmed)$/;
    expect(cases.filter(({ reason }) => !wanted.test(reason))).toEqual([]);
  });
}
