/** A page that simulates the handset: a user enters the PIN, cancels, or lets the prompt time out. */
import express, { type ErrorRequestHandler, type Request, type Router } from 'express';
import type { Clock } from '../../../clock';
import { ControlError } from '../../../control-error';
import { ownPagesOnly } from '../../../origin';
import { page, pageHeaders } from '../../../pages/layout';
import { decideWaiting } from '../control';
import type { Prompt, Prompts } from '../prompts';
import { script } from './script';
import { handset, promptList, shillings } from './view';

export function handsetRouter(prompts: Prompts, clock: Clock): Router {
  const router = express.Router();
  router.use(pageHeaders, ownPagesOnly);

  const list = () => promptList(prompts.waiting(), clock.now());
  router.get('/', (_request, response) => {
    response.type('html').send(page('Handset', handset(list()), '/handset/handset.js'));
  });
  router.get('/prompts', (_request, response) => {
    response.type('html').send(list());
  });
  router.get('/handset.js', (_request, response) => {
    response.type('js').send(script);
  });
  // The page has its own route: the control API answers only to this machine, and a user may use a phone.
  router.post('/prompts/:id', express.urlencoded({ extended: false }), (request, response) => {
    const action = (request.body as { action?: unknown } | undefined)?.action;
    const prompt = decideWaiting(prompts, request.params.id, action);
    if (wantsJson(request)) response.json({ success: true, message: resultSentence(prompt) });
    else response.redirect(303, '/handset');
  });
  router.use(answerError);
  return router;
}

function wantsJson(request: Request): boolean {
  return request.get('accept') === 'application/json';
}

function resultSentence({ outcome, amount, accountReference, payment }: Prompt): string {
  const what = `KES ${shillings(amount)} for ${accountReference}`;
  if (payment) return `Paid ${what}. Receipt ${payment.receipt}.`;
  if (outcome !== undefined) return `Cancelled ${what}.`;
  return `Ignored ${what}. It times out a minute after it was sent.`;
}

const answerError: ErrorRequestHandler = (error: unknown, request, response, next) => {
  if (!(error instanceof ControlError) || response.headersSent) {
    next(error);
    return;
  }
  if (wantsJson(request)) response.status(error.status).json({ success: false, error: error.message });
  else response.redirect(303, '/handset');
};
