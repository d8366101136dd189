/** The buyer's page: pay and return, pay and close the tab, or cancel. */
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import type { Clock } from '../../../clock';
import { ControlError } from '../../../control-error';
import { recordOf, textOf } from '../../../fields';
import { ownPagesOnly } from '../../../origin';
import { page, pageHeaders, pageHeadersOf } from '../../../pages/layout';
import { decideOrder } from '../control';
import type { Checkout } from '../orders/checkout';
import type { Orders } from '../orders/orders';
import { approval, cancelled, closed, closedTab, waitingList } from './view';

export function approvalRouter(orders: Orders, checkout: Checkout, clock: Clock): Router {
  const router = express.Router();
  router.use(pageHeaders, ownPagesOnly);
  const tokenOf = ({ query }: Request) => textOf(query['token']);

  router.get('/', (request, response) => {
    const token = tokenOf(request);
    if (token === '') {
      show(response, 'Wallet payments', waitingList(orders.waiting()));
      return;
    }
    const order = orders.find(token);
    if (!order || order.approvedAt !== undefined) {
      show(response, 'Payment', closed(order), order ? 200 : 404);
      return;
    }
    // The form's answer leads to the merchant's site. The browser must know that in advance.
    const targets = [order.returnUrl, order.cancelUrl].flatMap((url) =>
      url === undefined ? [] : new URL(url).origin,
    );
    response.set(pageHeadersOf(targets));
    show(response, 'Payment', approval(order, clock.now()));
  });
  router.post('/', express.urlencoded({ extended: false }), (request, response) => {
    const { action } = recordOf(request.body);
    const target = decideOrder(orders, checkout, tokenOf(request), action);
    if (target !== undefined) response.redirect(303, target);
    else show(response, 'Payment', action === 'cancel' ? cancelled() : closedTab());
  });
  router.use(answerError);
  return router;
}

function show(response: Response, title: string, body: string, status = 200): void {
  response.status(status).type('html').send(page(title, body));
}

const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!(error instanceof ControlError) || response.headersSent) {
    next(error);
    return;
  }
  show(response, 'Payment', closed(undefined, error.message), error.status);
};
