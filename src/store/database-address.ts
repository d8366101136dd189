/** Reads a database URL: the server, the login, and the protection of the connection. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { ConfigError } from '../config';
import { shownPath } from '../secret-files';

/** Options of the driver. */
export interface DatabaseAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  /** Undefined for a login without a schema. */
  database: string | undefined;
  ssl?: { ca?: string; cert?: string; key?: string; rejectUnauthorized: true; verifyIdentity: boolean };
}

/**
 * Spelled as in MySQL's tools. Any other parameter is an error, because it may be a protection that we would ignore.
 */
const parameters = ['ssl-mode', 'ssl-ca', 'ssl-cert', 'ssl-key'];
/** Every mode verifies the certificate. TLS without verification protects from no attacker. */
const modes = ['VERIFY_IDENTITY', 'VERIFY_CA'];

/** @throws ConfigError that names the problem. It quotes nothing of the URL, which has a password, but a file's path. */
export function readDatabaseUrl(text: string): DatabaseAddress {
  if (!URL.canParse(text)) throw new ConfigError('the database URL is not a valid URL');
  const url = new URL(text);
  const unknown = [...new Set(url.searchParams.keys())].filter((name) => !parameters.includes(name));
  if (unknown.length > 0) {
    // An unencoded question mark in a password makes the rest of the URL a parameter.
    const reported = unknown.map((name) => (/^[a-z-]{1,20}$/.test(name) ? name : '(a hidden name)'));
    throw new ConfigError(
      `the database URL has unknown parameters: ${reported.join(', ')}; known are ${parameters.join(', ')}`,
    );
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const ssl = readSsl(url.searchParams);
  // The driver does not compare certificates with an IP address.
  if (ssl?.verifyIdentity === true && isIP(host) !== 0) {
    throw new ConfigError('the database URL names an IP address: use a host name, or ssl-mode=VERIFY_CA');
  }
  return {
    host,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: schemaOf(text) || undefined,
    ...(ssl && { ssl }),
  };
}

export function schemaOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

/** The same login and protection, without a schema or with another one. */
export function withSchema(url: string, schema: string): string {
  const other = new URL(url);
  other.pathname = `/${schema}`;
  return other.href;
}

function readSsl(given: URLSearchParams): DatabaseAddress['ssl'] {
  if ([...given.keys()].length === 0) return undefined;
  const mode = given.get('ssl-mode') ?? 'VERIFY_IDENTITY';
  if (!modes.includes(mode))
    throw new ConfigError(`ssl-mode of the database URL must be ${modes.join(' or ')}`);
  if (given.has('ssl-cert') !== given.has('ssl-key')) {
    throw new ConfigError('ssl-cert and ssl-key of the database URL need each other');
  }
  const pem = (name: string) => {
    const file = given.get(name);
    return file === null ? undefined : readPem(name, file);
  };
  const [ca, cert, key] = [pem('ssl-ca'), pem('ssl-cert'), pem('ssl-key')];
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    rejectUnauthorized: true,
    verifyIdentity: mode === 'VERIFY_IDENTITY',
  };
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? '';
    throw new ConfigError(`${name} of the database URL: ${shownPath(file)} cannot be read (${why})`, {
      cause: error,
    });
  }
}
