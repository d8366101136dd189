/** Calls the simulator over HTTP, its control API included, and reads the answers. */
import type { Simulator } from '../../../simulator/simulator';

export interface Reply<T = Record<string, unknown>> {
  status: number;
  contentType: string;
  text: string;
  /** Empty when the answer was not JSON. */
  body: T;
}

export type Fields = Record<string, unknown>;
type Headers = Record<string, string>;

/** The addresses of a simulator's parts, in this process or another. */
export type Addresses = Pick<Simulator, 'url' | 'origins'>;

/** Calls a provider at its origin, and the control API at its one address. */
export function createHttpClient({ url, origins }: Addresses, provider: string) {
  const origin = origins[provider] ?? '';
  const call = async <T = Fields>(path: string, init: RequestInit = {}): Promise<Reply<T>> => {
    const response = await fetch(`${path.startsWith('/control/') ? url : origin}${path}`, init);
    const text = await response.text();
    const contentType = response.headers.get('content-type') ?? '';
    const body = (contentType.includes('json') ? JSON.parse(text) : {}) as T;
    return { status: response.status, contentType, text, body };
  };
  const post = <T = Fields>(path: string, body: unknown, headers: Headers = {}) =>
    call<T>(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { origin, call, post };
}

/** The control API calls that the tests of every provider use. */
export function createControlClient(simulator: Addresses, provider: string) {
  const { call, post } = createHttpClient(simulator, provider);
  return {
    advance: (ms: number) => post('/control/clock', { advance_ms: ms }),
    next: (rule: Fields) => post('/control/next', { provider, ...rule }),
    async books() {
      return (await call<Record<string, Fields>>(`/control/books?provider=${provider}`)).body[provider];
    },
    async successes() {
      const { body } = await call<Record<string, Fields[]>>(`/control/books?provider=${provider}&detail=1`);
      return body[provider] ?? [];
    },
    async requests() {
      return (await call<{ requests: Fields[] }>(`/control/requests?provider=${provider}`)).body.requests;
    },
  };
}
