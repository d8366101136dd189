/** A wallet, what its provider told of it, and what that says beside our books. */
import { cutText } from '../domain/cut-text';
import type { FloatWalletKey, FloatWalletRow } from '../store/float-tables';
import type { AskableWallets } from '../rail-kit/provider-wallets';
import type { Moved } from './books';
import { judgeExpecting, type Expected } from './expected';
import { feesOf, type Judgement } from './judge';

/** The balance and the books are not read at the same instant, so that one answer alone proves nothing. */
const answersToAct = 2;

/** A wallet and what was told of it. */
export interface Seen {
  row: FloatWalletRow;
  note: string;
  judgement?: Judgement;
  /** Of what was said to move by hand, what has not shown. */
  expected?: Expected;
  /** How often the verdict was the same, with this one. */
  inARow: number;
  balanceMinor?: bigint;
  /** As much of what is missing may be fees, beyond those that are allowed for. */
  feesDoubtedMinor?: bigint;
  turnoverMinor?: bigint;
  unplacedMinor?: bigint;
}

/** See `AskableWallets`. */
type FeesTaken = Pick<AskableWallets, 'keepsPerMille' | 'mayKeepPerMille'>;
export const noFees: FeesTaken = { keepsPerMille: 0 };

export const nothing: Moved = { net: 0n, turnover: 0n, less: 0n, more: 0n, unplaced: 0n };

export function unknownOf(row: FloatWalletRow, text: string): Seen {
  return { row, note: cutText(text, 255), inARow: row.in_a_row };
}

export function seenOf(row: FloatWalletRow, balanceMinor: bigint, sum: Moved, taken: FeesTaken): Seen {
  const turnoverMinor = BigInt(row.turnover_minor) + sum.turnover;
  const isFirst = row.offset_lo === null || row.offset_hi === null;
  const since = isFirst ? turnoverMinor : BigInt(row.turnover_from);
  const keeps = row.fee_per_mille ?? taken.keepsPerMille;
  const mayKeep = row.fee_per_mille ?? taken.mayKeepPerMille ?? keeps;
  const fees = feesOf(turnoverMinor - since, keeps);
  const feesDoubtedMinor = feesOf(turnoverMinor - since, mayKeep) - fees;
  const unplacedMinor = BigInt(row.unplaced_minor) + sum.unplaced;
  const unplaced = unplacedMinor - (isFirst ? unplacedMinor : BigInt(row.unplaced_from));
  const known = {
    offset: isFirst ? undefined : { least: BigInt(row.offset_lo ?? 0), most: BigInt(row.offset_hi ?? 0) },
    netMinor: BigInt(row.counted_minor) + sum.net,
    less: sum.less + fees + unplaced,
    more: sum.more + unplaced,
  };
  const said = { coming: BigInt(row.coming_minor), going: BigInt(row.going_minor) };
  const { judgement, expected } = judgeExpecting(balanceMinor, known, said);
  const inARow = judgement.verdict === row.verdict ? row.in_a_row + 1 : 1;
  return {
    row,
    note: '',
    judgement,
    expected,
    inARow,
    balanceMinor,
    feesDoubtedMinor,
    turnoverMinor,
    unplacedMinor,
  };
}

/** It differs, and nothing is done before another answer says so. */
export const isDoubted = ({ judgement, inARow }: Seen) =>
  judgement !== undefined && judgement.verdict !== 'agrees' && inARow < answersToAct;

export const keyOf = ({ provider, country, currency }: FloatWalletKey) => ({ provider, country, currency });
