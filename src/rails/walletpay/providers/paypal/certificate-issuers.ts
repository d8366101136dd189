/**
 * The certificates between the provider's certificate and a root. The provider serves only its own certificate, and
 * Node ships only roots. So the authorities between them are built in, or are downloaded from the address in the
 * certificate.
 */
import { request } from 'undici';
import type { X509Certificate } from 'node:crypto';
import { readCertificates } from './certificate-chain';
import { knownIntermediates } from './known-intermediates';

const bytesMax = 64 * 1024;
const urlLengthMax = 500;
/** No certificate of the provider has more authorities above it. */
const stepsMax = 3;
/** An authority publishes one address of its certificate, or one per protocol. */
const addressesMax = 2;
/** The host of the authority that issues the provider's certificates (DigiCert, the AIA of its certificates). */
const authorityHosts = ['cacerts.digicert.com'];

let shipped: X509Certificate[] | undefined;

/** The built-in intermediates, read at the first use. */
export function shippedIntermediates(): X509Certificate[] {
  shipped ??= knownIntermediates.flatMap(({ pem }) => readCertificates(Buffer.from(pem)));
  return shipped;
}

/**
 * @returns whether an authority's certificate may be downloaded from there. An attacker's certificate may name any
 * address, and those are forbidden.
 */
export function canServeIssuers(text: string, ownHosts: string[]): boolean {
  if (text.length > urlLengthMax || !URL.canParse(text)) return false;
  const { protocol, host, port, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  if (username !== '' || password !== '') return false;
  // Plain http is the standard (RFC 5280, 4.2.2.1): the chain proves the download. The default port reads as empty.
  return ownHosts.includes(host) || (port === '' && authorityHosts.includes(host));
}

/**
 * The certificates above one, the nearest first, each downloaded from the issuer's address in the certificate below
 * (authority information access, RFC 5280, 4.2.2.1). Each is downloaded only on demand.
 */
export async function* issuersAbove(
  certificate: X509Certificate,
  ownHosts: string[],
  signal: AbortSignal,
): AsyncGenerator<X509Certificate> {
  let highest = certificate;
  for (let step = 0; step < stepsMax; step += 1) {
    const issuer = await issuerOf(highest, ownHosts, signal);
    if (!issuer) return;
    yield issuer;
    highest = issuer;
  }
}

async function issuerOf(
  certificate: X509Certificate,
  ownHosts: string[],
  signal: AbortSignal,
): Promise<X509Certificate | undefined> {
  const addresses = issuerAddresses(certificate).filter((address) => canServeIssuers(address, ownHosts));
  for (const address of addresses.slice(0, addressesMax)) {
    const candidates = await download(address, signal).then(readCertificates, () => []);
    const issuer = candidates.find((each) => certificate.checkIssued(each));
    if (issuer) return issuer;
  }
  return undefined;
}

function issuerAddresses(certificate: X509Certificate): string[] {
  const { infoAccess } = certificate.toLegacyObject() as { infoAccess?: Record<string, unknown> };
  const addresses = infoAccess?.['CA Issuers - URI'];
  return Array.isArray(addresses) ? addresses.filter((each) => typeof each === 'string') : [];
}

/**
 * Follows no redirects: an allowed address must not lead to a forbidden one.
 * @throws Error for anything but a file of a certificate's size.
 */
export async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  const { statusCode, body } = await request(url, { signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new Error('the answer is too large for a certificate');
    chunks.push(chunk);
  }
  if (statusCode !== 200) throw new Error(`the certificate’s address answered ${String(statusCode)}`);
  return Buffer.concat(chunks);
}
