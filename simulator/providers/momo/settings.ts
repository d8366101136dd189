import { createPublicKey, type KeyObject } from 'node:crypto';
import type { SettingsReader } from '../../settings';
import type { Operation } from './operations';

export interface MomoSettings {
  token: string;
  /** Set once per account and operation, never per request; without one no callbacks are sent. */
  callbackUrls: Record<Operation, string | undefined>;
  signedRequestsOnly: boolean;
  /** The merchant's key, as uploaded to the account; used only while signed requests are required. */
  requestKey?: KeyObject;
  /** How long a normal payer takes, in virtual time. */
  soonMs: number;
}

export function readMomoSettings(reader: SettingsReader): MomoSettings {
  const requestKey = readPublicKey(reader, 'MOMO_REQUEST_PUBLIC_KEY');
  const signedRequestsOnly = reader.flag('MOMO_SIGNED_REQUESTS_ONLY');
  if (signedRequestsOnly && !requestKey) {
    reader.refuse('MOMO_SIGNED_REQUESTS_ONLY needs MOMO_REQUEST_PUBLIC_KEY, the key to verify them with');
  }
  return {
    token: reader.text('MOMO_TOKEN'),
    callbackUrls: {
      DEPOSIT: reader.url('MOMO_CALLBACK_DEPOSIT_URL'),
      PAYOUT: reader.url('MOMO_CALLBACK_PAYOUT_URL'),
      REFUND: reader.url('MOMO_CALLBACK_REFUND_URL'),
    },
    signedRequestsOnly,
    ...(requestKey && { requestKey }),
    soonMs: reader.number('MALIPO_SIMULATOR_MOMO_DELAY_MS', 2_000, { min: 0, max: 60_000 }),
  };
}

function readPublicKey(reader: SettingsReader, name: string): KeyObject | undefined {
  const pem = reader.text(name, '');
  if (pem === '') return undefined;
  try {
    // An environment file has a PEM on one line, with escaped line breaks.
    return createPublicKey(pem.replaceAll('\\n', '\n'));
  } catch {
    reader.refuse(`${name} must be a public key in PEM`);
    return undefined;
  }
}
