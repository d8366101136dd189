/** A small world on a real database: two merchants, a few accounts, and a provider that says what it is told to. */
import type { Currency } from '../../../src/domain/money';
import type { Acceptance, Finding } from '../../../src/domain/outcome';
import { isSettled, type PaymentKind } from '../../../src/domain/payment';
import type { AccountKey } from '../../../src/ledger/accounts';
import { transferByHand } from '../../sandbox/transfer-by-hand';
import { createMerchant, getMerchantOrThrow } from '../../../src/merchants/merchants';
import { writePayment } from '../../../src/payments/create/write-payment';
import { initiate } from '../../../src/payments/submit/initiate';
import { checkRemainder } from '../../../src/payments/create/refund-request';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import type { PaymentDraft } from '../../../src/rail-kit/draft';
import { review } from '../../../src/payments/resolve/review';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';
import { box, testContext } from '../../../test/support/verify/books-support';

export const currency: Currency = 'KES';
export const rail = 'loud';
const country = 'KEN';

/** What the provider does next. */
interface Provider {
  acceptance: Acceptance;
  answer: Finding;
  /** By the text of a notification. */
  told: Map<string, Finding>;
}

export interface World {
  context: PaymentsContext;
  provider: Provider;
  merchants: readonly [string, string];
}

export const bank: AccountKey = { class: 'bank', currency };
export const wallet = (merchantId: string): AccountKey => ({ class: 'wallet', merchantId, currency });
const walletReserved = (merchantId: string): AccountKey => ({
  ...{ class: 'wallet_reserved', merchantId, currency },
});
export const float = (merchantId: string): AccountKey => ({
  ...{ class: 'float', merchantId, rail, country, currency },
});
const floatReserved = (merchantId: string): AccountKey => ({
  ...{ class: 'float_reserved', merchantId, rail, country, currency },
});

/** The same world over a transaction that is taken back in the end: it begins each sequence anew. */
export function inside(world: World, db: Database): World {
  const provider: Provider = { ...world.provider, told: new Map() };
  return { ...world, provider, context: contextOf(db, provider) };
}

function contextOf(db: Database, provider: Provider): PaymentsContext {
  const context = testContext(db);
  for (const [kind, operation] of Object.entries(context.rails.get(rail).operations)) {
    operation.initiate = () => Promise.resolve(provider.acceptance);
    operation.retrieveStatus = () => Promise.resolve(provider.answer);
    operation.readNotification = ({ body }) => provider.told.get(body) ?? { kind: 'unknown', text: body };
    operation.policy = { ...operation.policy, afterSuccessChecksMs: [3_600_000] };
    // What had been set aside is given back with the failure: as of each rail of ours.
    if (kind !== 'deposit') operation.inDoubt = { ...operation.inDoubt, whenSuccessIsLate: 'open_case' };
  }
  return context;
}

/** Everything that a sequence may touch for the first time was touched before: it opens nothing by itself. */
export async function createWorld(db: Database): Promise<World> {
  const provider: Provider = {
    ...{ acceptance: { kind: 'unknown', text: '' }, answer: { kind: 'open' }, told: new Map() },
  };
  const create = async () =>
    (await createMerchant(db, box, { name: 'Duka', environment: 'sandbox', paidTwice: 'off' })).merchant_id;
  const merchants = [await create(), await create()] as const;
  const world: World = { context: contextOf(db, provider), provider, merchants };
  for (const merchantId of merchants) {
    for (const to of [wallet(merchantId), float(merchantId)])
      await transferByHand(db, { from: bank, to, amountMinor: 1_000n, reason: 'funding', whenShort });
    for (const kind of ['deposit', 'payout', 'refund'] as const) {
      const deposit = await db('payments').where({ merchant_id: merchantId, kind: 'deposit' }).first();
      const payment = await accept(world, { kind, merchantId, amountMinor: 10n, deposit });
      const providerReference = `first-${payment.payment_id}`;
      provider.acceptance = { kind: 'accepted', providerReference };
      await initiate(world.context, payment.payment_id);
      provider.answer = { kind: 'succeeded', code: '0', text: 'paid', amountMinor: 10n, currency };
      await lookAt(world, payment.payment_id, 'check');
    }
  }
  // Nobody looks and sends here, and a run lasts: what was left to do is not due before its end.
  const later = new Date(Date.now() + 24 * 3_600_000);
  await db('outbox').update({ next_at: later });
  await db('payments').whereNotNull('next_check_at').update({ next_check_at: later });
  return world;
}

const whenShort = 'BALANCE_INSUFFICIENT';

interface Asked {
  kind: PaymentKind;
  merchantId: string;
  amountMinor: bigint;
  /** Of a refund. */
  deposit?: PaymentRow | undefined;
}

/** As a rail's handler accepts a request. @throws PaymentError where it is refused. */
export async function accept(
  { context }: World,
  { kind, merchantId, amountMinor, deposit }: Asked,
): Promise<PaymentRow> {
  const draft: PaymentDraft = {
    ...{ rail, kind, provider: 'test', currency, requestedMinor: amountMinor, details: { country } },
    ...(kind === 'payout' && {
      recipient: '+254700000001',
      hold: { from: float(merchantId), reserved: floatReserved(merchantId), whenShort },
    }),
    ...(kind === 'refund' && {
      parentId: deposit?.payment_id ?? '',
      hold: { from: wallet(merchantId), reserved: walletReserved(merchantId), whenShort },
      check: async (trx, paymentId) => {
        const from = ['succeeded', 'refunded', 'reversed'] as const;
        if (!deposit) throw new Error('a refund is of a deposit');
        await checkRemainder(trx, deposit, { amountMinor, paymentId, from });
      },
    }),
  };
  const merchant = await getMerchantOrThrow(context.db, merchantId);
  const payment = await writePayment(context, { merchant, input: {}, requestId: 'request-1' }, draft);
  return payment;
}

export async function lookAt(
  { context }: World,
  paymentId: string,
  cause: 'check' | 'notification' | 'deadline' | 'confirmation' | 'watch_end',
): Promise<void> {
  await review(context, { paymentId, cause, patient: true, ask: (_rail, call) => call() });
}

/** Its wallet's or float's side of what it has moved, by its state alone: what it should be, and no ledger was asked. */
export function effectOf({ kind, state, ...payment }: PaymentRow): bigint {
  const asked = BigInt(payment.requested_minor);
  if (kind === 'deposit')
    return isSettled(state) ? BigInt(payment.confirmed_minor ?? 0) - BigInt(payment.given_back_minor) : 0n;
  const isBack = state === 'failed' || state === 'cancelled' || state === 'returned';
  return isBack ? 0n : -asked;
}
