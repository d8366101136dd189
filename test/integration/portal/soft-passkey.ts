/** A simulated device with one passkey, which answers every challenge. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest();
const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/** Flags: user present, user verified, and attested credential data included. */
const flags = { shown: 0x05, made: 0x45 };

export interface Asking {
  challenge: string;
  origin: string;
  /** The RP id that the device assumes. */
  rpId: string;
}

export interface SoftPasskey {
  /** The browser's JSON for a new passkey. */
  register(asking: Asking): string;
  /** The browser's JSON for a challenge. By default it increments the counter. */
  answer(asking: Asking, counts?: boolean): string;
}

export function softPasskey(): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let count = 0;
  const clientData = (type: string, { challenge, origin }: Asking) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const head = (rpId: string, flag: number) => {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(count);
    return Buffer.concat([digest(rpId), Buffer.from([flag]), counted]);
  };
  const reported = (response: object) =>
    JSON.stringify({
      id: base64url(id),
      rawId: base64url(id),
      type: 'public-key',
      clientExtensionResults: {},
      response,
    });
  return {
    register(asking) {
      const cose = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
          [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
        ]),
      );
      const idLength = Buffer.from([0, id.length]);
      const authData = Buffer.concat([head(asking.rpId, flags.made), Buffer.alloc(16), idLength, id, cose]);
      const attestation = isoCBOR.encode(
        new Map<string, string | Uint8Array | Map<string, never>>([
          ['fmt', 'none'],
          ['attStmt', new Map<string, never>()],
          ['authData', new Uint8Array(authData)],
        ]),
      );
      return reported({
        clientDataJSON: base64url(clientData('webauthn.create', asking)),
        attestationObject: base64url(attestation),
        transports: ['internal', '<script>'],
      });
    },
    answer(asking, counts = true) {
      if (counts) count += 1;
      const data = clientData('webauthn.get', asking);
      const authData = head(asking.rpId, flags.shown);
      return reported({
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authData),
        signature: base64url(sign('sha256', Buffer.concat([authData, digest(data)]), privateKey)),
      });
    },
  };
}
