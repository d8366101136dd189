import { v7 as uuid } from 'uuid';
import { PaymentError, type ErrorCode } from '../domain/errors';
import type { Currency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import { inTransaction, type Alongside } from '../store/transaction';
import { accountClasses, openAccount, type Account, type AccountKey } from './accounts';
import { postTogether, postEntry, type Entry } from './post-entry';

interface Side {
  account: Account;
  money: { currency: Currency; amountMinor: bigint };
}

export interface ConvertedEntry extends Pick<Entry, 'source' | 'paymentId'> {
  from: Side;
  to: Side;
  /** The account owes the amount even when it no longer has it. */
  mayOverdraw?: boolean;
  /** Entries that are posted with it, such as a fee's. */
  besides?: readonly Entry[];
}

/**
 * Moves money between two accounts. Where their currencies differ there are two entries, each balanced in its own
 * currency, with the fx accounts between them. The balance of the fx accounts is our exposure to the rates.
 */
export async function postConverted(trx: Transaction, db: Database, entry: ConvertedEntry): Promise<void> {
  const { source, from, to, besides = [] } = entry;
  const paymentId = entry.paymentId === undefined ? {} : { paymentId: entry.paymentId };
  const overdraw = entry.mayOverdraw === true ? { mayOverdraw: true } : {};
  const out = { account: from.account, amountMinor: -from.money.amountMinor, ...overdraw };
  const into = { account: to.account, amountMinor: to.money.amountMinor };
  if (from.money.currency === to.money.currency) {
    await postTogether(trx, [{ source, ...paymentId, lines: [out, into] }, ...besides]);
    return;
  }
  const bought = await openAccount(db, { class: 'fx', currency: from.money.currency });
  const sold = await openAccount(db, { class: 'fx', currency: to.money.currency });
  const sides = [
    { leg: `${source.leg}:out`, lines: [out, { account: bought, amountMinor: from.money.amountMinor }] },
    { leg: `${source.leg}:in`, lines: [{ account: sold, amountMinor: -to.money.amountMinor }, into] },
  ];
  // The accounts with a balance row are locked from then on, so they come last.
  const carries = ({ lines }: (typeof sides)[number]) =>
    Number(lines.some(({ account }) => accountClasses[account.class].carriesBalance));
  const entries = sides
    .sort((one, other) => carries(one) - carries(other))
    // A share below the other currency's minor unit moves nothing there.
    .filter(({ lines }) => lines.every(({ amountMinor }) => amountMinor !== 0n))
    .map(({ leg, lines }) => ({ source: { ...source, leg }, ...paymentId, lines }));
  if (besides.length > 0) return postTogether(trx, [...entries, ...besides]);
  for (const each of entries) await postEntry(trx, each);
}

export interface Transfer {
  from: AccountKey;
  to: AccountKey;
  amountMinor: bigint;
  /** Who did it and why: an operator's entry always has a reason. */
  reason: string;
  whenShort: ErrorCode;
  alongside?: Alongside;
}

/** Moves money between two accounts of one currency for an operator. @returns the id of the transfer. */
export async function transfer(
  db: Database,
  { from, to, amountMinor, reason, whenShort, alongside }: Transfer,
): Promise<string> {
  if (amountMinor <= 0n)
    throw new PaymentError('INVALID_AMOUNT', { message: 'amount must be more than zero' });
  if (reason.trim() === '') throw new PaymentError('VALIDATION_FAILED', { message: 'a reason is required' });
  const [source, destination] = await Promise.all([openAccount(db, from), openAccount(db, to)]);
  const id = uuid();
  await inTransaction(db, async (trx) => {
    await postEntry(trx, {
      source: { type: 'transfer', id, leg: 'move' },
      reason,
      whenShort,
      lines: [
        { account: source, amountMinor: -amountMinor },
        { account: destination, amountMinor },
      ],
    });
    await alongside?.(trx);
  });
  return id;
}
