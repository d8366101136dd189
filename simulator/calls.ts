/** Answers a provider's calls: notes each one down, and lets a pending fault rule spoil it. */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { complain } from './complain';
import type { Behaviour, Facts, Faults } from './faults';
import type { Ending, Exchange, RequestLog } from './requests';

export type Answer =
  | { status: number; json: unknown; headers?: Record<string, string> }
  | { status: number; html: string }
  | { status: number; text: string; type: string }
  /** The connection is closed and the caller learns nothing. */
  | { drop: true };

export interface Call {
  name: string;
  /** What a rule's `where` is compared with. */
  factsOf?(request: Request): Facts;
  answer(request: Request): Answer | Promise<Answer>;
}

/** How a provider words the refusals that any of its calls can be made to give. */
export interface Refusals {
  rateLimited(): Answer;
  expiredToken(): Answer;
  /** A gateway's page if left out. */
  unavailable?(): Answer;
  /** What only some providers say instead of anything else, and what they say after they have acted. */
  instead?: Partial<Record<Behaviour, () => Answer>>;
  afterwards?: Partial<Record<Behaviour, () => Answer>>;
}

export interface CallContext {
  provider: string;
  refusals: Refusals;
  faults: Faults;
  requests: RequestLog;
}

/** As long as most clients are willing to wait for, and some are not. */
const DELAY_DEFAULT_MS = 5_000;

const gatewayPage = (status: number, title: string): Answer => ({
  status,
  html: `<html><head><title>${String(status)} ${title}</title></head><body><h1>${title}</h1></body></html>`,
});
const internalServerError = gatewayPage(500, 'Internal Server Error');
export const serviceUnavailable = gatewayPage(503, 'Service Unavailable');
const unexpectedPage = gatewayPage(200, 'Welcome');

export function answering({ provider, refusals, faults, requests }: CallContext, call: Call): RequestHandler {
  const spoilt: Partial<Record<Behaviour, () => Answer>> = {
    ...refusals.instead,
    '500': () => internalServerError,
    html: () => unexpectedPage,
    '401': () => refusals.expiredToken(),
    '429': () => refusals.rateLimited(),
    '503': () => refusals.unavailable?.() ?? serviceUnavailable,
    expired_token: () => refusals.expiredToken(),
    drop: () => ({ drop: true }),
  };
  const spoiltAfterwards: Partial<Record<Behaviour, () => Answer>> = {
    ...refusals.afterwards,
    act_then_500: () => internalServerError,
    act_then_drop: () => ({ drop: true }),
  };
  return async (request, response) => {
    const exchange = requests.add({
      provider,
      call: call.name,
      direction: 'received',
      method: request.method,
      url: request.originalUrl,
      headers: request.headers,
      body: request.body as unknown,
    });
    response.once('close', () => {
      exchange.answer ??= { ended: 'abandoned by the caller' };
    });

    const fault = faults.take(provider, call.name, call.factsOf?.(request) ?? {});
    if (fault) exchange.fault = fault.behave;
    if (fault?.behave === 'hang') return;

    if (fault?.behave === 'act_late') {
      const act = async () => call.answer(request);
      // What goes wrong then has nobody to be told.
      setTimeout(
        () =>
          void act().catch((error: unknown) => {
            complain(`the simulated ${provider} provider acted too late:`, error);
          }),
        fault.ms ?? DELAY_DEFAULT_MS,
      ).unref();
      send({ drop: true }, response, exchange);
      return;
    }
    const answerInstead = fault && spoilt[fault.behave];
    if (answerInstead) {
      send(answerInstead(), response, exchange);
      return;
    }
    const answer = await call.answer(request);
    if (fault?.behave === 'delay') await delay(fault.ms ?? DELAY_DEFAULT_MS, response);
    const spoiltAnswer = fault?.behave === 'truncated' ? halfOf(answer) : undefined;
    send(spoiltAnswer ?? (fault && spoiltAfterwards[fault.behave]?.()) ?? answer, response, exchange);
  };
}

/** The last handler of a provider's calls: a body that cannot be read, or a fault of the simulator itself. */
export function answeringErrors(provider: string, unreadable: () => Answer): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    // The JSON parser's own errors carry the status that they mean.
    const isUnreadable = ((error as { status?: unknown }).status ?? 500) !== 500;
    if (!isUnreadable) complain(`the simulated ${provider} provider failed:`, error);
    write(isUnreadable ? unreadable() : internalServerError, response);
  };
}

/** What breaks off without a sign of it. */
function halfOf(answer: Answer): Answer {
  if ('json' in answer)
    return halfOf({ status: answer.status, text: JSON.stringify(answer.json), type: 'json' });
  return 'text' in answer ? { ...answer, text: answer.text.slice(0, answer.text.length / 2) } : answer;
}

/** Ends early when the caller leaves, so that a stopping simulator does not wait for it. */
function delay(ms: number, response: Response): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function send(answer: Answer, response: Response, exchange: Exchange): void {
  if (response.destroyed) return;
  exchange.answer = endingOf(answer);
  write(answer, response);
}

function write(answer: Answer, response: Response): void {
  if ('drop' in answer) {
    response.destroy();
    return;
  }
  response.status(answer.status);
  if ('html' in answer) response.type('html').send(answer.html);
  else if ('text' in answer) response.type(answer.type).send(answer.text);
  else response.set(answer.headers ?? {}).json(answer.json);
}

function endingOf(answer: Answer): Ending {
  if ('drop' in answer) return { ended: 'dropped' };
  return {
    status: answer.status,
    body: 'html' in answer ? answer.html : 'text' in answer ? answer.text : answer.json,
  };
}
