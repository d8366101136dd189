/** The page for a redirect provider's customer: pay, decline, or leave. */
import express, { type ErrorRequestHandler, type Response, type Router } from 'express';
import type { Clock } from '../../../clock';
import { ControlError } from '../../../control-error';
import { recordOf } from '../../../fields';
import { ownPagesOnly } from '../../../origin';
import { page, pageHeaders, pageHeadersOf } from '../../../pages/layout';
import { decideWaiting } from '../control';
import type { Lifecycle } from '../lifecycle';
import type { Transaction, Transactions } from '../transactions';
import { abandoned, approval, closed, waitingList } from './view';

export function authorisationRouter(transactions: Transactions, lifecycle: Lifecycle, clock: Clock): Router {
  const router = express.Router();
  router.use(pageHeaders, ownPagesOnly);

  const find = (id: string): Transaction => {
    const deposit = transactions.find('DEPOSIT', id);
    if (!deposit?.redirect) throw new ControlError(404, 'There is no such payment');
    return deposit;
  };
  router.get('/', (_request, response) => {
    show(response, 'Approvals', waitingList(transactions.waiting()));
  });
  router.get('/:id', (request, response) => {
    const deposit = find(request.params.id);
    if (deposit.redirect?.waitsUntil === undefined) {
      show(response, 'Payment', closed(deposit));
      return;
    }
    const { successfulUrl, failedUrl } = deposit.redirect;
    // The form's answer leads to the merchant's site. The browser must know that in advance.
    response.set(pageHeadersOf([new URL(successfulUrl).origin, new URL(failedUrl).origin]));
    show(response, 'Payment', approval(deposit, clock.now()));
  });
  router.post('/:id', express.urlencoded({ extended: false }), (request, response) => {
    const { action } = recordOf(request.body);
    const { redirect } = find(request.params.id);
    if (action === 'abandon') {
      show(response, 'Payment', abandoned());
      return;
    }
    decideWaiting(transactions, lifecycle, request.params.id, action);
    response.redirect(303, (action === 'pay' ? redirect?.successfulUrl : redirect?.failedUrl) ?? '/');
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
