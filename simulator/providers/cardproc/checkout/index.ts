/** The page where a customer pays. A selling site shows it in an iframe, so any site may frame it. */
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { ControlError } from '../../../control-error';
import { recordOf, textOf, type Fields } from '../../../fields';
import { ownPagesOnly } from '../../../origin';
import { page, pageHeaders, pageHeadersOf } from '../../../pages/layout';
import { trackingIdInQuery } from '../calls';
import { tryToPay, rejectCustomer, type Departure } from '../customer';
import { isWay } from '../methods';
import type { Order, Orders } from '../orders';
import { script } from './script';
import { styleSheet } from './style';
import { checkout, checkoutMessage, orderList, sentenceAfter } from './view';

const PAGE = '/pay';
const ANYBODY = '*';

export function checkoutRouter(orders: Orders): Router {
  const router = express.Router();

  router.get('/orders', ownPagesOnly, pageHeaders, (_request, response) => {
    response.type('html').send(page('Orders', orderList(orders.open())));
  });

  const pay = express.Router().use(ownPagesOnly, (_request, response, next) => {
    response.set(pageHeadersOf([], ANYBODY));
    next();
  });
  pay.get('/', (request, response) => {
    const order = orders.find(trackingIdInQuery(request));
    if (!order) throw new ControlError(404, 'There is no such order');
    // Without its script, the page's forms lead to the merchant's site. The browser must know that in advance.
    const targets = [order.callbackUrl, order.cancellationUrl ?? order.callbackUrl];
    response.set(
      pageHeadersOf(
        targets.map((url) => new URL(url).origin),
        ANYBODY,
      ),
    );
    response.type('html').send(checkout(order));
  });
  pay.get('/checkout.css', (_request, response) => {
    response.type('css').send(styleSheet);
  });
  pay.get('/checkout.js', (_request, response) => {
    response.type('js').send(script);
  });
  pay.post('/', express.urlencoded({ extended: false }), (request, response) => {
    const fields = recordOf(request.body);
    const { order, leaveTo } = decide(orders, fields);
    if (wantsJson(request)) {
      response.json({
        success: true,
        message: sentenceAfter(order, textOf(fields['action']), leaveTo),
        leave_to: leaveTo ?? null,
        can_try_again: order.state === 'FAILED',
      });
    } else response.redirect(303, leaveTo ?? pageOf(order));
  });
  pay.use(answerError);
  return router.use(PAGE, pay);
}

/** @throws ControlError if the page was open for too long, or is forged. */
function decide(orders: Orders, fields: Fields): Departure {
  const { OrderTrackingId: id, action, way, method } = fields;
  const trackingId = textOf(id);
  if (action === 'cancel') return rejectCustomer(orders, trackingId);
  if (!isWay(way) || !isAttempt(action)) throw new ControlError(400, 'The page does not offer that');
  const choice = { way, method: textOf(method), ...attempts[action] };
  return tryToPay(orders, trackingId, choice);
}

const attempts = {
  pay: { succeeds: true, returns: true },
  pay_and_stay: { succeeds: true, returns: false },
  fail: { succeeds: false, returns: false },
} as const;

function isAttempt(value: unknown): value is keyof typeof attempts {
  return typeof value === 'string' && Object.hasOwn(attempts, value);
}

function pageOf({ trackingId }: Order): string {
  return `${PAGE}?OrderTrackingId=${trackingId}`;
}

function wantsJson(request: Request): boolean {
  return request.get('accept') === 'application/json';
}

const answerError: ErrorRequestHandler = (error: unknown, request: Request, response: Response, next) => {
  if (!(error instanceof ControlError) || response.headersSent) {
    next(error);
    return;
  }
  response.status(error.status);
  const sentence = sentenceOf(error);
  if (wantsJson(request)) response.json({ success: false, message: sentence });
  else response.type('html').send(checkoutMessage(sentence));
};

/** Customers do not see tracking ids. */
function sentenceOf({ status, message }: ControlError): string {
  if (status === 404) return 'There is no such order. Please go back to the merchant and start again.';
  return status === 409 ? 'This order can no longer be paid. Reload the page to see its status.' : message;
}
