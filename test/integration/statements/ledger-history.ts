/** Bookings on the accounts of a merchant, through the functions of the ledger. */
import { randomUUID } from 'node:crypto';
import { openAccount, type Account, type AccountKey } from '../../../src/ledger/accounts';
import { postConverted } from '../../../src/ledger/conversions';
import { adjustHold, closeHold, placeHold } from '../../../src/ledger/holds';
import { postEntry } from '../../../src/ledger/post-entry';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';

export interface LedgerHistory {
  merchantId: string;
  keys: Record<'wallet' | 'walletReserved' | 'float' | 'floatReserved', AccountKey>;
  /** Each one books its amount. A transfer that the ledger rejects books nothing. */
  transfers: Record<MoveName, (amountMinor: bigint) => Promise<unknown>>;
}

export const transferNames = [
  ...(['collect', 'collectForFee', 'fund', 'payOut', 'payOutForFee', 'giveUp', 'giveUpForFee'] as const),
  ...(['takeBack', 'contest', 'settle'] as const),
] as const;
type MoveName = (typeof transferNames)[number];

export async function playHistory(db: Database, merchantId: string): Promise<LedgerHistory> {
  const wallet: AccountKey = { class: 'wallet', merchantId, currency: 'KES' };
  const at = { merchantId, rail: 'momo', country: 'KEN', currency: 'KES' } as const;
  const float: AccountKey = { class: 'float', ...at };
  const keys = {
    wallet,
    walletReserved: { class: 'wallet_reserved', merchantId, currency: 'KES' },
    float,
    floatReserved: { class: 'float_reserved', ...at },
  } as const;
  const clearing = await openAccount(db, { class: 'clearing', rail: 'momo', currency: 'KES' });
  const fees = await openAccount(db, { class: 'fees', currency: 'KES' });
  const [purse, set, funds, held] = await Promise.all(
    [keys.wallet, keys.walletReserved, keys.float, keys.floatReserved].map((key) => openAccount(db, key)),
  );
  if (!purse || !set || !funds || !held) throw new Error('no accounts');
  const disputedFunds = randomUUID();
  const entry = (from: Account, to: Account, amountMinor: bigint, kind: string, leg: string) => ({
    source: { type: kind, id: randomUUID(), leg },
    lines: [
      { account: from, amountMinor: -amountMinor, mayOverdraw: leg.startsWith('reversed') },
      { account: to, amountMinor },
    ],
  });
  const book = (work: Parameters<typeof inTransaction<unknown>>[1]) => inTransaction(db, work);
  const payOut = async (amountMinor: bigint, to?: Account, feeMinor = 0n) => {
    const hold = { paymentId: randomUUID(), from: funds, reserved: held, amountMinor, feeMinor };
    await book((trx) => placeHold(trx, { ...hold, whenShort: 'FLOAT_INSUFFICIENT' }));
    await book((trx) => closeHold(trx, hold, to, to && fees));
  };
  const collectForFee = (amountMinor: bigint, feeMinor: bigint) => {
    const { source, lines } = entry(purse, fees, feeMinor, 'fee', 'charge');
    const money = { currency: 'KES', amountMinor } as const;
    return book((trx) =>
      postConverted(trx, db, {
        source: { type: 'deposit', id: source.id, leg: 'credit' },
        from: { account: clearing, money },
        to: { account: purse, money },
        besides: [{ source, lines }],
      }),
    );
  };
  const contest = (wantedMinor: bigint) =>
    book((trx) =>
      adjustHold(trx, { paymentId: disputedFunds, from: purse, reserved: set, wantedMinor, goneBefore: 0n }),
    );
  const enter = (...of: Parameters<typeof entry>) => book((trx) => postEntry(trx, entry(...of)));
  const transitions: Record<MoveName, (amountMinor: bigint) => Promise<unknown>> = {
    collect: (n) => enter(clearing, purse, n, 'deposit', 'credit'),
    collectForFee: (n) => collectForFee(n, n / 7n + 1n),
    fund: (n) =>
      transferByHand(db, {
        ...{ from: wallet, to: float, amountMinor: n, reason: 'a secret of ours' },
        whenShort: 'BALANCE_INSUFFICIENT',
      }),
    payOut: (n) => payOut(n, clearing),
    payOutForFee: (n) => payOut(n, clearing, n / 7n + 1n),
    giveUp: (n) => payOut(n),
    giveUpForFee: (n) => payOut(n, undefined, n / 7n + 1n),
    takeBack: (n) => enter(purse, clearing, n, 'deposit', `reversed:${String(n)}`),
    contest,
    settle: () => contest(0n),
  };
  const refused = (transition: (n: bigint) => Promise<unknown>) => (n: bigint) =>
    transition(n).catch((error: unknown) => {
      if (!/^(Payout amount exceeds|The amount exceeds)/.test((error as Error).message)) throw error;
    });
  return {
    merchantId,
    keys,
    transfers: Object.fromEntries(
      transferNames.map((name) => [name, refused(transitions[name])]),
    ) as LedgerHistory['transfers'],
  };
}
