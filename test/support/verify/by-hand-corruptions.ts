/** Money transfers outside of operator actions, by someone with database access; see corruptions.ts. */
import { v7 as uuid } from 'uuid';
import { openAccount } from '../../../src/ledger/accounts';
import { recordAction } from '../../../src/users/audit-log';
import type { Transaction } from '../../../src/store/database';
import { append, unkeyed } from './control-corruptions';
import type { Corruption } from './corruptions';
import { plantClaim } from './reconciliation-corruptions';

/** Plants 7.00 KES out of the bank, unless the caller sets another amount. @returns the id that the check reports. */
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

const notify = (
  trx: Transaction,
  actionId: string,
  action = 'float.add',
  given = { currency: 'KES', amount: '7.00' },
) =>
  recordAction(trx, {
    ...{ by: 'amina', action, subject: { kind: 'x', id: 'y' } },
    details: { given, action_id: actionId },
  });

/** The operator action that put money into a float earlier. */
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
    what: 'a transfer outside of an action',
    plant: (trx) => plantTransfer(trx, null),
  },
  {
    seenBy: ['A3'],
    what: 'an unmatched receipt that was assigned outside of an action',
    async plant(trx, { merchantId }) {
      const id = await plantClaim(trx, merchantId);
      const source = { source_type: 'unmatched', source_id: id, leg: 'assigned:1' };
      const entry = await trx('ledger_entries').where(source).first('entry_id');
      return `entry ${entry?.entry_id ?? ''}`;
    },
  },
  {
    seenBy: ['A3'],
    what: 'a payment that an operator resolved, whose entry names no action',
    async plant(trx, { corrected }) {
      const transition = { payment_id: corrected, to_state: 'succeeded' as const };
      await trx('payment_log').where(transition).update({ cause: 'operator' });
      const source = { source_type: 'deposit', source_id: corrected, leg: 'credit' };
      const entry = await trx('ledger_entries').where(source).first('entry_id');
      return `entry ${entry?.entry_id ?? ''}`;
    },
  },
  {
    seenBy: ['A3'],
    what: 'an entry whose action is in no line of the audit log',
    async plant(trx) {
      await notify(trx, uuid());
      return plantTransfer(trx, uuid());
    },
  },
  {
    seenBy: ['A3'],
    what: 'an entry whose action is in two lines of the audit log',
    async plant(trx) {
      const actionId = uuid();
      await notify(trx, actionId);
      await notify(trx, actionId, 'float.withdraw');
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3', 'A1'],
    what: 'an entry whose action line was written without the key of the audit log',
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
    what: 'a second transfer under an earlier action',
    plant: async (trx) => plantTransfer(trx, await formerAction(trx)),
  },
  {
    seenBy: ['A3'],
    what: 'a transfer under an action that moves no money',
    async plant(trx) {
      const actionId = uuid();
      await notify(trx, actionId, 'operator.create');
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3'],
    what: 'a transfer under an unknown action',
    async plant(trx) {
      const actionId = uuid();
      await notify(trx, actionId, 'toString');
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3'],
    what: 'a transfer above the amount in the line of its action',
    async plant(trx) {
      const actionId = uuid();
      await notify(trx, actionId);
      return plantTransfer(trx, actionId, { minor: 701 });
    },
  },
  {
    seenBy: ['A3'],
    what: 'a transfer in another currency than in the line of its action',
    async plant(trx) {
      const actionId = uuid();
      await notify(trx, actionId, 'wallet.adjust', { currency: 'USD', amount: '-7.00' });
      return plantTransfer(trx, actionId);
    },
  },
  {
    seenBy: ['A3'],
    what: 'an unmatched receipt that was assigned under the action of another',
    async plant(trx) {
      const actionId = uuid();
      await notify(trx, actionId, 'unmatched.assign');
      return plantTransfer(trx, actionId, { type: 'unmatched', leg: 'assigned:1' });
    },
  },
  {
    seenBy: ['A3'],
    what: 'an unmatched receipt that was assigned by a leg without a number, outside of an action',
    plant: (trx) => plantTransfer(trx, null, { type: 'unmatched', leg: 'assigned' }),
  },
  {
    seenBy: ['A3'],
    what: 'a transfer with an unknown source type',
    plant: (trx) => plantTransfer(trx, null, { type: 'nonsense' }),
  },
  {
    seenBy: ['A3'],
    what: 'a transfer with an unknown leg',
    plant: (trx) => plantTransfer(trx, null, { type: 'unmatched', leg: 'foo' }),
  },
  {
    seenBy: ['A3'],
    what: 'a transfer from our bank as a correction from a statement',
    plant: (trx) => plantTransfer(trx, null, { type: 'unmatched', leg: 'found:1' }),
  },
];
