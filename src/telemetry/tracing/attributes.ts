/**
 * All that a span may say. What is not in this table, or does not look like what the table says, leaves no process: a
 * trace goes to another system, whose readers need not be those who may see a customer's data.
 */
import { errorResponses } from '../../domain/errors';
import { paymentStates } from '../../domain/payment';

interface AllowedAttribute {
  meaning: string;
  fits(value: unknown): boolean;
}

/** Of our own making: neither a telephone number nor a name has this shape. */
const id = (value: unknown): boolean =>
  typeof value === 'string' && /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(value);
/** A word of ours, or the name that a provider or a network goes by in our settings: no digits, no spaces. */
const word = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z_-]{0,63}$/.test(value);
const among =
  (...words: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value === 'string' && words.includes(value);
const whole =
  (most: number) =>
  (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;

export const attributeTable = {
  'malipo.payment.id': { meaning: 'the payment', fits: id },
  'malipo.merchant.id': { meaning: 'whose payment it is', fits: id },
  'malipo.webhook.id': { meaning: 'the webhook that is tried', fits: id },
  'malipo.rail': { meaning: 'stk, momo, xb, walletpay or cardproc', fits: word },
  'malipo.operation': { meaning: 'deposit, payout or refund', fits: among('deposit', 'payout', 'refund') },
  'malipo.provider': { meaning: 'whom the payment goes through', fits: word },
  'malipo.currency': {
    meaning: 'of the payment, by ISO 4217',
    fits: (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value),
  },
  'malipo.state': { meaning: 'the state that the payment is in, or enters', fits: among(...paymentStates) },
  'malipo.state.before': { meaning: 'the state that it leaves', fits: among(...paymentStates) },
  'malipo.cause': {
    meaning: 'what made it enter its state: callback, query, deadline, refused, …',
    fits: word,
  },
  'malipo.outcome': {
    meaning: 'how the step ended: answered, not_sent, unknown; delivered, retry, dead; NOT_SENT, BUSY, …',
    fits: word,
  },
  'malipo.attempt': { meaning: 'which try this is, from 1', fits: whole(1_000_000) },
  'malipo.call': {
    meaning: 'what was asked of a provider or the engine: initiate, query, start, …',
    fits: word,
  },
  'malipo.peer': {
    meaning: 'who is called: a provider, the engine (Temporal), or the merchant',
    fits: among('provider', 'engine', 'merchant'),
  },
  'malipo.error.code': { meaning: 'a code of docs/errors.md', fits: among(...Object.keys(errorResponses)) },
  'malipo.failure.code': { meaning: 'why the payment failed, in our words', fits: word },
  'http.request.method': { meaning: 'GET or POST', fits: among('GET', 'HEAD', 'POST') },
  'http.route': {
    meaning: 'the path as declared, without the ids and tokens of the call',
    fits: (value) => typeof value === 'string' && /^\/[\w./:-]{0,99}$/.test(value),
  },
  'http.response.status_code': { meaning: 'of the answer; absent where none came', fits: whole(599) },
} as const satisfies Record<string, AllowedAttribute>;

export type AttributeName = keyof typeof attributeTable;
export type Attributes = Partial<Record<AttributeName, string | number | null | undefined>>;

/** What may be told of these. */
export function allowed(attributes: Attributes): Record<string, string | number> {
  const told: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!Object.hasOwn(attributeTable, name) || value === null || value === undefined) continue;
    if (attributeTable[name as AttributeName].fits(value)) told[name] = value;
  }
  return told;
}
