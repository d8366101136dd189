/** What a customer does with an order, at the page or by script, and where the browser goes then. */
import { ControlError } from '../../control-error';
import { instrumentsOf, type Way } from './methods';
import { withReference } from './notification';
import { isPayable, isUnpaid, type Order, type Orders } from './orders';
import { scenarioOf } from './scenarios';

export interface Choice {
  way: Way;
  /** `payment_method`; the first of the way if left out. */
  method?: string;
  succeeds: boolean;
  /** A customer who closes the tab does not. */
  returns: boolean;
}

export interface Departure {
  order: Order;
  /** Where the browser goes; nothing when it stays. */
  leaveTo?: string;
}

/** @throws ControlError when there is no such order, or it cannot be paid any more. */
export function tryToPay(orders: Orders, trackingId: string, choice: Choice): Departure {
  return pay(orders, findPayable(orders, trackingId), choice);
}

/** By telephone, which asked the customer before the order was cancelled. @throws ControlError where it was not. */
export function payLate(orders: Orders, trackingId: string): void {
  const order = findOrder(orders, trackingId);
  if (!order.isCancelled || !isUnpaid(order))
    throw new ControlError(409, `Order ${trackingId} was not cancelled, or is paid`);
  pay(orders, order, { way: 'mobile', succeeds: true, returns: false });
}

function pay(orders: Orders, open: Order, choice: Choice): Departure {
  const { way, method, succeeds, returns } = choice;
  const instruments = instrumentsOf(way, open.currency, open.phone);
  const instrument = instruments.find(({ wire }) => method === undefined || wire === method);
  if (!instrument) throw new ControlError(400, `There is no such test ${way}`);
  const order = orders.attempt(open, { way, instrument, succeeds });
  const finds = returns && scenarioOf(order.amountCents).returns;
  return { order, ...(finds && { leaveTo: withReference(order.callbackUrl, order) }) };
}

/** Nothing is decided by it, so the order can still be paid by whoever comes back. */
export function turnAway(orders: Orders, trackingId: string): Departure {
  const order = findPayable(orders, trackingId);
  return { order, leaveTo: order.cancellationUrl ?? withReference(order.callbackUrl, order) };
}

function findOrder(orders: Orders, trackingId: string): Order {
  const order = orders.find(trackingId);
  if (!order) throw new ControlError(404, `There is no order ${trackingId}`);
  return order;
}

function findPayable(orders: Orders, trackingId: string): Order {
  const order = findOrder(orders, trackingId);
  if (!isPayable(order)) throw new ControlError(409, `Order ${trackingId} cannot be paid any more`);
  return order;
}
