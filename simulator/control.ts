/** The control API, for tests and for users with curl. */
import express, { type ErrorRequestHandler, type Request, type Router } from 'express';
import { complain } from './complain';
import type { Books } from './books';
import type { Clock } from './clock';
import { ControlError } from './control-error';
import { readFaultRule, RuleError } from './fault-rule';
import { recordOf } from './fields';
import type { Faults, FaultyCalls } from './faults';
import type { Mailbox } from './mailbox';
import { loopbackOnly, ownPagesOnly } from './origin';
import type { RequestLog } from './requests';
import type { NamedScenario } from './named-scenarios';
import type { Schedule } from './schedule';
import type { StatementFile } from './provider';
import type { Statements } from './statement-lines';

/** A year: enough for any scenario, and within JavaScript's range of dates. */
const ADVANCE_MAX_MS = 366 * 86_400_000;

export interface ControlParts {
  clock: Clock;
  schedule: Schedule;
  faults: Faults;
  requests: RequestLog;
  books: Books;
  statements: Statements;
  mailbox: Mailbox;
  faultyCalls: ReadonlyMap<string, FaultyCalls>;
  statementFiles: ReadonlyMap<string, StatementFile>;
  providerControls: ReadonlyMap<string, Router>;
  scenarios: readonly NamedScenario[];
}

export function controlRouter(parts: ControlParts): Router {
  const { clock, schedule, faults, requests, books, statements, mailbox } = parts;
  const { faultyCalls, statementFiles, providerControls, scenarios } = parts;
  const router = express.Router();
  router.use(loopbackOnly, ownPagesOnly, express.json());

  router.get('/clock', (_request, response) => {
    response.json(clockFields(clock));
  });
  router.post('/clock', async (request, response) => {
    const ms = readAdvance(request.body);
    const { of } = recordOf(request.body);
    if (of === undefined) await schedule.advance(ms);
    else await schedule.advanceQueue(queueOf(of), ms);
    response.json({ success: true, ...clockFields(clock) });
  });

  router.get('/next', (_request, response) => {
    response.json({ rules: faults.pending() });
  });
  router.post('/next', (request, response) => {
    response.json({ success: true, rule: faults.add(readFaultRule(request.body, faultyCalls)) });
  });
  router.post('/reset', (_request, response) => {
    response.json({ success: true, cleared: faults.clear() });
  });

  router.get('/requests', (request, response) => {
    const provider = askedProvider(request, faultyCalls);
    const { call } = request.query;
    if (call !== undefined && typeof call !== 'string') throw new ControlError(400, 'call must be one name');
    response.json({ requests: requests.list({ provider, call }) });
  });
  router.get('/books', (request, response) => {
    const asked = askedProvider(request, faultyCalls);
    const names = asked === undefined ? [...faultyCalls.keys()] : [asked];
    const page = request.query['detail'] === '1' ? books.successes : books.totals;
    response.json(Object.fromEntries(names.map((name) => [name, page(name)])));
  });
  router.get('/statement', (request, response) => {
    const asked = askedProvider(request, faultyCalls);
    const file = asked === undefined ? undefined : statementFiles.get(asked);
    if (asked === undefined || !file)
      throw new ControlError(400, `provider must be one of: ${[...statementFiles.keys()].join(', ')}`);
    response.type(file.type).send(file.write(statements.lines(asked, request.query['fault'])));
  });
  router.post('/statement', (request, response) => {
    const { provider, faults: wanted, page_size } = recordOf(request.body);
    if (typeof provider !== 'string' || !faultyCalls.has(provider))
      throw new ControlError(400, `provider must be one of: ${[...faultyCalls.keys()].join(', ')}`);
    statements.set(provider, { faults: wanted, page_size });
    response.json({ success: true });
  });
  router.get('/scenarios', (_request, response) => {
    response.json({ scenarios });
  });
  router.get('/mail', (_request, response) => {
    response.json({ mails: mailbox.list() });
  });

  for (const [name, providerControl] of providerControls) router.use(`/${name}`, providerControl);
  router.use((request) => {
    throw new ControlError(404, `There is no ${request.method} ${request.originalUrl}; see / for the list`);
  });
  router.use(answerError);
  return router;
}

function clockFields(clock: Clock) {
  const now = clock.now();
  return { now: new Date(now).toISOString(), now_ms: now, ahead_ms: now - Date.now(), scale: clock.scale };
}

function readAdvance(body: unknown): number {
  const ms = (body as { advance_ms?: unknown } | undefined)?.advance_ms;
  if (typeof ms === 'number' && Number.isInteger(ms) && ms >= 0 && ms <= ADVANCE_MAX_MS) return ms;
  const range = `from 0 to ${String(ADVANCE_MAX_MS)}`;
  throw new ControlError(400, `advance_ms must be a whole number ${range}: the clock only moves forward`);
}

/** A provider's name for one payment: the id, with or without an operation before it. */
function queueOf(name: unknown): (bulkhead: string) => boolean {
  if (typeof name !== 'string' || name === '')
    throw new ControlError(400, 'of must be the id of one payment');
  return (bulkhead) => bulkhead === name || bulkhead.endsWith(`:${name}`);
}

function askedProvider(request: Request, faultyCalls: ReadonlyMap<string, FaultyCalls>): string | undefined {
  const asked = request.query['provider'];
  if (asked === undefined) return undefined;
  if (typeof asked === 'string' && faultyCalls.has(asked)) return asked;
  throw new ControlError(400, `provider must be one of: ${[...faultyCalls.keys()].join(', ')}`);
}

const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error);
    return;
  }
  const { status, message } = explain(error);
  response.status(status).json({ success: false, error: message });
};

function explain(error: unknown): { status: number; message: string } {
  if (error instanceof ControlError) return { status: error.status, message: error.message };
  if (error instanceof RuleError) return { status: 400, message: error.message };
  // Errors of the JSON parser have the HTTP status for them.
  const status = (error as { status?: unknown }).status;
  if (typeof status === 'number' && status < 500) return { status, message: 'The body is not valid JSON' };
  complain('the control API failed:', error);
  return { status: 500, message: 'Internal error of the simulator; its log has the cause' };
}
