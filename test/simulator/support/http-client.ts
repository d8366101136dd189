/** Calls the simulator over HTTP, its control API included, and reads the answers. */

export interface Reply<T = Record<string, unknown>> {
  status: number;
  contentType: string;
  text: string;
  /** Empty when the answer was not JSON. */
  body: T;
}

export type Fields = Record<string, unknown>;
type Headers = Record<string, string>;

export function createHttpClient(simulatorUrl: string) {
  const call = async <T = Fields>(path: string, init: RequestInit = {}): Promise<Reply<T>> => {
    const response = await fetch(`${simulatorUrl}${path}`, init);
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
  return { call, post };
}

/** What every provider's tests ask of the control API. */
export function createControlClient(simulatorUrl: string, provider: string) {
  const { call, post } = createHttpClient(simulatorUrl);
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
