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
  /** The event has no signature, and the sandbox accepts that (specification, POST /api/v1/walletpay/webhook). */
  | { kind: 'unsigned' }
  | { kind: 'forged'; why: string }
  /** The certificate could not be downloaded: the provider must send the event again. */
  | { kind: 'unknown'; why: string };

/** The provider's only signature algorithm: RSA PKCS#1 v1.5 over SHA-256. */
const algorithm = 'SHA256withRSA';
const signatureHeaders = [
  'transmission-id',
  'transmission-time',
  'transmission-sig',
  'cert-url',
  'auth-algo',
];
/** The provider repeats the delivery of an event for three days. */
const ageMaxMs = 3 * 24 * 60 * 60_000;
/** How far the provider's clock may be ahead of ours. */
const aheadMaxMs = 5 * 60_000;
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Checks that the provider signed a webhook event, for our webhook, over these exact bytes. */
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
    const reported = (name: string): string => {
      const value = headers[`paypal-${name}`];
      return typeof value === 'string' ? value : '';
    };
    const [id, time, signature] = [
      reported('transmission-id'),
      reported('transmission-time'),
      reported('transmission-sig'),
    ];
    const [certUrl, algo] = [reported('cert-url'), reported('auth-algo')];
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
    // The original bytes: the same JSON serialised again would have another checksum.
    const message = Buffer.from([id, time, settings.webhookId, String(crc32(rawBody))].join('|'));
    const isSigned = verify('RSA-SHA256', message, found.certificate.publicKey, signed);
    if (!isSigned) return forged('the signature is wrong');
    if (found.kind === 'trusted') return { kind: 'genuine' };
    // Only a caller with the key of a certificate at the provider's address gets this far, so an attacker cannot cause
    // queries.
    return ask({ id, time, signature, certUrl, algorithm }, rawBody);
  };
}

/** A signed time that is long ago means a copy of an old event. */
function faultOfTime(text: string, now: number): string | undefined {
  const sentAt = moment.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(sentAt)) return 'the transmission’s time cannot be read';
  if (now - sentAt > ageMaxMs) return 'it was sent more than three days ago';
  return sentAt - now > aheadMaxMs ? 'it was sent in the future' : undefined;
}
