/** Operators' decisions about money: cases, unmatched lines of statements, and duplicate payments. */
import { randomUUID } from 'node:crypto';
import { openCase } from '../../../../src/controls/cases';
import { pawapayStatement } from '../../../../src/rails/momo/providers/pawapay/statement';
import { reconcile } from '../../../../src/reconciliation/reconcile';
import { ended, openCasesOf } from '../../../../test/support/payments/timeline';
import { transferBody } from '../../../../test/support/rails/momo/payments';
import { simulatorControl } from '../../../../test/support/rails/simulator-control';
import { file, format, line } from '../../../../test/support/reconciliation/statement-support';
import { call } from '../../../../test/support/merchant-client';
import { waitFor } from '../../../sandbox/services/wait-for';
import type { TestRig } from '../support/test-rig';
import { byCommand, nothingLives, operates } from './by-operator';
import type { Operation, Trial } from './operation';

type Begin = Operation['begin'];

async function deposit({ stack, merchant }: TestRig, changes: Record<string, unknown>): Promise<string> {
  const answer = await call(stack, merchant, 'POST', '/api/v1/momo/deposit', transferBody(changes));
  return String(answer.body['transaction_id']);
}

/** Opens a case about it. @returns the number of the case. */
async function asked({ stack: { db } }: TestRig, paymentId: string): Promise<string> {
  await openCase(db, paymentId, { reason: 'no_outcome', detail: 'the provider does not answer' });
  return (await db('cases').where({ payment_id: paymentId }).first('case_id'))?.case_id ?? '';
}

/** The payment gets that final state by the command. */
const moved = (rig: TestRig, id: string, state: 'failed' | 'succeeded', args: string[]): Trial => ({
  about: [id],
  command: {
    args,
    effects: async () =>
      (await rig.stack.db('payment_log').where({ payment_id: id, to_state: state })).length,
  },
  ask: () => Promise.resolve(id),
  living: () => Promise.resolve([id]),
  ends: [state],
});

/** A deposit that the provider has booked, without any notification. */
async function paidUnseen(rig: TestRig): Promise<string> {
  const phone = `26076${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}777`;
  const provider = simulatorControl(rig.stack.simulatorUrl, 'momo');
  await provider.next({ call: 'status', behave: '500', times: 100_000, where: { phone_number: phone } });
  const id = await deposit(rig, { phone_number: `+${phone}` });
  const isBooked = async () => (await provider.successes()).some(({ reference }) => reference === id);
  const what = `the provider to book ${id}`;
  await waitFor(async () => (await isBooked()) || undefined, { what, timeoutMs: 60_000, everyMs: 100 });
  return id;
}

/** Like pawaPay's, in the format of a test. */
const statements = { ...pawapayStatement, read: format.read.bind(format) };
const day = { from: new Date('2026-01-05T00:00:00Z'), to: new Date('2026-01-06T00:00:00Z') };

/** Money of a statement without a payment: as much as a deposit of `transferBody`. */
async function unmatchedLine({ stack: { db } }: TestRig): Promise<{ unmatched: string; statement: string }> {
  const reference = randomUUID();
  const theirs = line(reference, { currency: 'ZMW', amountMinor: '2550', at: '2026-01-05T09:00:00Z' });
  await reconcile(db, statements, day, file([theirs], `${reference}.json`));
  const unmatched = await db('unmatched_receipts').where({ provider_reference: reference }).first();
  const reported = await db('statement_lines').where({ provider_reference: reference }).first();
  return { unmatched: unmatched?.receipt_id ?? '', statement: reported?.statement_id ?? '' };
}

/** How often it has left suspense: one entry each. */
const left = async ({ stack: { db } }: TestRig, unmatched: string): Promise<number> =>
  (
    await db('ledger_entries')
      .where({ source_type: 'unmatched', source_id: unmatched })
      .whereNot('leg', 'like', 'found:%')
  ).length;

const unmatchedTo =
  (verb: 'claim' | 'returned', options: (rig: TestRig, reason: string) => string[]): Begin =>
  async (rig, reason) => {
    const { unmatched } = await unmatchedLine(rig);
    const args = ['unmatched', verb, unmatched, '--reason', reason, ...options(rig, reason)];
    return { command: { args, effects: () => left(rig, unmatched) }, ...nothingLives };
  };

/** The same reference, paid twice by the same customer. @returns the second payment. */
async function createDuplicate(rig: TestRig, reference: string): Promise<string> {
  const { stack, merchant } = rig;
  const checks = (how: string) =>
    operates(rig, ['merchant', 'set', merchant.merchantId, '--duplicate-alert', how]);
  await checks('on');
  const pay = async () => {
    const id = await deposit(rig, { account_reference: reference });
    await ended(stack.db, id, ['succeeded'], 60_000);
    return id;
  };
  await pay();
  const second = await pay();
  await checks('off');
  if (!(await openCasesOf(stack.db, second)).includes('duplicate_payment'))
    throw new Error(`${second} is not detected as a duplicate`);
  return second;
}

export const decisions: Operation[] = [
  {
    ...byCommand('case.resolve'),
    async begin(rig, note) {
      const id = await deposit(rig, { phone_number: '+260763000129' });
      const words = ['case', 'resolve', await asked(rig, id), '--outcome', 'failed', '--note', note];
      return moved(rig, id, 'failed', words);
    },
  },
  {
    ...byCommand('case.resolve', 'case-resolve-paid'),
    async begin(rig, note) {
      const id = await paidUnseen(rig);
      const paid = ['--outcome', 'paid', '--amount', '25.50'];
      return moved(rig, id, 'succeeded', ['case', 'resolve', await asked(rig, id), ...paid, '--note', note]);
    },
  },
  {
    ...byCommand('unmatched.assign', 'assign-to-payment'),
    async begin(rig, reason) {
      const [id, { unmatched }] = [await paidUnseen(rig), await unmatchedLine(rig)];
      return moved(rig, id, 'succeeded', [
        'unmatched',
        'assign',
        unmatched,
        '--payment',
        id,
        '--reason',
        reason,
      ]);
    },
  },
  {
    ...byCommand('unmatched.assign', 'assign-to-merchant'),
    begin: unmatchedTo('claim', ({ merchant }) => ['--merchant', merchant.merchantId]),
  },
  {
    ...byCommand('unmatched.returned'),
    begin: unmatchedTo('returned', (_, reference) => ['--reference', reference]),
  },
  {
    ...byCommand('provider-statement.withdraw'),
    async begin(rig, reason) {
      const { unmatched, statement } = await unmatchedLine(rig);
      const args = ['provider-statement', 'withdraw', statement, '--reason', reason];
      return { command: { args, effects: () => left(rig, unmatched) }, ...nothingLives };
    },
  },
  {
    ...byCommand('duplicate.refund'),
    async begin(rig, reason) {
      const { db } = rig.stack;
      const second = await createDuplicate(rig, reason);
      const refunds = () => db('payments').where({ parent_id: second }).pluck('payment_id');
      return {
        command: {
          args: ['duplicate', 'refund', second, '--reason', reason],
          effects: async () => (await refunds()).length,
        },
        async ask() {
          const [refund] = await refunds();
          // It closes by itself once the money is refunded.
          return (await openCasesOf(db, second)).length === 0 ? refund : undefined;
        },
        living: refunds,
        ends: ['succeeded'],
      };
    },
  },
  {
    ...byCommand('duplicate.dismiss'),
    async begin(rig, reason) {
      const { db } = rig.stack;
      const second = await createDuplicate(rig, reason);
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
