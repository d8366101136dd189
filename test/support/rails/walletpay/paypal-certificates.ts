/** Certificates of an invented provider, valid and invalid ones, and events signed with them. */
import { sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { asn1, pki } from 'node-forge';
import { signCertificate } from '../../../../simulator/providers/walletpay/webhooks/certificates';
import { keptRsaKey } from '../../kept-keys';

export interface Identity {
  pem: string;
  keyPem: string;
}

export interface CertificateWish {
  commonName?: string | undefined;
  issuer?: Identity;
  isAuthority?: boolean;
  /** The maximal number of authorities below it. */
  pathLength?: number;
  /** Such as `{ keyCertSign: true }`; without it the certificate does not limit its key. */
  keyUsage?: Record<string, boolean>;
  /** Such as `{ codeSigning: true }`. */
  extendedUsage?: Record<string, boolean>;
  /** Days from now. */
  validDays?: [from: number, until: number];
  alternatives?: string[];
  /** The address of its issuer's certificate. */
  issuersAt?: string[];
  keyPem?: string;
}

const dayMs = 86_400_000;
let serial = 1;

let keysMade = 0;

/** A serial number that is unique in this test file. */
export function newKey(): string {
  keysMade += 1;
  return keptRsaKey(`number ${String(keysMade)}`);
}

/** Signed by its issuer, or self-signed without one. */
export function newCertificate(wish: CertificateWish): Identity {
  const { commonName, issuer, isAuthority = false, validDays = [-1, 1], alternatives = [] } = wish;
  const { pathLength, keyUsage, extendedUsage, issuersAt = [] } = wish;
  const keyPem = wish.keyPem ?? newKey();
  const key = pki.privateKeyFromPem(keyPem);
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.setRsaPublicKey(key.n, key.e);
  certificate.serialNumber = `01${String((serial += 1)).padStart(6, '0')}`;
  certificate.validity.notBefore = new Date(Date.now() + validDays[0] * dayMs);
  certificate.validity.notAfter = new Date(Date.now() + validDays[1] * dayMs);
  certificate.setSubject([
    ...(commonName === undefined ? [] : [{ shortName: 'CN', value: commonName }]),
    { shortName: 'O', value: 'Test' },
  ]);
  certificate.setIssuer(
    issuer ? pki.certificateFromPem(issuer.pem).subject.attributes : certificate.subject.attributes,
  );
  certificate.setExtensions([
    {
      name: 'basicConstraints',
      cA: isAuthority,
      critical: true,
      ...(pathLength === undefined ? {} : { pathLenConstraint: pathLength }),
    },
    ...(keyUsage ? [{ name: 'keyUsage', critical: true, ...keyUsage }] : []),
    ...(extendedUsage ? [{ name: 'extKeyUsage', ...extendedUsage }] : []),
    ...(alternatives.length === 0
      ? []
      : [{ name: 'subjectAltName', altNames: alternatives.map((value) => ({ type: 2, value })) }]),
    ...(issuersAt.length === 0 ? [] : [{ id: '1.3.6.1.5.5.7.1.1', value: addressesOf(issuersAt) }]),
  ]);
  signCertificate(certificate, issuer?.keyPem ?? keyPem);
  return { pem: pki.certificateToPem(certificate), keyPem };
}

/** The type of an address among the general names is 6 in this library. */
const uriTag = asn1.Type.OID;

/** RFC 5280, 4.2.2.1. */
function addressesOf(urls: string[]): asn1.Asn1 {
  const { Class: tagClass, Type: type } = asn1;
  const sequence = (parts: asn1.Asn1[]) => asn1.create(tagClass.UNIVERSAL, type.SEQUENCE, true, parts);
  const caIssuers = asn1.oidToDer('1.3.6.1.5.5.7.48.2').getBytes();
  return sequence(
    urls.map((url) =>
      sequence([
        asn1.create(tagClass.UNIVERSAL, type.OID, false, caIssuers),
        asn1.create(tagClass.CONTEXT_SPECIFIC, uriTag, false, url),
      ]),
    ),
  );
}

export interface Event {
  body: Buffer;
  certUrl: string;
  keyPem: string;
  webhookId?: string;
  algorithm?: string;
  /** The transmission's time; by default now. */
  time?: string;
}

/** The headers of an event in Node's format. */
export function signedHeaders({
  body,
  certUrl,
  keyPem,
  webhookId = 'WH-1',
  algorithm = 'RSA-SHA256',
  time = new Date().toISOString(),
}: Event) {
  const id = '69cd13f0-d67a-11e5-baa3-778b53f4ae55';
  const message = Buffer.from([id, time, webhookId, String(crc32(body))].join('|'));
  return {
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': sign(algorithm, message, keyPem).toString('base64'),
    'paypal-cert-url': certUrl,
    'paypal-auth-algo': 'SHA256withRSA',
  };
}
