/** The application over real HTTP with fake services: no database and no Temporal. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import Joi from 'joi';
import { PaymentError } from '../../../src/domain/errors';
import type { Log } from '../../../src/domain/log';
import { createApp, type AppServices } from '../../../src/api/app';
import type { Endpoint } from '../../../src/rail-kit/endpoint';
import type { IdempotencyStore } from '../../../src/api/idempotency';
import { listen, type ListenOptions } from '../../../src/api/listen';
import {
  createNotificationGuard,
  createUnauthenticatedLimits,
} from '../../../src/api/limits/unauthenticated';
import { createMetrics } from '../../../src/telemetry/metrics';
import { amountField, metadataField, optionalText, requiredText } from '../../../src/rail-kit/fields';
import type { ProvenMerchant } from '../../../src/merchants/authenticate';
import { everyScope } from '../../../src/merchants/api-keys';
import { anEndpoint } from '../undescribed';

export const merchant: ProvenMerchant = {
  merchant_id: '018f0000-0000-7000-8000-000000000001',
  name: 'Duka la Mama',
  status: 'active',
  callback_url: null,
  webhook_url: null,
  return_url: null,
  cancel_url: null,
  wallet_currency: 'USD',
  stk_cents: 'floor',
  permissions: [],
  ip_allow: [],
  checkout_hosts: [],
  stk_rate: 60,
  stk_burst: 100,
  api_rate: 600,
  api_burst: 1000,
  duplicate_window_s: 120,
  duplicate_alert: 'on',
  time_zone: null,
  webhook_secret: '',
  previous_webhook_secret: null,
  created_at: new Date(0),
  updated_at: new Date(0),
  key_scopes: everyScope,
};

export const credentials = { 'X-API-Key': 'pk_test_1', 'X-API-Secret': 'sk_test_1' };

/** Starts nothing and returns its input. */
export const echo: Endpoint = {
  method: 'POST',
  path: '/api/v1/echo',
  about: anEndpoint,
  access: 'keys',
  scope: 'collect',
  rateLimit: 'stk',
  starts: true,
  input: Joi.object({
    amount: amountField({ currency: 'KES' }),
    reference: optionalText(50),
    metadata: metadataField(),
  }),
  handle: ({ input, requestId }) =>
    Promise.resolve({
      status: 200,
      body: { ...input, request_id: requestId },
    }),
};

export const lookUp: Endpoint = {
  method: 'GET',
  path: '/api/v1/look_up',
  about: anEndpoint,
  access: 'headers',
  scope: 'read',
  rateLimit: 'api',
  starts: false,
  input: Joi.object({ id: requiredText(36) }),
  handle: ({ input }) => Promise.resolve({ status: 200, body: { success: true, id: input['id'] } }),
};

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface StoredKey {
  bodyHash: Buffer;
  /** The request that holds the claim; undefined once it is released. */
  claimId: string | undefined;
  answer?: { status: number; body: string };
}

/** Stores claims like the database. */
export function memoryOfKeys(): IdempotencyStore {
  const keys = new Map<string, StoredKey>();
  const name = (merchantId: string, keyHash: Buffer) => `${merchantId}/${keyHash.toString('hex')}`;
  return {
    claim(merchantId, { keyHash, bodyHash }) {
      const stored = keys.get(name(merchantId, keyHash));
      if (stored && !stored.bodyHash.equals(bodyHash)) return Promise.resolve({ kind: 'other_body' });
      if (stored?.answer) return Promise.resolve({ kind: 'replay', ...stored.answer });
      if (stored?.claimId !== undefined) return Promise.resolve({ kind: 'running' });
      const claimId = randomUUID();
      keys.set(name(merchantId, keyHash), { bodyHash, claimId });
      return Promise.resolve({ kind: 'first', claimId });
    },
    isKnown: (merchantId, keyHash) => Promise.resolve(keys.has(name(merchantId, keyHash))),
    storeAnswer(merchantId, { keyHash }, answer) {
      const stored = keys.get(name(merchantId, keyHash));
      if (stored) stored.answer = answer;
      return Promise.resolve();
    },
    release(merchantId, { keyHash }) {
      keys.delete(name(merchantId, keyHash));
      return Promise.resolve();
    },
    letGo(merchantId, { keyHash }) {
      const stored = keys.get(name(merchantId, keyHash));
      if (stored) stored.claimId = undefined;
      return Promise.resolve();
    },
    end: () => undefined,
  };
}

export interface Served {
  url: string;
  port: number;
  post(path: string, body: string | Buffer | object, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** The mounted paths. */
  routes(): string[];
  close(): Promise<void>;
}

export async function serve(
  services: Partial<AppServices> = {},
  options: Partial<ListenOptions> = {},
): Promise<Served> {
  const keys = services.idempotency ?? memoryOfKeys();
  const app = createApp({
    misfit: () => undefined,
    requests: { note: () => undefined },
    config: {
      environment: 'sandbox',
      publicUrl: 'http://127.0.0.1',
      timezone: 'Africa/Nairobi',
      trustedProxies: [],
    },
    log: silentLog,
    metrics: createMetrics(),
    endpoints: [echo, lookUp],
    rails: [],
    authenticate({ apiKey, apiSecret }) {
      if (apiKey === 'pk_test_1' && apiSecret === 'sk_test_1') return Promise.resolve(merchant);
      return Promise.reject(new PaymentError('INVALID_CREDENTIALS'));
    },
    activeMerchant(merchantId) {
      if (merchantId === merchant.merchant_id) return Promise.resolve(merchant);
      return Promise.reject(new PaymentError('INACTIVE_MERCHANT'));
    },
    takeToken: () => Promise.resolve({ allowed: true }),
    takeUnauthenticatedToken: () => Promise.resolve({ allowed: true }),
    unauthenticatedCaller: createUnauthenticatedLimits({ ordersPerMinute: 60, allOrdersPerMinute: 300 }),
    notificationGuard: createNotificationGuard(),
    idempotency: keys,
    unauthenticatedIdempotency: keys,
    shedding: {
      tryAdmit: () => ({ admitted: true, leave: () => undefined }),
      enter: () => ({ admitted: true, leave: () => undefined }),
    },
    takeNotification: () => Promise.resolve(true),
    takeUnverified: () => Promise.resolve('follow'),
    observeDenial: () => undefined,
    ...services,
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0, drainIdleMs: 0, ...options });
  const url = `http://127.0.0.1:${String(server.port)}`;
  return {
    url,
    port: server.port,
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...credentials, ...headers },
        body:
          typeof body === 'string'
            ? body
            : Buffer.isBuffer(body)
              ? new Uint8Array(body)
              : JSON.stringify(body),
      }),
    get: (path, headers = {}) => fetch(url + path, { headers: { ...credentials, ...headers } }),
    routes: () =>
      app.router.stack.flatMap(({ route }) =>
        route === undefined ? [] : [(route as { path: string }).path],
      ),
    close: server.close,
  };
}

export interface ErrorAnswer {
  success: boolean;
  error: string;
  message: string;
  code: string;
  request_id: string;
  timestamp: string;
  details?: { field: string; message: string }[];
}

export async function errorOf(response: Response): Promise<ErrorAnswer> {
  return (await response.json()) as ErrorAnswer;
}

/** Sends raw bytes and returns everything that arrives until the connection closes. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('close', () => {
      resolve(answer);
    });
    socket.on('error', reject);
  });
}
