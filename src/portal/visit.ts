/** One request with its cookies, as the pages see it, and what they answer with. */
import type { Config } from '../config';
import type { Log } from '../domain/log';
import type { SecretBox } from '../merchants/secrets';
import type { Database } from '../store/database';
import type { MerchantRow } from '../store/tables';
import type { Operator, Role } from '../users/operators';
import type { Trier } from '../users/passwords';
import type { MerchantRole } from '../users/roles';
import type { Session } from '../users/sessions';
import type { TestSender } from '../webhooks/send-test';
import type { Acts } from './acts';
import type { Language } from './format';
import type { Operations } from './operating';
import type { PortalSettings } from './settings';
import type { Translate } from './words';

export interface PortalServices {
  db: Database;
  box: SecretBox;
  config: Pick<
    Config,
    | 'environment'
    | 'timezone'
    | 'trustedProxies'
    | 'publicUrl'
    | 'docsUrl'
    | 'temporalUiUrl'
    | 'temporalNamespace'
  >;
  settings: PortalSettings;
  /** Without a mail server nobody is invited from here, and no password is reset. */
  sendsMail: boolean;
  /** The rails whose payments are found by the names that providers give them. */
  rails: readonly string[];
  /** Whether payouts that nobody has set a limit for have the default ones. */
  outflowDefaults: boolean;
  /** How long a role has to have stood before it decides on money. */
  standingSeconds: number;
  /** Those whose providers' statements are read. */
  statementRails: readonly string[];
  /** Sends a merchant's address something to try it with. */
  tests: Pick<TestSender, 'send'>;
  acts: Acts;
  /** What a provider has sent, without the secrets and the persons in it. */
  redact(body: string): string;
  /** What operators do. */
  operations: Operations;
  log: Log;
}

/** What somebody is to the merchant of a page: one who works there, or one of the platform. */
export type Standing = MerchantRole | Role;

export interface Place {
  merchant: MerchantRow;
  as: Standing;
}

export interface Visit extends PortalServices {
  method: 'GET' | 'POST';
  /** The path and the query, as a page of ours may lead back to it. */
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** What was sent with a POST; empty texts for what was not. */
  form(name: string): string;
  /** All texts of the form. */
  fields(): [name: string, text: string][];
  /** A file that was sent with it, where the route takes any. */
  file(name: string): Buffer | undefined;
  language: Language;
  t: Translate;
  cookies: Cookies;
  trier: Trier & { agent: string };
  /** Proves that a form is from a page of ours. */
  csrf: string;
  session: Session | undefined;
  /** Of a page about a merchant. */
  place: Place | undefined;
  /** Of a page of the platform. */
  operator: Operator | undefined;
}

/** A visit that got past the guard of its route. */
export type SignedInVisit = Visit & { session: Session };
export type PlatformVisit = SignedInVisit & { operator: Operator };
export type MerchantVisit = SignedInVisit & { place: Place };

export type Answer =
  | {
      kind: 'page';
      status?: number;
      /** Of what is refused for now. */
      retryAfterSeconds?: number;
      title: string;
      body: string;
      cookies?: string[];
      /** What proves its forms, where the session has another token from this page on. */
      csrf?: string;
      /** What of it renews itself, by its digest: nothing is sent to who shows that already. */
      seen?: string;
    }
  | { kind: 'go'; to: string; cookies?: string[] }
  /** A file that a browser saves under a name of ours. */
  | { kind: 'download'; type: string; name: string; parts: AsyncIterable<string> };

/** Whose clock a page is read by: the merchant's, where it is about one that has set it. */
export const zoneOf = ({ place, config }: Pick<Visit, 'place' | 'config'>): string =>
  place?.merchant.time_zone ?? config.timezone;

export const go = (to: string, cookies: string[] = []): Answer => ({ kind: 'go', to, cookies });

/**
 * What the browser keeps for us. By https each name begins with `__Host-`, so that no other host can have set it and it
 * goes nowhere else; by http, which only the sandbox has, browsers would refuse such a name.
 */
const cookieNames = {
  session: { maxAgeSeconds: 12 * 3_600 },
  /** Of who is not signed in: what proves that the form comes from a page of ours. */
  visit: { maxAgeSeconds: 24 * 3_600 },
  /** A link that was mailed, while its page is open. */
  link: { maxAgeSeconds: 3_600 },
  /** Its owner was let in with this browser before; see users/passwords.ts. */
  browser: { maxAgeSeconds: 180 * 86_400 },
  language: { maxAgeSeconds: 365 * 86_400 },
} as const;

type CookieName = keyof typeof cookieNames;

export interface Cookies {
  get(name: CookieName): string | undefined;
  /** The header that sets one. */
  set(name: CookieName, value: string): string;
  clear(name: CookieName): string;
}

const valueShape = /^[\w.~-]{1,1000}$/;

export function cookiesOf(header: string | undefined, isSecure: boolean): Cookies {
  const nameOf = (name: CookieName) => `${isSecure ? '__Host-' : 'malipo-'}${name}`;
  const given = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at > 0) given.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
  }
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    get(name) {
      const value = given.get(nameOf(name));
      return value !== undefined && valueShape.test(value) ? value : undefined;
    },
    set(name, value) {
      if (!valueShape.test(value)) throw new RangeError('no value of a cookie');
      return `${nameOf(name)}=${value}; ${attributes}; Max-Age=${String(cookieNames[name].maxAgeSeconds)}`;
    },
    clear: (name) => `${nameOf(name)}=; ${attributes}; Max-Age=0`,
  };
}
