/** /control/cardproc: actions of a customer, the bank or an attacker, for scripts. */
import { randomUUID } from 'node:crypto';
import express, { type Router } from 'express';
import { ControlError } from '../../control-error';
import { recordOf } from '../../fields';
import type { ProviderContext } from '../../provider';
import type { Accounts } from './accounts';
import { payLate, tryToPay, rejectCustomer, type Choice } from './customer';
import { partForms, type Order, type Orders } from './orders';
import type { Registrations } from './registrations';

export interface ControlParts {
  context: Pick<ProviderContext, 'callbacks' | 'clock' | 'schedule'>;
  accounts: Accounts;
  orders: Orders;
  registrations: Registrations;
}

export const controls = [
  {
    request:
      'POST /control/cardproc/orders/<order_tracking_id> {"action":"pay_card|pay_mobile|fail|fail_mobile|cancel|pay_late|reverse","return":true}',
    does: 'Runs an action of the payment page or the bank. return sends a browser back to the merchant; by default a failure stays on the page. pay_late pays a cancelled order: the network had started before.',
  },
  {
    request: 'POST /control/cardproc/notifications {"order_tracking_id":"…","merchant_reference":"…"}',
    does: 'Sends a notification although nothing has happened; for an order that does not exist, to every registered address.',
  },
  {
    request: 'POST /control/cardproc/refunds {"parts_are_shown_as":"completed|remainder|part"}',
    does: 'Sets how the status call shows a partly refunded payment: no change (the default), COMPLETED with the remainder, or REVERSED with the refunded part.',
  },
  {
    request: 'POST /control/cardproc/tokens {"action":"expire"}',
    does: 'Ends every access token.',
  },
  {
    request: 'POST /control/cardproc/registrations {"action":"revoke"}',
    does: 'Deletes every notification address: orders that name one are rejected until it is registered again.',
  },
];

const RETURN = 'cardproc.return';

const attempts: Partial<Record<string, Omit<Choice, 'returns'>>> = {
  pay_card: { way: 'card', succeeds: true },
  pay_mobile: { way: 'mobile', succeeds: true },
  fail: { way: 'card', succeeds: false },
  fail_mobile: { way: 'mobile', succeeds: false },
};
const actions = [...Object.keys(attempts), 'cancel', 'pay_late', 'reverse'];

export function cardprocControlRouter({ context, accounts, orders, registrations }: ControlParts): Router {
  const { callbacks, clock, schedule } = context;
  const router = express.Router();
  schedule.on(RETURN, (data) => callbacks.visit((data as { url: string }).url));

  router.post('/orders/:id', (request, response) => {
    const { id } = request.params;
    const { action, return: wantsReturn } = recordOf(request.body);
    const returnUrl = act(orders, id, action, readReturn(wantsReturn));
    if (returnUrl !== undefined) {
      const job = { id: `${RETURN}:${id}:${randomUUID()}`, kind: RETURN, bulkhead: `${RETURN}:${id}` };
      schedule.add({ ...job, dueAt: clock.now(), data: { url: returnUrl } });
    }
    response.json({ success: true, order_tracking_id: id, action, return_url: returnUrl ?? null });
  });

  router.post('/notifications', async (request, response) => {
    const { order_tracking_id: id, merchant_reference: reference } = recordOf(request.body);
    if (typeof id !== 'string' || id === '') {
      throw new ControlError(400, 'order_tracking_id must be a text');
    }
    await orders.forge(id, typeof reference === 'string' ? reference : undefined);
    response.json({ success: true, order_tracking_id: id });
  });

  router.post('/refunds', (request, response) => {
    const wanted = recordOf(request.body)['parts_are_shown_as'];
    const form = partForms.find((known) => known === wanted);
    if (!form) throw new ControlError(400, `parts_are_shown_as must be one of: ${partForms.join(', ')}`);
    orders.showPartsAs(form);
    response.json({ success: true, parts_are_shown_as: form });
  });

  router.post('/tokens', (request, response) => {
    if (recordOf(request.body)['action'] !== 'expire') throw new ControlError(400, 'action must be: expire');
    response.json({ success: true, expired: accounts.expireTokens() });
  });

  router.post('/registrations', (request, response) => {
    if (recordOf(request.body)['action'] !== 'revoke') throw new ControlError(400, 'action must be: revoke');
    response.json({ success: true, revoked: registrations.revoke() });
  });
  return router;
}

/** @returns the address that the browser goes to, if any */
function act(
  orders: Orders,
  trackingId: string,
  action: unknown,
  returns: boolean | undefined,
): string | undefined {
  if (typeof action !== 'string' || !actions.includes(action)) {
    throw new ControlError(400, `action must be one of: ${actions.join(', ')}`);
  }
  if (action === 'reverse') {
    orders.reverse(findCompleted(orders, trackingId));
    return undefined;
  }
  if (action === 'pay_late') {
    payLate(orders, trackingId);
    return undefined;
  }
  const attempt = attempts[action];
  if (attempt) {
    return tryToPay(orders, trackingId, { ...attempt, returns: returns ?? attempt.succeeds }).leaveTo;
  }
  const { leaveTo } = rejectCustomer(orders, trackingId);
  return returns === false ? undefined : leaveTo;
}

function findCompleted(orders: Orders, trackingId: string): Order {
  const order = orders.find(trackingId);
  if (!order) throw new ControlError(404, `There is no order ${trackingId}`);
  if (order.state !== 'COMPLETED') {
    throw new ControlError(
      409,
      `Order ${trackingId} is ${order.state}: only a completed one can be reversed`,
    );
  }
  return order;
}

function readReturn(value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new ControlError(400, 'return must be true or false');
}
