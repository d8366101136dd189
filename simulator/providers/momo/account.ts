/** The merchant's account: what its dashboard would let one switch, and the key that its callbacks are signed with. */
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
  /** @param callback with what is to be wrong about its signature, if anything */
  signatureOf(callback: Callback): Record<string, string>;
}

interface KeptKey {
  id: string;
  privatePem: string;
  publicPem: string;
}

const KEY_ID = 'HTTP_EC_P256_KEY:1';
const LIFE_S = 300;
/** How far back a signature was made that is not of now, and for how long it is good. */
const earlier: Partial<Record<string, { agoS: number; lifeS: number }>> = {
  expired_signature: { agoS: 3_600, lifeS: LIFE_S },
  // As one of the repetitions that go on for a quarter of an hour, from a clock that is not ours.
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
    // The wall clock, because that is what the receiver compares with; virtual time may run ahead of it.
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
          // Of what is sent, where what is signed differs on purpose.
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
