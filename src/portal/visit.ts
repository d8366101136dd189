/** One request with its cookies, as the pages see it, and the answers of the pages. */
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
  /** Without a mail server, the portal sends no invitations and resets no passwords. */
  sendsMail: boolean;
  /** The rails whose payments can be found by a provider's reference. */
  rails: readonly string[];
  /** Whether default limits apply to payouts without a limit. */
  outflowDefaults: boolean;
  /** The minimum age of a role, in seconds, before its holder decides about money. */
  standingSeconds: number;
  /** The rails whose provider statements can be read. */
  statementRails: readonly string[];
  /** Sends a test event to a merchant's address. */
  tests: Pick<TestSender, 'send'>;
  acts: Acts;
  /** Removes secrets and personal data from a provider's message. */
  redact(body: string): string;
  /** Operator actions. */
  operations: Operations;
  log: Log;
}

/** The role of a user on a merchant's page: a member of its team, or a platform role. */
export type AnyRole = MerchantRole | Role;

export interface MerchantPlace {
  merchant: MerchantRow;
  as: AnyRole;
}

export interface Visit extends PortalServices {
  method: 'GET' | 'POST';
  /** The path with the query, for links back to this page. */
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The text of a field of the POST; empty if it was not sent. */
  form(name: string): string;
  /** All texts of the form. */
  fields(): [name: string, text: string][];
  /** An uploaded file, if the route accepts files. */
  file(name: string): Buffer | undefined;
  language: Language;
  t: Translate;
  cookies: Cookies;
  trier: Trier & { agent: string };
  /** The token that proves that a form comes from our own page. */
  csrf: string;
  session: Session | undefined;
  /** Set on a merchant's page. */
  place: MerchantPlace | undefined;
  /** Set on a page of the platform. */
  operator: Operator | undefined;
}

/** A visit after the access check of its route. */
export type SignedInVisit = Visit & { session: Session };
export type PlatformVisit = SignedInVisit & { operator: Operator };
export type MerchantVisit = SignedInVisit & { place: MerchantPlace };

export type PageResponse =
  | {
      kind: 'page';
      status?: number;
      /** For a temporary refusal. */
      retryAfterSeconds?: number;
      title: string;
      body: string;
      cookies?: string[];
      /** The token for its forms, if this page gave the session a new one. */
      csrf?: string;
      /** The digest of its updating region. A browser that already shows that region gets an empty answer. */
      seen?: string;
    }
  | { kind: 'go'; to: string; cookies?: string[] }
  /** A file download; the portal chooses its name. */
  | { kind: 'download'; type: string; name: string; parts: AsyncIterable<string> };

/** The time zone of a page: the merchant's if it is set, otherwise the deployment's. */
export const zoneOf = ({ place, config }: Pick<Visit, 'place' | 'config'>): string =>
  place?.merchant.time_zone ?? config.timezone;

export const go = (to: string, cookies: string[] = []): PageResponse => ({ kind: 'go', to, cookies });

/**
 * Our cookies. Over https, their names begin with `__Host-`, so no other host can set or receive them. Over http, which
 * only the sandbox uses, browsers would refuse that prefix.
 */
const cookieNames = {
  session: { maxAgeSeconds: 12 * 3_600 },
  /** Without a session: the token behind the form tokens. */
  visit: { maxAgeSeconds: 24 * 3_600 },
  /** The token of a mailed link, while its page is open. */
  link: { maxAgeSeconds: 3_600 },
  /** Set after a successful sign-in in this browser; see users/passwords.ts. */
  browser: { maxAgeSeconds: 180 * 86_400 },
  language: { maxAgeSeconds: 365 * 86_400 },
} as const;

type CookieName = keyof typeof cookieNames;

export interface Cookies {
  get(name: CookieName): string | undefined;
  /** The header that sets a cookie. */
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
      if (!valueShape.test(value)) throw new RangeError('invalid cookie value');
      return `${nameOf(name)}=${value}; ${attributes}; Max-Age=${String(cookieNames[name].maxAgeSeconds)}`;
    },
    clear: (name) => `${nameOf(name)}=; ${attributes}; Max-Age=0`,
  };
}
