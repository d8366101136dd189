/** Money that moves on a merchant's accounts, by the ledger's own functions. */
import { randomUUID } from 'node:crypto';
import { openAccount, type Account, type AccountKey } from '../../src/ledger/accounts';
import { adjustHold, closeHold, placeHold } from '../../src/ledger/holds';
import { postEntry } from '../../src/ledger/post-entry';
import { transfer } from '../../src/ledger/transfers';
import type { Database } from '../../src/store/database';
import { inTransaction } from '../../src/store/transaction';

export interface Story {
  merchantId: string;
  keys: Record<'wallet' | 'walletReserved' | 'float' | 'floatReserved', AccountKey>;
  /** Each moves what it can; what the ledger refuses moves nothing. */
  moves: Record<MoveName, (amountMinor: bigint) => Promise<unknown>>;
}

export const moveNames = ['collect', 'fund', 'payOut', 'giveUp', 'takeBack', 'contest', 'settle'] as const;
type MoveName = (typeof moveNames)[number];

export async function tellStory(db: Database, merchantId: string): Promise<Story> {
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
  const [purse, set, funds, held] = await Promise.all(
    [keys.wallet, keys.walletReserved, keys.float, keys.floatReserved].map((key) => openAccount(db, key)),
  );
  if (!purse || !set || !funds || !held) throw new Error('no accounts');
  const contested = randomUUID();
  const entry = (from: Account, to: Account, amountMinor: bigint, kind: string, leg: string) => ({
    source: { type: kind, id: randomUUID(), leg },
    lines: [
      { account: from, amountMinor: -amountMinor, mayOverdraw: leg.startsWith('given_back') },
      { account: to, amountMinor },
    ],
  });
  const book = (work: Parameters<typeof inTransaction<unknown>>[1]) => inTransaction(db, work);
  const payOut = async (amountMinor: bigint, to?: Account) => {
    const hold = { paymentId: randomUUID(), from: funds, reserved: held, amountMinor };
    await book((trx) => placeHold(trx, { ...hold, whenShort: 'FLOAT_INSUFFICIENT' }));
    await book((trx) => closeHold(trx, hold, to));
  };
  const contest = (wantedMinor: bigint) =>
    book((trx) =>
      adjustHold(trx, { paymentId: contested, from: purse, reserved: set, wantedMinor, goneBefore: 0n }),
    );
  const enter = (...of: Parameters<typeof entry>) => book((trx) => postEntry(trx, entry(...of)));
  const moves: Record<MoveName, (amountMinor: bigint) => Promise<unknown>> = {
    collect: (n) => enter(clearing, purse, n, 'deposit', 'credit'),
    fund: (n) =>
      transfer(db, {
        ...{ from: wallet, to: float, amountMinor: n, reason: 'a secret of ours' },
        whenShort: 'BALANCE_INSUFFICIENT',
      }),
    payOut: (n) => payOut(n, clearing),
    giveUp: (n) => payOut(n),
    takeBack: (n) => enter(purse, clearing, n, 'deposit', `given_back:${String(n)}`),
    contest,
    settle: () => contest(0n),
  };
  const refused = (move: (n: bigint) => Promise<unknown>) => (n: bigint) =>
    move(n).catch((error: unknown) => {
      if (!/^(Payout amount exceeds|The amount exceeds)/.test((error as Error).message)) throw error;
    });
  return {
    merchantId,
    keys,
    moves: Object.fromEntries(moveNames.map((name) => [name, refused(moves[name])])) as Story['moves'],
  };
}
