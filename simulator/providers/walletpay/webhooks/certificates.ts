/**
 * The simulator's own certificate authority, and the certificates that events are signed with. They are made when they
 * are first needed, because keys take a moment, and then kept with the rest of the simulator's memory.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { pki, md } from 'node-forge';
import type { Journal } from '../../../journal';

/** `trusted` signs; the others are what a forger, or a provider that sleeps, would show. */
export type CertificateKind = 'trusted' | 'expired' | 'untrusted';

export interface KeptCertificate {
  /** Its file's name below /certs, without the ending. */
  name: string;
  /** The certificate, followed by the one that has signed it. */
  chainPem: string;
  keyPem: string;
}

export interface Certificates {
  of(kind: CertificateKind): KeptCertificate;
  authorityPem(): string;
  /** What is served below /certs. */
  find(name: string): string | undefined;
}

interface Authority {
  pem: string;
  keyPem: string;
}

const KEY_BITS = 2048;
const DAY_MS = 86_400_000;
/** The wall clock, because that is what the receiver compares with; virtual time may run ahead of it. */
const validity = {
  trusted: [-DAY_MS, 3_650 * DAY_MS],
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
const authorityNames = {
  trusted: 'Malipo Sandbox Root CA',
  untrusted: 'Nobody Knows This Root CA',
} as const;

export function openCertificates(journal: Journal): Certificates {
  const authorities = journal.collection<Authority>('walletpay.authorities');
  const certificates = journal.collection<KeptCertificate>('walletpay.certificates');

  const authorityOf = (which: keyof typeof authorityNames): Authority => {
    const known = authorities.get(which);
    if (known) return known;
    const made = newAuthority(authorityNames[which]);
    authorities.put(which, made);
    return made;
  };
  const of = (kind: CertificateKind): KeptCertificate => {
    const known = certificates.get(kind);
    if (known) return known;
    const made = newCertificate(kind, authorityOf(kind === 'untrusted' ? 'untrusted' : 'trusted'));
    certificates.put(kind, made);
    return made;
  };
  return {
    of,
    authorityPem: () => authorityOf('trusted').pem,
    find(name) {
      if (name === 'ca') return authorityOf('trusted').pem;
      return [...certificates.values()].find((certificate) => certificate.name === name)?.chainPem;
    },
  };
}

function newAuthority(commonName: string): Authority {
  const { keyPem, certificate } = blank(validity.trusted);
  const name = [
    { shortName: 'CN', value: commonName },
    { shortName: 'O', value: 'Malipo Sandbox' },
  ];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(pki.privateKeyFromPem(keyPem), md.sha256.create());
  return { pem: pki.certificateToPem(certificate), keyPem };
}

function newCertificate(kind: CertificateKind, authority: Authority): KeptCertificate {
  const { keyPem, certificate } = blank(validity[kind]);
  certificate.setSubject(subject);
  certificate.setIssuer(pki.certificateFromPem(authority.pem).subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'messageverificationcerts.paypal.com' }] },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(pki.privateKeyFromPem(authority.keyPem), md.sha256.create());
  return {
    name: `CERT-${certificate.serialNumber.slice(2, 10)}-${certificate.serialNumber.slice(10, 18)}`,
    chainPem: `${pki.certificateToPem(certificate)}${authority.pem}`,
    keyPem,
  };
}

/** A certificate that says nothing yet but its key, its number and its dates. */
function blank([fromMs, untilMs]: readonly [number, number]) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: KEY_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  // The first byte keeps the number positive, which DER reads from its highest bit.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  const now = Date.now();
  certificate.validity.notBefore = new Date(now + fromMs);
  certificate.validity.notAfter = new Date(now + untilMs);
  return { keyPem: privateKey, certificate };
}
