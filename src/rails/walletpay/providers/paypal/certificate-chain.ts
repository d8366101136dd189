/** Checks whether a certificate is the provider's: its name, validity, purpose, and its chain to a trusted root. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { useOf } from './certificate-extensions';

export interface TrustedCertificate {
  certificate: X509Certificate;
  /** Milliseconds since the epoch between which every certificate of the chain is valid. */
  from: number;
  until: number;
}

export type Trust =
  | ({ kind: 'trusted' } & TrustedCertificate)
  /** The certificate has no fault, but its chain to a root is incomplete. */
  | { kind: 'unproven'; certificate: X509Certificate; why: string }
  | { kind: 'unfit'; why: string };

const pemBlock = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
/** The provider has no longer chains. */
const certificatesMax = 8;
const providerHost = /^(?:[a-z0-9-]+\.)*paypal\.com$/;
/**
 * The name of the provider's signing certificates (its Java and Python SDKs check the same start and end). Only
 * letters, digits, dots and hyphens: a common name may be any text, with any end.
 */
const signersName = /^messageverificationcerts[a-z0-9.-]*\.paypal\.com$/;

/** @returns the certificates of a file, the signer's first; an empty list if any part is not a certificate. */
export function readCertificates(file: Buffer, atMost = certificatesMax): X509Certificate[] {
  const blocks = file.toString('latin1').match(pemBlock) ?? [];
  if (blocks.length > atMost) return [];
  try {
    // A file that is not PEM must be DER, as authorities serve their own certificates.
    return (blocks.length > 0 ? blocks : [file]).map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

let publicRoots: X509Certificate[] | undefined;

/** The roots that Node ships, read at the first use. */
export function wellKnownRoots(): X509Certificate[] {
  publicRoots ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return publicRoots;
}

/** @param certificates the signing certificate first, then possible issuers in any order */
export function trustOf([certificate, ...others]: X509Certificate[], roots: X509Certificate[]): Trust {
  const unfit = (why: string): Trust => ({ kind: 'unfit', why });
  if (!certificate) return unfit('there is no certificate');
  if (!isNamedAfterProvider(certificate)) return unfit('the certificate does not have the provider’s name');
  if (certificate.publicKey.asymmetricKeyType !== 'rsa') return unfit('the certificate has no RSA key');
  if (certificate.ca || !mayVerifySignatures(certificate)) {
    return unfit('the certificate is not allowed to sign events');
  }
  const now = Date.now();
  const [current, currentRoots] = [others, roots].map((each) => each.filter((one) => isValidAt(one, now)));
  const chain =
    chainOf(certificate, current ?? [], currentRoots ?? []) ?? chainOf(certificate, others, roots);
  if (!chain) return { kind: 'unproven', certificate, why: 'the certificate has no chain to a trusted root' };
  return {
    kind: 'trusted',
    certificate,
    from: Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom))),
    until: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))),
  };
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}

/** By its common name; without one, by every domain in it. */
function isNamedAfterProvider(certificate: X509Certificate): boolean {
  const { CN: commonName } = certificate.toLegacyObject().subject as { CN?: unknown };
  const domains = [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )DNS:([A-Za-z0-9.*-]+)(?=,|$)/g)];
  const names = commonName === undefined ? domains.map(([, name]) => name) : [commonName];
  return (
    names.length > 0 &&
    names.every((name) => typeof name === 'string' && signersName.test(name.toLowerCase()))
  );
}

/** Whether a host is the provider's domain or a subdomain of it. */
export function isOfProvider(host: string): boolean {
  return providerHost.test(host);
}

/** The purposes of the provider's certificates besides signing its events; `any` is no limit. */
const purposes = { serverAuth: '1.3.6.1.5.5.7.3.1', any: '2.5.29.37.0' };

/** A certificate or authority that is limited to other purposes is not accepted. */
function isForOurPurpose({ keyUsage: limitedTo }: X509Certificate): boolean {
  // Node leaves it undefined without a limit, although its types do not allow that.
  const listed = limitedTo as string[] | undefined;
  return listed === undefined || Object.values(purposes).some((purpose) => listed.includes(purpose));
}

function mayVerifySignatures(certificate: X509Certificate): boolean {
  return isForOurPurpose(certificate) && useOf(certificate).keyUsage?.mayVerifySignatures !== false;
}

/**
 * The chain from the certificate to a root, each signed by the next, which may sign certificates; undefined if there is
 * none. The search finds the shortest first, which best fits the authorities' path length limits. It uses each of the
 * others once, so that the work grows with their number and not with the number of orders.
 */
function chainOf(
  certificate: X509Certificate,
  others: X509Certificate[],
  roots: X509Certificate[],
): X509Certificate[] | undefined {
  const unused = new Set(others);
  const chains = [[certificate]];
  for (const chain of chains) {
    const last = chain.at(-1) ?? certificate;
    const below = chain.length - 1;
    const root = roots.find((each) => isIssuedBy(last, each, below));
    if (root) return [...chain, root];
    for (const issuer of unused) {
      if (!isIssuedBy(last, issuer, below)) continue;
      unused.delete(issuer);
      chains.push([...chain, issuer]);
    }
  }
  return undefined;
}

/** @param below the number of authorities between the issuer and the last certificate */
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
