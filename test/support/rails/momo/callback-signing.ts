/** Signs notifications as the provider does, with the test's keys, implemented from RFC 9421 without our code. */
import { constants, createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

export const newEcKey = (namedCurve = 'P-256'): KeyPair => generateKeyPairSync('ec', { namedCurve });
export const pemOf = ({ publicKey }: KeyPair): string =>
  publicKey.export({ type: 'spki', format: 'pem' }) as string;
export const digestOf = (body: string, algorithm = 'sha512'): string =>
  `${algorithm.replace('sha', 'sha-')}=:${createHash(algorithm).update(body).digest('base64')}:`;
export const nowS = (): number => Math.floor(Date.now() / 1_000);

const [p256, p384] = [newEcKey(), newEcKey('P-384')];
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** In the provider's list, as PEM. */
export const keysOfTest: readonly { id: string; key: string }[] = [
  { id: 'P256:1', key: pemOf(p256) },
  { id: 'P384:1', key: pemOf(p384) },
  { id: 'RSA:1', key: pemOf(rsa) },
];

type Sign = (base: Buffer) => Buffer;
const ecdsa =
  (hash: string, { privateKey: key }: KeyPair, dsaEncoding: 'der' | 'ieee-p1363'): Sign =>
  (base) =>
    sign(hash, base, { key, dsaEncoding });
const rawP256 = ecdsa('sha256', p256, 'ieee-p1363');
/** A DER signature begins with this byte; a raw one does so once in 256 times. */
const likeDer: Sign = (base) => {
  for (;;) {
    const signature = rawP256(base);
    if (signature[0] === 0x30) return signature;
  }
};
const rsaPss: Sign = (base) =>
  sign('sha512', base, { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 });

export interface Changes {
  sign?: Sign;
  components?: string[];
  /** The covered parts: headers, and values derived from the request. */
  values?: Record<string, string>;
  alg?: string | undefined;
  keyid?: string | undefined;
  created?: number | undefined;
  expires?: number | undefined;
}

export const covered = [
  '@method',
  '@authority',
  '@path',
  'signature-date',
  'content-digest',
  'content-type',
  'content-length',
];

export const genuineWays: [string, Changes][] = [
  ['ECDSA P-256, DER', {}],
  ['ECDSA P-256, r and s raw', { sign: rawP256 }],
  ['ECDSA P-256, raw, beginning as DER does', { sign: likeDer }],
  ['ECDSA P-384, DER', { alg: 'ecdsa-p384-sha384', keyid: 'P384:1', sign: ecdsa('sha384', p384, 'der') }],
  [
    'ECDSA P-384, r and s raw',
    { alg: 'ecdsa-p384-sha384', keyid: 'P384:1', sign: ecdsa('sha384', p384, 'ieee-p1363') },
  ],
  ['RSA', { alg: 'rsa-v1_5-sha256', keyid: 'RSA:1', sign: (base) => sign('sha256', base, rsa.privateKey) }],
  ['RSA-PSS', { alg: 'rsa-pss-sha512', keyid: 'RSA:1', sign: rsaPss }],
  ['that covers only the required parts', { components: ['@method', '@path', 'content-digest'] }],
  [
    'that covers everything except the length',
    { components: covered.filter((name) => name !== 'content-length') },
  ],
  ['no expiry', { expires: undefined }],
  ['half an hour old', { created: nowS() - 29 * 60, expires: nowS() + 3_600 }],
];
export const byKey = (pair: KeyPair): Sign => ecdsa('sha256', pair, 'der');
export const byUnknownKey = byKey(newEcKey());
export const byLargerKey = byKey(p384);
export const byLargerHash = ecdsa('sha384', p256, 'der');

export interface Sent {
  body: string;
  headers: Record<string, string>;
}

/** @param changes to an authentic signature; a parameter that is undefined is left out */
export function signed(body: string, authority: string, changes: Changes = {}): Sent {
  const {
    sign: signBase = ecdsa('sha256', p256, 'der'),
    components = covered,
    values,
    ...parameters
  } = changes;
  const all: Record<string, string> = {
    '@method': 'POST',
    '@authority': authority,
    '@path': '/in/momo',
    'signature-date': new Date().toISOString(),
    'content-digest': digestOf(body),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...values,
  };
  const input = inputOf(components, {
    alg: 'ecdsa-p256-sha256',
    keyid: 'P256:1',
    created: nowS(),
    expires: nowS() + 300,
    ...parameters,
  });
  const signature = signBase(baseOf(components, all, input)).toString('base64');
  // The sender writes the length.
  const headers = Object.entries(all).filter(([name]) => !/^(?:@|content-length$)/.test(name));
  return {
    body,
    headers: {
      ...Object.fromEntries(headers),
      'signature-input': `sig-pp=${input}`,
      signature: `sig-pp=:${signature}:`,
    },
  };
}

function inputOf(components: string[], parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`;${name}=${JSON.stringify(value)}`],
  );
  return `(${components.map((name) => `"${name}"`).join(' ')})${given.join('')}`;
}

/** The signed text: one line per covered item, and the parameters as sent (RFC 9421, 2.5). */
export function baseOf(components: string[], values: Record<string, unknown>, input: string): Buffer {
  const lines = components.map((name) => `"${name}": ${String(values[name])}`);
  return Buffer.from([...lines, `"@signature-params": ${input}`].join('\n'));
}

export interface KeyList {
  url: string;
  /** The provider for all requests except those for keys. */
  providerUrl: string;
  asked: number;
  keys: { id: string; key: string }[];
  close(): Promise<void>;
}

/** The provider with the test's keys in addition to its own. */
export async function startKeyList(): Promise<KeyList> {
  const server = createServer((request, response) => {
    const { url = '', method = 'GET', headers } = request;
    const answer = async (): Promise<void> => {
      const upstream = await fetch(`${list.providerUrl}${url}`, {
        method,
        headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: await text(request) }),
      });
      const json = (await upstream.json()) as object;
      const isKeys = url.endsWith('/v2/public-key/http');
      if (isKeys) list.asked += 1;
      response.writeHead(upstream.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKeys ? [...(json as object[]), ...list.keys] : json));
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const list: KeyList = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    providerUrl: '',
    asked: 0,
    keys: [...keysOfTest],
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
  return list;
}
