/** A customer's actions on an order, on the page or by script, and where the browser goes next. */
import { ControlError } from '../../control-error';
import { instrumentsOf, type Way } from './methods';
import { withReference } from './notification';
import { isPayable, isUnpaid, type Order, type Orders } from './orders';
import { scenarioOf } from './scenarios';

export interface Choice {
  way: Way;
  /** `payment_method`; by default the first one of the way. */
  method?: string;
  succeeds: boolean;
  /** False for a customer who closes the tab. */
  returns: boolean;
}

export interface Departure {
  order: Order;
  /** Where the browser goes; undefined if it stays. */
  leaveTo?: string;
}

/** @throws ControlError if there is no such order, or it can no longer be paid. */
export function tryToPay(orders: Orders, trackingId: string, choice: Choice): Departure {
  return pay(orders, findPayable(orders, trackingId), choice);
}

/** By phone: the customer was prompted before the order was cancelled. @throws ControlError if it was not cancelled. */
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

/** It decides nothing, so the order can still be paid later. */
export function rejectCustomer(orders: Orders, trackingId: string): Departure {
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
  if (!isPayable(order)) throw new ControlError(409, `Order ${trackingId} can no longer be paid`);
  return order;
}
