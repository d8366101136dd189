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
/** How far back an expired signature was made. */
const LONG_AGO_S = 3_600;

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
    const createdS = fault === 'expired_signature' ? nowS - LONG_AGO_S : nowS;
    return {
      key,
      keyId: fault === 'unknown_key' ? 'HTTP_EC_P256_KEY:unknown' : kept.id,
      encoding: switches().signatureEncoding,
      createdS,
      expiresS: createdS + LIFE_S,
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
          headers: { 'content-type': 'application/json' },
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
