/** A small set of books for every check of verify: all kinds of payments, in all final states. */
import { randomBytes } from 'node:crypto';
import type { Currency } from '../../../src/domain/money';
import { recordQuote, type Quote } from '../../../src/fx/rates';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { createMerchant, getMerchantOrThrow } from '../../../src/merchants/merchants';
import { recordAction } from '../../../src/users/audit-log';
import { type PaymentsContext } from '../../../src/rail-kit/context';
import type { Database } from '../../../src/store/database';
import { createVoucher } from '../../../src/vouchers/create-voucher';
import {
  box,
  contest,
  testContext,
  insertPayment,
  transitionTo,
  deposit,
  payOut,
  type NewPayment,
} from './books-support';

/** 1,290.00 KES ordered, 9.97 USD paid, 1,290.00 KES credited: 1.11 less than 9.97 USD are worth. */
async function convertedDeposit(context: PaymentsContext, given: NewPayment): Promise<string> {
  const { db } = context;
  const { payment_id: paymentId } = await insertPayment(db, {
    ...given,
    amountMinor: 129_000n,
    with: { instructed_currency: 'USD', instructed_minor: '997', credited_currency: 'KES' },
  });
  const rate = (base: Currency, quote: Currency, text: string): Quote => ({
    base,
    quote,
    rate: text,
    source: 'test',
    observedAt: new Date(),
  });
  await db.transaction(async (trx) => {
    const instruct = {
      quote: rate('KES', 'USD', '0.00772201'),
      fromMinor: 129_000n,
      toMinor: 997n,
      roundingMinor: 1n,
    };
    await recordQuote(trx, { paymentId, purpose: 'instruct', ...instruct });
    const credit = {
      quote: rate('USD', 'KES', '129.50'),
      fromMinor: 997n,
      toMinor: 129_000n,
      roundingMinor: -111n,
    };
    await recordQuote(trx, { paymentId, purpose: 'credit', ...credit });
  });
  await transitionTo(context, paymentId, 'initiating');
  await transitionTo(context, paymentId, 'pending');
  await transitionTo(context, paymentId, 'succeeded', { changes: { credited_minor: '129000' } });
  return paymentId;
}

async function reversedDeposit(context: PaymentsContext, given: NewPayment): Promise<string> {
  const id = await deposit(context, given, 'initiating', 'pending', 'succeeded');
  await transitionTo(context, id, 'refunded', { changes: { returned_minor: '5000' } });
  await transitionTo(context, id, 'reversed', { changes: { returned_minor: '10000' } });
  return id;
}

async function cameBackPayout(context: PaymentsContext, given: NewPayment): Promise<string> {
  const id = await payOut(context, { ...given, kind: 'payout' }, 'succeeded');
  await transitionTo(context, id, 'returned');
  return id;
}

async function activeVoucher({ db }: PaymentsContext, merchantId: string): Promise<string> {
  const merchant = await getMerchantOrThrow(db, merchantId);
  const voucher = {
    email: 'ana@example.org',
    currency: 'KES' as const,
    amountMinor: 1_000n,
    timezone: 'UTC',
  };
  const { voucher_id: id } = await createVoucher(db, { merchant, requestId: 'request-1' }, voucher);
  return id;
}

export interface Books {
  context: PaymentsContext;
  merchantId: string;
  otherMerchantId: string;
  succeeded: string;
  secondSucceeded: string;
  corrected: string;
  failed: string;
  withdrawn: string;
  quiet: string;
  pending: string;
  paidOut: string;
  payingOut: string;
  notPaidOut: string;
  refunded: string;
  /** Paid out, and returned to its float. */
  cameBack: string;
  /** Paid in dollars for a price in shillings, and credited in shillings. */
  converted: string;
  /** The provider returned half of it, and the merchant refunded the rest. */
  wasReturned: string;
  /** Disputed by its customer, and reserved; only after `withDisputed`. */
  disputedFunds: string;
  voucher: string;
  deliveredWebhook: string;
  deadWebhook: string;
}

export async function writeBooks(db: Database): Promise<Books> {
  const context = testContext(db);
  const merchant = () => createMerchant(db, box, { name: 'Duka', environment: 'sandbox' });
  const [{ merchant_id: merchantId }, { merchant_id: otherMerchantId }] = [
    await merchant(),
    await merchant(),
  ];
  await transferByHand(db, {
    from: { class: 'bank', currency: 'KES' },
    to: { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
    amountMinor: 100_000n,
    reason: 'funded by bank transfer',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
  const asked = ['initiating', 'pending'] as const;
  const own = { merchantId };
  const withdrawn = await deposit(context, own);
  await transitionTo(context, withdrawn, 'failed', { cause: 'withdrawn', notified: false });
  const succeeded = await deposit(context, own, ...asked, 'succeeded');
  const books: Books = {
    context,
    merchantId,
    otherMerchantId,
    succeeded,
    secondSucceeded: await deposit(context, own, ...asked, 'succeeded'),
    corrected: await deposit(context, own, ...asked, 'timed_out', 'succeeded'),
    failed: await deposit(context, own, ...asked, 'failed'),
    withdrawn,
    quiet: await deposit(context, { ...own, rail: 'quiet' }, ...asked, 'succeeded'),
    pending: await deposit(context, own, ...asked),
    paidOut: await payOut(context, { ...own, kind: 'payout' }, 'succeeded'),
    payingOut: await payOut(context, { ...own, kind: 'payout' }),
    notPaidOut: await payOut(context, { ...own, kind: 'payout' }, 'failed'),
    refunded: await payOut(
      context,
      { ...own, kind: 'refund', amountMinor: 4_000n, with: { parent_id: succeeded } },
      'succeeded',
    ),
    cameBack: await cameBackPayout(context, own),
    converted: await convertedDeposit(context, own),
    wasReturned: await reversedDeposit(context, own),
    disputedFunds: '',
    voucher: await activeVoucher(context, merchantId),
    deliveredWebhook: '',
    deadWebhook: '',
  };
  await writeEvidence(db, books);
  return books;
}

/** The same with a deposit whose case is open. */
export async function withDisputed(books: Books): Promise<Books> {
  const { context, merchantId } = books;
  const disputedFunds = await deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
  await contest(context, disputedFunds);
  return { ...books, disputedFunds };
}

async function webhookOf(db: Database, paymentId: string): Promise<string> {
  const row = await db('outbox').where({ payment_id: paymentId }).first('webhook_id');
  return row?.webhook_id ?? '';
}

/** Other rows about the payments: attempts, notifications, keys, deliveries. */
async function writeEvidence(db: Database, books: Books): Promise<void> {
  const now = new Date();
  const attempt = { operation: 'initiate', provider_key: books.succeeded, sent_at: now, answered_at: now };
  await db('attempts').insert([
    { ...attempt, payment_id: books.succeeded, n: 1, state: 'not_sent' },
    { ...attempt, payment_id: books.succeeded, n: 2, state: 'accepted' },
  ]);
  await db('inbox').insert({
    rail: 'loud',
    event_key: randomBytes(32),
    payment_id: books.succeeded,
    body: '{}',
    state: 'applied',
    received_at: now,
    processed_at: now,
  });
  await db('idempotency_keys').insert({
    merchant_id: books.merchantId,
    key_hash: randomBytes(32),
    body_hash: randomBytes(32),
    payment_id: books.succeeded,
    state: 'answered',
    http_status: 200,
    response: '{}',
    created_at: now,
  });
  books.deliveredWebhook = await webhookOf(db, books.succeeded);
  books.deadWebhook = await webhookOf(db, books.failed);
  const settled = { settled_at: now };
  await db('outbox')
    .where({ webhook_id: books.deliveredWebhook })
    .update({ state: 'delivered', tries: 1, ...settled });
  await db('outbox')
    .where({ webhook_id: books.deadWebhook })
    .update({ state: 'dead', tries: 14, ...settled });
  await db('webhook_deliveries').insert({
    webhook_id: books.deliveredWebhook,
    n: 1,
    url: 'https://shop.example.com/webhook',
    http_status: 200,
    duration_ms: 12,
    at: now,
  });
  for (const action of ['float.add', 'merchant.set', 'float.withdraw']) {
    const subject = { kind: 'merchant', id: books.merchantId };
    await db.transaction((trx) => recordAction(trx, { by: 'amina', action, subject }));
  }
}

/**
 * The database's triggers and constraints are dropped here: after a restore, or by another program, rows could break
 * them.
 */
export async function disarm(db: Database): Promise<void> {
  for (const table of [
    'ledger_entries',
    'ledger_postings',
    'day_digests',
    'payment_log',
    'audit_log',
    'audit_rows',
  ]) {
    for (const action of ['update', 'delete']) await db.raw(`DROP TRIGGER ${table}_no_${action}`);
  }
  await db.raw('ALTER TABLE ledger_entries DROP KEY once');
  await db.raw('ALTER TABLE inbox DROP KEY one_event');
  await db.raw('ALTER TABLE payments DROP KEY one_workflow');
  const [constraints] = (await db.raw(
    `SELECT TABLE_NAME AS on_table, CONSTRAINT_NAME AS name FROM information_schema.TABLE_CONSTRAINTS
     WHERE CONSTRAINT_SCHEMA = DATABASE() AND CONSTRAINT_TYPE = 'CHECK'
       AND TABLE_NAME IN ('ledger_accounts', 'ledger_postings')`,
  )) as [{ on_table: string; name: string }[]];
  for (const { on_table: table, name } of constraints)
    await db.raw(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
}
