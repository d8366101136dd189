/** What a rail provides to the sandbox's tools: its simulated provider, a demo, and a recipe for each scenario. */
import { randomBytes } from 'node:crypto';
import type { RailDemo } from './demo';

/** Only tools load this; the product's processes do not. */
export interface RailSandbox {
  provider: SimulatedProvider;
  /** The demo of the rail in `npm start`. */
  demo: RailDemo;
  /** How `malipo trigger` causes a simulator's test value, by the kind of request that it needs. */
  recipes: Readonly<Record<string, Recipe>>;
}

/** A simulated provider with an origin of its own, as the real one has. */
export interface SimulatedProvider {
  /** In "the simulated …". */
  what: string;
  port: { variable: string; standard: number };
  /** The variable with the provider's address for the adapter. */
  baseUrl: string;
  /** By their names in `sandbox.json`: the variables that carry them to the adapter and to the simulator. */
  credentials: Readonly<Record<string, string>>;
  /** The address of the simulated account's notifications, where it is set once per account. */
  notificationAddresses?(apiUrl: string): Record<string, string>;
  /** The certificates that prove the simulated events: in live only the provider's own do. */
  trust?(providerUrl: string): Record<string, string>;
  /**
   * The faults that chaos runs cause in its calls and notifications; none that would need an operator to repair our
   * account.
   */
  faults: Readonly<Record<string, readonly string[]>>;
}

/** For a call that starts something, for a poll, and for a notification. */
export const actingFaults = ['drop', '500', 'html', '429', 'delay', 'act_then_500'] as const;
export const askingFaults = ['drop', '500', 'html', '429', 'delay', 'hang'] as const;
export const callbackFaults = ['drop', 'delay', 'duplicate', 'forge'] as const;

export interface ApiAnswer {
  status: number;
  /** Numbers keep the digits that they were written with. */
  body: Record<string, unknown>;
  /** The API's address and where the keys come from, for a refusal of the keys. */
  asked?: string;
}

export interface RecipeContext {
  /** The API as a merchant calls it. */
  api: {
    get(path: string, query?: Record<string, string | undefined>): Promise<ApiAnswer>;
    post(path: string, body: Record<string, unknown>): Promise<ApiAnswer>;
  };
  /** An action of a customer or of the bank: a POST to the simulator's control API. */
  customer(path: string, action: Record<string, unknown>): Promise<void>;
  /** The body of an answer that must be a success. @throws an error with the API's own sentence. */
  taken(answer: ApiAnswer): Record<string, unknown>;
  /** Polls until there is a result. @throws an error with that sentence once it takes too long. */
  until<T>(ask: () => Promise<T | undefined>, tooLong: string): Promise<T>;
}

/** A request to the API, and its answer. */
export interface Served {
  path: string;
  answer: ApiAnswer;
  /** The reference that finds the payment. */
  reference: string;
}

export type Recipe = (context: RecipeContext, value: string) => Promise<Served>;

/** Requests a payment with a reference of its own. */
export async function requestPayment(
  { api }: Pick<RecipeContext, 'api'>,
  path: string,
  fields: Record<string, unknown>,
  referenceField: string,
): Promise<Served> {
  const reference = `TRY-${randomBytes(4).toString('hex').toUpperCase()}`;
  const answer = await api.post(path, { ...fields, [referenceField]: reference });
  return { path, answer, reference };
}

/** The digits that select a scenario. */
export const digitsIn = (value: string) => /\d{1,15}$/.exec(value)?.[0] ?? '';
