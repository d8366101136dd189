/** /control/walletpay: actions of the buyer, the receiver of a payout, or the provider. */
import express, { type Router } from 'express';
import { ControlError } from '../../control-error';
import { isRecord, recordOf, textOf } from '../../fields';
import { lieControl } from '../../reported-balances';
import { features, type Account } from './account';
import { minus, readAmount } from './money';
import type { Checkout, RefundEvent } from './orders/checkout';
import type { Disputes } from './orders/disputes';
import { isPaid, type Order, type Orders } from './orders/orders';
import type { Batches } from './payouts/batches';
import { personActions, type Payouts } from './payouts/lifecycle';
import type { Events } from './webhooks/events';

export interface ControlParts {
  account: Account;
  orders: Orders;
  checkout: Checkout;
  disputes: Disputes;
  batches: Batches;
  payouts: Payouts;
  events: Events;
}

export const controls = [
  {
    request:
      'POST /control/walletpay/orders/<walletpay_order_id> {"action":"approve|approve_and_close|cancel|withdraw"}',
    does: 'Runs a buyer’s action on an order; returns the return_url for the browser. withdraw cancels an approval that was not captured yet.',
  },
  {
    request:
      'POST /control/walletpay/captures/<capture_id> {"action":"refund|reverse","amount":"1.00","shown_after_ms":60000,"amount_untold":true}',
    does: 'Returns money from the provider’s side; without an amount, all that is left. Its event may come before the order shows it, and a reversal’s event may have no amount.',
  },
  {
    request: 'POST /control/walletpay/disputes/<capture_id> {"action":"open|win|lose"}',
    does: 'Opens the buyer’s dispute, or decides it: the seller wins (a reversal is undone) or loses (the payment is reversed).',
  },
  {
    request: 'POST /control/walletpay/items/<payout_id> {"action":"claim|return|refund|reverse"}',
    does: 'Decides a payout that is unclaimed or on hold (claim, return), or returns a paid one (return, refund, reverse).',
  },
  {
    request: 'POST /control/walletpay/events {"event_type":"…","resource_type":"…","resource":{}}',
    does: 'Sends an event of any kind, with a valid signature.',
  },
  {
    request: 'POST /control/walletpay/events/<event_id> {"action":"resend"}',
    does: 'Sends an event again, with the same id.',
  },
  {
    request:
      'POST /control/walletpay/account {"withheld":["payouts"],"event_types":["*"],"balances":{"USD":"0.00"}}',
    does: 'Changes the features that the app lacks, the events of its webhook, and the wallet’s balances; omitted fields stay.',
  },
  {
    request: `POST /control/walletpay/told {"currency":"USD",${lieControl.fields}}`,
    does: `Reports an invalid balance: ${lieControl.does}`,
  },
];

const buyerActions = ['approve', 'approve_and_close', 'cancel', 'withdraw'] as const;

const refundActions = {
  refund: 'PAYMENT.CAPTURE.REFUNDED',
  reverse: 'PAYMENT.CAPTURE.REVERSED',
} as const satisfies Record<string, RefundEvent>;

export function walletpayControlRouter(parts: ControlParts): Router {
  const { account, orders, checkout, disputes, batches, payouts, events } = parts;
  const router = express.Router();

  router.post('/orders/:id', (request, response) => {
    const { id } = request.params;
    const { action } = recordOf(request.body);
    const returnUrl = decideOrder(orders, checkout, id, action);
    response.json({
      success: true,
      walletpay_order_id: id,
      action,
      ...(returnUrl !== undefined && { return_url: returnUrl }),
    });
  });

  router.post('/captures/:id', (request, response) => {
    const {
      action,
      amount,
      shown_after_ms: shownAfterMs = 0,
      amount_untold: isUnreported,
    } = recordOf(request.body);
    const wanted = oneOf('action', Object.keys(refundActions) as (keyof typeof refundActions)[], action);
    const order = orders.findByCapture(request.params.id);
    if (!order) throw new ControlError(404, `There is no capture ${request.params.id}`);
    if (!isPaid(order.capture)) throw new ControlError(409, `The capture is ${order.capture.status}`);
    const left = minus(order.amount, orders.refunded(order));
    const given = amount === undefined ? left : readAmount(textOf(amount), order.amount.currency);
    if (!given || given.minor === '0' || BigInt(given.minor) > BigInt(left.minor)) {
      throw new ControlError(400, 'amount must be a decimal string, and at most what is left of the capture');
    }
    if (typeof shownAfterMs !== 'number' || !(shownAfterMs >= 0)) {
      throw new ControlError(400, 'shown_after_ms must be a number of milliseconds');
    }
    if (isUnreported !== undefined && (typeof isUnreported !== 'boolean' || wanted !== 'reverse')) {
      throw new ControlError(400, 'amount_untold must be true or false, and is of a reversal');
    }
    const refund = checkout.giveBack(order, given, refundActions[wanted], {
      shownAfterMs,
      ...(isUnreported === true && { isAmountUnreported: true as const }),
    });
    response.json({ success: true, capture_id: order.capture.id, action, refund_id: refund.id });
  });

  router.post('/disputes/:id', async (request, response) => {
    const { action } = recordOf(request.body);
    const wanted = oneOf('action', ['open', 'win', 'lose'] as const, action);
    const order = orders.findByCapture(request.params.id);
    if (!order) throw new ControlError(404, `There is no capture ${request.params.id}`);
    const id =
      wanted === 'open'
        ? await disputes.open(order)
        : await disputes.end(order, wanted === 'win' ? 'won' : 'lost');
    if (id === undefined) throw new ControlError(409, 'The capture has no dispute');
    response.json({ success: true, dispute_id: id, action });
  });

  router.post('/items/:id', (request, response) => {
    const { id } = request.params;
    const { action } = recordOf(request.body);
    const wanted = oneOf('action', personActions, action);
    const found = batches.findItemByName(id);
    if (!found) throw new ControlError(404, `There is no payout ${id}`);
    const decided = payouts.decide(found, wanted);
    if (!decided) throw new ControlError(409, `Payout ${id} is ${found.item.status}`);
    const { item } = decided;
    response.json({ success: true, payout_item_id: item.id, action, transaction_status: item.status });
  });

  router.post('/events', async (request, response) => {
    const {
      event_type: eventType,
      resource_type: resourceType = 'capture',
      resource,
    } = recordOf(request.body);
    if (typeof eventType !== 'string' || typeof resourceType !== 'string' || !isRecord(resource)) {
      throw new ControlError(400, 'event_type must be a string and resource an object');
    }
    const content = { eventType, resourceType, resourceVersion: '2.0', summary: eventType, resource };
    const subject = { bulkhead: 'events', facts: {} };
    const { id } = await events.notify(content, subject);
    response.json({ success: true, event_id: id });
  });

  router.post('/events/:id', async (request, response) => {
    oneOf('action', ['resend'], recordOf(request.body)['action']);
    const event = events.find(request.params.id);
    if (!event) throw new ControlError(404, `There is no event ${request.params.id}`);
    await events.sendAgain(event);
    response.json({ success: true, event_id: event.id });
  });
  router.post('/account', (request, response) => {
    account.change(readAccount(request.body));
    response.json({ success: true, ...account.state() });
  });

  router.post('/told', (request, response) => {
    const fields = recordOf(request.body);
    account.lie(textOf(fields['currency']), fields);
    response.json({ success: true, ...fields });
  });
  return router;
}

function readAccount(body: unknown): Parameters<Account['change']>[0] {
  const { withheld, event_types: eventTypes, balances } = recordOf(body);
  return {
    ...(Array.isArray(withheld) && {
      withheld: withheld.map((name: unknown) => oneOf('withheld', features, name)),
    }),
    ...(Array.isArray(eventTypes) && { eventTypes: eventTypes.map(textOf) }),
    ...(isRecord(balances) && {
      balances: Object.fromEntries(
        Object.entries(balances).map(([currency, value]) => [currency, textOf(value)]),
      ),
    }),
  };
}

/**
 * @returns where the buyer's browser goes next; undefined if its tab is closed or the merchant has given no address
 * @throws ControlError if there is nothing to decide
 */
export function decideOrder(
  orders: Orders,
  checkout: Checkout,
  id: string,
  action: unknown,
): string | undefined {
  const wanted = oneOf('action', buyerActions, action);
  const order = orders.find(id);
  if (!order) throw new ControlError(404, `There is no order ${id}, or it has expired`);
  const isApproved = order.approvedAt !== undefined;
  if (isApproved !== (wanted === 'withdraw') || order.capture) {
    throw new ControlError(409, `Order ${id} is ${order.status}`);
  }
  if (wanted === 'withdraw') {
    checkout.withdraw(order);
    return undefined;
  }
  if (wanted === 'cancel') return withToken(order.cancelUrl, order);
  const approved = checkout.approve(order);
  return wanted === 'approve' ? withToken(order.returnUrl, approved) : undefined;
}

function withToken(url: string | undefined, { id, payerId, approvedAt }: Order): string | undefined {
  if (url === undefined) return undefined;
  const target = new URL(url);
  target.searchParams.set('token', id);
  if (approvedAt !== undefined) target.searchParams.set('PayerID', payerId);
  return target.href;
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: unknown): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new ControlError(400, `${name} must be one of: ${allowed.join(', ')}`);
  return found;
}
