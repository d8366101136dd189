/** A small set of books in which every promise has something to hold on to: all kinds of payments, in all their endings. */
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { PaymentKind, PaymentState } from '../../src/domain/payment';
import type { Currency } from '../../src/domain/money';
import { recordQuote } from '../../src/fx/quotes';
import type { Quote } from '../../src/fx/rates';
import { openAccount, type AccountKey } from '../../src/ledger/accounts';
import { placeHold } from '../../src/ledger/holds';
import { transfer } from '../../src/ledger/transfers';
import { createMerchant, getMerchantOrThrow } from '../../src/merchants/merchants';
import { secretBox } from '../../src/merchants/secrets';
import { railsOf, type PaymentsContext } from '../../src/payments/context';
import { movePayment, prepareMove } from '../../src/payments/move-payment';
import { getPaymentOrThrow } from '../../src/payments/payments';
import type { Operation, Rail } from '../../src/payments/rail';
import type { Database, Transaction } from '../../src/store/database';
import type { PaymentRow } from '../../src/store/tables';
import { createVoucher } from '../../src/vouchers/create-voucher';

const notUsed = () => Promise.reject(new Error('no provider is asked here'));

function operation(announces: boolean): Operation {
  return {
    workflowType: 'testPayment',
    story: 'collection',
    policy: {
      checksMs: [60_000],
      unknownDeadlineMs: 60_000,
      rechecksMs: [],
      watchMs: 60_000,
      confirmDelaysMs: [1_000],
    },
    trustQueryFailureAfterMs: 0,
    tentativeFailureMs: 0,
    initiate: notUsed,
    retrieveStatus: notUsed,
    readNotification: () => ({ kind: 'open' }),
    notificationsAreProof: false,
    whenAmountDiffers: 'open_case',
    lateSuccess: 'correct',
    whenSilent: () => 'time_out',
    announce: ({ payment_id, state, is_final }) =>
      announces && is_final === 1
        ? { callbackType: 'Test', endpoint: 'webhook_url', body: { payment_id, state } }
        : undefined,
  };
}

function rail(name: string, announces: boolean): Rail {
  const all = operation(announces);
  return {
    name,
    operations: { deposit: all, payout: all, refund: all },
    endpoints: () => [],
    notificationRoutes: () => [],
  };
}

const noLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
export const box = secretBox([{ id: 'test', key: randomBytes(32) }]);

export function testContext(db: Database): PaymentsContext {
  return {
    db,
    rails: railsOf([rail('loud', true), rail('quiet', false)]),
    log: noLog,
    observeTransition: () => undefined,
  };
}

export interface NewPayment {
  merchantId: string;
  kind?: PaymentKind;
  rail?: string;
  amountMinor?: bigint;
  with?: Partial<PaymentRow>;
}

export async function insertPayment(db: Database | Transaction, given: NewPayment): Promise<PaymentRow> {
  const paymentId = uuid();
  const amount = String(given.amountMinor ?? 10_000n);
  const now = new Date();
  await db('payments').insert({
    payment_id: paymentId,
    merchant_id: given.merchantId,
    rail: given.rail ?? 'loud',
    kind: given.kind ?? 'deposit',
    workflow_id: `test-payment/${paymentId}`,
    state: 'received',
    currency: 'KES',
    requested_minor: amount,
    instructed_currency: 'KES',
    instructed_minor: amount,
    provider: 'test',
    provider_reference: `ref-${paymentId}`,
    details: '{}' as never,
    created_at: now,
    accepted_at: now,
    updated_at: now,
    ...given.with,
  });
  return getPaymentOrThrow(db, paymentId);
}

/** Moves a payment along, as the engine would. */
export async function moveAlong(
  context: PaymentsContext,
  paymentId: string,
  to: PaymentState,
  {
    cause = 'callback',
    announced = true,
    changes = {},
  }: {
    cause?: string;
    announced?: boolean;
    changes?: Partial<PaymentRow>;
  } = {},
): Promise<void> {
  const payment = await getPaymentOrThrow(context.db, paymentId);
  await prepareMove(context.db, payment, to);
  await context.db.transaction(async (trx) => {
    const confirmed = to === 'succeeded' ? { confirmed_minor: payment.instructed_minor } : {};
    await movePayment(trx, context, payment, {
      to,
      cause,
      announced,
      changes: { ...confirmed, ...changes },
    });
  });
}

export async function deposit(
  context: PaymentsContext,
  given: NewPayment,
  ...states: PaymentState[]
): Promise<string> {
  const { payment_id: id } = await insertPayment(context.db, given);
  for (const state of states) await moveAlong(context, id, state);
  return id;
}

/** A payment out of a float, or a refund out of the wallet, with its hold. */
export async function payOut(
  context: PaymentsContext,
  given: NewPayment & { kind: 'payout' | 'refund' },
  ending?: 'succeeded' | 'failed',
): Promise<string> {
  const { db } = context;
  const { merchantId, kind, amountMinor = 10_000n } = given;
  const keys: [AccountKey, AccountKey] =
    kind === 'refund'
      ? [
          { class: 'wallet', merchantId, currency: 'KES' },
          { class: 'wallet_reserved', merchantId, currency: 'KES' },
        ]
      : [
          { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
          { class: 'float_reserved', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
        ];
  const [from, reserved] = await Promise.all([openAccount(db, keys[0]), openAccount(db, keys[1])]);
  const id = await db.transaction(async (trx) => {
    const { payment_id: paymentId } = await insertPayment(trx, {
      ...given,
      with: { ...given.with, details: JSON.stringify({ country: 'KEN' }) as never },
    });
    await placeHold(trx, { paymentId, from, reserved, amountMinor, whenShort: 'FLOAT_INSUFFICIENT' });
    return paymentId;
  });
  await moveAlong(context, id, 'initiating');
  await moveAlong(context, id, 'pending');
  if (ending) {
    await moveAlong(context, id, ending);
  }
  return id;
}

/** 1,295.00 KES asked, 10.00 USD paid, 1,300.00 KES credited. */
async function convertedDeposit(context: PaymentsContext, given: NewPayment): Promise<string> {
  const { db } = context;
  const { payment_id: paymentId } = await insertPayment(db, {
    ...given,
    amountMinor: 129_500n,
    with: { instructed_currency: 'USD', instructed_minor: '1000', credited_currency: 'KES' },
  });
  const rate = (base: Currency, quote: Currency, text: string): Quote => ({
    base,
    quote,
    rate: text,
    source: 'test',
    observedAt: new Date(),
  });
  await db.transaction(async (trx) => {
    const instruct = { quote: rate('KES', 'USD', '0.00772201'), fromMinor: 129_500n, toMinor: 1_000n };
    await recordQuote(trx, { paymentId, purpose: 'instruct', ...instruct });
    const credit = { quote: rate('USD', 'KES', '130.00'), fromMinor: 1_000n, toMinor: 130_000n };
    await recordQuote(trx, { paymentId, purpose: 'credit', ...credit });
  });
  await moveAlong(context, paymentId, 'initiating');
  await moveAlong(context, paymentId, 'pending');
  await moveAlong(context, paymentId, 'succeeded', { changes: { credited_minor: '130000' } });
  return paymentId;
}

async function givenBackDeposit(context: PaymentsContext, given: NewPayment): Promise<string> {
  const id = await deposit(context, given, 'initiating', 'pending', 'succeeded');
  await moveAlong(context, id, 'refunded', { changes: { given_back_minor: '5000' } });
  await moveAlong(context, id, 'reversed', { changes: { given_back_minor: '10000' } });
  return id;
}

async function activeVoucher({ db }: PaymentsContext, merchantId: string): Promise<string> {
  const merchant = await getMerchantOrThrow(db, merchantId);
  const voucher = { email: 'ana@example.org', currency: 'KES' as const, amountMinor: 1_000n };
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
  /** Paid in dollars for a price in shillings, and credited in shillings. */
  converted: string;
  /** Half of it went back by the provider's hand, then the rest. */
  givenBack: string;
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
  await transfer(db, {
    from: { class: 'bank', currency: 'KES' },
    to: { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
    amountMinor: 100_000n,
    reason: 'funded by bank transfer',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
  const asked = ['initiating', 'pending'] as const;
  const own = { merchantId };
  const withdrawn = await deposit(context, own);
  await moveAlong(context, withdrawn, 'failed', { cause: 'withdrawn', announced: false });
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
    converted: await convertedDeposit(context, own),
    givenBack: await givenBackDeposit(context, own),
    voucher: await activeVoucher(context, merchantId),
    deliveredWebhook: '',
    deadWebhook: '',
  };
  await writeEvidence(db, books);
  return books;
}

async function webhookOf(db: Database, paymentId: string): Promise<string> {
  const row = await db('outbox').where({ payment_id: paymentId }).first('webhook_id');
  return row?.webhook_id ?? '';
}

/** What surrounds the payments: attempts, notifications, keys, deliveries. */
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
}
