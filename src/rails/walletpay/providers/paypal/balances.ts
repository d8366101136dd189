/**
 * PayPal's balances (Transaction Search v1, List all balances): for each currency the total, which has what is withheld
 * in it. Below zero is documented. What was done takes up to three hours to show.
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
/** A fixed part of each payment's fee makes it the larger, the smaller the payments are. */
const keepsPerMille = 150;
/** Of payments of about a dollar: 0.49 and 3.49 %. */
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
  const told = jsonOf(answer);
  if (!('json' in told)) return told;
  const { balances } = recordOf(told.json);
  if (!Array.isArray(balances)) return { kind: 'unknown', text: 'an answer without balances' };
  const totals = listOf(balances).map((each) => ({
    of: each['currency'],
    total: recordOf(each['total_balance']),
  }));
  return {
    kind: 'told',
    wallets: readWallets(
      totals.map(({ of, total: { currency_code: currency, value } }) => ({
        currency: of ?? currency,
        // A total in another currency than that of its wallet is none.
        balance: of === undefined || of === currency ? value : undefined,
      })),
      { mayOwe: true },
    ),
  };
}
