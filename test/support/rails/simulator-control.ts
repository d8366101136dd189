/** The simulator's control API for tests. */
export interface Exchange {
  id: number;
  call: string;
  direction: 'received' | 'sent';
  url: string;
  headers: Record<string, unknown>;
  body: Record<string, unknown>;
  fault?: string;
  answer?: { status?: number; ended?: string };
}

export interface Rule {
  call: string;
  behave: string;
  times?: number;
  ms?: number;
  where?: Record<string, string>;
}

/** A rule, and its number of remaining calls. */
export interface GivenRule {
  id: string;
  times: number;
}

export interface SimulatorControl {
  /** Makes the next matching calls fail. */
  next(rule: Rule): Promise<GivenRule>;
  /** The exchanges with the provider, oldest first. */
  exchanges(call?: string): Promise<Exchange[]>;
  /** The provider's bookings; by default its collections. */
  successes(): Promise<{ kind?: string; reference: string }[]>;
  /** The other control paths, which only this provider has. */
  notify(path: string, body: Record<string, unknown>): Promise<void>;
  /** Moves the provider's clock forward; resolves after everything that became due. */
  advance(ms: number): Promise<void>;
  /** Presses a button on the handset of an interactive payer. */
  decide(checkoutRequestId: string, action: 'pay' | 'cancel' | 'ignore' | 'pay_late'): Promise<void>;
}

async function askSimulator(simulatorUrl: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${simulatorUrl}/control${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'Content-Type': 'application/json' },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the simulator refused ${path}: ${text}`);
  return JSON.parse(text);
}

/** The last exchange of each shared simulator before this test file. */
const before = new Map<string, number>();

/** Earlier exchanges and rules belong to earlier test files. */
export async function takeOver(simulatorUrl: string): Promise<void> {
  await resetRules(simulatorUrl);
  const { requests } = (await askSimulator(simulatorUrl, '/requests')) as { requests: Exchange[] };
  before.set(simulatorUrl, requests.at(-1)?.id ?? 0);
}

/** Removes the rules of all providers, and returns it. */
export async function resetRules(simulatorUrl: string): Promise<GivenRule[]> {
  const { rules } = (await askSimulator(simulatorUrl, '/next')) as { rules: GivenRule[] };
  await askSimulator(simulatorUrl, '/reset', {});
  return rules;
}

export function simulatorControl(simulatorUrl: string, provider: string): SimulatorControl {
  const ask = (path: string, body?: unknown) => askSimulator(simulatorUrl, path, body);
  return {
    async next(rule) {
      const answer = (await ask('/next', { provider, ...rule })) as { rule: GivenRule };
      return answer.rule;
    },
    async exchanges(call) {
      const query = new URLSearchParams({ provider, ...(call !== undefined && { call }) });
      const { requests } = (await ask(`/requests?${query.toString()}`)) as { requests: Exchange[] };
      return requests.filter(({ id }) => id > (before.get(simulatorUrl) ?? 0));
    },
    async successes() {
      const books = await ask(`/books?provider=${provider}&detail=1`);
      return (books as Record<string, { kind?: string; reference: string }[]>)[provider] ?? [];
    },
    async notify(path, body) {
      await ask(`/${provider}/${path}`, body);
    },
    async advance(ms) {
      // Its clock cannot be set back for the next file: tokens that processes hold permanently would expire.
      if (before.has(simulatorUrl)) throw new Error('who moves the clock takes a stack of its own');
      await ask('/clock', { advance_ms: ms });
    },
    async decide(checkoutRequestId, action) {
      await ask(`/${provider}/prompts/${checkoutRequestId}`, { action });
    },
  };
}
