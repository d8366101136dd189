/**
 * PayPal's balances (Transaction Search v1, List all balances): the total per currency, including withheld money.
 * Amounts below zero are documented. A transaction may take up to three hours to show.
 */
import {
  jsonOf,
  readWallets,
  type AskableWallets,
  type WalletsAnswer,
} from '../../../../rail-kit/provider-wallets';
import type { Begin, PaypalAnswer } from './calls';
import { paypalStatement } from './statement';
import { listOf, recordOf } from './wire';

const behindMs = 3 * 3_600_000;
/** The fixed part of a payment's fee makes the fee's share larger for small payments. */
const keepsPerMille = 150;
/** For payments of about a dollar: 0.49 plus 3.49 %. */
const mayKeepPerMille = 500;

export function paypalWallets(begin: Begin, baseUrl: string): AskableWallets {
  return {
    provider: paypalStatement.provider,
    title: 'PayPal',
    payments: paypalStatement.payments,
    baseUrl,
    behindMs,
    keepsPerMille,
    mayKeepPerMille,
    paysOut: true,
    ask: async (call) =>
      read(await begin(call)({ call: 'balances', method: 'GET', path: '/v1/reporting/balances' })),
  };
}

function read(answer: PaypalAnswer): WalletsAnswer {
  const reported = jsonOf(answer);
  if (!('json' in reported)) return reported;
  const { balances } = recordOf(reported.json);
  if (!Array.isArray(balances)) return { kind: 'unknown', text: 'an answer without balances' };
  const totals = listOf(balances).map((each) => ({
    of: each['currency'],
    total: recordOf(each['total_balance']),
  }));
  return {
    kind: 'reported',
    wallets: readWallets(
      totals.map(({ of, total: { currency_code: currency, value } }) => ({
        currency: of ?? currency,
        // A total in another currency than its wallet's is ignored.
        balance: of === undefined || of === currency ? value : undefined,
      })),
      { mayOwe: true },
    ),
  };
}
