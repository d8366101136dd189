/** Sends callbacks as a provider does: over real HTTP, with retries only where the provider retries. */
import { Agent, request } from 'undici';
import type { Clock } from './clock';
import type { Behaviour, Facts, Faults } from './faults';
import type { Exchange, RequestLog } from './requests';
import type { Schedule } from './schedule';

export interface Callback {
  url: string;
  /** POST by default. */
  method?: 'GET' | 'POST';
  /** The exact JSON text: a provider may write 1250.00 where JavaScript would write 1250. Empty for GET. */
  body: string;
  headers?: Record<string, string>;
  /** A deliberate fault. */
  fault?: Behaviour;
}

/** What a rule sends instead of the callback. The callback itself is sent only if it is in the list. */
export type Alternatives = Partial<Record<Behaviour, () => Callback[]>>;

export interface CallbackAnswer {
  status: number;
  body: string;
}

export interface Manners {
  /** Headers that depend on the time of sending, such as a signature's date. */
  headersOf?(callback: Callback): Record<string, string>;
  /** The delay after each failed attempt. Without it there is one attempt. */
  retryAfterMs?: readonly number[];
  /** Whether an answer accepts the callback; by default any 2xx does. */
  isTaken?(callback: Callback, answer: CallbackAnswer): boolean;
  onTried?(delivered: boolean): void;
}

export interface CallbackSender {
  /** Call it before the first callback. Without it, all callbacks use the defaults. */
  behave(manners: Manners): void;
  /** @param bulkhead keeps the callbacks of one payment in order when they are delayed */
  send(callback: Callback, facts: Facts, bulkhead: string, alternatives?: Alternatives): Promise<void>;
  /** Opens an address once, like a customer's browser that returns to the merchant. */
  visit(url: string): Promise<void>;
}

export interface CallbackTransport {
  /** The sender of the named provider. Its delayed callbacks survive a restart. */
  senderFor(provider: string): CallbackSender;
  /** Waits briefly for callbacks in progress, then closes all connections. */
  close(): Promise<void>;
}

/** A delayed callback, with its number of attempts so far. */
interface Delayed extends Callback {
  bulkhead: string;
  tries: number;
}

const SENDING_FAULTS: readonly Behaviour[] = ['drop', 'delay', 'duplicate', 'switched_off'];
const DELAY_DEFAULT_MS = 30_000;
const DUPLICATES = 10;
const PATIENCE_MS = 10_000;
const CLOSING_PATIENCE_MS = 500;

const isSuccess = (_callback: Callback, { status }: CallbackAnswer) => status >= 200 && status < 300;

export function createCallbackTransport(parts: {
  clock: Clock;
  faults: Faults;
  requests: RequestLog;
  schedule: Schedule;
}): CallbackTransport {
  const { clock, faults, requests, schedule } = parts;
  const agent = new Agent({
    connections: 64,
    connect: { timeout: PATIENCE_MS },
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
  });

  /** @returns undefined without an answer */
  const transmit = async (
    { url, method = 'POST', body }: Callback,
    exchange: Exchange,
  ): Promise<CallbackAnswer | undefined> => {
    const headers = exchange.headers as Record<string, string>;
    const sent = method === 'GET' ? {} : { body };
    try {
      const response = await request(url, { method, headers, ...sent, dispatcher: agent });
      const answer = { status: response.statusCode, body: await response.body.text() };
      exchange.answer = answer;
      return answer;
    } catch (error) {
      exchange.answer = { ended: 'failed', error: error instanceof Error ? error.message : String(error) };
      return undefined;
    }
  };

  const senderFor = (provider: string): CallbackSender => {
    const delayedKind = `${provider}.callback`;
    let manners: Manners = {};
    let delayed = 0;

    const note = (callback: Callback, call = 'callback') =>
      requests.add({
        provider,
        call,
        direction: 'sent',
        method: callback.method ?? 'POST',
        url: callback.url,
        headers: {
          ...(callback.body !== '' && { 'content-type': 'application/json' }),
          ...callback.headers,
          ...manners.headersOf?.(callback),
        },
        body: callback.body === '' ? undefined : (JSON.parse(callback.body) as unknown),
        ...(callback.fault !== undefined && { fault: callback.fault }),
      });
    const withhold = (callback: Callback) => {
      note(callback).answer = { ended: 'not sent' };
    };
    const sendLater = (callback: Callback, bulkhead: string, afterMs: number, tries: number) => {
      delayed += 1;
      const dueAt = clock.now() + afterMs;
      const id = `${delayedKind}:${bulkhead}:${String(dueAt)}:${String(delayed)}`;
      const data: Delayed = { ...callback, bulkhead, tries };
      schedule.add({ id, kind: delayedKind, dueAt, bulkhead, data });
    };
    const attempt = async (callback: Callback, bulkhead: string, tries: number): Promise<void> => {
      const answer = await transmit(callback, note(callback));
      const delivered = answer !== undefined && (manners.isTaken ?? isSuccess)(callback, answer);
      manners.onTried?.(delivered);
      const afterMs = delivered ? undefined : manners.retryAfterMs?.[tries];
      if (afterMs !== undefined) sendLater(callback, bulkhead, afterMs, tries + 1);
    };
    schedule.on(delayedKind, async (data) => {
      const { bulkhead, tries, ...callback } = data as Delayed;
      const off = faults.take(provider, 'callback', {}, ['switched_off']);
      if (off) withhold({ ...callback, fault: off.behave });
      else await attempt(callback, bulkhead, tries);
    });

    return {
      behave(wanted) {
        manners = wanted;
      },
      async send(callback, facts, bulkhead, alternatives = {}) {
        const among = [...SENDING_FAULTS, ...(Object.keys(alternatives) as Behaviour[])];
        const rule = faults.take(provider, 'callback', facts, among);
        const faulty = rule ? { ...callback, fault: rule.behave } : callback;
        switch (rule?.behave) {
          case 'drop':
          case 'switched_off':
            withhold(faulty);
            return;
          case 'delay':
            sendLater(faulty, bulkhead, rule.ms ?? DELAY_DEFAULT_MS, 0);
            return;
          case 'duplicate':
            await Promise.all(Array.from({ length: DUPLICATES }, () => attempt(faulty, bulkhead, 0)));
            return;
          default:
        }
        const sent = rule && alternatives[rule.behave];
        for (const each of sent?.() ?? [callback]) await attempt(each, bulkhead, 0);
      },
      async visit(url) {
        const page: Callback = { url, method: 'GET', body: '', headers: { accept: 'text/html' } };
        await transmit(page, note(page, 'return'));
      },
    };
  };

  return {
    senderFor,
    async close() {
      const timer = setTimeout(() => void agent.destroy(), CLOSING_PATIENCE_MS);
      await agent.close();
      clearTimeout(timer);
    },
  };
}
