/** The current rows that a request may name: rows of texts, by the name of their pool. */
import { request } from 'undici';
import type { Stack } from '../../bench/ours/stack';
import { kenyanCustomer, zambianCustomer } from '../../bench/ours/payments';
import type { Database } from '../../../src/store/database';
import type { PaymentRow } from '../../../src/store/tables';

export type Pools = Record<string, Record<string, string | null>[]>;

const newest = 200;

/** Pools of payments. */
const ofPayments: Readonly<Record<string, Partial<Pick<PaymentRow, 'rail' | 'kind' | 'state'>>>> = {
  payment: {},
  stk: { rail: 'stk' },
  momo: { rail: 'momo' },
  momoPaid: { rail: 'momo', kind: 'deposit', state: 'succeeded' },
  queued: { rail: 'momo', kind: 'payout', state: 'queued' },
  xb: { rail: 'xb' },
  walletOrder: { rail: 'walletpay', kind: 'deposit' },
  walletPaid: { rail: 'walletpay', kind: 'deposit', state: 'succeeded' },
  walletPayout: { rail: 'walletpay', kind: 'payout' },
  walletRefund: { rail: 'walletpay', kind: 'refund' },
  card: { rail: 'cardproc' },
};

export async function readPools({ db, merchant, env }: Stack, webhookUrl: string): Promise<Pools> {
  const payments = await Promise.all(
    Object.entries(ofPayments).map(async ([name, which]) => [name, await paymentsOf(db, which)] as const),
  );
  const bulks = async (rail: string) =>
    db('bulk_payouts').where({ rail }).orderBy('created_at', 'desc').limit(newest).select({ id: 'bulk_id' });
  const [momoBulk, walletBulk, webhook, endpoint, reported, receipt, balance, voucher] = await Promise.all([
    bulks('momo'),
    bulks('walletpay'),
    db('outbox').orderBy('created_at', 'desc').limit(newest).select({ id: 'webhook_id' }),
    db('webhook_endpoints').whereNull('ended_at').select({ id: 'endpoint_id' }),
    db('endpoint_tries as t')
      .join('webhook_endpoints as e', 'e.endpoint_id', 't.endpoint_id')
      .whereNull('e.ended_at')
      .orderBy('t.created_at', 'desc')
      .limit(newest)
      .select<{ endpoint: string; event: string }[]>('t.endpoint_id as endpoint', 't.event_id as event'),
    db('missing_receipts').limit(newest).select('token'),
    db('balance_queries').select('token'),
    mailedCodes(env['MALIPO_SIMULATOR_URL'] ?? ''),
  ]);
  return {
    ...Object.fromEntries(payments),
    ...{ momoBulk, walletBulk, webhook, endpoint, reported, receipt, balance, voucher },
    customer: Array.from({ length: newest }, (_, n) => ({
      kenyan: kenyanCustomer(n),
      zambian: zambianCustomer(n),
    })),
    merchant: [{ id: merchant.merchant_id, url: webhookUrl, challenge: env['XB_CHALLENGE'] ?? '' }],
  };
}

async function paymentsOf(db: Database, which: Partial<PaymentRow>) {
  const rows = await db('payments').where(which).orderBy('created_at', 'desc').limit(newest);
  return rows.map((row) => ({
    id: row.payment_id,
    reference: row.provider_reference,
    token: row.callback_token,
    order: row.order_id,
    submitted: row.details['submitted_as'] ?? null,
  }));
}

/** Of vouchers, which are only in their mails. */
async function mailedCodes(simulatorUrl: string): Promise<{ code: string }[]> {
  const { body } = await request(`${simulatorUrl}/control/mail`);
  const { mails } = (await body.json()) as { mails: { text: string }[] };
  return mails
    .slice(-newest)
    .flatMap(({ text }) => /\b[A-Z0-9]{4}(?:-[A-Z0-9]{4}){3}\b/.exec(text) ?? [])
    .map((code) => ({ code }));
}
