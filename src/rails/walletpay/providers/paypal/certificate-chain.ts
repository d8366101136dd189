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

export type Trust =
  | ({ kind: 'trusted' } & TrustedCertificate)
  /** Nothing is wrong with it, but what stands between it and a root is not known. */
  | { kind: 'unproven'; certificate: X509Certificate; why: string }
  | { kind: 'unfit'; why: string };

const pemBlock = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
/** Longer chains are not the provider's. */
const certificatesMax = 8;
const providerHost = /^(?:[a-z0-9-]+\.)*paypal\.com$/;
/**
 * What the provider signs events in the name of, and in no other (its Java and Python SDKs ask for the same beginning and
 * end). Letters, digits, dots and hyphens only: a common name may be any text, and end as it likes.
 */
const signersName = /^messageverificationcerts[a-z0-9.-]*\.paypal\.com$/;

/** @returns the certificates of a file, the signer's first; none where there is anything that is not one. */
export function readCertificates(file: Buffer, atMost = certificatesMax): X509Certificate[] {
  const blocks = file.toString('latin1').match(pemBlock) ?? [];
  if (blocks.length > atMost) return [];
  try {
    // What is not in PEM can only be one in DER, as authorities serve their own.
    return (blocks.length > 0 ? blocks : [file]).map((block) => new X509Certificate(block));
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

/** @param certificates the one that events are signed with first, then any that may stand above it, in any order */
export function trustOf([certificate, ...others]: X509Certificate[], roots: X509Certificate[]): Trust {
  const unfit = (why: string): Trust => ({ kind: 'unfit', why });
  if (!certificate) return unfit('there is no certificate');
  if (!isNamedAfterProvider(certificate)) return unfit('the certificate is not in the provider’s name');
  if (certificate.publicKey.asymmetricKeyType !== 'rsa') return unfit('the certificate has no RSA key');
  if (certificate.ca || !mayVerifySignatures(certificate)) {
    return unfit('the certificate is not one to sign events with');
  }
  const now = Date.now();
  const [current, currentRoots] = [others, roots].map((each) => each.filter((one) => isValidAt(one, now)));
  const chain =
    chainOf(certificate, current ?? [], currentRoots ?? []) ?? chainOf(certificate, others, roots);
  if (!chain) return { kind: 'unproven', certificate, why: 'the certificate leads to no root that we trust' };
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

/** By its common name; by every domain it was given for where it has none. */
function isNamedAfterProvider(certificate: X509Certificate): boolean {
  const { CN: commonName } = certificate.toLegacyObject().subject as { CN?: unknown };
  const domains = [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )DNS:([A-Za-z0-9.*-]+)(?=,|$)/g)];
  const names = commonName === undefined ? domains.map(([, name]) => name) : [commonName];
  return (
    names.length > 0 &&
    names.every((name) => typeof name === 'string' && signersName.test(name.toLowerCase()))
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
 * The shortest is found first, which leaves the path lengths of the authorities the most room, and each of the others is
 * taken once, so that the work grows with their number and not with that of their orders.
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

/** @param below how many authorities stand between the issuer and the last certificate */
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
