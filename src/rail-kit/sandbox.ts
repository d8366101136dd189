/** What a rail lends to the tools of the sandbox: its simulated provider, a demo, and how each scenario is brought about. */
import { randomBytes } from 'node:crypto';
import type { RailDemo } from './demo';

/** Loaded by tools alone; the product's processes never see it. */
export interface RailSandbox {
  provider: SimulatedProvider;
  /** What `npm start` shows of the rail. */
  demo: RailDemo;
  /** How `malipo trigger` brings about a test value of the simulator, by what has to be asked for. */
  recipes: Readonly<Record<string, Recipe>>;
}

/** An origin of its own, as the provider has. */
export interface SimulatedProvider {
  /** In "the simulated …". */
  what: string;
  port: { variable: string; standard: number };
  /** The variable that tells the adapter where the provider is. */
  baseUrl: string;
  /** By their names in `sandbox.json`, the variables that carry them to the adapter and to the simulator alike. */
  credentials: Readonly<Record<string, string>>;
  /** Where the simulated account sends its notifications, where that is set once per account. */
  notificationAddresses?(apiUrl: string): Record<string, string>;
  /** Whose certificates prove the simulated events: in live only the provider's own do. */
  trust?(providerUrl: string): Record<string, string>;
  /** What chaos runs do to its calls and callbacks; none by which an operator would have to mend our account. */
  faults: Readonly<Record<string, readonly string[]>>;
}

/** Of a call that starts something, of one that only asks, and of a callback. */
export const actingFaults = ['drop', '500', 'html', '429', 'delay', 'act_then_500'] as const;
export const askingFaults = ['drop', '500', 'html', '429', 'delay', 'hang'] as const;
export const callbackFaults = ['drop', 'delay', 'duplicate', 'forge'] as const;

export interface ApiAnswer {
  status: number;
  /** Numbers keep the digits that they were written with. */
  body: Record<string, unknown>;
}

export interface Kitchen {
  /** The API as a merchant calls it. */
  api: {
    get(path: string, query?: Record<string, string | undefined>): Promise<ApiAnswer>;
    post(path: string, body: Record<string, unknown>): Promise<ApiAnswer>;
  };
  /** What a customer or the bank does: a POST to the simulator's control API. */
  customer(path: string, action: Record<string, unknown>): Promise<void>;
  /** The body of an answer that was to succeed. @throws an error with the API's own sentence. */
  taken(answer: ApiAnswer): Record<string, unknown>;
  /** Asks until there is an answer. @throws an error of that sentence once it takes too long. */
  until<T>(ask: () => Promise<T | undefined>, tooLong: string): Promise<T>;
}

/** What was asked of the API, and how it answered. */
export interface Served {
  path: string;
  answer: ApiAnswer;
  /** What the payment is found by. */
  reference: string;
}

export type Recipe = (kitchen: Kitchen, value: string) => Promise<Served>;

/** Asks for a payment under a reference of its own. */
export async function asked(
  { api }: Pick<Kitchen, 'api'>,
  path: string,
  fields: Record<string, unknown>,
  referenceField: string,
): Promise<Served> {
  const reference = `TRY-${randomBytes(4).toString('hex').toUpperCase()}`;
  const answer = await api.post(path, { ...fields, [referenceField]: reference });
  return { path, answer, reference };
}

/** The digits that make a scenario happen. */
export const digitsIn = (value: string) => /\d{1,15}$/.exec(value)?.[0] ?? '';
