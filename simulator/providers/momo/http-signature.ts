/** HTTP message signatures (RFC 9421) with content digests (RFC 9530), as far as this provider uses them. */
import { createHash, sign, timingSafeEqual, verify, constants, type KeyObject } from 'node:crypto';

export interface Message {
  method: string;
  authority: string;
  /** Without the query. */
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

export interface Signing {
  key: KeyObject;
  keyId: string;
  /** RFC 9421 requires the raw r and s; the provider's examples use DER. */
  encoding: 'der' | 'raw';
  createdS: number;
  expiresS: number;
}

interface Algorithm {
  hash: string;
  isEc: boolean;
  padding?: number;
}

const algorithms: Readonly<Record<string, Algorithm>> = {
  'ecdsa-p256-sha256': { hash: 'sha256', isEc: true },
  'ecdsa-p384-sha384': { hash: 'sha384', isEc: true },
  'rsa-v1_5-sha256': { hash: 'sha256', isEc: false, padding: constants.RSA_PKCS1_PADDING },
  'rsa-pss-sha512': { hash: 'sha512', isEc: false, padding: constants.RSA_PKCS1_PSS_PADDING },
};

const LABEL = 'sig-pp';
/** As in the provider's published example, including the length of the body. */
const COVERED = [
  '@method',
  '@authority',
  '@path',
  'signature-date',
  'content-digest',
  'content-type',
  'content-length',
];
/** Without these, a signature would not cover the request's content. */
const NEEDED = ['@method', '@path', 'content-digest'];
/** A raw signature may by chance begin like a DER sequence, so both forms are tried. */
const EC_ENCODINGS = ['der', 'ieee-p1363'] as const;

/** The four headers to send with a message, signed with a P-256 key. */
export function signatureHeaders(message: Message, signing: Signing): Record<string, string> {
  const headers = {
    'content-digest': contentDigest(message.body),
    'signature-date': new Date(signing.createdS * 1_000).toISOString(),
  };
  const items = COVERED.map((name) => `"${name}"`).join(' ');
  const times = `created=${String(signing.createdS)};expires=${String(signing.expiresS)}`;
  const parameters = `(${items});alg="ecdsa-p256-sha256";keyid="${signing.keyId}";${times}`;
  const length = { 'content-length': String(message.body.length) };
  const base = signatureBase(
    { ...message, headers: { ...length, ...message.headers, ...headers } },
    COVERED,
    parameters,
  );
  const signature = sign('sha256', Buffer.from(base ?? ''), {
    key: signing.key,
    dsaEncoding: signing.encoding === 'raw' ? 'ieee-p1363' : 'der',
  });
  return {
    ...headers,
    'signature-input': `${LABEL}=${parameters}`,
    signature: `${LABEL}=:${signature.toString('base64')}:`,
  };
}

function contentDigest(body: Buffer): string {
  return `sha-512=:${createHash('sha512').update(body).digest('base64')}:`;
}

/** `;alg="ecdsa-p256-sha256";created=1` */
function parameterOf(text: string, name: string): string | undefined {
  const parameter = text.split(';').find((part) => part.startsWith(`${name}=`));
  return parameter?.slice(name.length + 1).replaceAll('"', '');
}

/** `sig-pp=:base64:, other=:base64:` */
function labelled(header: string, label: string): string | undefined {
  const signature = header
    .split(',')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${label}=:`));
  return signature?.slice(label.length + 2, -1);
}

/** @returns what is invalid, or undefined if the key's owner signed this message and the signature has not expired */
export function signatureFault(message: Message, key: KeyObject, nowS: number): string | undefined {
  const input = /^\s*([\w*-]+)=(\(([^)]*)\)(.*))$/.exec(message.headers['signature-input'] ?? '');
  if (!input) return 'There is no readable Signature-Input.';
  const [, label = '', parameters = '', items = '', rest = ''] = input;
  const covered = [...items.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
  const value = (name: string) => parameterOf(rest, name);

  const algorithm = algorithms[value('alg') ?? ''];
  if (!algorithm) return 'The alg is missing or not supported.';
  if (value('keyid') === undefined) return 'The keyid is missing.';
  if (Number(value('expires') ?? Infinity) <= nowS) return 'The signature has expired.';
  const missing = NEEDED.filter((name) => !covered.includes(name));
  if (missing.length > 0) return `The signature does not cover ${missing.join(', ')}.`;
  if (!hasRightDigest(message)) return 'The Content-Digest is not that of the body.';

  const base = signatureBase(message, covered, parameters);
  if (base === undefined) return 'A covered item is not part of the request.';
  const encoded = labelled(message.headers['signature'] ?? '', label);
  const signature = Buffer.from(encoded ?? '', 'base64');
  return isSignatureOf(base, signature, key, algorithm) ? undefined : 'The signature does not match.';
}

function signatureBase(message: Message, covered: readonly string[], parameters: string): string | undefined {
  const derived: Record<string, string> = {
    '@method': message.method,
    '@authority': message.authority.toLowerCase(),
    '@path': message.path,
  };
  const values = covered.map((name) => derived[name] ?? message.headers[name]?.trim());
  if (values.includes(undefined)) return undefined;
  const lines = covered.map((name, index) => `"${name}": ${String(values[index])}`);
  return [...lines, `"@signature-params": ${parameters}`].join('\n');
}

function hasRightDigest({ headers, body }: Message): boolean {
  const [, name, encoded] =
    /^\s*sha-(256|512)=:([A-Za-z0-9+/=]+):/.exec(headers['content-digest'] ?? '') ?? [];
  if (name === undefined || encoded === undefined) return false;
  const reported = Buffer.from(encoded, 'base64');
  const right = createHash(`sha${name}`).update(body).digest();
  return reported.length === right.length && timingSafeEqual(reported, right);
}

function isSignatureOf(base: string, signature: Buffer, key: KeyObject, algorithm: Algorithm): boolean {
  const { hash, isEc, padding } = algorithm;
  const readings = isEc
    ? EC_ENCODINGS.map((dsaEncoding) => ({ key, dsaEncoding }))
    : [{ key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }];
  // The kind of key decides what it can verify, whatever the alg says.
  if (isEc !== (key.asymmetricKeyType === 'ec')) return false;
  return readings.some((reading) => verify(hash, Buffer.from(base), reading, signature));
}
