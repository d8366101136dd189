/** Money that was moved in an operator's place, by somebody who has the database; see corruptions.ts. */
import { v7 as uuid } from 'uuid';
import { openAccount } from '../../../src/ledger/accounts';
import { recordAction } from '../../../src/users/audit-log';
import type { Transaction } from '../../../src/store/database';
import { append, unkeyed } from './control-corruptions';
import type { Corruption } from './corruptions';
import { plantClaim } from './reconciliation-corruptions';

/** What is planted: 7.00 KES out of the bank, unless it says otherwise. @returns what the check calls it. */
async function plantTransfer(
  trx: Transaction,
  actionId: string | null,
  { type = 'transfer', leg = 'move', minor = 700 }: { type?: string; leg?: string; minor?: number } = {},
): Promise<string> {
  const [bank, clearing] = [
    await openAccount(trx, { class: 'bank', currency: 'KES' }),
    await openAccount(trx, { class: 'clearing', rail: 'loud', currency: 'KES' }),
  ];
  const [entryId] = await trx('ledger_entries').insert({
    ...{ source_type: type, source_id: uuid(), leg, reason: 'planted', at: new Date() },
    action_id: actionId,
  });
  const of = { entry_id: String(entryId), currency: 'KES' as const };
  await trx('ledger_postings').insert([
    { ...of, account_id: bank.accountId, amount: String(-minor) },
    { ...of, account_id: clearing.accountId, amount: String(minor) },
  ]);
  return `entry ${String(entryId)}`;
}

const tell = (
  trx: Transaction,
  actionId: string,
  action = 'float.add',
  given = { currency: 'KES', amount: '7.00' },
) =>
  recordAction(trx, {
    ...{ by: 'amina', action, subject: { kind: 'x', id: 'y' } },
    details: { given, action_id: actionId },
  });

/** The action of money that an operator has put into a float before. */
async function formerAction(trx: Transaction): Promise<string> {
  const former = await trx('ledger_entries')
    .where({ source_type: 'transfer' })
    .whereNotNull('action_id')
    .first('action_id');
  return former?.action_id ?? '';
}

export const byHandCorruptions: Corruption[] = [
  {
    seenBy: ['A3'],
    what: 'money that was moved by hand, in no action',
    plant: (trx) => plantTransfer(trx, null),
  },
  {
    seenBy: ['A3'],
    what: 'an orphan that was claimed in no action',
    async plant(trx, { merchantId }) {
      const id = await plantClaim(trx, merchantId);
      const source = { source_type: 'orphan', source_id: id, leg: 'claimed:1' };
      const entry = await trx('ledger_entries').where(source).first('entry_id');
      return `entry ${entry?.entry_id ?? ''}`;
    },
  },
  {
    seenBy: ['A3'],
    what: 'a payment that a person has decided about, whose entry names no action',
    async plant(trx, { corrected }) {
      const move = { payment_id: corrected, to_state: 'succeeded' as const };
      await trx('payment_log').where(move).update({ cause: 'operator' });
      const source = { source_type: 'deposit', source_id: corrected, leg: 'credit' };
      const entry = await trx('ledger_entries').where(source).first('entry_id');
      return `entry ${entry?.entry_id ?? ''}`;
    },
  },
  {
    seenBy: ['A3'],
    what: 'an entry whose action no line of the audit log tells of',
    async plant(trx) {
      await tell(trx, uuid());
      return plantTransfer(trx, uuid());
    },
  },
  {
    seenBy: ['A3'],
    what: 'an entry whose action two lines of the audit log tell of',
    async plant(trx) {
      const actionId = uuid();
      await tell(trx, actionId);
      await tell(trx, actionId, 'float.withdraw');
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3', 'A1'],
    what: 'an entry whose action is told of by somebody without the key of the audit log',
    async plant(trx) {
      const actionId = uuid();
      await append(trx, { details: JSON.stringify({ action_id: actionId }) }, unkeyed);
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3'],
    what: 'an entry whose action was changed',
    async plant(trx) {
      const entry = await trx('ledger_entries').where({ source_type: 'transfer' }).first();
      const { entry_id } = entry ?? {};
      await trx('ledger_entries')
        .where({ entry_id: entry_id ?? '' })
        .update({ action_id: uuid() });
      return `entry ${entry_id ?? ''}`;
    },
  },
  {
    seenBy: ['A3'],
    what: 'money that was moved once more, in an action of before',
    plant: async (trx) => plantTransfer(trx, await formerAction(trx)),
  },
  {
    seenBy: ['A3'],
    what: 'money that was moved in an action that moves none',
    async plant(trx) {
      const actionId = uuid();
      await tell(trx, actionId, 'operator.create');
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3'],
    what: 'money that was moved in an action that nothing here knows',
    async plant(trx) {
      const actionId = uuid();
      await tell(trx, actionId, 'toString');
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3'],
    what: 'more money moved than the line of its action says',
    async plant(trx) {
      const actionId = uuid();
      await tell(trx, actionId);
      return plantTransfer(trx, actionId, { minor: 701 });
    },
  },
  {
    seenBy: ['A3'],
    what: 'money moved in another currency than the line of its action says',
    async plant(trx) {
      const actionId = uuid();
      await tell(trx, actionId, 'wallet.adjust', { currency: 'USD', amount: '-7.00' });
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3'],
    what: 'an orphan that was claimed in the action of another',
    async plant(trx) {
      const actionId = uuid();
      await tell(trx, actionId, 'orphan.claim');
      return plantTransfer(trx, actionId, { type: 'orphan', leg: 'claimed:1' });
    },
  },
  {
    seenBy: ['A3'],
    what: 'an orphan that was claimed by a leg without a number, in no action',
    plant: (trx) => plantTransfer(trx, null, { type: 'orphan', leg: 'claimed' }),
  },
  {
    seenBy: ['A3'],
    what: 'money that was moved for what nothing here books',
    plant: (trx) => plantTransfer(trx, null, { type: 'nonsense' }),
  },
  {
    seenBy: ['A3'],
    what: 'money that was moved by a leg that nothing here books',
    plant: (trx) => plantTransfer(trx, null, { type: 'orphan', leg: 'foo' }),
  },
  {
    seenBy: ['A3'],
    what: 'money out of our bank for what a provider has found',
    plant: (trx) => plantTransfer(trx, null, { type: 'orphan', leg: 'found:1' }),
  },
];
