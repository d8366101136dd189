/** PayPal: Orders v2 with a page for the buyer, Payments v2, Payouts v1 and signed webhook events. */
import type { ProviderDefinition } from '../../provider';
import { openTokens } from '../../tokens';
import { TOKEN_LIFETIME_S } from './access';
import { openAccount } from './account';
import { approvalRouter } from './approval';
import { controls, walletpayControlRouter } from './control';
import { openOrderCalls } from './orders/calls';
import { openCheckout } from './orders/checkout';
import { openDisputes } from './orders/disputes';
import { openOrders } from './orders/orders';
import { refundScenarios } from './orders/refund-scenarios';
import { scenarios as orderScenarios } from './orders/scenarios';
import { openBatches } from './payouts/batches';
import { openPayoutCalls } from './payouts/calls';
import { openPayouts } from './payouts/lifecycle';
import { scenarios as payoutScenarios } from './payouts/scenarios';
import { openRequestIds } from './request-ids';
import { faultyCalls, wireRouter } from './routes';
import { readWalletpaySettings } from './settings';
import { openEventCalls } from './webhooks/calls';
import { openCertificates } from './webhooks/certificates';
import { openEvents } from './webhooks/events';
import { transactionsOf } from './statement';

export const walletpay: ProviderDefinition = {
  name: 'walletpay',
  port: 3240,
  title: 'Wallet checkout (orders and payouts)',
  faultyCalls,
  statement: {
    type: 'application/json',
    write: (lines) => JSON.stringify({ transaction_details: transactionsOf(lines), total_pages: 1 }),
  },
  configure(reader) {
    const settings = readWalletpaySettings(reader);
    return (context) => {
      const { journal, clock, statements, faults, requests } = context;
      const certificates = openCertificates(journal, context.origin, context.makeRsaKey);
      const events = openEvents(context, settings, certificates);
      const orders = openOrders(journal, clock);
      const checkout = openCheckout({ context, settings, orders, events });
      const disputes = openDisputes(context, { orders, checkout, events });
      const batches = openBatches(journal, clock);
      const payouts = openPayouts({ context, settings, batches, events });
      const account = openAccount(journal, context.books, settings);
      const requestIds = openRequestIds(journal, clock);
      return {
        router: wireRouter({
          settings,
          account,
          tokens: openTokens(journal, clock, 'walletpay.tokens', TOKEN_LIFETIME_S * 1_000),
          orders,
          batches,
          orderCalls: openOrderCalls({ clock, orders, checkout, disputes, requestIds }),
          payoutCalls: openPayoutCalls({ batches, payouts }),
          eventCalls: openEventCalls({ settings, certificates, events }),
          certificates,
          statements,
          clock,
          faults,
          requests,
        }).use('/checkoutnow', approvalRouter(orders, checkout, clock)),
        control: walletpayControlRouter({
          account,
          orders,
          checkout,
          disputes,
          batches,
          payouts,
          events,
        }),
        pages: [{ path: '/checkoutnow', title: 'Orders that wait for their buyer: pay or cancel' }],
        controls,
        testValues: [
          ...Object.entries(orderScenarios).map(([cents, { title, behaviour }]) => ({
            value: `order of x.${cents}`,
            asks: ['order'],
            title,
            behaviour,
          })),
          ...Object.entries(refundScenarios).map(([cents, { title, behaviour }]) => ({
            value: `refund of x.${cents}`,
            asks: ['refund'],
            title,
            behaviour,
          })),
          ...Object.entries(payoutScenarios).map(([name, { title, behaviour }]) => ({
            value: `payout to ${name}@`,
            asks: ['payout'],
            title,
            behaviour,
          })),
          ...notes,
        ],
      };
    };
  },
};

const notes = [
  {
    value: 'payout with note ERRPYO005',
    asks: ['noted-payout'],
    title: 'Insufficient funds',
    behaviour: 'Rejected with 422 INSUFFICIENT_FUNDS; 001, 002, 003, 006 and 010 refuse in other ways.',
  },
];
