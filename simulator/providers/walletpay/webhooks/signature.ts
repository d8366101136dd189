/** The headers that prove an event's origin, and their deliberate faults. */
import { randomUUID, sign, verify, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Callback } from '../../../callbacks';
import type { Behaviour } from '../../../faults';
import type { CertificateKind, Certificates, KeptCertificate } from './certificates';

export const signatureFaults = [
  'bad_signature',
  'foreign_cert_url',
  'expired_cert',
  'untrusted_cert',
  'orphan_cert',
  'changed_body',
  'missing_header',
] as const satisfies readonly Behaviour[];

/** Looks like the provider's address to code that searches the text and does not compare hosts. */
const FOREIGN_CERT_URL = 'https://api.paypal.com.attacker.example/v1/notifications/certs/CERT-360caa42';
const AUTH_ALGO = 'SHA256withRSA';

const certificateOf: Partial<Record<Behaviour, CertificateKind>> = {
  expired_cert: 'expired',
  untrusted_cert: 'untrusted',
  orphan_cert: 'orphaned',
};

export interface Transmission {
  id: string;
  time: string;
  webhookId: string;
}

const messageOf = ({ id, time, webhookId }: Transmission, body: string) =>
  Buffer.from([id, time, webhookId, String(crc32(body))].join('|'));

/** @param webhookId of the merchant's webhook, which the receiver knows and the event does not contain */
export function signatureHeaders(
  { body, fault, headers = {} }: Callback,
  certificates: Certificates,
  webhookId: string,
): Record<string, string> {
  const { name, keyPem } = certificates.of((fault && certificateOf[fault]) ?? 'trusted');
  // The wall clock, for the same reason as in the certificates.
  const time = `${new Date().toISOString().slice(0, 19)}Z`;
  const transmission = { id: randomUUID(), time, webhookId };
  const signed = fault === 'changed_body' || fault === 'bad_signature' ? `${body} ` : body;
  const signature = sign('RSA-SHA256', messageOf(transmission, signed), keyPem).toString('base64');
  const ownUrl = new URL(name, headers['paypal-cert-url']).href;
  return {
    'paypal-transmission-id': transmission.id,
    'paypal-transmission-time': time,
    ...(fault !== 'missing_header' && { 'paypal-transmission-sig': signature }),
    'paypal-cert-url': fault === 'foreign_cert_url' ? FOREIGN_CERT_URL : ownUrl,
    'paypal-auth-algo': AUTH_ALGO,
  };
}

/** The result of the provider's own signature check. */
export function isOwnSignature(
  transmission: Transmission,
  body: string,
  signature: string,
  { pem }: KeptCertificate,
): boolean {
  const { publicKey } = new X509Certificate(pem);
  return verify('RSA-SHA256', messageOf(transmission, body), publicKey, Buffer.from(signature, 'base64'));
}
