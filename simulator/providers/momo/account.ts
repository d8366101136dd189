/** The merchant's account: its dashboard settings, and the key that signs its callbacks. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { Callback } from '../../callbacks';
import type { Journal } from '../../journal';
import { signatureHeaders, type Signing } from './http-signature';
import type { MomoSettings } from './settings';

export interface Switches {
  signedRequestsOnly: boolean;
  signedCallbacks: boolean;
  signatureEncoding: 'der' | 'raw';
}

export interface Account {
  switches(): Switches;
  change(changes: Partial<Switches>): Switches;
  publicKeys(): { id: string; key: string }[];
  /** @param callback with its deliberate signature fault, if any */
  signatureOf(callback: Callback): Record<string, string>;
}

interface KeptKey {
  id: string;
  privatePem: string;
  publicPem: string;
}

const KEY_ID = 'HTTP_EC_P256_KEY:1';
const LIFE_S = 300;
/** The age and lifetime of a signature that is not new. */
const earlier: Partial<Record<string, { agoS: number; lifeS: number }>> = {
  expired_signature: { agoS: 3_600, lifeS: LIFE_S },
  // Like a retry within the quarter of an hour of retries, with another clock.
  aged_signature: { agoS: 25 * 60, lifeS: 30 * 60 },
};

export function openAccount(journal: Journal, settings: MomoSettings): Account {
  const changed = journal.collection<Partial<Switches>>('momo.account');
  const keys = journal.collection<KeptKey>('momo.keys');
  const kept = keys.get(KEY_ID) ?? newKey();
  if (!keys.get(KEY_ID)) keys.put(KEY_ID, kept);
  const key = createPrivateKey(kept.privatePem);

  const switches = (): Switches => ({
    signedRequestsOnly: settings.signedRequestsOnly,
    signedCallbacks: true,
    signatureEncoding: 'der',
    ...changed.get('switches'),
  });
  const signing = (fault: Callback['fault']): Signing => {
    // The wall clock, which the receiver uses too. Virtual time may be ahead.
    const nowS = Math.floor(Date.now() / 1_000);
    const { agoS, lifeS } = earlier[fault ?? ''] ?? { agoS: 0, lifeS: LIFE_S };
    const createdS = nowS - agoS;
    return {
      key,
      keyId: fault === 'unknown_key' ? 'HTTP_EC_P256_KEY:unknown' : kept.id,
      encoding: switches().signatureEncoding,
      createdS,
      expiresS: createdS + lifeS,
    };
  };

  return {
    switches,
    change(changes) {
      changed.put('switches', { ...changed.get('switches'), ...changes });
      return switches();
    },
    publicKeys: () => [{ id: kept.id, key: kept.publicPem }],
    signatureOf({ url, body, fault }) {
      if (fault === 'unsigned' || !switches().signedCallbacks) return {};
      const { host, pathname } = new URL(url);
      const signed = fault === 'bad_digest' ? `${body} ` : body;
      return signatureHeaders(
        {
          method: 'POST',
          authority: host,
          path: pathname,
          // The headers that are sent, which may differ deliberately from the signed ones.
          headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
          body: Buffer.from(signed),
        },
        signing(fault),
      );
    },
  };
}

function newKey(): KeptKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { id: KEY_ID, privatePem: privateKey, publicPem: publicKey };
}
