import { createHash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '../config';
import { errorResponses, PaymentError } from '../domain/errors';
import type { Database } from '../store/database';

/** Shown to the merchant once. The database stores only the SHA-256 of the secret. */
export interface ApiKeyPair {
  api_key: string;
  api_secret: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);
const words = { sandbox: 'test', live: 'live' } as const satisfies Record<Environment, string>;

const keyLength = 24;
/** The number of base62 digits for any 256-bit number. */
const secretLength = 43;
/** The number of base62 digits for any CRC32. */
const checksumLength = 6;

const keyShape = /^pk_(?:live|test)_[0-9A-Za-z]{24}$/;

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= base) digits = alphabet.charAt(Number(rest % base)) + digits;
  return digits.padStart(length, '0');
}

/**
 * A prefix with the kind of secret and the environment, then a random number of 256 bits, then a checksum. With the
 * checksum, scanners of leaked code recognise a secret of ours without asking us.
 */
export function mintSecret(whose: 'sk' | 'op', environment: Environment): string {
  const number = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength);
  const secret = `${whose}_${words[environment]}_${number}`;
  return secret + base62(BigInt(crc32(secret)), checksumLength);
}

export function mintApiKeyPair(environment: Environment): ApiKeyPair {
  const key = Array.from({ length: keyLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  return { api_key: `pk_${words[environment]}_${key}`, api_secret: mintSecret('sk', environment) };
}

/** A slow hash is not needed: the secret is a random 256-bit number, not a password. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The stored form of a key: only the hash of its secret. */
export function keyRow(
  merchantId: string,
  { api_key, api_secret }: ApiKeyPair,
  { createdAt, scopes }: { createdAt: Date; scopes: readonly KeyScope[] },
) {
  return {
    api_key,
    merchant_id: merchantId,
    secret_hash: digestOf(api_secret),
    created_at: createdAt,
    scopes: scopesColumn(scopes),
  };
}

/** True for a text that could be an API key. Anything else must not reach the database. */
export function isApiKey(text: string): boolean {
  return keyShape.test(text);
}

/** Specification, Authentication 5: keys of sandbox and production are not interchangeable. */
export function isKeyOfOtherEnvironment(text: string, environment: Environment): boolean {
  return text.startsWith(`pk_${words[environment === 'live' ? 'sandbox' : 'live']}_`);
}

export function mintWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Those of `keys` that exist and are not revoked. */
export async function findApiKeys(db: Database, keys: string[]): Promise<string[]> {
  return db('api_keys').whereIn('api_key', keys).where({ revoked_at: null }).pluck('api_key');
}

// The scopes of an API key.

/**
 * - read: statuses, lists, balances, statements and events. Every key has this scope.
 * - collect: collect payments and connect the shop's server: prompts, deposits, orders, redeeming vouchers, webhooks.
 * - payout: send money out: payouts, refunds, creating vouchers from the merchant's money, and cancelling a payout.
 */
export const keyScopes = ['read', 'collect', 'payout'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The scopes of a key that an operator creates. */
export const everyScope: readonly KeyScope[] = [...keyScopes];

/** Reads the column: words separated by commas. A word that this version does not know grants nothing. */
export function scopesOf(column: string): KeyScope[] {
  const words = column.split(',');
  return keyScopes.filter((scope) => words.includes(scope));
}

/**
 * The key must have the scope of the endpoint.
 * @throws PaymentError SCOPE_REQUIRED
 */
export function expectScope(scope: KeyScope, scopes: readonly KeyScope[]): void {
  if (scopes.includes(scope)) return;
  throw new PaymentError('SCOPE_REQUIRED', {
    message: `${errorResponses.SCOPE_REQUIRED.message}: it needs the scope ${scope}`,
    extra: { required_scope: scope },
  });
}

/** The stored form: in fixed order, each once, and always with `read`. */
export function scopesColumn(scopes: readonly KeyScope[]): string {
  return keyScopes.filter((scope) => scope === 'read' || scopes.includes(scope)).join(',');
}
