import {
  createHash,
  createPublicKey,
  createSign,
  createVerify,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import { httpbis, type Verifier } from 'http-message-signatures';

/** What must be covered, or a signature protects nothing (RFC 9421; the body is covered through its digest). */
const requiredFields = ['content-digest', '@method', '@path'];
/** A callback older than this is a replay, whatever it says about its own expiry. */
const maxAgeSeconds = 15 * 60;
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
  const headers = Object.fromEntries(
    Object.entries(message.headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined,
    ),
  );
  try {
    const verified = await httpbis.verifyMessage(
      {
        requiredParams: ['alg', 'keyid', 'created'],
        requiredFields,
        maxAge: maxAgeSeconds,
        tolerance: clockToleranceSeconds,
        all: true,
        async keyLookup({ keyid, alg, expires }) {
          if (Number(expires) > 0 && Number(expires) + clockToleranceSeconds < Date.now() / 1000) return null;
          const pem = keyid === undefined ? undefined : await findKey(keyid);
          const verifier = verifiers[alg ?? ''];
          if (pem === undefined || !verifier || alg === undefined) return null;
          return { id: keyid ?? '', algs: [alg], verify: verifier(createPublicKey(pem)) };
        },
      },
      { method: message.method, url: message.url, headers },
    );
    return verified === true ? undefined : 'the signature is wrong or missing';
  } catch (error) {
    return error instanceof Error ? error.message : 'the signature cannot be read';
  }
}

/** The digest is what ties the signature to the body, so it is computed anew and never taken from the header. */
function faultOfDigest(header: string | string[] | undefined, rawBody: Buffer): string | undefined {
  const match = typeof header === 'string' ? /^(sha-512|sha-256)=:([A-Za-z0-9+/=]+):$/.exec(header) : null;
  if (!match) return 'no Content-Digest that can be checked';
  const computed = createHash(match[1] === 'sha-512' ? 'sha512' : 'sha256')
    .update(rawBody)
    .digest();
  const told = Buffer.from(match[2] ?? '', 'base64');
  return told.length === computed.length && timingSafeEqual(told, computed)
    ? undefined
    : 'the body is not the one that was signed';
}

/** RFC 9421 writes ECDSA signatures as r and s; the provider's own examples write DER. Both are taken. */
function ecdsa(hash: string, rawLength: number) {
  return (key: KeyObject): Verifier =>
    (data, signature) => {
      const isDer = signature.length !== rawLength && signature[0] === 0x30;
      const dsaEncoding = isDer ? ('der' as const) : ('ieee-p1363' as const);
      return Promise.resolve(createVerify(hash).update(data).verify({ key, dsaEncoding }, signature));
    };
}

const verifiers: Record<string, (key: KeyObject) => Verifier> = {
  'ecdsa-p256-sha256': ecdsa('sha256', 64),
  'ecdsa-p384-sha384': ecdsa('sha384', 96),
  'rsa-v1_5-sha256': (key) => (data, signature) => Promise.resolve(verify('sha256', data, key, signature)),
  'rsa-pss-sha512': (key) => (data, signature) =>
    // 6 is RSA_PKCS1_PSS_PADDING; the provider salts with 64 bytes.
    Promise.resolve(verify('sha512', data, { key, padding: 6, saltLength: 64 }, signature)),
};

/** Signs a request of ours as the provider's examples do: ECDSA P-256, DER. */
export function requestSigner({ id, pem }: { id: string; pem: string }) {
  return async (url: string, rawBody: string): Promise<Record<string, string>> => {
    const digest = `sha-512=:${createHash('sha512').update(rawBody).digest('base64')}:`;
    const { headers } = await httpbis.signMessage(
      {
        name: 'sig-pp',
        fields: ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type'],
        params: ['alg', 'keyid', 'created', 'expires'],
        key: {
          id,
          alg: 'ecdsa-p256-sha256',
          sign: (data) =>
            Promise.resolve(createSign('sha256').update(data).sign({ key: pem, dsaEncoding: 'der' })),
        },
      },
      {
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          'content-digest': digest,
          'signature-date': new Date().toISOString(),
        },
      },
    );
    return headers;
  };
}
