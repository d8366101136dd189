/** Whether a certificate is the provider's: its name, its dates, and the chain that leads to a root we trust. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

export interface TrustedCertificate {
  certificate: X509Certificate;
  /** Milliseconds since the epoch between which every certificate of the chain is valid. */
  from: number;
  until: number;
}

const pemBlock = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
/** Longer chains are not the provider's. */
const certificatesMax = 8;
/** Letters, digits and hyphens only: a common name may be any text, and end as it likes. */
const providerHost = /^(?:[a-z0-9-]+\.)*paypal\.com$/;

/** @returns the certificates of a PEM text, the signer's first; none where there is anything that is not one. */
export function readCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(pemBlock) ?? [];
  if (blocks.length > certificatesMax) return [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

let publicRoots: X509Certificate[] | undefined;

/** The roots that Node ships, read when they are first needed. */
export function wellKnownRoots(): X509Certificate[] {
  publicRoots ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return publicRoots;
}

/** @returns why the first of the certificates is not the provider's, or the period in which its chain is valid. */
export function trustOf(
  [certificate, ...others]: X509Certificate[],
  roots: X509Certificate[],
): TrustedCertificate | { fault: string } {
  if (!certificate) return { fault: 'there is no certificate' };
  if (!isNamedAfterProvider(certificate)) return { fault: 'the certificate is not in the provider’s name' };
  if (certificate.publicKey.asymmetricKeyType !== 'rsa') return { fault: 'the certificate has no RSA key' };
  const chain = chainOf(certificate, others, roots);
  if (!chain) return { fault: 'the certificate leads to no root that we trust' };
  return {
    certificate,
    from: Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom))),
    until: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))),
  };
}

/** By its common name; by every domain it was given for where it has none. */
function isNamedAfterProvider(certificate: X509Certificate): boolean {
  const { CN: commonName } = certificate.toLegacyObject().subject as { CN?: unknown };
  const domains = [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )DNS:([A-Za-z0-9.*-]+)(?=,|$)/g)];
  const names = commonName === undefined ? domains.map(([, name]) => name) : [commonName];
  return (
    names.length > 0 && names.every((name) => typeof name === 'string' && isOfProvider(name.toLowerCase()))
  );
}

/** Whether a host is the provider's, or below it. */
export function isOfProvider(host: string): boolean {
  return providerHost.test(host);
}

/** From the certificate up to a root, each signed by the next; undefined where there is no such way. */
function chainOf(
  certificate: X509Certificate,
  others: X509Certificate[],
  roots: X509Certificate[],
): X509Certificate[] | undefined {
  const root = roots.find((each) => isIssuedBy(certificate, each));
  if (root) return [certificate, root];
  for (const issuer of others) {
    if (!isIssuedBy(certificate, issuer)) continue;
    const unused = others.filter((other) => other !== issuer);
    const rest = chainOf(issuer, unused, roots);
    if (rest) return [certificate, ...rest];
  }
  return undefined;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
