/**
 * The simulator's own certificate authority, and the certificates that sign events. They are generated at first use,
 * because keys take a moment, and then stored with the simulator's state.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { asn1, pki } from 'node-forge';
import type { Journal } from '../../../journal';

/**
 * `trusted` signs normally; `orphaned` is valid, but its authority is served nowhere. The others are a forger's, or
 * expired.
 */
export type CertificateKind = 'trusted' | 'orphaned' | 'expired' | 'untrusted';

export interface KeptCertificate {
  /** The last part of its address. */
  name: string;
  /** The certificate alone: the provider serves none of its issuers. */
  pem: string;
  keyPem: string;
}

export interface Certificates {
  of(kind: CertificateKind): KeptCertificate;
  /** The root, which only a sandbox trusts. */
  rootPem(): string;
  /** The intermediate authority in DER, as served at the address in its certificates. */
  issuerDer(): Buffer;
  /** The content of a certificate's address. */
  find(name: string): string | undefined;
  /** Certificates that the provider's own check accepts. */
  genuine(name: string): KeptCertificate | undefined;
}

interface Authority {
  pem: string;
  keyPem: string;
}

const KEY_BITS = 2048;
const DAY_MS = 86_400_000;
/** The wall clock, which the receiver uses too. Virtual time may be ahead. */
const validity = {
  trusted: [-DAY_MS, 3_650 * DAY_MS],
  orphaned: [-DAY_MS, 3_650 * DAY_MS],
  expired: [-400 * DAY_MS, -DAY_MS],
  untrusted: [-DAY_MS, 3_650 * DAY_MS],
} as const satisfies Record<CertificateKind, readonly [fromMs: number, untilMs: number]>;

const subject = [
  { shortName: 'CN', value: 'messageverificationcerts.paypal.com' },
  { shortName: 'O', value: 'PayPal, Inc.' },
  { shortName: 'L', value: 'San Jose' },
  { shortName: 'ST', value: 'California' },
  { shortName: 'C', value: 'US' },
];
/** From the top down: `of` generates issuers first. */
const authorities = {
  root: { name: 'Malipo Sandbox Root CA', issuer: undefined },
  issuer: { name: 'Malipo Sandbox Extended Validation Server CA', issuer: 'root' },
  unlisted: { name: 'Malipo Sandbox Unlisted Server CA', issuer: 'root' },
  unknownRoot: { name: 'Nobody Knows This Root CA', issuer: undefined },
} as const satisfies Record<string, { name: string; issuer: string | undefined }>;
type AuthorityName = keyof typeof authorities;

const issuerOf = {
  trusted: 'issuer',
  orphaned: 'unlisted',
  expired: 'issuer',
  untrusted: 'unknownRoot',
} as const satisfies Record<CertificateKind, AuthorityName>;

export const issuerPath = '/certs/server-ca.crt';

/** Returns the private key, in PEM, of the named authority or certificate. */
export type MakeRsaKey = (owner: string) => string;

/** @param origin the address of the issuer's certificate in the certificates */
export function openCertificates(
  journal: Journal,
  origin: string,
  makeKey: MakeRsaKey = newRsaKey,
): Certificates {
  const keptAuthorities = journal.collection<Authority>('walletpay.chain-authorities');
  const certificates = journal.collection<KeptCertificate>('walletpay.leaf-certificates');

  const authorityOf = (which: AuthorityName): Authority => {
    const known = keptAuthorities.get(which);
    if (known) return known;
    const { name, issuer } = authorities[which];
    const made = newAuthority(name, makeKey(which), issuer && authorityOf(issuer));
    keptAuthorities.put(which, made);
    return made;
  };
  const of = (kind: CertificateKind): KeptCertificate => {
    const known = certificates.get(kind);
    if (known) return known;
    const issuer = authorityOf(issuerOf[kind]);
    const made = newCertificate(kind, makeKey(kind), issuer, `${origin}${issuerPath}`);
    certificates.put(kind, made);
    return made;
  };
  return {
    of,
    rootPem: () => authorityOf('root').pem,
    issuerDer: () => Buffer.from(pki.pemToDer(authorityOf('issuer').pem).getBytes(), 'binary'),
    find: (name) => [...certificates.values()].find((certificate) => certificate.name === name)?.pem,
    genuine: (name) =>
      [certificates.get('trusted'), certificates.get('orphaned')].find((each) => each?.name === name),
  };
}

function newAuthority(commonName: string, keyPem: string, issuer: Authority | undefined): Authority {
  const certificate = blank(keyPem, validity.trusted);
  const name = [
    { shortName: 'CN', value: commonName },
    { shortName: 'O', value: 'Malipo Sandbox' },
  ];
  certificate.setSubject(name);
  certificate.setIssuer(issuer ? pki.certificateFromPem(issuer.pem).subject.attributes : name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true, ...(issuer && { pathLenConstraint: 0 }) },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ...(issuer ? [{ name: 'extKeyUsage', serverAuth: true, clientAuth: true }] : []),
    { name: 'subjectKeyIdentifier' },
  ]);
  signCertificate(certificate, issuer?.keyPem ?? keyPem);
  return { pem: pki.certificateToPem(certificate), keyPem };
}

function newCertificate(
  kind: CertificateKind,
  keyPem: string,
  issuer: Authority,
  issuerUrl: string,
): KeptCertificate {
  const certificate = blank(keyPem, validity[kind]);
  certificate.setSubject(subject);
  certificate.setIssuer(pki.certificateFromPem(issuer.pem).subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'messageverificationcerts.paypal.com' }] },
    { name: 'subjectKeyIdentifier' },
    ...(issuerOf[kind] === 'issuer' ? [{ id: oid.authorityInfoAccess, value: issuersAt(issuerUrl) }] : []),
  ]);
  signCertificate(certificate, issuer.keyPem);
  return {
    name: `CERT-${certificate.serialNumber.slice(2, 10)}-${certificate.serialNumber.slice(10, 18)}-${certificate.serialNumber.slice(18, 26)}`,
    pem: pki.certificateToPem(certificate),
    keyPem,
  };
}

/** RFC 5280, 4.2.2.1: the address of the issuer's certificate. */
const oid = { authorityInfoAccess: '1.3.6.1.5.5.7.1.1', caIssuers: '1.3.6.1.5.5.7.48.2' };
/** The tag of a URI among the general names: 6, which is this type in the library. */
const uriTag = asn1.Type.OID;

function issuersAt(url: string): asn1.Asn1 {
  const { Class: tagClass, Type: type } = asn1;
  const method = asn1.oidToDer(oid.caIssuers).getBytes();
  return asn1.create(tagClass.UNIVERSAL, type.SEQUENCE, true, [
    asn1.create(tagClass.UNIVERSAL, type.SEQUENCE, true, [
      asn1.create(tagClass.UNIVERSAL, type.OID, false, method),
      asn1.create(tagClass.CONTEXT_SPECIFIC, uriTag, false, url),
    ]),
  ]);
}

/** A certificate with only its key, number and dates. */
function blank(keyPem: string, [fromMs, untilMs]: readonly [number, number]): pki.Certificate {
  const { n, e } = pki.privateKeyFromPem(keyPem);
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.setRsaPublicKey(n, e);
  // The first byte keeps the number positive: in DER its highest bit is the sign.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  const now = Date.now();
  certificate.validity.notBefore = new Date(now + fromMs);
  certificate.validity.notAfter = new Date(now + untilMs);
  return certificate;
}

export const newRsaKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: KEY_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

/** Missing in the library's types. */
const { getTBSCertificate } = pki as unknown as {
  getTBSCertificate(certificate: pki.Certificate): asn1.Asn1;
};

/** Node signs, because the library's JavaScript takes a hundred times as long. */
export function signCertificate(certificate: pki.Certificate, issuerKeyPem: string): void {
  const algorithm = pki.oids.sha256WithRSAEncryption;
  if (algorithm === undefined) throw new Error('unreachable: the library knows RSA with SHA-256');
  certificate.siginfo.algorithmOid = algorithm;
  certificate.signatureOid = algorithm;
  certificate.tbsCertificate = getTBSCertificate(certificate);
  const signed = Buffer.from(asn1.toDer(certificate.tbsCertificate).getBytes(), 'binary');
  certificate.signature = sign('sha256', signed, issuerKeyPem).toString('binary');
}
