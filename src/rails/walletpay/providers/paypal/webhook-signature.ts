import { verify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { bytesOf } from '../../../../domain/canonical';
import type { RailSettings } from '../../../../rail-kit/rail';
import type { WalletpaySettings } from '../../settings';
import type { Begin } from './calls';
import { certificateStore, faultOfCertUrl } from './certificates';
import { signatureQuestion } from './signature-question';

export type WebhookVerdict =
  | { kind: 'genuine' }
  /** Nobody has signed it, and the sandbox takes that (specification, POST /api/v1/walletpay/webhook). */
  | { kind: 'unsigned' }
  | { kind: 'forged'; why: string }
  /** The certificate could not be had: the provider has to send it again. */
  | { kind: 'unknown'; why: string };

/** The only algorithm the provider signs with: RSA PKCS#1 v1.5 over SHA-256. */
const algorithm = 'SHA256withRSA';
const signatureHeaders = [
  'transmission-id',
  'transmission-time',
  'transmission-sig',
  'cert-url',
  'auth-algo',
];
/** The provider delivers an event again for three days. */
const ageMaxMs = 3 * 24 * 60 * 60_000;
/** How far its clock may be ahead of ours. */
const aheadMaxMs = 5 * 60_000;
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Checks that a webhook event was signed by the provider, for our webhook, over these very bytes. */
export function webhookVerifier(begin: Begin, settings: WalletpaySettings, rail: RailSettings) {
  const certificates = certificateStore(settings, rail);
  const ask = signatureQuestion(begin, settings.webhookId);
  const forged = (why: string): WebhookVerdict => ({ kind: 'forged', why });

  return async function verifyWebhook(
    headers: Record<string, string | string[] | undefined>,
    rawBody: Buffer,
  ): Promise<WebhookVerdict> {
    const isUnsigned = signatureHeaders.every((name) => headers[`paypal-${name}`] === undefined);
    if (isUnsigned && rail.environment === 'sandbox') return { kind: 'unsigned' };
    const told = (name: string): string => {
      const value = headers[`paypal-${name}`];
      return typeof value === 'string' ? value : '';
    };
    const [id, time, signature] = [
      told('transmission-id'),
      told('transmission-time'),
      told('transmission-sig'),
    ];
    const [certUrl, algo] = [told('cert-url'), told('auth-algo')];
    if ([id, time, signature, certUrl, algo].includes(''))
      return forged('a header of the signature is missing');
    if (algo !== algorithm) return forged('the signature’s algorithm is not the provider’s');
    const signed = bytesOf(signature, 'base64');
    if (!signed) return forged('the signature is not base64');
    const fault = faultOfTime(time, Date.now()) ?? faultOfCertUrl(certUrl, settings.certHosts);
    if (fault !== undefined) return forged(fault);

    const found = await certificates.find(certUrl);
    if (found.kind === 'untrusted') return forged(found.why);
    if (found.kind === 'unavailable') return { kind: 'unknown', why: found.why };
    // The bytes as they came: the same JSON written anew would have another checksum.
    const message = Buffer.from([id, time, settings.webhookId, String(crc32(rawBody))].join('|'));
    const isSigned = verify('RSA-SHA256', message, found.certificate.publicKey, signed);
    if (!isSigned) return forged('the signature is wrong');
    if (found.kind === 'trusted') return { kind: 'genuine' };
    // Only whoever holds the key of a certificate that lies at the provider's gets this far: no stranger makes us ask.
    return ask({ id, time, signature, certUrl, algorithm }, rawBody);
  };
}

/** A time that is signed, and long ago, is a copy of an old event. */
function faultOfTime(text: string, now: number): string | undefined {
  const sentAt = moment.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(sentAt)) return 'the transmission’s time is none';
  if (now - sentAt > ageMaxMs) return 'it was sent more than three days ago';
  return sentAt - now > aheadMaxMs ? 'it was sent in the future' : undefined;
}
