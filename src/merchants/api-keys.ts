import { createHash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Environment } from '../config';
import { errorResponses, PaymentError } from '../domain/errors';
import type { Database } from '../store/database';

/** What a merchant is shown once. Only the SHA-256 of the secret is stored. */
export interface ApiKeyPair {
  api_key: string;
  api_secret: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);
const words = { sandbox: 'test', live: 'live' } as const satisfies Record<Environment, string>;

const keyLength = 24;
/** Base62 digits that hold any 256-bit number. */
const secretLength = 43;
/** Base62 digits that hold any CRC32. */
const checksumLength = 6;

const keyShape = /^pk_(?:live|test)_[0-9A-Za-z]{24}$/;

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= base) digits = alphabet.charAt(Number(rest % base)) + digits;
  return digits.padStart(length, '0');
}

/**
 * A random number of 256 bits after what tells whose secret it is and of which environment. It ends in a checksum of
 * itself, so that scanners of leaked code can tell a secret of ours from noise without asking us.
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

/** A slow hash would buy nothing: the secret is a random 256-bit number, not a password. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** How a key is kept: of its secret only the hash. */
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

/** Those of `keys` that exist and have not been revoked. */
export async function findApiKeys(db: Database, keys: string[]): Promise<string[]> {
  return db('api_keys').whereIn('api_key', keys).where({ revoked_at: null }).pluck('api_key');
}

// What an API key may do.

/**
 * - read: look: statuses, lists, balances, statements and events. Every key has it.
 * - collect: take payments, and connect the shop's server: prompts, deposits, orders, vouchers redeemed, webhooks.
 * - payout: send money out: payouts, refunds, vouchers made of the merchant's money, and calling a payout off.
 */
export const keyScopes = ['read', 'collect', 'payout'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Of a key that an operator makes. */
export const everyScope: readonly KeyScope[] = [...keyScopes];

/** Reads the column: words with commas between. A word that this version does not know gives nothing. */
export function scopesOf(column: string): KeyScope[] {
  const words = column.split(',');
  return keyScopes.filter((scope) => words.includes(scope));
}

/**
 * What a key is used for has to be among its scopes.
 * @throws PaymentError SCOPE_REQUIRED
 */
export function expectScope(scope: KeyScope, scopes: readonly KeyScope[]): void {
  if (scopes.includes(scope)) return;
  throw new PaymentError('SCOPE_REQUIRED', {
    message: `${errorResponses.SCOPE_REQUIRED.message}: it lacks the scope ${scope}`,
    extra: { required_scope: scope },
  });
}

/** What is kept: in their order, each once, and `read` always. */
export function scopesColumn(scopes: readonly KeyScope[]): string {
  return keyScopes.filter((scope) => scope === 'read' || scopes.includes(scope)).join(',');
}
