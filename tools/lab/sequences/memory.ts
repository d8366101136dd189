/** Two merchants' accounts and payments as values: they are never changed, each step creates new ones. */
import { isSettled, type PaymentState } from '../../../src/domain/payment';
import type { ProviderEvent } from '../../../src/rail-kit/provider-events';
import type { PaymentRow } from '../../../src/store/tables';

export const merchants = [0, 1] as const;
export type Merchant = (typeof merchants)[number];
type Own = 'wallet' | 'wallet_reserved' | 'float' | 'float_reserved';
export type Account = 'bank' | 'clearing' | 'fees' | `${Own} ${Merchant}`;

export interface Reported {
  readonly row: Readonly<PaymentRow>;
  readonly merchant: Merchant;
  readonly providerEvents: readonly ProviderEvent[];
  /** A provider result that counts only when it is confirmed. */
  readonly tentative: string | undefined;
  /** The amount reserved for it. */
  readonly held: bigint;
  readonly credits: number;
}

export interface Memory {
  readonly balances: Readonly<Record<string, bigint>>;
  /** The youngest first. */
  readonly payments: readonly Reported[];
  readonly transfers: number;
  /** The money in each wallet or float from other sources than payments. */
  readonly funded: Readonly<Record<string, bigint>>;
}

export interface Line {
  account: Account;
  minor: bigint;
  mayOverdraw?: boolean;
}

/** A rejected step, which must have left nothing behind. */
export class Refused extends Error {}

const limited = /^(?:wallet|float)/;

export const beginning: Memory = deepFrozen({
  balances: Object.fromEntries(
    merchants.flatMap((one) => [
      [`wallet ${one}`, 1_000n],
      [`float ${one}`, 1_000n],
      ['bank', -4_000n],
    ]),
  ),
  payments: [],
  transfers: 0,
  funded: {},
});

/** @throws Refused if an account that may not go below zero would. */
export function post(balances: Memory['balances'], lines: readonly Line[]): Memory['balances'] {
  const after = { ...balances };
  for (const { account, minor, mayOverdraw = false } of lines) {
    const balance = (after[account] ?? 0n) + minor;
    if (minor < 0n && balance < 0n && limited.test(account) && !mayOverdraw) throw new Refused();
    after[account] = balance;
  }
  return after;
}

export function transferred(from: Account, to: Account, minor: bigint, mayOverdraw = false): Line[] {
  return [
    { account: from, minor: -minor, mayOverdraw },
    { account: to, minor, mayOverdraw },
  ];
}

/** So that a write to a value that was only for reading fails at once. */
export function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFrozen);
  }
  return value;
}

const isOver = (state: PaymentState) => ['failed', 'cancelled', 'returned'].includes(state);

export function leftToRefund(
  { payments }: Memory,
  { state, payment_id: id, ...deposit }: PaymentRow,
): bigint {
  if (!isSettled(state)) return 0n;
  const refunds = payments.filter(({ row }) => row.parent_id === id && !isOver(row.state));
  const minor = refunds.reduce((sum, { row }) => sum + BigInt(row.requested_minor), 0n);
  return BigInt(deposit.confirmed_minor ?? 0) - BigInt(deposit.returned_minor) - minor;
}

/** The total of our refunds of a deposit. */
export function refundedOf({ payments }: Memory, { payment_id: id }: PaymentRow): bigint {
  const done = payments.filter(({ row }) => row.parent_id === id && row.state === 'succeeded');
  return done.reduce((sum, { row }) => sum + BigInt(row.requested_minor), 0n);
}

/** @throws if the sums do not match; each sum uses states and amounts alone, and no account. */
export function expectAddedUp({ balances, payments, funded }: Memory): void {
  const sums: Record<string, bigint> = { bank: 0n, clearing: 0n, fees: 0n };
  const add = (account: Account, minor: bigint) => (sums[account] = (sums[account] ?? 0n) + minor);
  let given = [false, false];
  for (const one of merchants)
    for (const own of ['wallet', 'float'] as const) {
      const name = `${own} ${one}` as const;
      add(name, 1_000n + (funded[name] ?? 0n));
      add('bank', -1_000n - (funded[name] ?? 0n));
    }
  for (const { row, merchant, held, credits } of payments) {
    const fee = BigInt(row.fee_minor ?? 0);
    if (row.kind === 'deposit') {
      const [came, back] = [BigInt(row.confirmed_minor ?? 0), BigInt(row.returned_minor)];
      const kept = came === 0n ? 0n : fee - (back >= came ? fee : (fee * back) / came);
      if (credits !== (isSettled(row.state) ? 1 : 0))
        throw new Error(`${row.state}, credited ${credits} times`);
      if (back < 0n || back > came) throw new Error(`${back} of ${came} went back`);
      if (fee > came) throw new Error('a collection cost more than it brought');
      if (back > 0n) given = given.map((was, index) => was || index === merchant);
      add(`wallet ${merchant}`, came - back - kept);
      add('clearing', back - came);
      add('fees', kept);
      continue;
    }
    const own = row.kind === 'payout' ? 'float' : 'wallet';
    const asked = BigInt(row.requested_minor) + (row.kind === 'payout' ? fee : 0n);
    const isGone = row.state === 'succeeded';
    const isHeld = !isGone && !isOver(row.state);
    if (held !== (isHeld ? asked : 0n)) throw new Error(`${row.state} holds ${held} of ${asked}`);
    if (isHeld || isGone) add(`${own} ${merchant}`, -asked);
    if (isHeld) add(`${own}_reserved ${merchant}`, asked);
    if (isGone) add('clearing', BigInt(row.requested_minor));
    if (isGone) add('fees', asked - BigInt(row.requested_minor));
  }
  for (const account of new Set([...Object.keys(sums), ...Object.keys(balances)])) {
    const [has, should] = [balances[account] ?? 0n, sums[account] ?? 0n];
    if (has !== should) throw new Error(`${account} has ${has}, and should have ${should}`);
    // A debt is a reversed amount that was spent already.
    const mayOwe = account.startsWith('wallet ') && given[Number(account.at(-1))] === true;
    if (has < 0n && limited.test(account) && !mayOwe) throw new Error(`${account} is below zero`);
  }
  if (Object.values(balances).reduce((sum, one) => sum + one, 0n) !== 0n)
    throw new Error('money came from nowhere');
}
