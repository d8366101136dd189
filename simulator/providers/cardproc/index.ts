/** Pesapal API 3.0: an order, a payment page, and a status call, which alone has the true status. */
import type { ProviderDefinition } from '../../provider';
import { openAccounts } from './accounts';
import { openCalls } from './calls';
import { checkoutRouter } from './checkout';
import { cardprocControlRouter, controls } from './control';
import { isAcknowledged } from './notification';
import { openOrders } from './orders';
import { openRegistrations } from './registrations';
import { faultyCalls, wireRouter } from './routes';
import { scenarios } from './scenarios';
import { readCardprocSettings } from './settings';
import { cardprocStatement } from './statement';

/** Five more times, ten seconds apart, until the documented answer comes. */
const RETRY_AFTER_MS = Array<number>(5).fill(10_000);

export const cardproc: ProviderDefinition = {
  name: 'cardproc',
  port: 3250,
  title: 'Hosted checkout (card, mobile money, bank)',
  faultyCalls,
  statement: { type: 'text/csv', write: cardprocStatement },
  configure(reader) {
    const settings = readCardprocSettings(reader);
    return (context) => {
      const { journal, clock, faults, requests, callbacks } = context;
      callbacks.behave({ retryAfterMs: RETRY_AFTER_MS, isTaken: isAcknowledged });
      const accounts = openAccounts(journal, clock, settings);
      const registrations = openRegistrations(journal, clock);
      const orders = openOrders(context, registrations, settings.own.consumerKey);
      const calls = openCalls(orders, registrations);
      return {
        router: wireRouter({ accounts, orders, calls, faults, requests }).use(checkoutRouter(orders)),
        control: cardprocControlRouter({ context, accounts, orders, registrations }),
        pages: [{ path: '/orders', title: 'Orders waiting for a customer' }],
        controls,
        testValues: scenarios.map(({ cents, title, behaviour }) => ({
          value: `amount …${(cents / 100).toFixed(2).slice(1)}`,
          asks: ['order'],
          title,
          behaviour,
        })),
      };
    };
  },
};
