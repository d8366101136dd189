/** Verifies the signature of our requests, implemented from RFC 9421 without our code. */
import { verify } from 'node:crypto';
import { baseOf, covered, digestOf, newEcKey, nowS } from './callback-signing';

/** The account's key. */
export const key = newEcKey();
export const pem = key.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

/** The covered parts and parameters, and whether `key` has signed this exact message. */
export function examine(headers: Record<string, unknown>, host: string, path: string, body: string) {
  const input = String(headers['signature-input']).replace(/^sig-pp=/, '');
  const components = [...(input.split(')')[0] ?? '').matchAll(/"([^"]+)"/g)].map(([, name]) => String(name));
  const reported = /^sig-pp=:(.*):$/.exec(String(headers['signature']))?.[1] ?? '';
  const signature = Buffer.from(reported, 'base64');
  const values = { ...headers, '@method': 'POST', '@authority': host, '@path': path };
  const base = baseOf(components, values, input);
  const isSignedAs = (dsaEncoding: 'der' | 'ieee-p1363') =>
    verify('sha256', base, { key: key.publicKey, dsaEncoding }, signature);
  const number = (name: string) => Number(new RegExp(`;${name}=(\\d+)`).exec(input)?.[1]);
  return {
    components,
    alg: /;alg="([^"]+)"/.exec(input)?.[1],
    keyid: /;keyid="([^"]+)"/.exec(input)?.[1],
    lifeS: number('expires') - number('created'),
    isRecent: Math.abs(nowS() - number('created')) < 600,
    hasRightDigest: headers['content-digest'] === digestOf(body),
    signedAs: (['der', 'ieee-p1363'] as const).filter(isSignedAs),
  };
}

/** The expected properties of a submission, besides the encoding of its signature. */
export const right = {
  components: covered,
  alg: 'ecdsa-p256-sha256',
  keyid: 'MALIPO:1',
  lifeS: 300,
  isRecent: true,
  hasRightDigest: true,
};
