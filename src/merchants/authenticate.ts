/** Authenticates a merchant. Only then does an answer say why the merchant is not admitted. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../config';
import { PaymentError } from '../domain/errors';
import { addressBlock } from '../domain/ip-address';
import type { Database, Transaction } from '../store/database';
import type { ApiKeyRow, MerchantRow } from '../store/tables';
import {
  digestOf,
  isApiKey,
  isKeyOfOtherEnvironment,
  expectScope,
  scopesOf,
  type KeyScope,
} from './api-keys';
import { isAllowedAddress } from './ip-allow-list';
import { merchantOf } from './merchants';
import type { RateLimitDecision } from './rate-limit';

export interface Credentials {
  apiKey: string;
  apiSecret: string;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The digest for an unknown key, so that an unknown key takes as long as a wrong secret. */
const noDigest = randomBytes(32);

function wrong(detail: string): PaymentError {
  return new PaymentError('INVALID_CREDENTIALS', { detail });
}

/** @returns undefined when absent or empty. */
function credential(value: unknown, name: string): string | undefined {
  if (value === undefined || value === '') return undefined;
  // `0`, `true` or `[]` must not reach SQL, where `0` equals every text. A repeated header must not either.
  if (typeof value !== 'string') throw wrong(`${name} is not a single text`);
  return value;
}

function oneCredential(headers: Headers, body: unknown, header: string, field: string, headersOnly: boolean) {
  const sent = credential(headers[header], header);
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const inBody = credential(Object.hasOwn(fields, field) ? fields[field] : undefined, field);
  if (sent !== undefined && inBody !== undefined && sent !== inBody) {
    throw wrong(`${header} and ${field} differ`);
  }
  return sent ?? (headersOnly ? undefined : inBody);
}

/**
 * Finds the credentials of a request. Headers win; the body's `api_key` and `api_secret` replace absent headers
 * (specification, Authentication 2 to 4).
 * @param headers with lower-case names, as Node provides them.
 * @param body parsed, not yet validated; undefined without a body.
 * @throws PaymentError CREDENTIALS_REQUIRED when one is missing; INVALID_CREDENTIALS when one is not a text, is
 * repeated, or when headers and body differ.
 */
export function credentialsOf(
  headers: Headers,
  body: unknown,
  { headersOnly = false }: { headersOnly?: boolean } = {},
): Credentials {
  const apiKey = oneCredential(headers, body, 'x-api-key', 'api_key', headersOnly);
  const apiSecret = oneCredential(headers, body, 'x-api-secret', 'api_secret', headersOnly);
  if (apiKey === undefined || apiSecret === undefined)
    throw new PaymentError('CREDENTIALS_REQUIRED', {
      advice: 'Send them in the headers X-API-Key and X-API-Secret',
    });
  return { apiKey, apiSecret };
}

type KeyedMerchant = MerchantRow & Pick<ApiKeyRow, 'secret_hash' | 'revoked_at' | 'scopes'>;

/** The authenticated merchant, and the scopes of its key. */
export type ProvenMerchant = MerchantRow & { key_scopes: readonly KeyScope[] };

/**
 * Finds the merchant of the credentials in one round trip. No answer says anything about the account before the secret
 * is verified. A caller from a foreign address does not learn whether the account is suspended.
 * @throws PaymentError KEY_OF_OTHER_ENVIRONMENT or INVALID_CREDENTIALS (401); after the secret is verified,
 * IP_NOT_ALLOWED, ACCOUNT_SUSPENDED or ACCOUNT_INACTIVE (403).
 */
export async function authenticate(
  db: Database,
  environment: Environment,
  { credentials, clientAddress }: { credentials: Credentials; clientAddress: string },
): Promise<ProvenMerchant> {
  const { apiKey, apiSecret } = credentials;
  if (isKeyOfOtherEnvironment(apiKey, environment)) {
    const [own, other] = environment === 'live' ? ['live', 'sandbox'] : ['sandbox', 'live'];
    const advice = `It is a key of ${other}, and this is ${own}`;
    throw new PaymentError('KEY_OF_OTHER_ENVIRONMENT', { advice });
  }
  if (!isApiKey(apiKey)) throw wrong('no such API key');

  const found = await db('api_keys as k')
    .join('merchants as m', 'm.merchant_id', 'k.merchant_id')
    .where('k.api_key', apiKey)
    .first<KeyedMerchant | undefined>('m.*', 'k.secret_hash', 'k.revoked_at', 'k.scopes');
  const isProven = timingSafeEqual(digestOf(apiSecret), found?.secret_hash ?? noDigest);
  if (!found || !isProven) throw wrong(found ? `wrong secret for ${apiKey}` : 'no such API key');
  const { secret_hash, revoked_at, scopes, ...row } = found;
  if (revoked_at !== null) throw wrong(`revoked key ${apiKey}`);

  const merchant = merchantOf(row);
  if (!isAllowedAddress(clientAddress, merchant.ip_allow)) {
    throw new PaymentError('IP_NOT_ALLOWED', {
      detail: `${merchant.merchant_id} called from ${clientAddress}`,
    });
  }
  expectActive(merchant);
  return { ...merchant, key_scopes: scopesOf(scopes) };
}

function expectActive({ status }: Pick<MerchantRow, 'status'>): void {
  if (status === 'suspended') throw new PaymentError('ACCOUNT_SUSPENDED');
  if (status === 'inactive') throw new PaymentError('ACCOUNT_INACTIVE');
}

/**
 * For the transaction that creates a payment which sends money out. A key may have been ended, its scope removed or its
 * merchant suspended since the request was admitted: its body may have taken half a minute. Holds both rows until the
 * transaction ends.
 * @throws PaymentError INVALID_CREDENTIALS, SCOPE_REQUIRED, ACCOUNT_SUSPENDED or ACCOUNT_INACTIVE
 */
export async function expectKeyIsValid(trx: Transaction, apiKey: string, scope: KeyScope): Promise<void> {
  const found = await trx('api_keys as k')
    .join('merchants as m', 'm.merchant_id', 'k.merchant_id')
    .where('k.api_key', apiKey)
    .forShare()
    .first<(Pick<MerchantRow, 'status'> & Pick<ApiKeyRow, 'revoked_at' | 'scopes'>) | undefined>(
      'm.status',
      'k.revoked_at',
      'k.scopes',
    );
  if (found?.revoked_at !== null) throw wrong(`revoked key ${apiKey}`);
  expectActive(found);
  expectScope(scope, scopesOf(found.scopes));
}

// Authentication that a flood of wrong keys cannot exhaust. Failures are counted by address, and in total. Above a
// limit, only existing keys are checked, so that a merchant who shares an attacker's address is still admitted.

export type Authenticate = (credentials: Credentials, clientAddress: string) => Promise<ProvenMerchant>;

interface FailureLimiter {
  take(name: string): RateLimitDecision;
  check(name: string): RateLimitDecision;
}

interface AuthenticationGuards {
  /** For credentials that were valid before. */
  known: Authenticate;
  /** For all others. They must not use resources of the known ones. */
  unknown: Authenticate;
  /** Failures of one address. */
  failures: FailureLimiter;
  /** Failures of one address with one key: the limit for an attack on a merchant from the merchant's own address. */
  keyFailures: FailureLimiter;
  /** Failures of all callers. */
  allFailures: FailureLimiter;
  /** Which of these API keys exist and are not revoked, in one query. */
  findKeys(keys: string[]): Promise<string[]>;
}

const provenMax = 10_000;
/** The interval between database queries, whatever the load. Each query has a limited number of keys. */
const askEveryMs = 100;
const askedAtOnceMax = 1_000;

export function guardAuthentication(guards: AuthenticationGuards): Authenticate {
  const { known, unknown, failures, keyFailures, allFailures } = guards;
  /** Digests of credentials, so that the memory of the process contains no usable secret. */
  const proven = new Set<string>();
  const exists = keyDirectory(guards.findKeys);

  async function admit(block: string, apiKey: string): Promise<void> {
    const [ofAddress, ofAll] = [failures.check(block), allFailures.check('')];
    if (ofAddress.allowed && ofAll.allowed) return;
    const ofKey = keyFailures.check(pairOf(block, apiKey));
    if (ofKey.allowed && (await exists(apiKey))) return;
    // When all keys are checked again: for this address, and for all callers.
    const retryAfterSeconds = Math.max(secondsOf(ofAddress), secondsOf(ofAll));
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds, detail: 'too many wrong credentials' });
  }

  return async (credentials, clientAddress) => {
    const name = digestOf(`${credentials.apiKey}\n${credentials.apiSecret}`).toString('base64');
    const block = addressBlock(clientAddress);
    const wasProven = proven.has(name);
    if (!wasProven) await admit(block, credentials.apiKey);
    try {
      const merchant = await (wasProven ? known : unknown)(credentials, clientAddress);
      proven.delete(name);
      proven.add(name);
      const [oldest] = proven;
      if (proven.size > provenMax && oldest !== undefined) proven.delete(oldest);
      return merchant;
    } catch (error) {
      // An error after the secret is verified, such as a suspended account, is not a failure.
      if (error instanceof PaymentError && error.status === 401) {
        proven.delete(name);
        failures.take(block);
        keyFailures.take(pairOf(block, credentials.apiKey));
        allFailures.take('');
      }
      throw error;
    }
  };
}

const secondsOf = (decision: RateLimitDecision) => (decision.allowed ? 0 : decision.retryAfterSeconds);

/** A caller may send a long key; only a short digest of it is stored. */
const pairOf = (block: string, apiKey: string) => `${block} ${apiKey.slice(0, 40)}`;

/** Whether a key exists. Only used under attack, with one query for all waiting callers. */
function keyDirectory(findKeys: (keys: string[]) => Promise<string[]>): (key: string) => Promise<boolean> {
  let waiting = new Set<string>();
  let asking: Promise<ReadonlySet<string>> | undefined;
  async function ask(): Promise<ReadonlySet<string>> {
    await delay(askEveryMs);
    const keys = [...waiting];
    waiting = new Set();
    asking = undefined;
    return new Set(await findKeys(keys));
  }
  return async (key) => {
    if (!isApiKey(key) || waiting.size >= askedAtOnceMax) return false;
    waiting.add(key);
    asking ??= ask();
    return (await asking).has(key);
  };
}
