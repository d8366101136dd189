import { releaseOutflow } from '../../controls/outflow';
import { isSettled, type PaymentKind, type PaymentState } from '../../domain/payment';
import { openAccount, type Account, type AccountKey } from '../../ledger/accounts';
import { postConverted } from '../../ledger/conversions';
import { closeHold } from '../../ledger/holds';
import { postEntry } from '../../ledger/post-entry';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { disputedAccounts, takeFromHold } from './disputed-funds';
import { creditedOf, debitedFor } from './credit';
import { feeEntry, feeReturned, feesOf, heldFeeOf } from './fees';
import { paidAgainDetail } from './warning-details';

interface MoneyEffect {
  /** Opens the accounts of the entry, outside the transaction that will post it. */
  openAccounts(db: Database, payment: PaymentRow): Promise<unknown>;
  /** Posts its entries, each exactly once however often it is tried. `before` is the payment before the transition. */
  book(trx: Transaction, db: Database, payment: PaymentRow, before: PaymentRow): Promise<void>;
}

/**
 * The confirmed amount goes from the provider's clearing account to the merchant's wallet, and the fee is taken from
 * it.
 */
const credit: MoneyEffect = {
  openAccounts: depositAccounts,
  async book(trx, db, payment, before) {
    if (isSettled(before.state)) return giveBack.book(trx, db, payment, before);
    const accounts = await depositAccounts(db, payment);
    const paid = { currency: payment.instructed_currency, amountMinor: confirmedMinorOf(payment) };
    await postConverted(trx, db, {
      ...sourceOf(payment, 'credit'),
      from: { account: accounts.clearing, money: paid },
      to: { account: accounts.wallet, money: creditedOf(payment) },
      besides: feeEntry(payment, 'charge', {
        from: accounts.wallet,
        to: accounts.fees,
        minor: BigInt(payment.fee_minor ?? 0),
      }),
    });
  },
};

/**
 * Money that went back to the customer is debited from the wallet: first from its reserve, and below zero if
 * necessary. Later credits pay that debt. Where the provider has paid again, the amount given back is smaller than
 * before, and the wallet gets the difference.
 */
const giveBack: MoneyEffect = {
  openAccounts: depositAccounts,
  async book(trx, db, payment, before) {
    const accounts = await depositAccounts(db, payment);
    const [now, earlier] = [BigInt(payment.returned_minor), BigInt(before.returned_minor)];
    // Our own refund was taken from its own reserve.
    if (now === earlier) return;
    const { currency } = creditedOf(payment);
    const debitedMinor = debitedFor(payment, now) - debitedFor(payment, earlier);
    const disputedFunds = await disputedAccounts(db, before);
    if (disputedFunds && debitedMinor > 0n) await takeFromHold(trx, disputedFunds, debitedMinor);
    const wallet = (amountMinor: bigint) => ({ account: accounts.wallet, money: { currency, amountMinor } });
    const clearing = (amountMinor: bigint) => ({
      account: accounts.clearing,
      money: { currency: payment.instructed_currency, amountMinor },
    });
    // The same amount may go back before and after the provider paid again.
    const again = payment.details[paidAgainDetail] === undefined ? '' : ':again';
    const leg = `reversed:${String(now)}${again}`;
    if (accounts.fees) await returnFee(trx, payment, { ...accounts, fees: accounts.fees, leg, now, earlier });
    await postConverted(trx, db, {
      ...sourceOf(payment, leg),
      ...(now > earlier
        ? { from: wallet(debitedMinor), to: clearing(now - earlier) }
        : { from: clearing(earlier - now), to: wallet(-debitedMinor) }),
      mayOverdraw: true,
    });
  },
};

/** The same share of the fee is returned: a payment that was never really paid has no fee. */
async function returnFee(
  trx: Transaction,
  payment: PaymentRow,
  back: { wallet: Account; fees: Account; leg: string; now: bigint; earlier: bigint },
): Promise<void> {
  const minor = feeReturned(payment, back.now) - feeReturned(payment, back.earlier);
  const [entry] =
    minor > 0n
      ? feeEntry(payment, back.leg, { from: back.fees, to: back.wallet, minor })
      : feeEntry(payment, back.leg, { from: back.wallet, to: back.fees, minor: -minor });
  if (!entry) return;
  await postEntry(trx, { ...entry, lines: entry.lines.map((line) => ({ ...line, mayOverdraw: true })) });
}

/** The payout's reserve is spent at the provider, and the fee's reserve goes to the platform. */
const spendHold: MoneyEffect = {
  openAccounts: holdAccounts,
  async book(trx, db, payment) {
    const { from, reserved, clearing, fees } = await holdAccounts(db, payment);
    const hold = holdOf(payment, from, reserved);
    const { currency } = setAsideOf(payment);
    if (payment.instructed_currency === currency) return closeHold(trx, hold, clearing, fees);
    const fx = await openAccount(db, { class: 'fx', currency: payment.instructed_currency });
    const sent = BigInt(payment.instructed_minor);
    await postEntry(trx, {
      ...sourceOf(payment, 'convert'),
      lines: [
        { account: fx, amountMinor: -sent },
        { account: clearing, amountMinor: sent },
      ],
    });
    await closeHold(trx, hold, await openAccount(db, { class: 'fx', currency }), fees);
  },
};

/** The reserve returns to its origin, and a payout no longer counts for its limits. */
const releaseHold: MoneyEffect = {
  openAccounts: holdAccounts,
  async book(trx, db, payment) {
    const { from, reserved } = await holdAccounts(db, payment);
    if (payment.kind === 'payout') await releaseOutflow(trx, payment.payment_id);
    await closeHold(trx, holdOf(payment, from, reserved));
  },
};

/**
 * A returned payout or refund comes back whole, at its original rate, to the account that it was reserved from, with
 * its fee.
 */
const bringBack: MoneyEffect = {
  openAccounts: holdAccounts,
  async book(trx, db, payment) {
    const { from, clearing, fees } = await holdAccounts(db, payment);
    const { instructed_currency: sentIn, instructed_minor: sent } = payment;
    await postConverted(trx, db, {
      ...sourceOf(payment, 'returned'),
      from: { account: clearing, money: { currency: sentIn, amountMinor: BigInt(sent) } },
      to: { account: from, money: setAsideOf(payment) },
      besides: fees ? feeEntry(payment, 'returned', { from: fees, to: from, minor: heldFeeOf(payment) }) : [],
    });
  },
};

const outgoing = {
  succeeded: spendHold,
  failed: releaseHold,
  cancelled: releaseHold,
  returned: bringBack,
};

/** The ledger effect of entering a state, by kind of payment. A state that is not listed moves no money. */
const effects: Record<PaymentKind, Partial<Record<PaymentState, MoneyEffect>>> = {
  deposit: { succeeded: credit, refunded: giveBack, reversed: giveBack },
  payout: outgoing,
  refund: outgoing,
};

export function moneyEffectOf(kind: PaymentKind, to: PaymentState): MoneyEffect | undefined {
  return effects[kind][to];
}

/** The account that outgoing money is taken from: the rail's float for a payout, the merchant's wallet for a refund. */
export function holdKeysOf(
  kind: 'payout' | 'refund',
  payment: Pick<PaymentRow, 'merchant_id' | 'rail' | 'currency'> & { country: string | null },
): { from: AccountKey; reserved: AccountKey } {
  const { merchant_id: merchantId, rail, currency, country } = payment;
  return kind === 'payout'
    ? {
        from: { class: 'float', merchantId, rail, country, currency },
        reserved: { class: 'float_reserved', merchantId, rail, country, currency },
      }
    : {
        from: { class: 'wallet', merchantId, currency },
        reserved: { class: 'wallet_reserved', merchantId, currency },
      };
}

async function holdAccounts(db: Database, payment: PaymentRow) {
  if (payment.kind === 'deposit') throw new Error(`payment ${payment.payment_id} has no reserve`);
  const { currency } = setAsideOf(payment);
  const keys = holdKeysOf(payment.kind, {
    ...payment,
    currency,
    country: payment.details['country'] ?? null,
  });
  return {
    from: await openAccount(db, keys.from),
    reserved: await openAccount(db, keys.reserved),
    clearing: await clearingOf(db, payment),
    fees: await feesOf(db, payment),
  };
}

function holdOf(payment: PaymentRow, from: Account, reserved: Account) {
  const { amountMinor } = setAsideOf(payment);
  return { paymentId: payment.payment_id, from, reserved, amountMinor, feeMinor: heldFeeOf(payment) };
}

/** A refund is requested in the customer's currency, and reserved in the wallet's currency. */
function setAsideOf({ currency, requested_minor, credited_currency, credited_minor }: PaymentRow) {
  return credited_currency === null || credited_minor === null
    ? { currency, amountMinor: BigInt(requested_minor) }
    : { currency: credited_currency, amountMinor: BigInt(credited_minor) };
}

/** The wallet has the currency of the merchant's credit, and the clearing account has the provider's. */
async function depositAccounts(db: Database, payment: PaymentRow) {
  const currency = payment.credited_currency ?? payment.instructed_currency;
  const [wallet, clearing, fees] = await Promise.all([
    openAccount(db, { class: 'wallet', merchantId: payment.merchant_id, currency }),
    clearingOf(db, payment),
    feesOf(db, payment),
  ]);
  return { wallet, clearing, fees };
}

/** A provider holds our money in its own currency. */
function clearingOf(db: Database, { rail, instructed_currency: currency }: PaymentRow): Promise<Account> {
  return openAccount(db, { class: 'clearing', rail, currency });
}

function sourceOf({ payment_id: paymentId, kind }: PaymentRow, leg: string) {
  return { source: { type: kind, id: paymentId, leg }, paymentId };
}

function confirmedMinorOf(payment: PaymentRow): bigint {
  if (payment.confirmed_minor === null)
    throw new Error(`payment ${payment.payment_id} has no confirmed amount`);
  return BigInt(payment.confirmed_minor);
}
