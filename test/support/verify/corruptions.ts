/** Every known way in which the books can go wrong, planted in a test: each check must be seen to fail. */
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { defaultCurrencies, defaultLimitsOf, nameOfDefaults } from '../../../src/controls/default-limits';
import { hashOfRecipient } from '../../../src/controls/outflow';
import { accountCode } from '../../../src/ledger/accounts';
import { rowChanged } from '../../../src/users/audit-log';
import { lastLink } from '../../../src/ledger/chain';
import { writeDayDigests } from '../../../src/ledger/day-digests';
import { dayAfter, startOf, utcDay } from '../../../src/ledger/utc-days';
import { sentAttempt } from '../../../src/payments/submit/write-attempt';
import type { Transaction } from '../../../src/store/database';
import type { OutflowLimitRow, OutflowRow } from '../../../src/store/tables';
import { type Books } from './books';
import { insertPayment } from './books-support';
import { byHandCorruptions } from './by-hand-corruptions';
import { auditCorruptions, controlCorruptions, launderedCorruptions } from './control-corruptions';
import { duplicateCorruptions } from './duplicate-corruptions';
import { reconciliationCorruptions } from './reconciliation-corruptions';

export interface Corruption {
  /** The checks that report it, and no other; the first names the offending id. */
  seenBy: string[];
  what: string;
  /** @returns the id that the first check must name. */
  plant(trx: Transaction, books: Books): Promise<string>;
}

const ago = (ms: number) => new Date(Date.now() - ms);
const minute = 60_000;

async function accountId(trx: Transaction, code: string): Promise<string> {
  const row = await trx('ledger_accounts').where({ code }).first('account_id');
  if (!row) throw new Error(`no account ${code}`);
  return row.account_id;
}

const walletCode = (merchantId: string) => accountCode({ class: 'wallet', merchantId, currency: 'KES' });
const floatCode = (merchantId: string) =>
  accountCode({ class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' });
const bankCode = 'bank:KES';
const clearingCode = 'clearing:loud:KES';
/** Money of no payment. */
const otherCode = 'clearing:quiet:KES';

/** A pause that began ten minutes ago and is in force. */
async function plantStop(trx: Transaction, about: { merchant_id?: string; country?: string }): Promise<void> {
  const last = await trx('payment_log').max({ log_id: 'log_id' }).first();
  await trx('payout_pauses').insert({
    ...about,
    with_refunds: 0,
    reason: 'planted',
    begun_by: 'amina',
    begun_at: ago(10 * minute),
    begun_log_id: String(last?.log_id ?? 0),
  });
  const stop = await trx('payout_pauses').orderBy('pause_id', 'desc').first('pause_id');
  await rowChanged(trx, 'payout_pauses', stop?.pause_id ?? '');
}

/** Posts to accounts without a change of their stored balances, unless the caller changes them too. */
async function post(
  trx: Transaction,
  lines: [string, number, string?][],
  paymentId: string | null = null,
  source = { source_type: 'payout', leg: 'convert' },
): Promise<string> {
  const [entryId] = (await trx('ledger_entries').insert({
    source_id: uuid(),
    ...source,
    payment_id: paymentId,
    at: new Date(),
  })) as [number];
  for (const [code, amount, currency = 'KES'] of lines) {
    const account = await accountId(trx, code);
    await trx('ledger_postings').insert({
      entry_id: String(entryId),
      account_id: account,
      currency: currency as 'KES',
      amount: String(amount),
    });
    await trx('ledger_accounts')
      .where({ account_id: account })
      .whereNotNull('balance')
      .increment('balance', amount);
  }
  return String(entryId);
}

/** A schedule of 1.00 KES on this merchant's collections, or payouts. */
async function schedule(
  trx: Transaction,
  merchantId: string,
  operation: 'collection' | 'payout' = 'collection',
  fromAt = new Date(),
): Promise<string> {
  const fee = { fee_id: uuid(), merchant_id: merchantId, operation, currency: 'KES', fixed: '100' } as const;
  await trx('fee_schedules').insert({
    ...fee,
    ...{ rail: null, per_million: 0, minimum: null, maximum: null, reason: 'planted' },
    ...{ from_at: fromAt, ended_at: null, open_key: fee.fee_id },
  });
  await rowChanged(trx, 'fee_schedules', fee.fee_id);
  return fee.fee_id;
}

/** The fee of a payment, and the entry that takes it from that account. */
async function charged(
  trx: Transaction,
  paymentId: string,
  { by, of, minor = 100 }: { by: string; of: string; minor?: number },
): Promise<string> {
  await trx('payments')
    .where({ payment_id: paymentId })
    .update({ fee_id: by, fee_minor: String(minor) });
  const account = { code: 'fees:KES', class: 'fees', currency: 'KES', can_go_negative: 1 } as const;
  await trx('ledger_accounts')
    .insert({ ...account, created_at: new Date() })
    .onConflict()
    .ignore();
  const entry = await post(
    trx,
    [
      [of, -minor],
      ['fees:KES', minor],
    ],
    paymentId,
  );
  const source = { source_type: 'fee', source_id: paymentId, leg: 'charge' };
  await trx('ledger_entries').where({ entry_id: entry }).update(source);
  return paymentId;
}

async function depositEntry(trx: Transaction, paymentId: string): Promise<string> {
  const entry = await trx('ledger_entries')
    .where({ source_type: 'deposit', source_id: paymentId })
    .first('entry_id');
  if (!entry) throw new Error(`payment ${paymentId} is not credited`);
  return entry.entry_id;
}

async function removeEntry(trx: Transaction, entryId: string): Promise<void> {
  for (const line of await trx('ledger_postings').where({ entry_id: entryId })) {
    await trx('ledger_accounts')
      .where({ account_id: line.account_id })
      .whereNotNull('balance')
      .decrement('balance', Number(line.amount));
  }
  await trx('ledger_postings').where({ entry_id: entryId }).delete();
  await trx('ledger_entries').where({ entry_id: entryId }).delete();
}

/** Changes the credit of a deposit in both of its postings. */
async function changeCredit(trx: Transaction, paymentId: string, by: number): Promise<void> {
  const entryId = await depositEntry(trx, paymentId);
  await trx('ledger_postings').where({ entry_id: entryId }).where('amount', '>', 0).increment('amount', by);
  await trx('ledger_postings').where({ entry_id: entryId }).where('amount', '<', 0).decrement('amount', by);
  const wallet = await trx('ledger_postings')
    .where({ entry_id: entryId })
    .where('amount', '>', 0)
    .first('account_id');
  await trx('ledger_accounts')
    .where({ account_id: wallet?.account_id ?? '' })
    .increment('balance', by);
}

/** As if everything had been booked three days ago, and its days had digests since. */
async function digested(trx: Transaction): Promise<void> {
  await trx.raw('UPDATE ledger_entries SET at = at - INTERVAL 3 DAY');
  await writeDayDigests(trx);
}

const notification = (books: Books, row: object) => ({
  rail: 'loud',
  event_key: randomBytes(32),
  payment_id: books.pending,
  body: '{}',
  state: 'new' as const,
  received_at: ago(20 * minute),
  ...row,
});

async function insertNotification(trx: Transaction, row: ReturnType<typeof notification>): Promise<string> {
  const [id] = (await trx('inbox').insert(row)) as [number];
  return `inbox ${String(id)}`;
}

async function limited(
  trx: Transaction,
  limit: Pick<OutflowLimitRow, 'kind' | 'amount'> & Partial<OutflowLimitRow>,
): Promise<void> {
  const limitId = uuid();
  await trx('outflow_limits').insert({
    limit_id: limitId,
    currency: 'KES',
    reason: 'planted',
    from_at: ago(120 * minute),
    ...limit,
  });
  await rowChanged(trx, 'outflow_limits', limit.limit_id ?? limitId);
}

/** As if it had been accepted just now. */
async function counted(
  trx: Transaction,
  row: Pick<OutflowRow, 'payment_id' | 'merchant_id'> & Partial<OutflowRow>,
): Promise<void> {
  await trx('outflows').insert({
    rail: 'loud',
    currency: 'KES',
    recipient_hash: hashOfRecipient(''),
    amount: '10000',
    accepted_at: new Date(),
    ...row,
  });
  // The payment changes too: an incremental check does not see a row that is added to another table only.
  const asked = row.accepted_at ? { created_at: row.accepted_at } : {};
  await trx('payments')
    .where({ payment_id: row.payment_id })
    .update({ signals: 1, ...asked });
}

/** Correctly on hold: for a day, or until an operator releases it. */
async function held(
  trx: Transaction,
  { merchantId, payingOut }: Books,
  kind: 'first_payment_cooldown' | 'new_recipients_per_day',
): Promise<void> {
  const isFirst = kind === 'first_payment_cooldown';
  const limit_id = uuid();
  const bounds = isFirst ? { amount: '1', cooldown_s: 86_400 } : { amount: null, most: 1 };
  // The limit has ended; payments accepted before it began are not counted.
  await limited(trx, { kind, ...bounds, limit_id, ended_at: ago(60 * minute) });
  await counted(trx, { merchant_id: merchantId, payment_id: payingOut });
  const until_at = isFirst ? new Date(Date.now() + 24 * 60 * minute) : null;
  await trx('payout_holds').insert({
    ...{ payment_id: payingOut, reason: kind, limit_id, held_at: new Date(), until_at },
    ...{ released_by: null, released_at: null, note: null },
  });
}

export const corruptions: Corruption[] = [
  {
    seenBy: ['L1'],
    what: 'two entries that are unbalanced by a shilling, in opposite directions',
    async plant(trx) {
      const entryId = await post(trx, [
        [otherCode, 101],
        [clearingCode, -100],
      ]);
      await post(trx, [
        [otherCode, 99],
        [clearingCode, -100],
      ]);
      return `entry ${entryId}`;
    },
  },
  {
    seenBy: ['L2', 'L1'],
    what: 'an entry that creates money',
    async plant(trx) {
      await post(trx, [
        [otherCode, 500],
        [clearingCode, -100],
      ]);
      return 'KES';
    },
  },
  {
    seenBy: ['L3', 'P7'],
    what: 'a balance that was changed without a posting',
    async plant(trx, { merchantId }) {
      await trx('ledger_accounts')
        .where({ code: walletCode(merchantId) })
        .increment('balance', 1);
      return walletCode(merchantId);
    },
  },
  {
    seenBy: ['L4'],
    what: 'a wallet below zero',
    async plant(trx, { otherMerchantId }) {
      const code = walletCode(otherMerchantId);
      await trx('ledger_accounts').insert({
        code,
        class: 'wallet',
        merchant_id: otherMerchantId,
        currency: 'KES',
        balance: '0',
        can_go_negative: 0,
        created_at: new Date(),
      });
      await post(trx, [
        [code, -100],
        [clearingCode, 100],
      ]);
      return code;
    },
  },
  {
    seenBy: ['L4'],
    what: 'a float that was below zero for one posting',
    async plant(trx, { merchantId }) {
      await post(trx, [
        [floatCode(merchantId), -900_000],
        [clearingCode, 900_000],
      ]);
      await post(trx, [
        [floatCode(merchantId), 900_000],
        [clearingCode, -900_000],
      ]);
      return floatCode(merchantId);
    },
  },
  {
    seenBy: ['L5'],
    what: 'a credit that is booked twice',
    async plant(trx, { succeeded, merchantId }) {
      const entryId = await post(
        trx,
        [
          [walletCode(merchantId), 10_000],
          [clearingCode, -10_000],
        ],
        succeeded,
      );
      await trx('ledger_entries')
        .where({ entry_id: entryId })
        .update({ source_type: 'deposit', source_id: succeeded, leg: 'credit' });
      return `deposit/${succeeded}/credit`;
    },
  },
  {
    seenBy: ['L6'],
    what: 'dollars on a shilling account',
    async plant(trx) {
      await post(trx, [
        [otherCode, 100, 'USD'],
        [clearingCode, -100, 'USD'],
      ]);
      const last = await trx('ledger_postings').max<{ seq: string }[]>({ seq: 'seq' });
      return `posting ${String(last[0]?.seq)}`;
    },
  },
  {
    seenBy: ['L6'],
    what: 'an account whose merchant is not the one in its code',
    async plant(trx, { otherMerchantId }) {
      await trx('ledger_accounts').where({ code: bankCode }).update({ merchant_id: otherMerchantId });
      return `account ${bankCode}`;
    },
  },
  {
    seenBy: ['L6'],
    what: 'a posting of zero',
    async plant(trx) {
      await post(trx, [
        [otherCode, 100],
        [clearingCode, -100],
        [clearingCode, 0],
      ]);
      const last = await trx('ledger_postings').max<{ seq: string }[]>({ seq: 'seq' });
      return `posting ${String(last[0]?.seq)}`;
    },
  },
  {
    seenBy: ['L6'],
    what: 'an entry without postings',
    plant: async (trx) => `entry ${await post(trx, [])}`,
  },
  {
    seenBy: ['L6'],
    what: 'an entry that moves money from an account to itself',
    plant: async (trx) =>
      `entry ${await post(trx, [
        [clearingCode, 100],
        [clearingCode, -100],
      ])}`,
  },
  {
    seenBy: ['L6'],
    what: "a payment that is booked on another rail's account",
    async plant(trx, { quiet }) {
      await post(
        trx,
        [
          [otherCode, 100],
          [clearingCode, -100],
        ],
        quiet,
      );
      const last = await trx('ledger_postings').max<{ seq: string }[]>({ seq: 'seq' });
      return `posting ${String(last[0]?.seq)}`;
    },
  },
  {
    seenBy: ['L9'],
    what: 'a changed amount of a day with a digest, with all figures that depend on it',
    async plant(trx) {
      const lines: [string, number][] = [
        [otherCode, 100],
        [clearingCode, -100],
      ];
      const entryId = await post(trx, lines, null, { source_type: 'unmatched', leg: 'found:1' });
      await digested(trx);
      await trx.raw('UPDATE ledger_postings SET amount = amount * 2 WHERE entry_id = ?', [entryId]);
      const entry = await trx('ledger_entries').where({ entry_id: entryId }).first('at');
      return `day ${utcDay(entry?.at ?? new Date())}`;
    },
  },
  {
    seenBy: ['L9'],
    what: 'a deleted day digest',
    async plant(trx) {
      await digested(trx);
      const first = await trx('day_digests').orderBy('n').first();
      await trx('day_digests')
        .where({ n: first?.n ?? '' })
        .delete();
      return `day ${dayAfter(first?.day ?? '')}`;
    },
  },
  {
    seenBy: ['L9'],
    what: 'a digest of a day that is not over',
    async plant(trx) {
      await digested(trx);
      const last = await lastLink(trx);
      if (!last) throw new Error('nothing is sealed');
      const day = dayAfter(last.day);
      const next = { n: String(Number(last.n) + 1), day, after_seq: last.last_seq, previous: last.head };
      // Before 02:00 it is yesterday, which is over.
      const digestedAt = new Date(Math.min(ago(minute).getTime(), startOf(dayAfter(day)).getTime() - 1));
      await trx('day_digests').insert({ ...last, ...next, postings: '0', digested_at: digestedAt });
      return `day ${day}`;
    },
  },
  {
    seenBy: ['L9'],
    what: 'days that ended long ago, all without a digest',
    async plant(trx) {
      await trx.raw('UPDATE ledger_entries SET at = at - INTERVAL 9 DAY');
      const [[row]] = (await trx.raw('SELECT MIN(at) AS at FROM ledger_entries')) as unknown as [
        [{ at: Date }],
      ];
      return `day ${utcDay(row.at)}`;
    },
  },
  {
    seenBy: ['P1'],
    what: 'a succeeded deposit without a credit',
    async plant(trx, { secondSucceeded }) {
      await removeEntry(trx, await depositEntry(trx, secondSucceeded));
      return secondSucceeded;
    },
  },
  {
    seenBy: ['P2'],
    what: 'a credit above the confirmed amount',
    async plant(trx, { secondSucceeded }) {
      await changeCredit(trx, secondSucceeded, 5);
      return secondSucceeded;
    },
  },
  {
    seenBy: ['P2', 'T1'],
    what: "a credit to another merchant's wallet",
    async plant(trx, { secondSucceeded, otherMerchantId }) {
      await trx('payments').where({ payment_id: secondSucceeded }).update({ merchant_id: otherMerchantId });
      await trx('outbox').where({ payment_id: secondSucceeded }).update({ merchant_id: otherMerchantId });
      return secondSucceeded;
    },
  },
  {
    seenBy: ['P2'],
    what: 'a confirmed amount in another currency than the credit',
    async plant(trx, { secondSucceeded }) {
      await trx('payments')
        .where({ payment_id: secondSucceeded })
        .update({ currency: 'USD', instructed_currency: 'USD' });
      return secondSucceeded;
    },
  },
  {
    seenBy: ['P3'],
    what: 'a credit for a failed deposit',
    async plant(trx, { failed, merchantId }) {
      const entryId = await post(
        trx,
        [
          [walletCode(merchantId), 10_000],
          [clearingCode, -10_000],
        ],
        failed,
      );
      await trx('payments').where({ payment_id: failed }).update({ confirmed_minor: '10000' });
      await trx('ledger_entries')
        .where({ entry_id: entryId })
        .update({ source_type: 'deposit', source_id: failed, leg: 'credit' });
      return failed;
    },
  },
  {
    seenBy: ['P4', 'P2'],
    what: 'refunds above the paid amount',
    async plant(trx, { succeeded }) {
      await trx('payments').where({ payment_id: succeeded }).update({ confirmed_minor: '3999' });
      return succeeded;
    },
  },
  {
    seenBy: ['P4'],
    what: 'a refund of an unpaid deposit',
    async plant(trx, { refunded }) {
      await trx('payments').where({ payment_id: refunded }).update({ parent_id: null });
      return refunded;
    },
  },
  {
    seenBy: ['P4'],
    what: 'a refund of a failed deposit',
    async plant(trx, { refunded, failed }) {
      await trx('payments').where({ payment_id: refunded }).update({ parent_id: failed });
      return failed;
    },
  },
  {
    seenBy: ['P4', 'P5'],
    what: 'a refund in another currency than its deposit',
    async plant(trx, { refunded }) {
      await trx('payments')
        .where({ payment_id: refunded })
        .update({ currency: 'USD', instructed_currency: 'USD' });
      return refunded;
    },
  },
  {
    seenBy: ['P5', 'P6'],
    what: 'an open payout without a reserve',
    async plant(trx, { payingOut }) {
      await trx('holds').where({ payment_id: payingOut }).delete();
      return payingOut;
    },
  },
  {
    seenBy: ['P5', 'P6'],
    what: 'a reserve that was posted while its payout is open',
    async plant(trx, { payingOut }) {
      await trx('holds').where({ payment_id: payingOut }).update({ state: 'posted' });
      return payingOut;
    },
  },
  {
    seenBy: ['P5', 'P6', 'P7'],
    what: 'a failed payout that keeps its reserve',
    async plant(trx, { notPaidOut }) {
      await trx('holds').where({ payment_id: notPaidOut }).update({ state: 'open' });
      return notPaidOut;
    },
  },
  {
    seenBy: ['P5', 'P7'],
    what: 'a paid payout whose reserve is marked as released',
    async plant(trx, { paidOut }) {
      await trx('holds').where({ payment_id: paidOut }).update({ state: 'released' });
      return paidOut;
    },
  },
  {
    seenBy: ['P5', 'P6', 'P7'],
    what: "a payout that is reserved from the merchant's wallet",
    async plant(trx, { payingOut, refunded }) {
      const ofRefund = await trx('holds').where({ payment_id: refunded }).first();
      await trx('holds')
        .where({ payment_id: payingOut })
        .update({
          account_id: ofRefund?.account_id ?? '',
          reserved_account_id: ofRefund?.reserved_account_id ?? '',
        });
      return payingOut;
    },
  },
  {
    seenBy: ['P5', 'P6'],
    what: 'a payout whose reserve is on the account of refund reserves',
    async plant(trx, { payingOut, refunded }) {
      const ofRefund = await trx('holds').where({ payment_id: refunded }).first();
      await trx('holds')
        .where({ payment_id: payingOut })
        .update({ reserved_account_id: ofRefund?.reserved_account_id ?? '' });
      return payingOut;
    },
  },
  {
    seenBy: ['P5', 'P19'],
    what: 'a reserve for a collection',
    async plant(trx, { notPaidOut, succeeded }) {
      const hold = await trx('holds').where({ payment_id: notPaidOut }).first();
      if (hold) await trx('holds').insert({ ...hold, payment_id: succeeded });
      return succeeded;
    },
  },
  {
    seenBy: ['P5'],
    what: 'a reserve of another amount than its payout',
    async plant(trx, { payingOut }) {
      await trx('payments')
        .where({ payment_id: payingOut })
        .update({ requested_minor: '9999', instructed_minor: '9999' });
      return payingOut;
    },
  },
  {
    seenBy: ['P5'],
    what: 'a released reserve without its releasing entry',
    async plant(trx, { notPaidOut }) {
      await trx('ledger_entries')
        .where({ source_type: 'hold', source_id: notPaidOut, leg: 'release' })
        .update({ leg: 'post' });
      return notPaidOut;
    },
  },
  {
    seenBy: ['P19', 'P6'],
    what: 'a disputed deposit without a reserve, though its money was there',
    async plant(trx, { disputedFunds }) {
      await trx('holds').where({ payment_id: disputedFunds }).delete();
      return disputedFunds;
    },
  },
  {
    seenBy: ['P19', 'P6'],
    what: 'a deposit with a case from before reserves existed, and without a later check',
    async plant(trx, { disputedFunds }) {
      await trx('holds').where({ payment_id: disputedFunds }).delete();
      await trx('payments')
        .where({ payment_id: disputedFunds })
        .update({ details: JSON.stringify({ warned_at: new Date().toISOString() }) as never });
      return disputedFunds;
    },
  },
  {
    seenBy: ['P19'],
    what: 'a deposit with a reserve and without an open case',
    async plant(trx, { disputedFunds }) {
      await trx('cases').where({ payment_id: disputedFunds }).update({ closed_at: new Date() });
      return disputedFunds;
    },
  },
  {
    seenBy: ['P19'],
    what: 'a disputed deposit with two reserves',
    async plant(trx, { disputedFunds, merchantId }) {
      const reserved = walletCode(merchantId).replace('wallet:', 'wallet_reserved:');
      const entryId = await post(trx, [
        [walletCode(merchantId), -10_000],
        [reserved, 10_000],
      ]);
      await trx('ledger_entries').where({ entry_id: entryId }).update({
        source_type: 'hold',
        source_id: disputedFunds,
        leg: 'change:2',
        payment_id: disputedFunds,
      });
      await trx('holds').where({ payment_id: disputedFunds }).update({ amount: '20000', wanted: '20000' });
      return disputedFunds;
    },
  },
  {
    seenBy: ['P19'],
    what: 'a disputed deposit with a reserve above the rest of its money',
    async plant(trx, { disputedFunds }) {
      await trx('payments').where({ payment_id: disputedFunds }).update({ refund_debited_minor: '6000' });
      return disputedFunds;
    },
  },
  {
    seenBy: ['P19', 'P6', 'P7'],
    what: 'a reserve of a dispute that is marked as released, and was not',
    async plant(trx, { disputedFunds }) {
      await trx('holds').where({ payment_id: disputedFunds }).update({ state: 'released', wanted: '0' });
      return disputedFunds;
    },
  },
  {
    seenBy: ['P6'],
    what: 'a reserve above the open payouts',
    async plant(trx, { merchantId }) {
      const code = floatCode(merchantId).replace('float:', 'float_reserved:');
      await post(trx, [
        [code, 100],
        [clearingCode, -100],
      ]);
      return code;
    },
  },
  {
    seenBy: ['P7', 'P5'],
    what: 'a float that got back more than was reserved',
    async plant(trx, { notPaidOut, merchantId }) {
      const entryId = await post(trx, [
        [floatCode(merchantId), 100],
        [clearingCode, -100],
      ]);
      await trx('ledger_entries')
        .where({ entry_id: entryId })
        .update({ source_type: 'hold', source_id: notPaidOut, leg: 'release:more' });
      return floatCode(merchantId);
    },
  },
  {
    seenBy: ['P8'],
    what: 'a success that became a failure',
    async plant(trx, { quiet }) {
      await trx('payment_log').insert({
        payment_id: quiet,
        from_state: 'succeeded',
        to_state: 'failed',
        cause: 'x',
        at: new Date(),
      });
      await trx('payment_log').insert({
        payment_id: quiet,
        from_state: 'failed',
        to_state: 'succeeded',
        cause: 'x',
        at: new Date(),
      });
      return quiet;
    },
  },
  {
    seenBy: ['P8'],
    what: 'a transition from a state that the payment was not in',
    async plant(trx, { pending }) {
      await trx('payment_log').where({ payment_id: pending, from_state: 'received' }).delete();
      return pending;
    },
  },
  {
    seenBy: ['P8'],
    what: 'a state without a log line',
    async plant(trx, { pending }) {
      await trx('payments').where({ payment_id: pending }).update({ state: 'queued' });
      return pending;
    },
  },
  {
    seenBy: ['P8', 'V1'],
    what: 'a final state that is not marked as final',
    async plant(trx, { failed }) {
      await trx('payments').where({ payment_id: failed }).update({ is_final: 0 });
      return failed;
    },
  },
  {
    seenBy: ['P10'],
    what: 'a workflow that drives two payments',
    async plant(trx, { pending, failed }) {
      await trx('payments')
        .where({ payment_id: pending })
        .update({ workflow_id: `test-payment/${failed}` });
      return `test-payment/${failed}`;
    },
  },
  {
    seenBy: ['P10'],
    what: 'a payment whose workflow does not name it',
    async plant(trx, { pending }) {
      await trx('payments')
        .where({ payment_id: pending })
        .update({ workflow_id: `test-payment/${uuid()}` });
      return pending;
    },
  },
  {
    seenBy: ['P12'],
    what: 'a second live submission under another key',
    async plant(trx, { succeeded }) {
      await trx('attempts').insert({
        payment_id: succeeded,
        n: 3,
        operation: 'initiate',
        provider_key: 'another',
        state: 'unknown',
        sent_at: new Date(),
      });
      return succeeded;
    },
  },
  {
    seenBy: ['P12'],
    what: 'a submission that was accepted twice',
    async plant(trx, { succeeded }) {
      await trx('attempts').where({ payment_id: succeeded }).update({ state: 'accepted' });
      return succeeded;
    },
  },
  {
    seenBy: ['P13'],
    what: 'two keys that started one payment',
    async plant(trx, { succeeded, merchantId }) {
      await trx('idempotency_keys').insert({
        merchant_id: merchantId,
        key_hash: randomBytes(32),
        body_hash: randomBytes(32),
        payment_id: succeeded,
        created_at: new Date(),
      });
      return succeeded;
    },
  },
  {
    seenBy: ['P13'],
    what: 'a key of a missing payment',
    async plant(trx) {
      await trx('idempotency_keys').update({ payment_id: uuid() });
      const key = await trx('idempotency_keys').first('key_hash');
      return `key ${key?.key_hash.toString('hex').toUpperCase() ?? ''}`;
    },
  },
  {
    seenBy: ['P13'],
    what: 'two payments under one key',
    async plant(trx, { succeeded, secondSucceeded }) {
      await trx('payments')
        .whereIn('payment_id', [succeeded, secondSucceeded])
        .update({ key_hash: randomBytes(32).fill(7) });
      return [succeeded, secondSucceeded].sort()[1] ?? '';
    },
  },
  {
    seenBy: ['P13', 'O1'],
    what: 'two vouchers under one key',
    async plant(trx, { voucher }) {
      const key_hash = randomBytes(32);
      await trx('vouchers').where({ voucher_id: voucher }).update({ key_hash });
      const first = await trx('vouchers').where({ voucher_id: voucher }).first();
      if (!first) throw new Error('no voucher');
      const twin = `ffffffff${uuid().slice(8)}`;
      const other = { voucher_id: twin, workflow_id: `voucher/${twin}`, code_hash: randomBytes(32) };
      await trx('vouchers').insert({ ...first, ...other });
      return twin;
    },
  },
  {
    seenBy: ['P13'],
    what: 'a key answered as accepted, for a payment that was never started',
    async plant(trx, { withdrawn }) {
      const key = await trx('idempotency_keys').first();
      await trx('idempotency_keys').update({ payment_id: withdrawn });
      await trx('payments')
        .where({ payment_id: withdrawn })
        .update({ key_hash: key?.key_hash ?? null, failure_code: 'NOT_STARTED' });
      return withdrawn;
    },
  },
  {
    seenBy: ['P17'],
    what: 'two accepted payments within one duplicate guard',
    async plant(trx, { succeeded, secondSucceeded }) {
      const guard_hash = randomBytes(32);
      const now = Date.now();
      const guard = (payment_id: string, from: number) =>
        trx('payments')
          .where({ payment_id })
          .update({ guard_hash, guarded_from: new Date(from), guarded_until: new Date(from + 120_000) });
      await guard(succeeded, now - 119_000);
      await guard(secondSucceeded, now);
      return secondSucceeded;
    },
  },
  {
    seenBy: ['P18'],
    what: 'a request for two payouts with only one payout',
    async plant(trx, { merchantId, paidOut }) {
      const bulk_id = uuid();
      const hashes = { order_hash: randomBytes(32), body_hash: randomBytes(32) };
      const named = {
        bulk_id,
        merchant_id: merchantId,
        rail: 'loud',
        order_id: 'salaries',
        request_id: null,
      };
      await trx('bulk_payouts').insert({ ...named, ...hashes, row_count: 2, created_at: new Date() });
      await trx('bulk_rows').insert({ bulk_id, n: 0, payment_id: paidOut });
      return bulk_id;
    },
  },
  {
    seenBy: ['P13'],
    what: 'an answer that was not stored',
    async plant(trx) {
      await trx('idempotency_keys').update({ response: null });
      const key = await trx('idempotency_keys').first('key_hash');
      return `key ${key?.key_hash.toString('hex').toUpperCase() ?? ''}`;
    },
  },
  {
    seenBy: ['E1'],
    what: 'a notification that is stored twice',
    async plant(trx, books) {
      const row = notification(books, { state: 'applied', processed_at: new Date() });
      await insertNotification(trx, row);
      return insertNotification(trx, row);
    },
  },
  {
    seenBy: ['E1'],
    what: 'an unprocessed notification',
    plant: (trx, books) => insertNotification(trx, notification(books, { received_at: ago(2 * minute) })),
  },
  {
    seenBy: ['E1'],
    what: 'a reported success without a decision or a case',
    plant: (trx, books) => insertNotification(trx, notification(books, { processed_at: new Date() })),
  },
  {
    seenBy: ['E1'],
    what: 'a parked notification without a case',
    plant: (trx, books) =>
      insertNotification(trx, notification(books, { state: 'parked', payment_id: null })),
  },
  {
    seenBy: ['N1'],
    what: 'a final state without its webhook',
    async plant(trx, { corrected }) {
      await trx('outbox').where({ payment_id: corrected, to_state: 'timed_out' }).delete();
      return corrected;
    },
  },
  {
    seenBy: ['N1'],
    what: 'a payment that was answered as accepted, and withdrawn',
    async plant(trx, { withdrawn }) {
      await trx('payments').where({ payment_id: withdrawn }).update({ answered_at: new Date() });
      return withdrawn;
    },
  },
  {
    seenBy: ['N2'],
    what: 'a webhook whose deliveries ended too early',
    async plant(trx, { deadWebhook }) {
      await trx('outbox').where({ webhook_id: deadWebhook }).update({ tries: 13 });
      return deadWebhook;
    },
  },
  {
    seenBy: ['N2'],
    what: 'a webhook that is marked as delivered, and never arrived',
    async plant(trx, { deliveredWebhook }) {
      await trx('webhook_deliveries')
        .where({ webhook_id: deliveredWebhook })
        .update({ http_status: 503, error: 'HTTP 503' });
      return deliveredWebhook;
    },
  },
  {
    seenBy: ['N3'],
    what: 'a webhook to the wrong merchant',
    async plant(trx, { deliveredWebhook, otherMerchantId }) {
      await trx('outbox').where({ webhook_id: deliveredWebhook }).update({ merchant_id: otherMerchantId });
      return deliveredWebhook;
    },
  },
  {
    seenBy: ['N5'],
    what: 'a superseded webhook without its replacement',
    async plant(trx, { deadWebhook }) {
      await trx('outbox').where({ webhook_id: deadWebhook }).update({ state: 'superseded' });
      return deadWebhook;
    },
  },
  {
    seenBy: ['N5'],
    what: 'a webhook that is superseded by one of another payment',
    async plant(trx, { corrected, deliveredWebhook }) {
      const of = { payment_id: corrected, to_state: 'timed_out' } as const;
      await trx('outbox').where(of).update({ superseded_by: deliveredWebhook });
      return (await trx('outbox').where(of).first('webhook_id'))?.webhook_id ?? '';
    },
  },
  {
    seenBy: ['N5'],
    what: 'a superseded webhook that is still pending',
    async plant(trx, { corrected }) {
      const of = { payment_id: corrected, to_state: 'timed_out' } as const;
      await trx('outbox')
        .where(of)
        .update({ state: 'pending', next_at: new Date(Date.now() + 60 * minute), settled_at: null });
      return (await trx('outbox').where(of).first('webhook_id'))?.webhook_id ?? '';
    },
  },
  {
    seenBy: ['N5'],
    what: 'a webhook without a replacement, though a later one exists',
    async plant(trx, { corrected }) {
      const of = { payment_id: corrected, to_state: 'timed_out' } as const;
      await trx('outbox').where(of).update({ state: 'delivered', superseded_by: null });
      const webhookId = (await trx('outbox').where(of).first('webhook_id'))?.webhook_id ?? '';
      await trx('webhook_deliveries').insert({
        ...{ webhook_id: webhookId, n: 1, http_status: 200, duration_ms: 1, at: new Date() },
      });
      return webhookId;
    },
  },
  {
    seenBy: ['N5'],
    what: 'a webhook about a transition that its payment never made',
    async plant(trx, { deliveredWebhook }) {
      await trx('outbox').where({ webhook_id: deliveredWebhook }).update({ sequence: 99 });
      return deliveredWebhook;
    },
  },
  {
    seenBy: ['N5'],
    what: 'an event that an endpoint skipped for one of another payment',
    async plant(trx, { corrected, succeeded }) {
      const [endpoint_id, delivery_id] = [uuid(), uuid()];
      const eventOf = async (payment_id: string) =>
        await trx('events').where({ payment_id }).orderBy('event_seq').first();
      const [passed, named] = [await eventOf(corrected), await eventOf(succeeded)];
      if (!passed || !named) throw new Error('the payments have no events');
      await trx('endpoint_tries').insert({
        ...{ delivery_id, endpoint_id, event_id: passed.event_id, position: passed.event_seq },
        ...{ payment_id: corrected, type: passed.type, n: 1, http_status: null, duration_ms: 0, error: null },
        ...{ response_excerpt: null, created_at: new Date(), superseded_by: named.event_id },
      });
      return delivery_id;
    },
  },
  {
    seenBy: ['N4'],
    what: 'an endpoint whose position is beyond the last event',
    async plant(trx, { otherMerchantId }) {
      const endpoint_id = uuid();
      const now = new Date();
      await trx('webhook_endpoints').insert({
        ...{
          endpoint_id,
          merchant_id: otherMerchantId,
          url: 'https://x.example.org/',
          types: 'deposit.succeeded',
        },
        ...{ webhook_secret: '', position: '1000000', event_id: '', next_at: now, created_at: now },
      });
      await rowChanged(trx, 'webhook_endpoints', endpoint_id);
      return endpoint_id;
    },
  },
  {
    seenBy: ['T1'],
    what: "a refund of another merchant's deposit",
    async plant(trx, { otherMerchantId, refunded }) {
      const othersPayment = await insertPayment(trx, { merchantId: otherMerchantId });
      await trx('payments')
        .where({ payment_id: othersPayment.payment_id })
        .update({ confirmed_minor: '10000' });
      await trx('payments').where({ payment_id: refunded }).update({ parent_id: othersPayment.payment_id });
      return refunded;
    },
  },
  {
    seenBy: ['T1', 'P5', 'P7'],
    what: "a reserve on another merchant's float",
    async plant(trx, { payingOut, otherMerchantId }) {
      const [account] = (await trx('ledger_accounts').insert({
        code: floatCode(otherMerchantId),
        class: 'float',
        merchant_id: otherMerchantId,
        rail: 'loud',
        country: 'KEN',
        currency: 'KES',
        balance: '0',
        created_at: new Date(),
      })) as [number];
      await trx('holds')
        .where({ payment_id: payingOut })
        .update({ account_id: String(account) });
      return payingOut;
    },
  },
  {
    seenBy: ['T1'],
    what: "a payment started by another merchant's key",
    async plant(trx, { succeeded, otherMerchantId }) {
      await trx('idempotency_keys').update({ merchant_id: otherMerchantId });
      return succeeded;
    },
  },
  {
    seenBy: ['V1'],
    what: 'a payment without progress',
    async plant(trx, { pending }) {
      const long = ago(12 * minute);
      await trx('payments')
        .where({ payment_id: pending })
        .update({ created_at: long, accepted_at: long, updated_at: long });
      return pending;
    },
  },
  ...Object.entries({
    'an open payment without a next check': { next_check_at: null },
    'a missed check': { next_check_at: ago(12 * minute) },
    'a payment whose signals were not processed': { signals: 9 },
  }).map(([what, changes]): Corruption => ({
    seenBy: ['V1'],
    what,
    async plant(trx, { pending }) {
      await trx('payments').where({ payment_id: pending }).update(changes);
      return pending;
    },
  })),
  {
    seenBy: ['P9'],
    what: 'a float with a reserve for a payout that is queued for too long',
    async plant(trx, { payingOut }) {
      const at = ago(17 * minute);
      await trx('payments')
        .where({ payment_id: payingOut })
        .update({ state: 'queued', created_at: at, accepted_at: at });
      await trx('payment_log').insert({
        payment_id: payingOut,
        from_state: 'pending',
        to_state: 'queued',
        cause: 'planted',
        at,
      });
      return payingOut;
    },
  },
  {
    seenBy: ['V1'],
    what: 'a webhook that was due long ago',
    async plant(trx, { secondSucceeded }) {
      await trx('outbox')
        .where({ payment_id: secondSucceeded })
        .update({ next_at: ago(6 * minute) });
      const webhook = await trx('outbox').where({ payment_id: secondSucceeded }).first('webhook_id');
      return webhook?.webhook_id ?? '';
    },
  },
  {
    seenBy: ['F1'],
    what: 'a converted amount that does not follow from its rate',
    async plant(trx, { converted }) {
      await trx('fx_quotes').where({ payment_id: converted, purpose: 'credit' }).update({ rate: '131.00' });
      return converted;
    },
  },
  {
    seenBy: ['F1'],
    what: 'a rounding that does not explain the credit',
    async plant(trx, { converted }) {
      await trx('fx_quotes')
        .where({ payment_id: converted, purpose: 'credit' })
        .update({ rounding_minor: '-110' });
      return converted;
    },
  },
  {
    seenBy: ['F1'],
    what: 'a difference that is booked as rounding and is none',
    async plant(trx, { converted }) {
      await trx('fx_quotes')
        .where({ payment_id: converted, purpose: 'credit' })
        .update({ rate: '100.00', rounding_minor: '29300' });
      return converted;
    },
  },
  {
    seenBy: ['F1'],
    what: 'a credit above the value of the payment',
    async plant(trx, { converted }) {
      await trx('fx_quotes')
        .where({ payment_id: converted, purpose: 'credit' })
        .update({ rate: '129.00', rounding_minor: '387' });
      return converted;
    },
  },
  {
    seenBy: ['F2'],
    what: 'a payout that sends a cent more than its float has paid',
    async plant(trx, { paidOut }) {
      const now = new Date();
      await trx('fx_quotes').insert({
        ...{ payment_id: paidOut, purpose: 'instruct', base: 'KES', quote: 'USD', rate: '0.00772201' },
        ...{ from_minor: '10000', to_minor: '78', rounding_minor: '1' },
        ...{ source: 'test', observed_at: now, created_at: now },
      });
      return paidOut;
    },
  },
  {
    seenBy: ['F2', 'P2'],
    what: "an order in the wallet's own currency credited as converted, not as ordered",
    async plant(trx, { converted }) {
      await trx('payments').where({ payment_id: converted }).update({ credited_minor: '129111' });
      await trx('fx_quotes')
        .where({ payment_id: converted, purpose: 'credit' })
        .update({ to_minor: '129111', rounding_minor: '0' });
      return converted;
    },
  },
  {
    seenBy: ['F2'],
    what: 'a rounding of a payment that is not the ordered amount',
    async plant(trx, { converted }) {
      await trx('payments').where({ payment_id: converted }).update({ requested_minor: '129001' });
      await trx('fx_quotes')
        .where({ payment_id: converted, purpose: 'instruct' })
        .update({ from_minor: '129001' });
      return converted;
    },
  },
  {
    seenBy: ['F2'],
    what: 'a payment credited in another currency without a stored rate',
    async plant(trx, { converted }) {
      await trx('fx_quotes').where({ payment_id: converted, purpose: 'credit' }).delete();
      return converted;
    },
  },
  {
    seenBy: ['F2'],
    what: 'a submission in another currency at an amount that does not follow from its rate',
    async plant(trx, { converted }) {
      await trx('payments').where({ payment_id: converted }).update({ instructed_minor: '998' });
      return converted;
    },
  },
  {
    seenBy: ['P15'],
    what: 'a deposit with a recorded return above the booked one',
    async plant(trx, { wasReturned }) {
      await trx('payments').where({ payment_id: wasReturned }).update({ returned_minor: '9999' });
      return wasReturned;
    },
  },
  {
    seenBy: ['P15'],
    what: 'a deposit with a recorded refund that was not booked',
    async plant(trx, { wasReturned }) {
      await trx('payments')
        .where({ payment_id: wasReturned })
        .update({ refunded_minor: '1', returned_minor: '9999' });
      return wasReturned;
    },
  },
  {
    seenBy: ['P4', 'P15'],
    what: 'a deposit whose returns and refunds exceed its amount',
    async plant(trx, { succeeded }) {
      await trx('payments').where({ payment_id: succeeded }).update({ returned_minor: '9999' });
      return succeeded;
    },
  },
  {
    seenBy: ['O1'],
    what: 'a voucher that is marked as redeemed, without the money in the wallet',
    async plant(trx, { voucher }) {
      await trx('vouchers').where({ voucher_id: voucher }).update({ state: 'redeemed' });
      return voucher;
    },
  },
  {
    seenBy: ['O1'],
    what: 'a voucher worth more than its reserve',
    async plant(trx, { voucher }) {
      await trx('vouchers').where({ voucher_id: voucher }).update({ amount_minor: '1001' });
      return voucher;
    },
  },
  {
    seenBy: ['O2'],
    what: 'a voucher without an end after its last day',
    async plant(trx, { voucher }) {
      await trx('vouchers')
        .where({ voucher_id: voucher })
        .update({ expires_at: ago(61 * minute) });
      return voucher;
    },
  },
  {
    seenBy: ['P14'],
    what: 'an unclaimed payout of a batch that is booked as paid',
    async plant(trx, { paidOut }) {
      const details = JSON.stringify({ country: 'KEN', item_status: 'UNCLAIMED' });
      await trx('payments')
        .where({ payment_id: paidOut })
        .update({ details } as never);
      return paidOut;
    },
  },
  {
    seenBy: ['P16'],
    what: 'a payout that was returned twice',
    async plant(trx, { cameBack, merchantId }) {
      await post(
        trx,
        [
          [clearingCode, -10_000],
          [floatCode(merchantId), 10_000],
        ],
        cameBack,
      );
      return cameBack;
    },
  },
  {
    seenBy: ['P16'],
    what: 'a payout that is marked as returned, without the money in its float',
    async plant(trx, { cameBack }) {
      const [entry] = await trx('ledger_entries').where({ source_id: cameBack, leg: 'returned' });
      await removeEntry(trx, entry?.entry_id ?? '');
      return cameBack;
    },
  },
  {
    seenBy: ['P16'],
    what: 'a payout that is marked as paid, with its money returned to its float',
    async plant(trx, { paidOut, merchantId }) {
      await post(
        trx,
        [
          [clearingCode, -10_000],
          [floatCode(merchantId), 10_000],
        ],
        paidOut,
      );
      return paidOut;
    },
  },
  {
    seenBy: ['P16', 'A3'],
    what: 'a payout that was returned from another account than its provider’s',
    async plant(trx, { cameBack }) {
      const [entry] = await trx('ledger_entries').where({ source_id: cameBack, leg: 'returned' });
      const bank = await accountId(trx, bankCode);
      await trx('ledger_postings')
        .where({ entry_id: entry?.entry_id ?? '' })
        .where('amount', '<', 0)
        .update({ account_id: bank });
      return cameBack;
    },
  },
  {
    seenBy: ['S1', 'P8'],
    what: 'a payout that began during a pause',
    async plant(trx, { payingOut, merchantId }) {
      await plantStop(trx, { merchant_id: merchantId, country: 'KEN' });
      const states = { from_state: 'received', to_state: 'initiating' } as const;
      await trx('payment_log').insert({
        ...{ payment_id: payingOut, ...states, cause: 'attempt', evidence: null },
        at: new Date(),
      });
      return payingOut;
    },
  },
  {
    seenBy: ['S1'],
    what: 'a payout that was tried again during a pause',
    async plant(trx, { payingOut }) {
      await plantStop(trx, {});
      await trx('attempts').insert(
        sentAttempt(payingOut, 'initiate', 2, { key: 'again', at: ago(2 * minute) }),
      );
      await trx('attempts').where({ payment_id: payingOut, n: 2 }).update({ state: 'not_sent' });
      return payingOut;
    },
  },
  {
    seenBy: ['S1'],
    what: 'a payout that was sent while it was on hold for an operator',
    async plant(trx, { payingOut }) {
      const hold = { reason: 'new_recipients_per_day', held_at: ago(10 * minute) };
      await trx('payout_holds').insert({ ...hold, payment_id: payingOut } as never);
      const attempt = sentAttempt(payingOut, 'initiate', 2, { key: 'early', at: ago(2 * minute) });
      await trx('attempts').insert({ ...attempt, state: 'not_sent' });
      return payingOut;
    },
  },
  ...(['first_payment_cooldown', 'new_recipients_per_day'] as const).map((reason) => ({
    seenBy: ['S1'],
    what: `a payout whose hold was shortened: ${reason}`,
    async plant(trx: Transaction, books: Books) {
      await held(trx, books, reason);
      await trx('payout_holds').update({ until_at: new Date() });
      return books.payingOut;
    },
  })),
  {
    seenBy: ['S1'],
    what: 'a payout on hold with the time of another limit',
    async plant(trx, books) {
      await held(trx, books, 'new_recipients_per_day');
      await trx('payout_holds').update({ reason: 'first_payment_cooldown', until_at: new Date() });
      return books.payingOut;
    },
  },
  {
    seenBy: ['S1'],
    what: 'a payout on hold whose clock was moved forward without an advance',
    async plant(trx, books) {
      await held(trx, books, 'first_payment_cooldown');
      await trx('payout_holds').update({ until_at: new Date() });
      await trx('payments')
        .where({ payment_id: books.payingOut })
        .update({ clock_ahead_ms: String(24 * 60 * minute) });
      return books.payingOut;
    },
  },
  ...auditCorruptions,
  ...byHandCorruptions,
  ...controlCorruptions,
  ...launderedCorruptions,
  ...(['per_payment', 'per_hour', 'per_day', 'per_recipient_day'] as const).map((kind) => ({
    seenBy: ['C1'],
    what: `a payout that was accepted above a limit ${kind}`,
    async plant(trx: Transaction, { merchantId, paidOut, payingOut }: Books) {
      const before = kind === 'per_payment' ? 0 : 4_000;
      await limited(trx, { kind, amount: String(9_999 + before), ended_at: ago(60 * minute) });
      const own = { merchant_id: merchantId };
      await counted(trx, { ...own, payment_id: paidOut, accepted_at: ago(90 * minute) });
      await counted(trx, { ...own, payment_id: payingOut, accepted_at: ago(70 * minute) });
      return payingOut;
    },
  })),
  ...(['per_payment', 'per_hour', 'per_day', 'per_recipient_day'] as const).map((kind) => ({
    seenBy: ['C1'],
    what: `a payout that was accepted above the default limit ${kind} of that time`,
    async plant(trx: Transaction, { merchantId, paidOut, payingOut }: Books) {
      const before = kind === 'per_payment' ? 0 : 4_000;
      const set = defaultCurrencies.flatMap(defaultLimitsOf).map((limit) => {
        const isIt = limit.kind === kind && limit.currency === 'KES';
        const { currency, amountMinor } = limit;
        return { kind: limit.kind, currency, amount: isIt ? String(9_999 + before) : String(amountMinor) };
      });
      const defaults_id = nameOfDefaults(set);
      await trx('outflow_defaults').insert(set.map((row) => ({ ...row, defaults_id })));
      const own = { merchant_id: merchantId };
      await counted(trx, { ...own, payment_id: paidOut, accepted_at: ago(90 * minute) });
      await counted(trx, { ...own, payment_id: payingOut, accepted_at: ago(70 * minute), defaults_id });
      return payingOut;
    },
  })),
  {
    seenBy: ['C1'],
    what: 'default limits whose amounts were changed afterwards',
    async plant(trx) {
      const row = { currency: 'KES', kind: 'per_day', amount: '1' } as const;
      const defaults_id = nameOfDefaults([row]);
      await trx('outflow_defaults').insert({ ...row, defaults_id, amount: '1000' });
      return `defaults ${defaults_id}`;
    },
  },
  {
    seenBy: ['C2'],
    what: 'a payout that is counted as failed, and is open',
    async plant(trx, { merchantId, payingOut }) {
      await counted(trx, { payment_id: payingOut, merchant_id: merchantId, released_at: new Date() });
      return payingOut;
    },
  },
  {
    seenBy: ['C2'],
    what: 'a payout that is counted with less than its amount',
    async plant(trx, { merchantId, payingOut }) {
      await counted(trx, { payment_id: payingOut, merchant_id: merchantId, amount: '1' });
      return payingOut;
    },
  },
  {
    seenBy: ['C2'],
    what: 'a payout that was accepted under a limit and not counted',
    async plant(trx, { payingOut }) {
      await limited(trx, { kind: 'per_day', amount: '1' });
      await trx('payments').where({ payment_id: payingOut }).update({ signals: 1 });
      return payingOut;
    },
  },
  {
    seenBy: ['C3'],
    what: 'a payout to another number than it was accepted for',
    async plant(trx, { merchantId, payingOut }) {
      await counted(trx, {
        ...{ payment_id: payingOut, merchant_id: merchantId },
        recipient_hash: hashOfRecipient('+254700000001'),
      });
      await trx('payments').where({ payment_id: payingOut }).update({ phone_number: '+254700000002' });
      return payingOut;
    },
  },
  {
    seenBy: ['C3'],
    what: 'a payout to another address, with the former one as its number',
    async plant(trx, { merchantId, payingOut }) {
      await counted(trx, {
        ...{ payment_id: payingOut, merchant_id: merchantId },
        recipient_hash: hashOfRecipient('ana@example.org'),
      });
      await trx('payments')
        .where({ payment_id: payingOut })
        .update({
          phone_number: 'ana@example.org',
          details: trx.raw(`JSON_SET(details, '$.recipient_email', 'eve@example.org')`),
        } as never);
      return payingOut;
    },
  },
  {
    seenBy: ['C3'],
    what: 'a payout that is counted as accepted before its request',
    async plant(trx, { merchantId, payingOut }) {
      await counted(trx, { payment_id: payingOut, merchant_id: merchantId });
      await trx('outflows').update({ accepted_at: ago(25 * 60 * minute) });
      return payingOut;
    },
  },
  ...duplicateCorruptions,
  ...reconciliationCorruptions,
  {
    seenBy: ['F3'],
    what: 'a fee that does not follow from its schedule',
    plant: async (trx, { succeeded, merchantId }) =>
      charged(trx, succeeded, {
        ...{ by: await schedule(trx, merchantId), of: walletCode(merchantId), minor: 99 },
      }),
  },
  {
    seenBy: ['F3'],
    what: 'a fee by the schedule of another merchant',
    plant: async (trx, { succeeded, merchantId, otherMerchantId }) =>
      charged(trx, succeeded, { by: await schedule(trx, otherMerchantId), of: walletCode(merchantId) }),
  },
  {
    seenBy: ['F3'],
    what: 'a fee by a missing schedule',
    plant: (trx, { succeeded, merchantId }) =>
      charged(trx, succeeded, { by: uuid(), of: walletCode(merchantId) }),
  },
  {
    seenBy: ['F3'],
    what: 'a settled collection without the fee that it was accepted with',
    async plant(trx, { succeeded, merchantId }) {
      const fee = await schedule(trx, merchantId);
      await trx('payments').where({ payment_id: succeeded }).update({ fee_id: fee });
      return succeeded;
    },
  },
  {
    seenBy: ['F3'],
    what: 'a payout that was accepted without the current fee',
    async plant(trx, { payingOut, merchantId }) {
      await schedule(trx, merchantId, 'payout', ago(60 * minute));
      await trx('payments').where({ payment_id: payingOut }).update({ signals: 1 });
      return payingOut;
    },
  },
  {
    seenBy: ['F4'],
    what: 'a fee of a payment that is not booked',
    async plant(trx, { succeeded, merchantId }) {
      const fee = { fee_id: await schedule(trx, merchantId), fee_minor: '100' };
      await trx('payments').where({ payment_id: succeeded }).update(fee);
      return succeeded;
    },
  },
  {
    seenBy: ['F4'],
    what: 'a fee of a paid payout that is still in its float',
    async plant(trx, { paidOut, merchantId }) {
      const fee = { fee_id: await schedule(trx, merchantId, 'payout'), fee_minor: '100' };
      await trx('payments').where({ payment_id: paidOut }).update(fee);
      return paidOut;
    },
  },
  {
    seenBy: ['F4'],
    what: 'a fee that was kept for a deposit that was returned in full',
    plant: async (trx, { wasReturned, merchantId }) =>
      charged(trx, wasReturned, { by: await schedule(trx, merchantId), of: walletCode(merchantId) }),
  },
  {
    seenBy: ['F4'],
    what: "a fee that was not taken from its merchant's wallet",
    plant: async (trx, { succeeded, merchantId }) =>
      charged(trx, succeeded, { by: await schedule(trx, merchantId), of: clearingCode }),
  },
  {
    seenBy: ['F4'],
    what: 'a fee without a payment',
    async plant(trx, { succeeded, merchantId }) {
      await charged(trx, succeeded, { by: await schedule(trx, merchantId), of: walletCode(merchantId) });
      await post(trx, [
        [clearingCode, -5],
        ['fees:KES', 5],
      ]);
      return 'fees:KES';
    },
  },
];
