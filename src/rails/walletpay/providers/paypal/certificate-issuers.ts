/**
 * What stands between the provider's certificate and a root. The provider serves its certificate alone, and Node ships
 * roots only: the authorities between them are ours to know, or to find where the certificate says they are.
 */
import { request } from 'undici';
import type { X509Certificate } from 'node:crypto';
import { readCertificates } from './certificate-chain';
import { knownIntermediates } from './known-intermediates';

const bytesMax = 64 * 1024;
const urlLengthMax = 500;
/** More authorities than that stand above no certificate of the provider's. */
const stepsMax = 3;
/** An authority names one address of its certificate, or one per protocol. */
const addressesMax = 2;
/** Where the authority that the provider's certificates come from serves its own (DigiCert, certificates' AIA). */
const authorityHosts = ['cacerts.digicert.com'];

let shipped: X509Certificate[] | undefined;

/** Those that are known, read when they are first needed. */
export function shippedIntermediates(): X509Certificate[] {
  shipped ??= knownIntermediates.flatMap(({ pem }) => readCertificates(Buffer.from(pem)));
  return shipped;
}

/** @returns whether an authority's certificate may be fetched from there: what a stranger's certificate names may not. */
export function mayServeIssuers(text: string, ownHosts: string[]): boolean {
  if (text.length > urlLengthMax || !URL.canParse(text)) return false;
  const { protocol, host, port, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  if (username !== '' || password !== '') return false;
  // Plain http is how it is done (RFC 5280, 4.2.2.1): what comes proves itself by the chain. The default port reads as none.
  return ownHosts.includes(host) || (port === '' && authorityHosts.includes(host));
}

/**
 * The certificates above one, the nearest first, as each says where its issuer's lies (authority information access,
 * RFC 5280, 4.2.2.1). None is fetched that is not asked for.
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
  const addresses = issuerAddresses(certificate).filter((address) => mayServeIssuers(address, ownHosts));
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
 * Follows no redirects: an address we may ask must not send us to one we may not.
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
