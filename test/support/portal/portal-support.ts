/** The portal in process: a real database, its pages over HTTP, and signed-in users. */
import { randomBytes, randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { listen } from '../../../src/api/listen';
import { secretBox, type SecretBox } from '../../../src/merchants/secrets';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { createOperator, type Role } from '../../../src/users/operators';
import { listKeys } from '../../../src/merchants/own-keys';
import { letPayOut } from '../../../src/users/key-confirmations';
import { openSession } from '../../../src/users/sessions';
import { linkOperator, type Person } from '../../../src/users/users';
import { createActs, type Acts } from '../../../src/portal/acts';
import { createOperations } from '../../../src/portal/operating';
import { redactBody } from '../../../src/telemetry/redact';
import type { Deployment } from '../../../src/operator-actions/action';
import { readConfig } from '../../../src/config';
import { testAuditKey } from '../audit-key';
import { createPortalApp } from '../../../src/portal/app';
import { csrfOf } from '../../../src/portal/forms';
import { openDatabase, type Database } from '../../../src/store/database';
import { enqueueWebhook } from '../../../src/webhooks/outbox';
import { eventTypes } from '../../../src/domain/event';
import { addEndpoint } from '../../../src/webhooks/endpoints/endpoints';
import { createTestSender } from '../../../src/webhooks/send-test';
import { inTransaction } from '../../../src/store/transaction';
import { railsOf, type PaymentsContext } from '../../../src/rail-kit/context';
import type { Engine } from '../../../src/rail-kit/engine';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { file, format, line, period, type Written } from '../reconciliation/statement-support';
import { testContext } from '../verify/books-support';
import { createPerson } from '../users/users-support';
import { asOurs } from '../own-rows';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../database';
import type { Log } from '../../../src/domain/log';
import { silentLog } from '../silent-log';

export interface TestPortal {
  url: string;
  test: Pick<TestDatabase, 'url' | 'db'>;
  /** The portal's database account, so that a missing privilege fails a test. */
  db: Database;
  box: SecretBox;
  /** The counted routes and statuses. */
  counted: [string, number][];
  /** Payments whose workflows were signalled. */
  signalled: string[];
  stop(): Promise<void>;
}

export async function startPortal({
  environment = 'sandbox',
  publicUrl,
  of,
  misfit = () => undefined,
  standingSeconds = 0,
  log = silentLog,
}: {
  environment?: 'sandbox' | 'live';
  publicUrl?: string;
  /** An existing deployment, instead of a new database. */
  of?: { test: Pick<TestDatabase, 'url' | 'db'>; box: SecretBox; acts: Acts };
  misfit?: () => string | undefined;
  standingSeconds?: number;
  log?: Log;
} = {}): Promise<TestPortal> {
  const own = of ? undefined : await createTestDatabase();
  const test = of?.test ?? own;
  if (!test) throw new Error('no database');
  const db = openDatabase(test.url, { patienceMs: testPatienceMs });
  const box = of?.box ?? secretBox([{ id: 'test', key: randomBytes(32) }]);
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const counted: [string, number][] = [];
  const signalled: string[] = [];
  const context = withStatements(testContext(db));
  const engine = awayEngine(signalled);
  const config = readConfig({
    ...{ MALIPO_ENV: 'sandbox', DATABASE_URL: test.url, MALIPO_AUDIT_KEY: testAuditKey },
    MALIPO_SECRET_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
  });
  const deployment: Deployment = {
    ...{ config, context, engine, box },
    vouchers: undefined as never,
    client: undefined as never,
    simulatorUrl: undefined,
    portal: () => ({ url, sendsMail: true }),
  };
  const tests = createTestSender({ box, environment });
  const app = createPortalApp({
    db,
    box,
    config: {
      environment,
      timezone: 'Africa/Nairobi',
      trustedProxies: [],
      publicUrl: 'https://pay.example.com',
      temporalUiUrl: 'http://127.0.0.1:8233',
      temporalNamespace: 'malipo',
    },
    tests,
    acts: of?.acts ?? createActs({ context, engine }),
    redact: redactBody,
    operations: createOperations(deployment),
    settings: { url: publicUrl ?? url, host: '127.0.0.1', port, healthHost: '127.0.0.1', healthPort: 0 },
    sendsMail: true,
    rails: ['stk', 'momo', 'xb', 'walletpay', 'cardproc', 'loud'],
    statementRails: ['loud'],
    outflowDefaults: true,
    standingSeconds,
    log,
    metrics: { request: (route, status) => counted.push([route, status]) },
    misfit,
  });
  const server = await listen(app, { host: '127.0.0.1', port, drainMs: 1_000 });
  return {
    ...{ url, test, db, box, counted, signalled },
    async stop() {
      await server.close();
      await tests.close();
      await db.destroy();
      await own?.drop();
    },
  };
}

export interface Call {
  method: string;
  path: string;
  /** The session token; undefined without a session. */
  token?: string | undefined;
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Sends a browser's request; each form has a new number unless `once` is given. It follows no redirects. */
export async function call(
  portal: Pick<TestPortal, 'url'>,
  { method, path, token, form = {}, headers = {} }: Call,
) {
  const visit = 'v'.repeat(43);
  const cookie = token === undefined ? `malipo-visit=${visit}` : `malipo-session=${token}`;
  const isPost = method === 'POST';
  const response = await fetch(`${portal.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { cookie, ...(isPost && { origin: portal.url }), ...headers },
    ...(isPost && { body: new URLSearchParams({ csrf: csrfOf(token ?? visit), once: uuid(), ...form }) }),
  });
  return {
    status: response.status,
    to: response.headers.get('location') ?? '',
    cookies: response.headers.getSetCookie(),
    headers: response.headers,
    text: await response.text(),
  };
}

/** Sends a browser's form with a file. */
export async function callWithFile(
  portal: Pick<TestPortal, 'url'>,
  {
    path,
    token,
    form = {},
    file,
  }: Omit<Call, 'method'> & { file: { name: string; content: string | Buffer } },
) {
  const body = new FormData();
  for (const [name, value] of Object.entries({ csrf: csrfOf(token ?? ''), once: uuid(), ...form }))
    body.set(name, value);
  body.set('file', new Blob([new Uint8Array(Buffer.from(file.content))]), file.name);
  const headers = { cookie: `malipo-session=${token ?? ''}`, origin: portal.url };
  const response = await fetch(`${portal.url}${path}`, { method: 'POST', redirect: 'manual', headers, body });
  return {
    status: response.status,
    to: response.headers.get('location') ?? '',
    text: await response.text(),
  };
}

/**
 * Opens a session.
 * @param isFresh false for a session that needs a new confirmation.
 */
export async function sessionOf(
  { db, test }: Pick<TestPortal, 'db' | 'test'>,
  person: Person,
  { passedSecond = false, isFresh = true } = {},
): Promise<string> {
  const token = await openSession(db, { userId: person.userId, address: '', agent: 'a test', passedSecond });
  if (!isFresh) {
    const own = { user_id: person.userId };
    await test
      .db('user_sessions')
      .where(own)
      .update({ verified_at: new Date(0) });
    await asOurs(
      test.db,
      'user_sessions',
      ...(await test.db('user_sessions').where(own).pluck('session_id')),
    );
  }
  return token;
}

/** A payout file for mobile money, for a browser's file input. */
export function payoutList(...lines: string[]) {
  return { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(payoutLines(lines)) };
}

export function payoutLines(lines: readonly string[]): string {
  return ['phone_number,amount,currency,account_reference', ...lines].join('\n');
}

/** A user with a platform role. */
export async function createPlatformPerson(
  { db }: TestPortal,
  role: Role,
  operatorName = `the-${role}`,
): Promise<Person> {
  await createOperator(db, { name: operatorName, role, by: 'test', environment: 'sandbox' });
  const person = await createPerson(db, `${operatorName}@malipo.example`);
  await inTransaction(db, (trx) => linkOperator(trx, person.userId, operatorName));
  return { ...person, operatorName };
}

/** A webhook to a merchant, due now. */
export function aWebhook(
  db: Database,
  { merchantId, paymentId }: { merchantId: string; paymentId: string },
): Promise<string> {
  return inTransaction(db, (trx) =>
    enqueueWebhook(trx, {
      paymentId,
      merchantId,
      toState: 'succeeded',
      callbackType: 'STK-Push',
      endpoint: 'webhook_url',
      body: { payment_id: paymentId, phone_number: '254708374149' },
      requestId: null,
    }),
  );
}

/**
 * A key with a pending request for payout permission.
 * @returns the id of the request.
 */
export async function aKeyThatWaits(
  { db }: Pick<TestPortal, 'db'>,
  merchantId: string,
  { userId }: Person,
): Promise<string> {
  const [{ api_key: apiKey } = { api_key: '' }] = await listKeys(db, merchantId);
  return inTransaction(db, async (trx) => {
    const waits = await letPayOut(trx, { merchantId, userId, apiKey }, 0);
    if (waits === undefined) throw new Error('no other user could decide');
    return waits;
  });
}

/**
 * An additional webhook address with all events.
 * @returns its id.
 */
export async function anEndpoint({ db, box }: TestPortal, merchantId: string): Promise<string> {
  const world = { db, box, environment: 'sandbox' as const };
  const wanted = { url: 'https://duka.example.com/hook', types: [...eventTypes] };
  return (await addEndpoint(world, merchantId, wanted)).endpoint.endpoint_id;
}

/** Gives one rail a provider with statements. */
function withStatements(context: PaymentsContext): PaymentsContext {
  const rails = context.rails.all.map((rail) =>
    rail.name === 'loud' ? { ...rail, statement: format } : rail,
  );
  return { ...context, rails: railsOf(rails) };
}

/**
 * An unmatched receipt.
 * @returns its id.
 */
export async function anUnmatchedReceipt(
  { test: { db } }: TestPortal,
  more: Partial<Written> = {},
): Promise<string> {
  const theirs = line(randomUUID(), more);
  await reconcile(db, format, period(), file([theirs], `${theirs.providerReference}.json`));
  const unmatched = await db('unmatched_receipts')
    .where({ provider_reference: theirs.providerReference })
    .first();
  return unmatched?.receipt_id ?? '';
}

/** An engine without Temporal, which only records the signalled payments. */
function awayEngine(signalled: string[]): Engine {
  const away = () => Promise.reject(new Error('no engine is asked here'));
  return {
    ...{ start: away, signalRunning: away, retryNow: away, cancel: away, checkNow: away, advance: away },
    signalOrStart({ payment_id: paymentId }) {
      signalled.push(paymentId);
      return Promise.resolve();
    },
  };
}
