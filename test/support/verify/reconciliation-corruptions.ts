/** Errors in the providers' statements and their bookings, planted in a test; see corruptions.ts. */
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { accountCode, openAccount } from '../../../src/ledger/accounts';
import type { Transaction } from '../../../src/store/database';
import type { UnmatchedReceiptRow, PaymentRow } from '../../../src/store/tables';
import { currentActionId } from '../../../src/users/current-action';
import { byHand } from '../../../tools/sandbox/transfer-by-hand';
import type { Corruption } from './corruptions';

const provider = 'loudpay';
const suspense = { class: 'suspense', provider, currency: 'KES' } as const;
const ago = (ms: number) => new Date(Date.now() - ms);
const hour = 3_600_000;

/** One line of a statement that was stored two hours ago. @returns its id. */
async function plantLine(trx: Transaction, lines = 1): Promise<string> {
  const statementId = uuid();
  await trx('provider_statements').insert({
    ...{ statement_id: statementId, provider, file_hash: randomBytes(32), file_name: 'planted.csv' },
    ...{ covers_from: ago(3 * hour), covers_to: ago(2 * hour), line_count: lines, stored_at: ago(2 * hour) },
  });
  const [lineId] = await trx('statement_lines').insert({
    ...{ statement_id: statementId, n: 1, provider, provider_reference: statementId, kind: 'collection' },
    ...{ state: 'completed', currency: 'KES', amount_minor: '700', occurred_at: ago(2 * hour) },
  });
  return String(lineId);
}

async function plantResult(trx: Transaction, lineId: string, feeMinor = '0'): Promise<void> {
  await trx('reconciliation_results').insert({
    ...{ subject: `line:${lineId}`, provider, outcome: 'theirs_only', kind: 'collection', line_id: lineId },
    ...{ currency: 'KES', amount_minor: '700', occurred_at: ago(2 * hour), note: '', decided_at: new Date() },
    fee_booked_minor: feeMinor,
  });
}

/** Booked with this amount; not booked without one. @returns its id. */
async function plantUnmatched(trx: Transaction, bookedMinor?: number): Promise<string> {
  const lineId = await plantLine(trx);
  await plantResult(trx, lineId);
  const [unmatchedId] = await trx('unmatched_receipts').insert({
    ...{ provider, provider_reference: uuid(), kind: 'collection', line_id: lineId, currency: 'KES' },
    ...{ amount_minor: '700', occurred_at: ago(2 * hour), state: 'open', found_at: new Date(), bookings: 1 },
  });
  const id = String(unmatchedId);
  if (bookedMinor !== undefined) {
    const entryId = await plantEntry(trx, id, bookedMinor);
    await trx('unmatched_receipts').where({ receipt_id: id }).update({ entry_id: entryId });
  }
  return id;
}

async function plantEntry(trx: Transaction, unmatchedId: string, minor: number): Promise<string> {
  const account = await openAccount(trx, suspense);
  const clearing = await openAccount(trx, { class: 'clearing', rail: 'loud', currency: 'KES' });
  const [entryId] = await trx('ledger_entries').insert({
    ...{ source_type: 'unmatched', source_id: unmatchedId, leg: 'found:1', at: new Date() },
  });
  const of = { entry_id: String(entryId), currency: 'KES' as const };
  await trx('ledger_postings').insert([
    { ...of, account_id: account.accountId, amount: String(minor) },
    { ...of, account_id: clearing.accountId, amount: String(-minor) },
  ]);
  return String(entryId);
}

/** Its money in suspense was assigned to a merchant by an operator. */
async function plantClaimed(
  trx: Transaction,
  merchantId: string,
  more: Partial<UnmatchedReceiptRow>,
): Promise<string> {
  let id = '';
  await byHand(trx, async () => {
    id = await plantClaim(trx, merchantId, more);
  });
  return id;
}

export async function plantClaim(
  trx: Transaction,
  merchantId: string,
  more: Partial<UnmatchedReceiptRow> = {},
): Promise<string> {
  const id = await plantUnmatched(trx, 700);
  const [account, wallet] = [
    await openAccount(trx, suspense),
    await openAccount(trx, { class: 'bank', currency: 'KES' }),
  ];
  const [entryId] = await trx('ledger_entries').insert({
    ...{ source_type: 'unmatched', source_id: id, leg: 'assigned:1', at: new Date() },
    action_id: currentActionId() ?? null,
  });
  const of = { entry_id: String(entryId), currency: 'KES' as const };
  await trx('ledger_postings').insert([
    { ...of, account_id: account.accountId, amount: '-700' },
    { ...of, account_id: wallet.accountId, amount: '700' },
  ]);
  await trx('unmatched_receipts')
    .where({ receipt_id: id })
    .update({ state: 'assigned', closed_at: new Date(), merchant_id: merchantId, ...more });
  return id;
}

/** A paid payment without a receipt that no statement contains. */
async function plantOursOnly(trx: Transaction, paymentId: string, of: Partial<PaymentRow>): Promise<void> {
  await trx('payments')
    .where({ payment_id: paymentId })
    .update({ provider_receipt: null, ...of, created_at: ago(2 * hour) });
  await trx('reconciliation_results').insert({
    ...{ subject: `payment:${paymentId}`, provider, outcome: 'ours_only', kind: 'collection' },
    ...{ payment_id: paymentId, currency: 'KES', amount_minor: '700', ours_minor: '700', note: '' },
    ...{ occurred_at: ago(2 * hour), decided_at: new Date() },
  });
}

/** The state after `withdraw`, without its reversing entries. */
async function withdrawPast(trx: Transaction, lineId: string): Promise<void> {
  const line = await trx('statement_lines').where({ line_id: lineId }).first('statement_id');
  await trx('provider_statements')
    .where({ statement_id: line?.statement_id ?? '' })
    .update({ withdrawn_no: 1, withdrawn_at: new Date(), withdrawn_by: 'brian' });
}

async function plantFee(trx: Transaction, lineId: string, minor: number): Promise<string> {
  const fees = await openAccount(trx, { class: 'provider_fees', provider, currency: 'KES' });
  const clearing = await openAccount(trx, { class: 'clearing', rail: 'loud', currency: 'KES' });
  const [entryId] = await trx('ledger_entries').insert({
    ...{ source_type: 'provider_fee', source_id: lineId, leg: 'fee', at: new Date() },
  });
  const of = { entry_id: String(entryId), currency: 'KES' as const };
  await trx('ledger_postings').insert([
    { ...of, account_id: fees.accountId, amount: String(-minor) },
    { ...of, account_id: clearing.accountId, amount: String(minor) },
  ]);
  return String(entryId);
}

export const reconciliationCorruptions: Corruption[] = [
  {
    seenBy: ['R1'],
    what: 'money in suspense without an unmatched receipt',
    async plant(trx) {
      await plantEntry(trx, '900000000', 700);
      expect(accountCode(suspense)).toBe('suspense:loudpay:KES');
      return `${provider} KES`;
    },
  },
  {
    seenBy: ['R1'],
    what: 'an unmatched receipt that is assigned, with its money in suspense',
    async plant(trx) {
      const id = await plantUnmatched(trx, 700);
      await trx('unmatched_receipts')
        .where({ receipt_id: id })
        .update({ state: 'assigned', closed_at: new Date() });
      return `${provider} KES`;
    },
  },
  {
    seenBy: ['R2'],
    what: 'an unmatched receipt that is not booked',
    plant: async (trx) => `receipt ${await plantUnmatched(trx)}`,
  },
  {
    seenBy: ['R2', 'R1'],
    what: 'an unmatched receipt that is booked with another amount',
    plant: async (trx) => `receipt ${await plantUnmatched(trx, 7_000)}`,
  },
  {
    seenBy: ['R3'],
    what: 'a line of a statement without an outcome',
    plant: async (trx) => `line ${await plantLine(trx)}`,
  },
  {
    seenBy: ['R3'],
    what: 'a statement with a missing line',
    async plant(trx) {
      const lineId = await plantLine(trx, 2);
      await plantResult(trx, lineId);
      const line = await trx('statement_lines').where({ line_id: lineId }).first('statement_id');
      return `statement ${line?.statement_id ?? ''}`;
    },
  },
  {
    seenBy: ['R3'],
    what: 'a fee of a provider that is marked as booked, and is not',
    async plant(trx) {
      const lineId = await plantLine(trx);
      await plantResult(trx, lineId, '30');
      return `line ${lineId}`;
    },
  },
  {
    seenBy: ['R3'],
    what: 'a booked fee of a provider that is in no statement',
    async plant(trx) {
      return `entry ${await plantFee(trx, '900000000', 30)}`;
    },
  },
  {
    seenBy: ['R4'],
    what: 'a line that is assigned to a merchant, although a payment of the same phone has no line',
    async plant(trx, { merchantId, succeeded }) {
      const id = await plantClaimed(trx, merchantId, {});
      await plantOursOnly(trx, succeeded, { phone_number: '254712345678' });
      const { line_id: lineId } = (await trx('unmatched_receipts').where({ receipt_id: id }).first()) ?? {};
      await trx('statement_lines')
        .where({ line_id: lineId ?? '' })
        .update({ phone: '+254 712 345678' });
      return `receipt ${id}`;
    },
  },
  {
    seenBy: ['R4'],
    what: 'a line that is assigned to another payment, although a payment of the same phone has no line',
    async plant(trx, { merchantId, succeeded, secondSucceeded }) {
      const id = await plantClaimed(trx, merchantId, { payment_id: secondSucceeded });
      await plantOursOnly(trx, succeeded, { phone_number: '254712345678' });
      const { line_id: lineId } = (await trx('unmatched_receipts').where({ receipt_id: id }).first()) ?? {};
      await trx('statement_lines')
        .where({ line_id: lineId ?? '' })
        .update({ phone: '+254 712 345678' });
      return `receipt ${id}`;
    },
  },
  {
    seenBy: ['R4'],
    what: 'a line that is assigned to a merchant, with the phone digits of a payment without a line',
    async plant(trx, { merchantId, succeeded }) {
      const id = await plantClaimed(trx, merchantId, {});
      await plantOursOnly(trx, succeeded, { phone_number: '254712345678' });
      const { line_id: lineId } = (await trx('unmatched_receipts').where({ receipt_id: id }).first()) ?? {};
      await trx('statement_lines')
        .where({ line_id: lineId ?? '' })
        .update({ phone: '0712 **** 678' });
      return `receipt ${id}`;
    },
  },
  {
    seenBy: ['R4'],
    what: 'a line that is assigned to a merchant, of the customer and the time of a payment without its receipt in a line',
    async plant(trx, { merchantId, succeeded }) {
      const id = await plantClaimed(trx, merchantId, {});
      await plantOursOnly(trx, succeeded, { phone_number: '254712345678', provider_receipt: 'UA55TEST01' });
      const { line_id: lineId } = (await trx('unmatched_receipts').where({ receipt_id: id }).first()) ?? {};
      await trx('statement_lines')
        .where({ line_id: lineId ?? '' })
        .update({ phone: '254712345678' });
      const payment = await trx('payments').where({ payment_id: succeeded }).first();
      await trx('unmatched_receipts')
        .where({ receipt_id: id })
        .update({ occurred_at: payment?.finished_at ?? new Date() });
      return `receipt ${id}`;
    },
  },
  {
    seenBy: ['R4'],
    what: 'a returned line, although a payment of the same reference has no line',
    async plant(trx, { merchantId, succeeded }) {
      const id = await plantClaimed(trx, merchantId, { state: 'returned', merchant_id: null });
      await plantOursOnly(trx, succeeded, { account_reference: 'ORDER-2026-000001' });
      const { line_id: lineId } = (await trx('unmatched_receipts').where({ receipt_id: id }).first()) ?? {};
      await trx('statement_lines')
        .where({ line_id: lineId ?? '' })
        .update({ our_reference: 'ORDER-2026-0' });
      return `receipt ${id}`;
    },
  },
  {
    seenBy: ['R5'],
    what: 'a withdrawn statement whose line still counts',
    async plant(trx) {
      const lineId = await plantLine(trx);
      await plantResult(trx, lineId);
      await withdrawPast(trx, lineId);
      return `line ${lineId}`;
    },
  },
  {
    seenBy: ['R5'],
    what: 'a withdrawn statement whose unmatched money is still in suspense',
    async plant(trx) {
      const id = await plantUnmatched(trx, 700);
      const lineId = (await trx('unmatched_receipts').where({ receipt_id: id }).first())?.line_id ?? '';
      await withdrawPast(trx, lineId);
      await trx('reconciliation_results')
        .where({ line_id: lineId })
        .update({ outcome: 'withdrawn' as never });
      return `receipt ${id}`;
    },
  },
  {
    seenBy: ['R5'],
    what: 'a withdrawn statement whose fee is still booked',
    async plant(trx) {
      const lineId = await plantLine(trx);
      await plantResult(trx, lineId, '30');
      await plantFee(trx, lineId, 30);
      await withdrawPast(trx, lineId);
      await trx('reconciliation_results')
        .where({ line_id: lineId })
        .update({ outcome: 'withdrawn' as never });
      return `line ${lineId}`;
    },
  },
];
