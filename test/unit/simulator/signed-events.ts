/** Verifies the signature of a wallet event as a receiver does. */
import { verify, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ReceivedCallback } from '../../support/simulator/callback-receiver';
import { credentials } from '../../support/simulator/credentials';

export const pem = async (url: string) => (await fetch(url)).text();
export const headerOf = ({ headers }: ReceivedCallback, name: string) => String(headers[`paypal-${name}`]);
export const certUrlOf = (event: ReceivedCallback) => headerOf(event, 'cert-url');

/** Verifies as a receiver does, without the rules about the certificate. */
export async function isSigned(event: ReceivedCallback): Promise<boolean> {
  const certificate = new X509Certificate(await pem(certUrlOf(event)));
  const message = [
    headerOf(event, 'transmission-id'),
    headerOf(event, 'transmission-time'),
    credentials.WALLETPAY_WEBHOOK_ID,
    String(crc32(Buffer.from(event.text))),
  ].join('|');
  const signature = Buffer.from(headerOf(event, 'transmission-sig'), 'base64');
  return verify('RSA-SHA256', Buffer.from(message), certificate.publicKey, signature);
}

/** The root certificate of a simulator's authority. */
export const authorityOf = async (origin: string) => new X509Certificate(await pem(`${origin}/certs/ca.pem`));
/** The address of the issuer's certificate, from the certificate itself. */
const issuerUrlOf = ({ infoAccess = '' }: X509Certificate) =>
  /^CA Issuers - URI:(.*)$/m.exec(infoAccess)?.[1];

/** Through the intermediate authority, fetched from the address in the certificate. */
export async function leadsTo(
  authority: Promise<X509Certificate>,
  event: ReceivedCallback,
): Promise<boolean> {
  const certificate = new X509Certificate(await pem(certUrlOf(event)));
  const issuerUrl = issuerUrlOf(certificate);
  if (issuerUrl === undefined) return false;
  const issuer = new X509Certificate(Buffer.from(await (await fetch(issuerUrl)).arrayBuffer()));
  const root = await authority;
  const pairs = [
    [certificate, issuer],
    [issuer, root],
  ] as const;
  return pairs.every(([lower, upper]) => lower.checkIssued(upper) && lower.verify(upper.publicKey));
}

export async function isInTime(event: ReceivedCallback): Promise<boolean> {
  const { validFrom, validTo } = new X509Certificate(await pem(certUrlOf(event)));
  return Date.parse(validFrom) < Date.now() && Date.now() < Date.parse(validTo);
}
