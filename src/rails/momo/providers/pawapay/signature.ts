import {
  constants,
  createHash,
  createPublicKey,
  createSign,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import { httpbis, type Verifier } from 'http-message-signatures';
import { bytesOf } from '../../../../domain/canonical';
import type { RequestKey } from '../../settings';

/** What must be covered, or a signature protects nothing (RFC 9421; the body is covered through its digest). */
const requiredFields = ['content-digest', '@method', '@path'];
/**
 * A callback older than this is a replay, whatever it says about its own expiry. Callbacks are repeated for about a
 * quarter of an hour; the inbox drops the repeats.
 */
const maxAgeSeconds = 30 * 60;
const clockToleranceSeconds = 60;

export interface SignedMessage {
  method: string;
  /** As the provider addressed it. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  rawBody: Buffer;
}

/** @returns why a callback is not the provider's, or undefined when it is. */
export async function faultOfSignature(
  message: SignedMessage,
  findKey: (keyId: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const digestFault = faultOfDigest(message.headers['content-digest'], message.rawBody);
  if (digestFault !== undefined) return digestFault;
  const received = Object.entries(message.headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  // The length may be covered, and a proxy on the way may have taken the header off.
  const headers = { 'content-length': String(message.rawBody.length), ...Object.fromEntries(received) };
  try {
    const verified = await httpbis.verifyMessage(
      {
        requiredParams: ['alg', 'keyid', 'created'],
        requiredFields,
        // The library takes the tolerance off the age that it allows.
        maxAge: maxAgeSeconds + clockToleranceSeconds,
        tolerance: clockToleranceSeconds,
        all: true,
        async keyLookup({ keyid, alg }) {
          const pem = keyid === undefined ? undefined : await findKey(keyid);
          if (pem === undefined || alg === undefined) return null;
          const verifier = verifierOf(alg, createPublicKey(pem));
          return verifier ? { id: keyid ?? '', algs: [alg], verify: verifier } : null;
        },
      },
      { method: message.method, url: message.url, headers },
    );
    return verified === true ? undefined : 'the signature is wrong or missing';
  } catch {
    // The library's message quotes what was sent, which nobody has proven yet.
    return 'the signature cannot be read';
  }
}

/** The digest is what ties the signature to the body, so it is computed anew and never taken from the header. */
function faultOfDigest(header: string | string[] | undefined, rawBody: Buffer): string | undefined {
  const match = typeof header === 'string' ? /^(sha-512|sha-256)=:([A-Za-z0-9+/=]+):$/.exec(header) : null;
  if (!match) return 'no Content-Digest that can be checked';
  const computed = createHash(match[1] === 'sha-512' ? 'sha512' : 'sha256')
    .update(rawBody)
    .digest();
  const told = bytesOf(match[2] ?? '', 'base64');
  return told?.length === computed.length && timingSafeEqual(told, computed)
    ? undefined
    : 'the body is not the one that was signed';
}

interface Algorithm {
  /** The kinds of key it goes with (RFC 9421, 3.2): a header may not put a key to another use. */
  keyTypes: string[];
  curve?: string;
  verify(data: Buffer, key: KeyObject, signature: Buffer): boolean;
}

/** RFC 9421 writes ECDSA signatures as r and s; the provider's own examples write DER. Both are taken. */
function ecdsa(hash: string, rawLength: number) {
  return (data: Buffer, key: KeyObject, signature: Buffer): boolean => {
    const isDer = signature.length !== rawLength && signature[0] === 0x30;
    const dsaEncoding = isDer ? ('der' as const) : ('ieee-p1363' as const);
    return verify(hash, data, { key, dsaEncoding }, signature);
  };
}

const algorithms: Record<string, Algorithm> = {
  'ecdsa-p256-sha256': { keyTypes: ['ec'], curve: 'prime256v1', verify: ecdsa('sha256', 64) },
  'ecdsa-p384-sha384': { keyTypes: ['ec'], curve: 'secp384r1', verify: ecdsa('sha384', 96) },
  'rsa-v1_5-sha256': {
    keyTypes: ['rsa'],
    verify: (data, key, signature) => verify('sha256', data, key, signature),
  },
  'rsa-pss-sha512': {
    keyTypes: ['rsa', 'rsa-pss'],
    // The provider salts with 64 bytes.
    verify: (data, key, signature) =>
      verify('sha512', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }, signature),
  },
};

/** @returns undefined when the algorithm is not known, or the key is not one for it. */
function verifierOf(alg: string, key: KeyObject): Verifier | undefined {
  const algorithm = algorithms[alg];
  const { asymmetricKeyType = '', asymmetricKeyDetails } = key;
  if (!algorithm?.keyTypes.includes(asymmetricKeyType)) return undefined;
  if (asymmetricKeyDetails?.namedCurve !== algorithm.curve) return undefined;
  return (data, signature) => Promise.resolve(algorithm.verify(data, key, signature));
}

/** What the provider's published example of signing covers. */
const coveredFields = [
  '@method',
  '@authority',
  '@path',
  'signature-date',
  'content-digest',
  'content-type',
  'content-length',
];

/** Signs a request of ours as the provider's examples do: ECDSA P-256. */
export function requestSigner({ id, pem, encoding }: RequestKey) {
  const dsaEncoding = encoding === 'raw' ? ('ieee-p1363' as const) : ('der' as const);
  return async (url: string, rawBody: string): Promise<Record<string, string>> => {
    const digest = `sha-512=:${createHash('sha512').update(rawBody).digest('base64')}:`;
    const { headers } = await httpbis.signMessage(
      {
        name: 'sig-pp',
        fields: coveredFields,
        params: ['alg', 'keyid', 'created', 'expires'],
        key: {
          id,
          alg: 'ecdsa-p256-sha256',
          sign: (data) => Promise.resolve(createSign('sha256').update(data).sign({ key: pem, dsaEncoding })),
        },
      },
      {
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(rawBody)),
          'content-digest': digest,
          'signature-date': new Date().toISOString(),
        },
      },
    );
    return headers;
  };
}
