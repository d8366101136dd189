/** What operators do by hand. */
import { openCase } from '../../../../src/controls/cases';
import { transferBody } from '../../../../test/support/rails/momo/payment-story';
import { call } from '../../../../test/support/merchant-client';
import type { Lane } from '../support/lane';
import type { Operation } from './operation';

/** Moves money, with the trial's name as its reason. */
function move(name: string, words: string[], options: string[]): Operation {
  return {
    name,
    victims: ['cli'],
    begin({ stack: { db }, merchant: { merchantId } }, reason) {
      return Promise.resolve({
        command: {
          args: [...words, merchantId, ...options, '--reason', reason],
          effects: async () => (await db('ledger_entries').where({ reason }).pluck('entry_id')).length,
        },
        ...nothingLives,
      });
    },
  };
}

/** It begins no payment. */
const nothingLives = {
  ask: () => Promise.resolve('done'),
  living: () => Promise.resolve(['done']),
  ends: [],
};

/** A deposit of which the provider says nothing for ever, and a person is asked about. */
async function doubtful({ stack, merchant }: Lane): Promise<{ id: string; caseId: string }> {
  const body = transferBody({ phone_number: '+260763000129' });
  const answer = await call(stack, merchant, 'POST', '/api/v1/momo/deposit', body);
  const id = String(answer.body['transaction_id']);
  await openCase(stack.db, id, { reason: 'no_outcome', detail: 'the provider says nothing' });
  const found = await stack.db('cases').where({ payment_id: id }).first('case_id');
  return { id, caseId: found?.case_id ?? '' };
}

const momo = ['--rail', 'momo', '--country', 'ZMB', '--currency', 'ZMW', '--amount', '10.00'];
const wallet = ['--currency', 'KES', '--amount', '10.00'];

export const commands: Operation[] = [
  move('cli/float-add', ['float', 'add'], momo),
  move('cli/float-withdraw', ['float', 'withdraw'], momo),
  move('cli/wallet-adjust', ['wallet', 'adjust'], wallet),
  move('cli/wallet-transfer', ['wallet', 'transfer'], [...wallet, '--to-rail', 'walletpay']),
  {
    name: 'cli/case-resolve',
    victims: ['cli'],
    async begin(lane, note) {
      const { id, caseId } = await doubtful(lane);
      const { db } = lane.stack;
      return {
        about: [id],
        command: {
          args: ['case', 'resolve', caseId, '--outcome', 'failed', '--note', note],
          effects: async () => (await db('payments').where({ payment_id: id, state: 'failed' })).length,
        },
        ask: () => Promise.resolve(id),
        living: () => Promise.resolve([id]),
        ends: ['failed'],
      };
    },
  },
];
