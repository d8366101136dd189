/** What operators decide about money: of cases, of statements' lines without a payment, and of what was paid twice. */
import { randomUUID } from 'node:crypto';
import { openCase } from '../../../../src/controls/cases';
import { pawapayStatement } from '../../../../src/rails/momo/providers/pawapay/statement';
import { reconcile } from '../../../../src/reconciliation/reconcile';
import { ended, openCasesOf } from '../../../../test/support/payment-story';
import { transferBody } from '../../../../test/support/rails/momo/payment-story';
import { simulatorControl } from '../../../../test/support/rails/simulator-control';
import { file, format, line } from '../../../../test/support/reconciliation/statement-support';
import { call } from '../../../../test/support/merchant-client';
import { waitFor } from '../../../sandbox/services/wait-for';
import type { Lane } from '../support/lane';
import { byCommand, nothingLives, operates } from './by-operator';
import type { Operation, Story } from './operation';

type Begin = Operation['begin'];

async function deposit({ stack, merchant }: Lane, changes: Record<string, unknown>): Promise<string> {
  const answer = await call(stack, merchant, 'POST', '/api/v1/momo/deposit', transferBody(changes));
  return String(answer.body['transaction_id']);
}

/** A person is asked about it. @returns the number of the case. */
async function asked({ stack: { db } }: Lane, paymentId: string): Promise<string> {
  await openCase(db, paymentId, { reason: 'no_outcome', detail: 'the provider says nothing' });
  return (await db('cases').where({ payment_id: paymentId }).first('case_id'))?.case_id ?? '';
}

/** The payment ends in that state by the command. */
const moved = (lane: Lane, id: string, state: 'failed' | 'succeeded', args: string[]): Story => ({
  about: [id],
  command: {
    args,
    effects: async () =>
      (await lane.stack.db('payment_log').where({ payment_id: id, to_state: state })).length,
  },
  ask: () => Promise.resolve(id),
  living: () => Promise.resolve([id]),
  ends: [state],
});

/** A deposit that the provider has booked, and says nothing of to us. */
async function paidUnseen(lane: Lane): Promise<string> {
  const phone = `26076${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}777`;
  const provider = simulatorControl(lane.stack.simulatorUrl, 'momo');
  await provider.next({ call: 'status', behave: '500', times: 100_000, where: { phone_number: phone } });
  const id = await deposit(lane, { phone_number: `+${phone}` });
  const isBooked = async () => (await provider.successes()).some(({ reference }) => reference === id);
  const what = `the provider to book ${id}`;
  await waitFor(async () => (await isBooked()) || undefined, { what, timeoutMs: 60_000, everyMs: 100 });
  return id;
}

/** As pawaPay's, and written as a test writes one. */
const statements = { ...pawapayStatement, read: format.read.bind(format) };
const day = { from: new Date('2026-01-05T00:00:00Z'), to: new Date('2026-01-06T00:00:00Z') };

/** Money of a statement that names no payment: as much as a deposit of `transferBody`. */
async function orphaned({ stack: { db } }: Lane): Promise<{ orphan: string; statement: string }> {
  const reference = randomUUID();
  const theirs = line(reference, { currency: 'ZMW', amountMinor: '2550', at: '2026-01-05T09:00:00Z' });
  await reconcile(db, statements, day, file([theirs], `${reference}.json`));
  const orphan = await db('orphans').where({ provider_reference: reference }).first();
  const told = await db('statement_lines').where({ provider_reference: reference }).first();
  return { orphan: orphan?.orphan_id ?? '', statement: told?.statement_id ?? '' };
}

/** How often it has left suspense: an entry each. */
const left = async ({ stack: { db } }: Lane, orphan: string): Promise<number> =>
  (
    await db('ledger_entries')
      .where({ source_type: 'orphan', source_id: orphan })
      .whereNot('leg', 'like', 'found:%')
  ).length;

const orphanTo =
  (verb: 'claim' | 'returned', options: (lane: Lane, reason: string) => string[]): Begin =>
  async (lane, reason) => {
    const { orphan } = await orphaned(lane);
    const args = ['orphan', verb, orphan, '--reason', reason, ...options(lane, reason)];
    return { command: { args, effects: () => left(lane, orphan) }, ...nothingLives };
  };

/** The same reference, paid twice by the same customer. @returns what came second. */
async function paidTwice(lane: Lane, reference: string): Promise<string> {
  const { stack, merchant } = lane;
  const looks = (how: string) =>
    operates(lane, ['merchant', 'set', merchant.merchantId, '--paid-twice', how]);
  await looks('on');
  const pay = async () => {
    const id = await deposit(lane, { account_reference: reference });
    await ended(stack.db, id, ['succeeded'], 60_000);
    return id;
  };
  await pay();
  const second = await pay();
  await looks('off');
  if (!(await openCasesOf(stack.db, second)).includes('paid_twice'))
    throw new Error(`${second} is not seen as paid twice`);
  return second;
}

export const decisions: Operation[] = [
  {
    ...byCommand('case.resolve'),
    async begin(lane, note) {
      const id = await deposit(lane, { phone_number: '+260763000129' });
      const words = ['case', 'resolve', await asked(lane, id), '--outcome', 'failed', '--note', note];
      return moved(lane, id, 'failed', words);
    },
  },
  {
    ...byCommand('case.resolve', 'case-resolve-paid'),
    async begin(lane, note) {
      const id = await paidUnseen(lane);
      const paid = ['--outcome', 'paid', '--amount', '25.50'];
      return moved(lane, id, 'succeeded', [
        'case',
        'resolve',
        await asked(lane, id),
        ...paid,
        '--note',
        note,
      ]);
    },
  },
  {
    ...byCommand('orphan.claim', 'orphan-claim-payment'),
    async begin(lane, reason) {
      const [id, { orphan }] = [await paidUnseen(lane), await orphaned(lane)];
      return moved(lane, id, 'succeeded', ['orphan', 'claim', orphan, '--payment', id, '--reason', reason]);
    },
  },
  {
    ...byCommand('orphan.claim', 'orphan-claim-merchant'),
    begin: orphanTo('claim', ({ merchant }) => ['--merchant', merchant.merchantId]),
  },
  {
    ...byCommand('orphan.returned'),
    begin: orphanTo('returned', (_, reference) => ['--reference', reference]),
  },
  {
    ...byCommand('provider-statement.withdraw'),
    async begin(lane, reason) {
      const { orphan, statement } = await orphaned(lane);
      const args = ['provider-statement', 'withdraw', statement, '--reason', reason];
      return { command: { args, effects: () => left(lane, orphan) }, ...nothingLives };
    },
  },
  {
    ...byCommand('duplicate.refund'),
    async begin(lane, reason) {
      const { db } = lane.stack;
      const second = await paidTwice(lane, reason);
      const refunds = () => db('payments').where({ parent_id: second }).pluck('payment_id');
      return {
        command: {
          args: ['duplicate', 'refund', second, '--reason', reason],
          effects: async () => (await refunds()).length,
        },
        async ask() {
          const [refund] = await refunds();
          // It closes by itself, once the money is back.
          return (await openCasesOf(db, second)).length === 0 ? refund : undefined;
        },
        living: refunds,
        ends: ['succeeded'],
      };
    },
  },
  {
    ...byCommand('duplicate.dismiss'),
    async begin(lane, reason) {
      const { db } = lane.stack;
      const second = await paidTwice(lane, reason);
      return {
        command: {
          args: ['duplicate', 'dismiss', second, '--reason', reason],
          effects: async () =>
            (await db('audit_log').where({ action: 'duplicate.dismiss', subject_id: second })).length,
        },
        ...nothingLives,
      };
    },
  },
];
