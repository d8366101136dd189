/**
 * The merchant's account: its registered webhook, its balances, and its app's features (Webhooks Management v1,
 * Transaction Search v1).
 */
import type { Request } from 'express';
import { centsOf, type Books } from '../../books';
import type { CallResponse } from '../../calls';
import { textOf } from '../../fields';
import type { Journal } from '../../journal';
import { openReportedBalances, type ReportedBalances } from '../../reported-balances';
import { denial } from './errors';
import type { WalletpaySettings } from './settings';

/** Features that the provider enables per app. */
export const features = ['payouts', 'reporting'] as const;
export type Feature = (typeof features)[number];

interface State {
  withheld: Feature[];
  /** `*` means all events. */
  eventTypes: string[];
  /** Decimal texts by currency: the balances when they were set. */
  balances: Record<string, string>;
  /** Its net payments until then, in cents. */
  netsThen?: Record<string, string>;
}

const first: State = { withheld: [], eventTypes: ['*'], balances: { USD: '250000.00' } };

export interface Account {
  state(): State;
  change(changes: Partial<State>): void;
  /** The answer to a call whose feature the app lacks. */
  lacking(feature: Feature): CallResponse | undefined;
  webhook(request: Request): CallResponse;
  balances(): CallResponse;
  lie(currency: string, fields: Parameters<ReportedBalances['lie']>[1]): void;
}

export function openAccount(
  journal: Journal,
  books: Books,
  { webhookId, webhookUrl = '' }: WalletpaySettings,
): Account {
  const reported = openReportedBalances(journal, 'walletpay');
  const kept = journal.collection<State>('walletpay.account');
  const state = () => kept.get('account') ?? first;
  return {
    state,
    change(changes) {
      const nets = [...books.nets('walletpay')].map(([currency, cents]) => [currency, String(cents)]);
      const netsThen = changes.balances && (Object.fromEntries(nets) as Record<string, string>);
      kept.put('account', { ...state(), ...changes, ...(netsThen && { netsThen }) });
    },
    lie: (currency, fields) => {
      reported.lie(currency, fields);
    },
    lacking: (feature) => (state().withheld.includes(feature) ? denial('NOT_AUTHORIZED') : undefined),
    webhook({ params }) {
      const id = textOf(params['id']);
      if (webhookId === '' || id !== webhookId) return denial('INVALID_RESOURCE_ID');
      const href = `https://api-m.sandbox.paypal.com/v1/notifications/webhooks/${id}`;
      return {
        status: 200,
        json: {
          id,
          url: webhookUrl,
          event_types: state().eventTypes.map((name) => ({ name, description: name, status: 'ENABLED' })),
          links: [
            { href, rel: 'self', method: 'GET' },
            { href, rel: 'update', method: 'PATCH' },
            { href, rel: 'delete', method: 'DELETE' },
          ],
        },
      };
    },
    balances() {
      const now = new Date().toISOString();
      const { balances, netsThen = {} } = state();
      const nets = books.nets('walletpay');
      const currencies = [...new Set([...Object.keys(balances), ...nets.keys()])];
      const balanceOf = (currency: string) => {
        const moved = (nets.get(currency) ?? 0n) - BigInt(netsThen[currency] ?? 0);
        return reported.of(currency, centsOf(balances[currency] ?? '0.00') + moved);
      };
      return {
        status: 200,
        json: {
          balances: currencies.map((currency, index) => ({
            currency,
            ...(index === 0 && { primary: true }),
            total_balance: { currency_code: currency, value: balanceOf(currency) },
            available_balance: { currency_code: currency, value: balanceOf(currency) },
            withheld_balance: { currency_code: currency, value: '0.00' },
          })),
          account_id: 'MALIPOSANDBOX',
          as_of_time: now,
          last_refresh_time: now,
        },
      };
    },
  };
}
