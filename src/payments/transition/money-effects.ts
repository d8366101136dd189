import { releaseOutflow } from '../../controls/outflow';
import { isSettled, type PaymentKind, type PaymentState } from '../../domain/payment';
import { openAccount, type Account, type AccountKey } from '../../ledger/accounts';
import { postConverted } from '../../ledger/conversions';
import { closeHold } from '../../ledger/holds';
import { postEntry } from '../../ledger/post-entry';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { contestedAccounts, takeFromHold } from './disputed-funds';
import { creditedOf, debitedFor } from './credit';
import { feeEntry, feeGivenBack, feesOf, heldFeeOf } from './fees';
import { paidAgainDetail } from './warning-details';

interface MoneyEffect {
  /** Opens the accounts of the entry, outside the transaction that will post it. */
  openAccounts(db: Database, payment: PaymentRow): Promise<unknown>;
  /** Posts its entries, each exactly once however often it is tried. `before` is the payment as it was. */
  book(trx: Transaction, db: Database, payment: PaymentRow, before: PaymentRow): Promise<void>;
}

/** The confirmed amount goes from what the provider holds for us into the merchant's wallet, and its fee out of it. */
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
 * What went back to the customer leaves the wallet, out of what is held of it first, and below zero if need be: a debt
 * that later credits pay off. Where the provider has paid it once more, less is given back than before, and the wallet has
 * the difference again.
 */
const giveBack: MoneyEffect = {
  openAccounts: depositAccounts,
  async book(trx, db, payment, before) {
    const accounts = await depositAccounts(db, payment);
    const [now, earlier] = [BigInt(payment.given_back_minor), BigInt(before.given_back_minor)];
    // What a refund of ours gave back was taken out of its hold.
    if (now === earlier) return;
    const { currency } = creditedOf(payment);
    const debitedMinor = debitedFor(payment, now) - debitedFor(payment, earlier);
    const contested = await contestedAccounts(db, before);
    if (contested && debitedMinor > 0n) await takeFromHold(trx, contested, debitedMinor);
    const wallet = (amountMinor: bigint) => ({ account: accounts.wallet, money: { currency, amountMinor } });
    const clearing = (amountMinor: bigint) => ({
      account: accounts.clearing,
      money: { currency: payment.instructed_currency, amountMinor },
    });
    // The same sum may go back before and after it was paid once more.
    const again = payment.details[paidAgainDetail] === undefined ? '' : ':again';
    const leg = `given_back:${String(now)}${again}`;
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

/** The share of the fee goes with the money: what turns out never to have been paid was not to be charged. */
async function returnFee(
  trx: Transaction,
  payment: PaymentRow,
  back: { wallet: Account; fees: Account; leg: string; now: bigint; earlier: bigint },
): Promise<void> {
  const minor = feeGivenBack(payment, back.now) - feeGivenBack(payment, back.earlier);
  const [entry] =
    minor > 0n
      ? feeEntry(payment, back.leg, { from: back.fees, to: back.wallet, minor })
      : feeEntry(payment, back.leg, { from: back.wallet, to: back.fees, minor: -minor });
  if (!entry) return;
  await postEntry(trx, { ...entry, lines: entry.lines.map((line) => ({ ...line, mayOverdraw: true })) });
}

/** What was set aside is spent at the provider, and what was for the fee is the platform's. */
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

/** What was set aside goes back to where it came from, and a payout leaves its limits. */
const releaseHold: MoneyEffect = {
  openAccounts: holdAccounts,
  async book(trx, db, payment) {
    const { from, reserved } = await holdAccounts(db, payment);
    if (payment.kind === 'payout') await releaseOutflow(trx, payment.payment_id);
    await closeHold(trx, holdOf(payment, from, reserved));
  },
};

/** What was sent comes back whole, at the rate it was sent at, to where it had been set aside from, and so does its fee. */
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

/** What entering a state does to the ledger, by kind of payment. States that are not listed move no money. */
const effects: Record<PaymentKind, Partial<Record<PaymentState, MoneyEffect>>> = {
  deposit: { succeeded: credit, refunded: giveBack, reversed: giveBack },
  payout: outgoing,
  refund: outgoing,
};

export function moneyEffectOf(kind: PaymentKind, to: PaymentState): MoneyEffect | undefined {
  return effects[kind][to];
}

/** Where outgoing money is taken from: a payout from the rail's float, a refund from the merchant's wallet. */
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
  if (payment.kind === 'deposit') throw new Error(`payment ${payment.payment_id} holds nothing`);
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

/** A refund is asked for in the currency that its customer gets, and set aside in the one that its wallet has. */
function setAsideOf({ currency, requested_minor, credited_currency, credited_minor }: PaymentRow) {
  return credited_currency === null || credited_minor === null
    ? { currency, amountMinor: BigInt(requested_minor) }
    : { currency: credited_currency, amountMinor: BigInt(credited_minor) };
}

/** The wallet is in the currency the merchant is credited in, the clearing account in the provider's. */
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
