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

/** Fields that the signature must cover, otherwise it protects nothing (RFC 9421; the digest covers the body). */
const requiredFields = ['content-digest', '@method', '@path'];
/**
 * An older callback is a replay, whatever expiry it has. The provider repeats callbacks for about a quarter of an hour;
 * the inbox drops repeats.
 */
const maxAgeSeconds = 30 * 60;
const clockToleranceSeconds = 60;

export interface SignedMessage {
  method: string;
  /** The address that the provider used. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  rawBody: Buffer;
}

/** @returns why a callback does not come from the provider, or undefined when it does. */
export async function faultOfSignature(
  message: SignedMessage,
  findKey: (keyId: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const digestFault = faultOfDigest(message.headers['content-digest'], message.rawBody);
  if (digestFault !== undefined) return digestFault;
  const received = Object.entries(message.headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  // The signature may cover the length, and a proxy on the way may have removed the header.
  const headers = { 'content-length': String(message.rawBody.length), ...Object.fromEntries(received) };
  try {
    const verified = await httpbis.verifyMessage(
      {
        requiredParams: ['alg', 'keyid', 'created'],
        requiredFields,
        // The library subtracts the tolerance from the allowed age.
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
    // The library's message quotes the received text, which is unverified.
    return 'the signature cannot be read';
  }
}

/** The digest ties the signature to the body. So it is calculated, and never taken from the header. */
function faultOfDigest(header: string | string[] | undefined, rawBody: Buffer): string | undefined {
  const match = typeof header === 'string' ? /^(sha-512|sha-256)=:([A-Za-z0-9+/=]+):$/.exec(header) : null;
  if (!match) return 'no Content-Digest with a known algorithm';
  const computed = createHash(match[1] === 'sha-512' ? 'sha512' : 'sha256')
    .update(rawBody)
    .digest();
  const reported = bytesOf(match[2] ?? '', 'base64');
  return reported?.length === computed.length && timingSafeEqual(reported, computed)
    ? undefined
    : 'the body is not the one that was signed';
}

interface Algorithm {
  /** The key types of the algorithm (RFC 9421, 3.2): a header may not use a key for another purpose. */
  keyTypes: string[];
  curve?: string;
  verify(data: Buffer, key: KeyObject, signature: Buffer): boolean;
}

/** RFC 9421 writes ECDSA signatures as r and s; the provider's own examples write DER. Both are accepted. */
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

/** @returns undefined when the algorithm is unknown, or the key has the wrong type for it. */
function verifierOf(alg: string, key: KeyObject): Verifier | undefined {
  const algorithm = algorithms[alg];
  const { asymmetricKeyType = '', asymmetricKeyDetails } = key;
  if (!algorithm?.keyTypes.includes(asymmetricKeyType)) return undefined;
  if (asymmetricKeyDetails?.namedCurve !== algorithm.curve) return undefined;
  return (data, signature) => Promise.resolve(algorithm.verify(data, key, signature));
}

/** The fields that the provider's published signing example covers. */
const coveredFields = [
  '@method',
  '@authority',
  '@path',
  'signature-date',
  'content-digest',
  'content-type',
  'content-length',
];

/** Signs our requests as the provider's examples do: ECDSA P-256. */
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
