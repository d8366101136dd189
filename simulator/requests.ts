/** The last exchanges with each provider, so that a test or a user can see what was really sent. */
import type { Clock } from './clock';

const KEPT_MAX = 1000;

/** The names of fields and headers with credentials, for all providers. */
const SECRET =
  /^(authorization|cookie|password|token|access_token|client_secret|consumer_secret|consumer_key|challenge|x-intasend-challenge)$/i;

/** How an exchange ended; absent before its answer. */
export type Ending =
  | { status: number; body: unknown }
  | { ended: 'dropped' | 'abandoned by the caller' | 'not sent' }
  | { ended: 'failed'; error: string };

export interface Exchange {
  id: number;
  /** Virtual time. */
  at: string;
  provider: string;
  call: string;
  direction: 'received' | 'sent';
  method: string;
  url: string;
  headers: Readonly<Record<string, unknown>>;
  body: unknown;
  /** The fault rule that was applied. */
  fault?: string;
  answer?: Ending;
}

export interface RequestLog {
  /** The returned exchange is completed in place once its answer is known. */
  add(exchange: Omit<Exchange, 'id' | 'at'>): Exchange;
  /** Newest last, without secrets; of all calls when none is named. */
  list(wanted: { provider?: string | undefined; call?: string | undefined }): Exchange[];
}

export function createRequestLog(clock: Clock): RequestLog {
  const exchanges: Exchange[] = [];
  let count = 0;
  return {
    add(given) {
      count += 1;
      const exchange = { id: count, at: new Date(clock.callersNow()).toISOString(), ...given };
      exchanges.push(exchange);
      // Cut in large steps, because moving a thousand entries for each request is slow.
      if (exchanges.length >= 2 * KEPT_MAX) exchanges.splice(0, exchanges.length - KEPT_MAX);
      return exchange;
    },
    list: ({ provider, call }) =>
      exchanges
        .slice(-KEPT_MAX)
        .filter((exchange) => provider === undefined || exchange.provider === provider)
        .filter((exchange) => call === undefined || exchange.call === call)
        .map((exchange) => withoutSecrets(exchange) as Exchange),
  };
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, SECRET.test(name) ? '***' : withoutSecrets(inner)]),
  );
}
