/** Money that operators move by hand, alone and by two; and payouts that they let go on. */
import type { ActionKind } from '../../../../src/operator-actions/actions';
import { recordAction } from '../../../../src/users/audit-log';
import { restorerName, stopPayoutsIn } from '../../../../src/controls/stops';
import { inTransaction } from '../../../../src/store/transaction';
import { transferBody } from '../../../../test/support/rails/momo/payment-story';
import { railsOfEnv } from '../../../../test/support/expect-clean';
import { call } from '../../../../test/support/merchant-client';
import { waitFor } from '../../../sandbox/services/wait-for';
import type { Lane } from '../support/lane';
import { byCommand, colleagueOf, nothingLives, operates } from './by-operator';
import type { Operation, Story } from './operation';

const entriesWith = async ({ stack: { db } }: Lane, reason: string): Promise<number> =>
  (await db('ledger_entries').where({ reason }).pluck('entry_id')).length;

/** Moves money, with the trial's name as its reason. */
function move(action: ActionKind, words: string[], options: string[]): Operation {
  return {
    ...byCommand(action),
    begin(lane, reason) {
      return Promise.resolve({
        command: {
          args: [...words, lane.merchant.merchantId, ...options, '--reason', reason],
          effects: () => entriesWith(lane, reason),
        },
        ...nothingLives,
      });
    },
  };
}

const momo = ['--rail', 'momo', '--country', 'ZMB', '--currency', 'ZMW', '--amount', '10.00'];
const wallet = ['--currency', 'KES', '--amount', '10.00'];

/** Of a currency that nothing else here is in, so that all others move it alone. */
const byTwo = ['--rail', 'momo', '--country', 'TZA', '--currency', 'TZS', '--amount', '10.00'];

/** Another operator has asked for it. */
const approved: Operation = {
  ...byCommand('float.add', 'approve'),
  async begin(lane, reason) {
    const brian = await colleagueOf(lane);
    await operates(lane, ['approval-rule', 'set', 'money', '--currency', 'TZS', '--from', '0.01']);
    const words = ['float', 'add', lane.merchant.merchantId, ...byTwo, '--reason', reason];
    const asked = await operates(lane, words, { as: brian, code: 3 });
    return {
      command: { args: ['approve', String(asked['approval_id'])], effects: () => entriesWith(lane, reason) },
      ...nothingLives,
    };
  },
};

/** A payout to somebody who was never paid before. */
async function payOut({ stack, merchant }: Lane): Promise<string> {
  const stranger = `+26076${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}789`;
  const body = transferBody({ phone_number: stranger });
  const answer = await call(stack, merchant, 'POST', '/api/v1/momo/payout', body);
  if (answer.body['status'] !== 'ENQUEUED') throw new Error(`does not wait: ${JSON.stringify(answer.body)}`);
  return String(answer.body['transaction_id']);
}

/** A payout that waits goes on, once, by the command. */
const goesOn = (id: string, args: string[], effects: () => Promise<number>): Story => ({
  about: [id],
  command: { args, effects },
  ask: () => Promise.resolve(id),
  living: () => Promise.resolve([id]),
  ends: ['succeeded'],
});

const released: Operation = {
  ...byCommand('release'),
  async begin(lane, note) {
    const { db } = lane.stack;
    const scope = ['--merchant', lane.merchant.merchantId, '--currency', 'ZMW', '--reason', note];
    const above = ['--amount', '1.00', '--cooldown', '72h'];
    const limit = await operates(lane, ['limit', 'set', 'first_payment_cooldown', ...scope, ...above]);
    const id = await payOut(lane);
    await operates(lane, ['limit', 'remove', String(limit['limit_id']), '--reason', note]);
    return goesOn(
      id,
      ['release', id, '--note', note],
      async () => (await db('audit_log').where({ action: 'release', subject_id: id })).length,
    );
  },
};

/** As `malipo restore begin` writes it: that waits until no process runs. */
async function restored({ stack: { db } }: Lane): Promise<string> {
  const restoredTo = new Date(Date.now() - 3_600_000).toISOString();
  return inTransaction(db, (trx) =>
    stopPayoutsIn(
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
  async begin(lane, note) {
    const { db, env } = lane.stack;
    const stopId = await restored(lane);
    const id = await payOut(lane);
    await waitFor(
      async () => (await db('payments').where({ payment_id: id, state: 'received' }).first()) && true,
      { what: `payout ${id} to wait`, timeoutMs: 30_000, everyMs: 50 },
    );
    const rails = railsOfEnv(env).all.filter(({ operations: { payout, refund } }) => payout ?? refund);
    const checked = rails.flatMap(({ name }) => ['--checked', name]);
    return goesOn(
      id,
      ['restore', 'end', '--note', note, '--with-orphans', ...checked],
      async () => (await db('audit_log').where({ action: 'restore.end', subject_id: stopId })).length,
    );
  },
};

export const commands: Operation[] = [
  move('float.add', ['float', 'add'], momo),
  move('float.withdraw', ['float', 'withdraw'], momo),
  move('wallet.adjust', ['wallet', 'adjust'], wallet),
  move('wallet.transfer', ['wallet', 'transfer'], [...wallet, '--to-rail', 'walletpay']),
  approved,
  released,
  restoreEnded,
];
