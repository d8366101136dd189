import type { PaymentKind, PaymentState } from '../domain/payment';
import { openAccount, type Account, type AccountKey } from '../ledger/accounts';
import { closeHold } from '../ledger/holds';
import { postEntry } from '../ledger/post-entry';
import type { Database, Transaction } from '../store/database';
import type { PaymentRow } from '../store/tables';

interface MoneyEffect {
  /** Opens the accounts of the entry, outside the transaction that will post it. */
  openAccounts(db: Database, payment: PaymentRow): Promise<unknown>;
  /** Posts the entry, exactly once however often it is tried. */
  book(trx: Transaction, db: Database, payment: PaymentRow): Promise<void>;
}

/** The confirmed amount goes from what the provider holds for us into the merchant's wallet. */
const credit: MoneyEffect = {
  openAccounts: depositAccounts,
  async book(trx, db, payment) {
    const [wallet, clearing] = await depositAccounts(db, payment);
    const amountMinor = confirmedMinorOf(payment);
    await postEntry(trx, {
      source: { type: 'deposit', id: payment.payment_id, leg: 'credit' },
      paymentId: payment.payment_id,
      lines: [
        { account: clearing, amountMinor: -amountMinor },
        { account: wallet, amountMinor },
      ],
    });
  },
};

/** What was set aside is spent at the provider. */
const spendHold: MoneyEffect = {
  openAccounts: holdAccounts,
  async book(trx, db, payment) {
    const { from, reserved, clearing } = await holdAccounts(db, payment);
    await closeHold(trx, holdOf(payment, from, reserved), clearing);
  },
};

/** What was set aside goes back to where it came from. */
const releaseHold: MoneyEffect = {
  openAccounts: holdAccounts,
  async book(trx, db, payment) {
    const { from, reserved } = await holdAccounts(db, payment);
    await closeHold(trx, holdOf(payment, from, reserved));
  },
};

const outgoing = { succeeded: spendHold, failed: releaseHold, cancelled: releaseHold };

/** What entering a state does to the ledger, by kind of payment. States that are not listed move no money. */
const effects: Record<PaymentKind, Partial<Record<PaymentState, MoneyEffect>>> = {
  deposit: { succeeded: credit },
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
  const keys = holdKeysOf(payment.kind, { ...payment, country: payment.details['country'] ?? null });
  return {
    from: await openAccount(db, keys.from),
    reserved: await openAccount(db, keys.reserved),
    clearing: await openAccount(db, { class: 'clearing', rail: payment.rail, currency: payment.currency }),
  };
}

function holdOf(payment: PaymentRow, from: Account, reserved: Account) {
  return { paymentId: payment.payment_id, from, reserved, amountMinor: BigInt(payment.requested_minor) };
}

function depositAccounts(db: Database, { merchant_id: merchantId, rail, currency }: PaymentRow) {
  return Promise.all([
    openAccount(db, { class: 'wallet', merchantId, currency }),
    openAccount(db, { class: 'clearing', rail, currency }),
  ]);
}

function confirmedMinorOf(payment: PaymentRow): bigint {
  if (payment.confirmed_minor === null)
    throw new Error(`payment ${payment.payment_id} has no confirmed amount`);
  return BigInt(payment.confirmed_minor);
}
