/** How long our balances at providers, and merchants' floats, last at the rate of the last day's payouts. */
import { Gauge, type Registry } from 'prom-client';
import { paidOutSince, type PaidOut } from '../../controls/last-day';
import { sandboxAheadMs } from '../../payments/read/payment-clock';
import { servedWallets } from '../../floats/opening-adjustment';
import type { PaymentsContext } from '../../rail-kit/context';
import type { Database } from '../../store/database';
import { inChunks } from '../../store/in-chunks';
import type { FloatWalletRow, LedgerAccountRow } from '../../store/tables';
import type { Figures } from './figures';

const daySeconds = 86_400;
const dayMs = daySeconds * 1_000;
/** Limits the number of label values: only floats that need a top-up soon, and at most so many. */
const shown = { daysMax: 3, floatsMax: 50 };

type Wallet = Pick<FloatWalletRow, 'provider' | 'country' | 'currency' | 'balance_minor'>;
type Float = Pick<LedgerAccountRow, 'merchant_id' | 'rail' | 'currency' | 'balance'>;

export function floatFigures(
  registers: Registry[],
  { db, rails }: Pick<PaymentsContext, 'db' | 'rails'>,
): Figures {
  const balance = new Gauge({
    name: 'malipo_float_balance_minor_units',
    help: 'Balance of our wallet at a provider, as last reported, in minor units.',
    labelNames: ['provider', 'country', 'currency'],
    registers,
  });
  const timeLeft = new Gauge({
    name: 'malipo_float_time_left_seconds',
    help: 'How long the wallets of a currency at a provider last, if payouts continue as in the last 24 hours.',
    labelNames: ['provider', 'currency'],
    registers,
  });
  const merchantTimeLeft = new Gauge({
    name: 'malipo_merchant_float_time_left_seconds',
    help: `How long a merchant's float lasts, if payouts continue as in the last 24 hours: the ${String(shown.floatsMax)} lowest below ${String(shown.daysMax)} days.`,
    labelNames: ['merchant_id', 'rail', 'currency'],
    registers,
  });
  return {
    what: 'float balances',
    everyMs: 900_000,
    firstWithinMs: 60_000,
    async show() {
      const paidOut = await paidOutSince(db, new Date(Date.now() + (await sandboxAheadMs(db)) - dayMs));
      const wallets = (await servedWallets({ db, rails })).filter(
        ({ balance_minor: reported }) => reported !== null,
      );
      for (const { provider, country, currency, balance_minor: minor } of wallets)
        balance.set({ provider, country, currency }, Number(minor));
      timeLeft.reset();
      for (const { wallets: account } of rails.all) {
        if (account === undefined) continue;
        const { provider } = account;
        const payingOut = account.payments.map(({ rail }) => rail);
        const own = wallets.filter((wallet) => wallet.provider === provider);
        const ofRails = paidOut.filter(({ rail }) => payingOut.includes(rail));
        for (const [currency, days] of daysOf(own, ofRails))
          timeLeft.set({ provider, currency }, days * daySeconds);
      }
      const short = shortest(await floatsOf(db, paidOut), paidOut);
      // Prometheus cannot read between these two statements, so a float that stays low has no gap.
      merchantTimeLeft.reset();
      for (const { days, ...labels } of short) merchantTimeLeft.set(labels, days * daySeconds);
    },
  };
}

/** @returns the days left, for each currency with payouts. */
function daysOf(wallets: readonly Wallet[], paidOut: readonly PaidOut[]): Map<string, number> {
  const days = new Map<string, number>();
  for (const currency of new Set(wallets.map((wallet) => wallet.currency))) {
    const held = sumOf(wallets.filter((wallet) => wallet.currency === currency).map((w) => w.balance_minor));
    const out = sumOf(paidOut.filter((one) => one.currency === currency).map((one) => one.amountMinor));
    if (out > 0) days.set(currency, Math.max(0, held) / out);
  }
  return days;
}

/** Reads only the floats of merchants with payouts: the others are many, and last. */
async function floatsOf(db: Database, paidOut: readonly PaidOut[]): Promise<Float[]> {
  const merchants = [...new Set(paidOut.map((one) => one.merchantId))];
  const floats: Float[] = [];
  for (const some of inChunks(merchants))
    floats.push(
      ...(await db('ledger_accounts')
        .whereIn('merchant_id', some)
        .where({ class: 'float' })
        .select('merchant_id', 'rail', 'currency', 'balance')),
    );
  return floats;
}

function shortest(floats: readonly Float[], paidOut: readonly PaidOut[]) {
  const held = new Map<string, bigint>();
  for (const { merchant_id: merchantId, rail, currency, balance } of floats) {
    const key = keyOf(merchantId, rail, currency);
    held.set(key, (held.get(key) ?? 0n) + BigInt(balance ?? 0));
  }
  return paidOut
    .map(({ merchantId, rail, currency, amountMinor }) => {
      const days = Number(held.get(keyOf(merchantId, rail, currency)) ?? 0n) / Number(amountMinor);
      return { merchant_id: merchantId, rail, currency, days };
    })
    .filter(({ days }) => days < shown.daysMax)
    .sort((one, other) => one.days - other.days)
    .slice(0, shown.floatsMax);
}

const keyOf = (...words: (string | null)[]): string => words.join(' ');

function sumOf(minors: readonly (string | bigint | null)[]): number {
  return Number(minors.reduce<bigint>((sum, minor) => sum + BigInt(minor ?? 0), 0n));
}
