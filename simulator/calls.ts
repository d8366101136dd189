/** Answers a provider's calls: logs each call, and applies a matching fault rule. */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { complain } from './complain';
import type { Behaviour, Facts, Faults } from './faults';
import type { Ending, Exchange, RequestLog } from './requests';

export type CallResponse =
  | { status: number; json: unknown; headers?: Record<string, string> }
  | { status: number; html: string }
  | { status: number; text: string; type: string }
  /** The connection is closed and the caller learns nothing. */
  | { drop: true };

export interface Call {
  name: string;
  /** The values that a rule's `where` is compared with. */
  factsOf?(request: Request): Facts;
  answer(request: Request): CallResponse | Promise<CallResponse>;
}

/** The provider's texts for errors that any call can return. */
export interface ErrorAnswers {
  rateLimited(): CallResponse;
  expiredToken(): CallResponse;
  /** A gateway's error page by default. */
  unavailable?(): CallResponse;
  /** Errors that only some providers return: before acting, and after acting. */
  instead?: Partial<Record<Behaviour, () => CallResponse>>;
  afterwards?: Partial<Record<Behaviour, () => CallResponse>>;
}

export interface CallContext {
  provider: string;
  errors: ErrorAnswers;
  faults: Faults;
  requests: RequestLog;
}

/** Longer than some clients wait, and shorter than most. */
const DELAY_DEFAULT_MS = 5_000;

const gatewayPage = (status: number, title: string): CallResponse => ({
  status,
  html: `<html><head><title>${String(status)} ${title}</title></head><body><h1>${title}</h1></body></html>`,
});
const internalServerError = gatewayPage(500, 'Internal Server Error');
export const serviceUnavailable = gatewayPage(503, 'Service Unavailable');
const unexpectedPage = gatewayPage(200, 'Welcome');

export function answering({ provider, errors, faults, requests }: CallContext, call: Call): RequestHandler {
  const spoilt: Partial<Record<Behaviour, () => CallResponse>> = {
    ...errors.instead,
    '500': () => internalServerError,
    html: () => unexpectedPage,
    '401': () => errors.expiredToken(),
    '429': () => errors.rateLimited(),
    '503': () => errors.unavailable?.() ?? serviceUnavailable,
    expired_token: () => errors.expiredToken(),
    drop: () => ({ drop: true }),
  };
  const spoiltAfterwards: Partial<Record<Behaviour, () => CallResponse>> = {
    ...errors.afterwards,
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
      // No caller is left to get an error of this action.
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

/** The last handler of a provider's calls: for an unreadable body, or an error of the simulator itself. */
export function answeringErrors(provider: string, unreadable: () => CallResponse): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    // Errors of the JSON parser have the HTTP status for them.
    const isUnreadable = ((error as { status?: unknown }).status ?? 500) !== 500;
    if (!isUnreadable) complain(`the simulated ${provider} provider failed:`, error);
    write(isUnreadable ? unreadable() : internalServerError, response);
  };
}

/** Cuts the answer in the middle, without any sign of it. */
function halfOf(answer: CallResponse): CallResponse {
  if ('json' in answer)
    return halfOf({ status: answer.status, text: JSON.stringify(answer.json), type: 'json' });
  return 'text' in answer ? { ...answer, text: answer.text.slice(0, answer.text.length / 2) } : answer;
}

/** Ends early when the caller disconnects, so that a stopping simulator does not wait. */
function delay(ms: number, response: Response): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function send(answer: CallResponse, response: Response, exchange: Exchange): void {
  if (response.destroyed) return;
  exchange.answer = endingOf(answer);
  write(answer, response);
}

function write(answer: CallResponse, response: Response): void {
  if ('drop' in answer) {
    response.destroy();
    return;
  }
  response.status(answer.status);
  if ('html' in answer) response.type('html').send(answer.html);
  else if ('text' in answer) response.type(answer.type).send(answer.text);
  else response.set(answer.headers ?? {}).json(answer.json);
}

function endingOf(answer: CallResponse): Ending {
  if ('drop' in answer) return { ended: 'dropped' };
  return {
    status: answer.status,
    body: 'html' in answer ? answer.html : 'text' in answer ? answer.text : answer.json,
  };
}
