/** The simulator's control API, as a test uses it. */
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

/** A rule, and how many more calls it is for. */
export interface GivenRule {
  id: string;
  times: number;
}

export interface SimulatorControl {
  /** Spoils the next calls that fit. */
  next(rule: Rule): Promise<GivenRule>;
  /** What was exchanged with the provider, oldest first. */
  exchanges(call?: string): Promise<Exchange[]>;
  /** What the provider has booked: collections where no kind is told. */
  successes(): Promise<{ kind?: string; reference: string }[]>;
  /** What only this provider has: the rest of its control paths. */
  tell(path: string, body: Record<string, unknown>): Promise<void>;
  /** Moves the provider's clock forward; what was due meanwhile has happened when this resolves. */
  advance(ms: number): Promise<void>;
  /** Presses a button on the handset of a payer who decides for himself. */
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

/** The last exchange of each shared simulator before this file of tests had it. */
const before = new Map<string, number>();

/** What was exchanged so far, and the rules that are left, are of those who had the simulator before. */
export async function takeOver(simulatorUrl: string): Promise<void> {
  await resetRules(simulatorUrl);
  const { requests } = (await askSimulator(simulatorUrl, '/requests')) as { requests: Exchange[] };
  before.set(simulatorUrl, requests.at(-1)?.id ?? 0);
}

/** Forgets what is left of the rules of all providers, and returns it. */
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
    async tell(path, body) {
      await ask(`/${provider}/${path}`, body);
    },
    async advance(ms) {
      // Its clock cannot be set back for the next file: tokens would end that our processes hold for good.
      if (before.has(simulatorUrl)) throw new Error('who moves the clock takes a stack of its own');
      await ask('/clock', { advance_ms: ms });
    },
    async decide(checkoutRequestId, action) {
      await ask(`/${provider}/prompts/${checkoutRequestId}`, { action });
    },
  };
}
