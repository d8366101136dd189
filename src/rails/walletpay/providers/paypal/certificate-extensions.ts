/** The allowed uses of a certificate, from its extensions (RFC 5280, 4.2.1.3 and 4.2.1.9). Node reads none of them. */
import type { X509Certificate } from 'node:crypto';
import { asn1, util } from 'node-forge';

export interface CertificateUse {
  /** Undefined if the certificate does not limit the use of its key. */
  keyUsage: { mayVerifySignatures: boolean; maySignCertificates: boolean } | undefined;
  /** The maximal number of authorities between this one and the last certificate; undefined for any number. */
  pathLengthMax: number | undefined;
}

const oid = { keyUsage: '2.5.29.15', basicConstraints: '2.5.29.19' };
/** Bits of the first octet, from the highest. */
const digitalSignature = 0x80;
const keyCertSign = 0x04;
/** The tag of the extensions among a certificate's fields. */
const extensionsTag = 3;

/** @throws Error for a certificate that is not DER. Certificates from Node are always DER. */
export function useOf(certificate: X509Certificate): CertificateUse {
  const values = extensionsOf(certificate);
  const usage = values.get(oid.keyUsage);
  const constraints = values.get(oid.basicConstraints);
  return {
    keyUsage: usage === undefined ? undefined : readKeyUsage(usage),
    pathLengthMax: constraints === undefined ? undefined : readPathLength(constraints),
  };
}

/** The DER of each extension's value, by name. */
function extensionsOf(certificate: X509Certificate): Map<string, string> {
  const tree = asn1.fromDer(util.createBuffer(certificate.raw.toString('binary')));
  const fields = partsOf(partsOf(tree)[0]);
  const tagged = fields.find(
    ({ tagClass, type }) => tagClass === asn1.Class.CONTEXT_SPECIFIC && (type as number) === extensionsTag,
  );
  return new Map(
    partsOf(partsOf(tagged)[0]).map((extension) => {
      const parts = partsOf(extension);
      return [asn1.derToOid(bytesOf(parts[0])), bytesOf(parts.at(-1))];
    }),
  );
}

/** The first octet counts the unused bits; the next contains all that are needed here. */
function readKeyUsage(der: string): CertificateUse['keyUsage'] {
  const bits = asn1.fromDer(util.createBuffer(der), { decodeBitStrings: false } as never);
  const first = bytesOf(bits).charCodeAt(1) || 0;
  return {
    mayVerifySignatures: (first & digitalSignature) !== 0,
    maySignCertificates: (first & keyCertSign) !== 0,
  };
}

function readPathLength(der: string): number | undefined {
  const length = partsOf(asn1.fromDer(util.createBuffer(der))).find(({ type }) => type === asn1.Type.INTEGER);
  return length === undefined ? undefined : Number.parseInt(util.bytesToHex(bytesOf(length)), 16);
}

function partsOf(node: asn1.Asn1 | undefined): asn1.Asn1[] {
  return Array.isArray(node?.value) ? node.value : [];
}

function bytesOf(node: asn1.Asn1 | undefined): string {
  return typeof node?.value === 'string' ? node.value : '';
}
