/** Whether a certificate is the provider's: its name, its dates, its use, and the chain to a root we trust. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { useOf } from './certificate-extensions';

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
  if (certificate.ca || !mayVerifySignatures(certificate)) {
    return { fault: 'the certificate is not one to sign events with' };
  }
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

/** What the provider's certificates are for, beside signing its events; `any` is no limit. */
const purposes = { serverAuth: '1.3.6.1.5.5.7.3.1', any: '2.5.29.37.0' };

/** A certificate, or an authority, that is limited to other purposes vouches for none of ours. */
function isForOurPurpose({ keyUsage: limitedTo }: X509Certificate): boolean {
  // Node leaves it undefined where there is no limit, and its types do not say so.
  const listed = limitedTo as string[] | undefined;
  return listed === undefined || Object.values(purposes).some((purpose) => listed.includes(purpose));
}

function mayVerifySignatures(certificate: X509Certificate): boolean {
  return isForOurPurpose(certificate) && useOf(certificate).keyUsage?.mayVerifySignatures !== false;
}

/**
 * From the certificate up to a root, each signed by the next, which was allowed to; undefined where there is no such way.
 * @param below how many authorities stand between the certificate's issuer and the last certificate
 */
function chainOf(
  certificate: X509Certificate,
  others: X509Certificate[],
  roots: X509Certificate[],
  below = 0,
): X509Certificate[] | undefined {
  const root = roots.find((each) => isIssuedBy(certificate, each, below));
  if (root) return [certificate, root];
  for (const issuer of others) {
    if (!isIssuedBy(certificate, issuer, below)) continue;
    const unused = others.filter((other) => other !== issuer);
    const rest = chainOf(issuer, unused, roots, below + 1);
    if (rest) return [certificate, ...rest];
  }
  return undefined;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate, below: number): boolean {
  return (
    issuer.ca &&
    certificate.checkIssued(issuer) &&
    certificate.verify(issuer.publicKey) &&
    mayIssue(issuer, below)
  );
}

function mayIssue(issuer: X509Certificate, below: number): boolean {
  const { keyUsage, pathLengthMax = Number.POSITIVE_INFINITY } = useOf(issuer);
  return isForOurPurpose(issuer) && keyUsage?.maySignCertificates !== false && below <= pathLengthMax;
}
