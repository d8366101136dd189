/** Manual transfers of money by one operator and by two; and releases of payouts. */
import type { ActionKind } from '../../../../src/operator-actions/actions';
import { recordAction } from '../../../../src/users/audit-log';
import { restorerName, pausePayoutsIn } from '../../../../src/controls/pauses';
import { inTransaction } from '../../../../src/store/transaction';
import { transferBody } from '../../../../test/support/rails/momo/payments';
import { railsOfEnv } from '../../../../test/support/expect-clean';
import { call } from '../../../../test/support/merchant-client';
import { waitFor } from '../../../sandbox/services/wait-for';
import type { TestRig } from '../support/test-rig';
import { byCommand, colleagueOf, nothingLives, operates } from './by-operator';
import type { Operation, Trial } from './operation';

const entriesWith = async ({ stack: { db } }: TestRig, reason: string): Promise<number> =>
  (await db('ledger_entries').where({ reason }).pluck('entry_id')).length;

/** Transfers money, with the trial's name as its reason. */
function transfer(action: ActionKind, words: string[], options: string[]): Operation {
  return {
    ...byCommand(action),
    begin(rig, reason) {
      return Promise.resolve({
        command: {
          args: [...words, rig.merchant.merchantId, ...options, '--reason', reason],
          effects: () => entriesWith(rig, reason),
        },
        ...nothingLives,
      });
    },
  };
}

const momo = ['--rail', 'momo', '--country', 'ZMB', '--currency', 'ZMW', '--amount', '10.00'];
const wallet = ['--currency', 'KES', '--amount', '10.00'];

/** In a currency that nothing else here uses, so that all other transfers need one operator. */
const byTwo = ['--rail', 'momo', '--country', 'TZA', '--currency', 'TZS', '--amount', '10.00'];

/** Another operator has requested it. */
const approved: Operation = {
  ...byCommand('float.add', 'approve'),
  async begin(rig, reason) {
    const brian = await colleagueOf(rig);
    await operates(rig, ['approval-rule', 'set', 'money', '--currency', 'TZS', '--from', '0.01']);
    const words = ['float', 'add', rig.merchant.merchantId, ...byTwo, '--reason', reason];
    const asked = await operates(rig, words, { as: brian, code: 3 });
    return {
      command: {
        args: ['approve', String(asked['approval_id'])],
        effects: () => entriesWith(rig, reason),
      },
      ...nothingLives,
    };
  },
};

/** A payout to a new recipient. */
async function payOut({ stack, merchant }: TestRig): Promise<string> {
  const newRecipient = `+26076${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}789`;
  const body = transferBody({ phone_number: newRecipient });
  const answer = await call(stack, merchant, 'POST', '/api/v1/momo/payout', body);
  if (answer.body['status'] !== 'ENQUEUED') throw new Error(`does not wait: ${JSON.stringify(answer.body)}`);
  return String(answer.body['transaction_id']);
}

/** A payout on hold continues, once, by the command. */
const goesOn = (id: string, args: string[], effects: () => Promise<number>): Trial => ({
  about: [id],
  command: { args, effects },
  ask: () => Promise.resolve(id),
  living: () => Promise.resolve([id]),
  ends: ['succeeded'],
});

const released: Operation = {
  ...byCommand('hold.release'),
  async begin(rig, note) {
    const { db } = rig.stack;
    const scope = ['--merchant', rig.merchant.merchantId, '--currency', 'ZMW', '--reason', note];
    const above = ['--amount', '1.00', '--cooldown', '72h'];
    const limit = await operates(rig, ['limit', 'set', 'first_payment_cooldown', ...scope, ...above]);
    const id = await payOut(rig);
    await operates(rig, ['limit', 'remove', String(limit['limit_id']), '--reason', note]);
    return goesOn(
      id,
      ['hold', 'release', id, '--note', note],
      async () => (await db('audit_log').where({ action: 'hold.release', subject_id: id })).length,
    );
  },
};

/** As `malipo restore begin` writes it; that command waits until no process runs. */
async function restored({ stack: { db } }: TestRig): Promise<string> {
  const restoredTo = new Date(Date.now() - 3_600_000).toISOString();
  return inTransaction(db, (trx) =>
    pausePayoutsIn(
      trx,
      {},
      {
        ...{ by: restorerName, reason: 'the disks were lost', withRefunds: true },
        record: (inside, { subject, details }) =>
          recordAction(inside, {
            ...{ by: 'amina', action: 'restore.begin', subject },
            details: { ...details, restored_to: restoredTo },
          }),
      },
    ),
  );
}

const restoreEnded: Operation = {
  ...byCommand('restore.end'),
  async begin(rig, note) {
    const { db, env } = rig.stack;
    const stopId = await restored(rig);
    const id = await payOut(rig);
    await waitFor(
      async () => (await db('payments').where({ payment_id: id, state: 'received' }).first()) && true,
      { what: `payout ${id} to be on hold`, timeoutMs: 30_000, everyMs: 50 },
    );
    const rails = railsOfEnv(env).all.filter(({ operations: { payout, refund } }) => payout ?? refund);
    const checked = rails.flatMap(({ name }) => ['--checked', name]);
    return goesOn(
      id,
      ['restore', 'end', '--note', note, '--with-unmatched', ...checked],
      async () => (await db('audit_log').where({ action: 'restore.end', subject_id: stopId })).length,
    );
  },
};

export const commands: Operation[] = [
  transfer('float.add', ['float', 'add'], momo),
  transfer('float.withdraw', ['float', 'withdraw'], momo),
  transfer('wallet.adjust', ['wallet', 'adjust'], wallet),
  transfer('wallet.transfer', ['wallet', 'transfer'], [...wallet, '--to-rail', 'walletpay']),
  approved,
  released,
  restoreEnded,
];
