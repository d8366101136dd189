/** A small world on a real database: two merchants, a few accounts, and a provider with set answers. */
import type { Currency } from '../../../src/domain/money';
import type { SubmissionResult, ProviderResult } from '../../../src/domain/outcome';
import { isSettled, type PaymentKind } from '../../../src/domain/payment';
import type { AccountKey } from '../../../src/ledger/accounts';
import { transferByHand } from '../../sandbox/transfer-by-hand';
import { createMerchant, getMerchantOrThrow } from '../../../src/merchants/merchants';
import { writePayment } from '../../../src/payments/create/write-payment';
import { submitPayment } from '../../../src/payments/submit/submit-payment';
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

/** The provider's next answer. */
interface Provider {
  submissionResult: SubmissionResult;
  answer: ProviderResult;
  /** By the text of a notification. */
  reported: Map<string, ProviderResult>;
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

/** The same world in a transaction that is rolled back at the end, so that each sequence begins in the same state. */
export function inside(world: World, db: Database): World {
  const provider: Provider = { ...world.provider, reported: new Map() };
  return { ...world, provider, context: contextOf(db, provider) };
}

function contextOf(db: Database, provider: Provider): PaymentsContext {
  const context = testContext(db);
  for (const [kind, operation] of Object.entries(context.rails.get(rail).operations)) {
    operation.initiate = () => Promise.resolve(provider.submissionResult);
    operation.retrieveStatus = () => Promise.resolve(provider.answer);
    operation.readNotification = ({ body }) => provider.reported.get(body) ?? { kind: 'unknown', text: body };
    operation.policy = { ...operation.policy, afterSuccessChecksMs: [3_600_000] };
    // The failure releases the reserve, as on each of our rails.
    if (kind !== 'deposit')
      operation.uncertainty = { ...operation.uncertainty, whenSuccessIsLate: 'open_case' };
  }
  return context;
}

/** Everything that a sequence may use for the first time was used before: a sequence opens nothing itself. */
export async function createWorld(db: Database): Promise<World> {
  const provider: Provider = {
    ...{ submissionResult: { kind: 'unknown', text: '' }, answer: { kind: 'open' }, reported: new Map() },
  };
  const create = async () =>
    (await createMerchant(db, box, { name: 'Duka', environment: 'sandbox', duplicateAlert: 'off' }))
      .merchant_id;
  const merchants = [await create(), await create()] as const;
  const world: World = { context: contextOf(db, provider), provider, merchants };
  for (const merchantId of merchants) {
    for (const to of [wallet(merchantId), float(merchantId)])
      await transferByHand(db, { from: bank, to, amountMinor: 1_000n, reason: 'funding', whenShort });
    for (const kind of ['deposit', 'payout', 'refund'] as const) {
      const deposit = await db('payments').where({ merchant_id: merchantId, kind: 'deposit' }).first();
      const payment = await accept(world, { kind, merchantId, amountMinor: 10n, deposit });
      const providerReference = `first-${payment.payment_id}`;
      provider.submissionResult = { kind: 'accepted', providerReference };
      await submitPayment(world.context, payment.payment_id);
      provider.answer = { kind: 'succeeded', code: '0', text: 'paid', amountMinor: 10n, currency };
      await checkAt(world, payment.payment_id, 'check');
    }
  }
  // No worker checks or sends here, and a run takes long: no work is due before its end.
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
  /** For a refund. */
  deposit?: PaymentRow | undefined;
}

/** As a rail's handler creates a payment. @throws PaymentError if it is rejected. */
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
        if (!deposit) throw new Error('a refund needs a deposit');
        await checkRemainder(trx, deposit, { amountMinor, paymentId, from });
      },
    }),
  };
  const merchant = await getMerchantOrThrow(context.db, merchantId);
  const payment = await writePayment(context, { merchant, input: {}, requestId: 'request-1' }, draft);
  return payment;
}

export async function checkAt(
  { context }: World,
  paymentId: string,
  cause: 'check' | 'notification' | 'deadline' | 'confirmation' | 'watch_end',
): Promise<void> {
  await review(context, { paymentId, cause, patient: true, ask: (_rail, call) => call() });
}

/** The change of its wallet or float, by its state alone: the expected value, computed without the ledger. */
export function effectOf({ kind, state, ...payment }: PaymentRow): bigint {
  const asked = BigInt(payment.requested_minor);
  if (kind === 'deposit')
    return isSettled(state) ? BigInt(payment.confirmed_minor ?? 0) - BigInt(payment.returned_minor) : 0n;
  const isBack = state === 'failed' || state === 'cancelled' || state === 'returned';
  return isBack ? 0n : -asked;
}
