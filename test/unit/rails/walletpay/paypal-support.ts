/** A provider with scripted answers, and the payments that are queried. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RailSettings } from '../../../../src/rail-kit/rail';
import { paypalProvider } from '../../../../src/rails/walletpay/providers/paypal';
import type { WalletpaySettings } from '../../../../src/rails/walletpay/settings';
import type { PaymentRow } from '../../../../src/store/tables';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';

export const paymentId = '0b9a2c61-5f44-4a3e-9c1d-7d2e8f60a111';
export const orderId = '5O190127TN364715T';
export const captureId = '3C679366HH908993F';
export const batchId = 'CR9VS2K4X4846';
export const itemId = '8AELMXH8UB2P8';
export const senderId = `po-${paymentId}`;
export const call = { timeoutMs: 10_000, requestId: 'req-1', attempt: 1 };
/** A capture's first attempt. */
export const captureCall = { ...call, key: `${paymentId}-1` };

/** `close` ends the connection without an answer, `hang` never answers. */
export type Reply =
  { status: number; json?: unknown; text?: string; bytes?: Buffer; location?: string } | 'close' | 'hang';

export interface Heard {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: unknown;
}

export interface ScriptedProvider {
  url: string;
  /** Every request except those for a token, oldest first. */
  heard: Heard[];
  tokensGiven(): number;
  /** The answers to `GET /path`, in order; the last one is repeated. */
  answers(request: string, ...replies: Reply[]): void;
  reset(): void;
  /** Ends every connection, also those of hanging calls. */
  closeOpen(): void;
  close(): Promise<void>;
}

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const script = new Map<string, Reply[]>();
  const heard: Heard[] = [];
  let tokens = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const text = Buffer.concat(chunks).toString();
      const isToken = path === '/v1/oauth2/token';
      const isJson = headers['content-type'] === 'application/json';
      if (isToken) tokens += 1;
      else heard.push({ method, path, headers, text, body: isJson ? JSON.parse(text) : undefined });
      const replies = script.get(`${method} ${path}`);
      const reply = replies && replies.length > 1 ? replies.shift() : replies?.[0];
      if (reply) return send(response, reply);
      const token = { access_token: `token-${String(tokens)}`, expires_in: 32_400, token_type: 'Bearer' };
      return send(response, isToken ? { status: 200, json: token } : { status: 404, text: 'no such page' });
    });
  });
  // A client keeps its connections: one that ends here may be just in use.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    heard,
    tokensGiven: () => tokens,
    answers(request, ...replies) {
      script.set(request, replies);
    },
    reset() {
      script.clear();
      heard.length = 0;
      tokens = 0;
    },
    closeOpen: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'close') {
    response.socket?.destroy();
    return;
  }
  const { status, json, text, bytes, location } = reply;
  response.writeHead(status, {
    'content-type': json === undefined ? 'text/html' : 'application/json',
    ...(location === undefined ? {} : { location }),
  });
  response.end(bytes ?? (json === undefined ? (text ?? '') : JSON.stringify(json)));
}

export interface Logged {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

/** @param logged receives the warnings and errors */
export function railSettings(changes: Partial<RailSettings> = {}, logged: Logged[] = []): RailSettings {
  const keep =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) =>
      void logged.push({ level, message, fields });
  return {
    environment: 'sandbox',
    publicUrl: 'http://127.0.0.1:3000',
    timezone: 'Africa/Nairobi',
    timeScale: 1,
    env: {},
    log: { ...silentLog, warn: keep('warn'), error: keep('error') },
    tokens: ownTokens(),
    observe() {},
    ...changes,
  };
}

export function walletpaySettings(
  baseUrl: string,
  changes: Partial<WalletpaySettings> = {},
): WalletpaySettings {
  return {
    baseUrl,
    clientId: 'client',
    clientSecret: 'secret',
    webhookId: 'WH-1',
    certHosts: [],
    authority: undefined,
    ...changes,
  };
}

export function provider(
  baseUrl: string,
  { rail = {}, logged = [] as Logged[] }: { rail?: Partial<RailSettings>; logged?: Logged[] } = {},
) {
  return paypalProvider(walletpaySettings(baseUrl), railSettings(rail, logged));
}

const hour = 3_600_000;

export function payment(changes: Partial<PaymentRow> = {}): PaymentRow {
  const now = new Date();
  return {
    payment_id: paymentId,
    merchant_id: 'm1',
    rail: 'walletpay',
    kind: 'deposit',
    workflow_id: `walletpay-order/${paymentId}`,
    state: 'pending',
    is_final: 0,
    currency: 'USD',
    requested_minor: '1250',
    instructed_currency: 'USD',
    instructed_minor: '1250',
    confirmed_minor: null,
    credited_currency: null,
    credited_minor: null,
    returned_minor: '0',
    refunded_minor: '0',
    refund_debited_minor: '0',
    answered_at: null,
    key_hash: null,
    guard_hash: null,
    guarded_from: null,
    guarded_until: null,
    fee_id: null,
    fee_minor: null,
    account_reference: null,
    order_id: 'order-77',
    phone_number: null,
    provider: 'paypal',
    provider_reference: orderId,
    provider_receipt: null,
    callback_token: null,
    parent_id: null,
    result_code: null,
    result_text: null,
    failure_code: null,
    corrected: 0,
    request_id: null,
    metadata: null,
    details: {},
    created_at: now,
    accepted_at: now,
    finished_at: null,
    asked_at: null,
    updated_at: now,
    next_check_at: null,
    signalled_at: null,
    signals: 0,
    clock_ahead_ms: '0',
    accepted_ahead_ms: '0',
    finished_ahead_ms: '0',
    sequence: 1,
    ...changes,
  };
}

export const payout = (changes: Partial<PaymentRow> = {}): PaymentRow =>
  payment({
    kind: 'payout',
    requested_minor: '4000',
    instructed_minor: '4000',
    provider_reference: batchId,
    details: { recipient_email: 'ana@example.org', note: 'Order 77' },
    ...changes,
  });

/** A payment that was created this long ago. */
export function aged(hours: number): Pick<PaymentRow, 'created_at' | 'accepted_at'> {
  const then = new Date(Date.now() - hours * hour);
  return { created_at: then, accepted_at: then };
}

/** An error in the provider's format. */
export function denial(status: number, name: string, issue?: string, description = 'why'): Reply {
  const details = issue === undefined ? [] : [{ issue, description }];
  return { status, json: { name, message: 'a message', debug_id: 'f00', details, links: [] } };
}

export const html = (status: number): Reply => ({ status, text: '<html>' });

export const usd = (value: string) => ({ currency_code: 'USD', value });
const names = { custom_id: paymentId, invoice_id: paymentId };

export function capture(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { id: captureId, status: 'COMPLETED', amount: usd('12.50'), ...names, ...changes };
}

/** An order in the provider's format, with the given captures and refunds. */
export function order(
  status: string,
  payments?: { captures?: unknown; refunds?: unknown },
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  const unit = { reference_id: 'default', amount: usd('12.50'), ...names, ...(payments && { payments }) };
  const approve = { rel: 'payer-action', href: `https://pay.example.org/?token=${orderId}`, method: 'GET' };
  return { id: orderId, status, purchase_units: [unit], links: [approve], ...changes };
}

/** A batch of one item in the provider's format. */
export function batch(status: string, item?: Record<string, unknown>, header: Record<string, unknown> = {}) {
  return {
    batch_header: {
      payout_batch_id: batchId,
      batch_status: status,
      sender_batch_header: { sender_batch_id: senderId },
      amount: { currency: 'USD', value: '40.00' },
      ...header,
    },
    items: item ? [{ ...sentItem, ...item }] : [],
  };
}

const sentItem = {
  payout_item_id: itemId,
  transaction_id: '9T35838423488430R',
  payout_batch_id: batchId,
  payout_item: {
    recipient_type: 'EMAIL',
    receiver: 'ana@example.org',
    amount: { currency: 'USD', value: '40.00' },
    sender_item_id: senderId,
  },
};
