/**
 * Authorities and certificates for mutual TLS between the servers of a cluster on one machine. Each kind of connection
 * has its own authority: a client of the frontend must not be able to impersonate a server behind it.
 */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { md, pki } from 'node-forge';

/** One end of a connection: paths of PEM files. */
export interface TlsFiles {
  /** The authorities that the other end's certificate must come from. */
  caFile: string;
  certFile: string;
  keyFile: string;
}

export interface ClusterCertificates {
  /** The frontend also serves the cluster's own system worker, which uses its servers' certificate. */
  temporal: Record<'frontend' | 'internode' | 'client', TlsFiles>;
  postgres: Record<'server' | 'client', TlsFiles>;
  mysql: Record<'server' | 'client', TlsFiles>;
  /** Replaces the file of MySQL's client certificate. */
  renewMysqlClient(until?: Date): Promise<TlsFiles>;
}

export interface CertificateRequest {
  /** The subject; PostgreSQL takes it as the account's name. */
  commonName: string;
  /** A server's names beside those of this machine. */
  serverNames?: readonly string[];
  uses: readonly ('server' | 'client')[];
  /** When it expires; by default in a year. */
  until?: Date;
}

/** A certificate and its private key, in PEM. */
export interface Identity {
  pem: string;
  keyPem: string;
}

export interface Authority {
  /** The authority's own certificate, in PEM. */
  pem: string;
  issue(request: CertificateRequest): Promise<Identity>;
}

/** The names that the frontend and the servers behind it are verified by. Neither is the name of a machine. */
export const frontendName = 'temporal-frontend';
export const internodeName = 'temporal-internode';

/** Temporal's account in PostgreSQL: its certificate authenticates it, and it has no password. */
export const postgresUser = 'temporal';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** The library signs only with RSA. */
const KEY_BITS = 2048;
/** X.509's numbers for the kinds of alternative names. */
const alternative = { dns: 2, ip: 7 } as const;

/** Every server of the cluster listens here, and is called by one of these names. */
const thisMachine = [
  { type: alternative.dns, value: 'localhost' },
  { type: alternative.ip, ip: '127.0.0.1' },
  { type: alternative.ip, ip: '::1' },
];

const newKeys = promisify(generateKeyPair);

export async function newAuthority(commonName: string): Promise<Authority> {
  const { keyPem, certificate } = await blank(commonName, new Date(Date.now() + 10 * YEAR_MS));
  certificate.setIssuer(certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  const key = pki.privateKeyFromPem(keyPem);
  certificate.sign(key, md.sha256.create());
  return {
    pem: pki.certificateToPem(certificate),
    issue: (request) => issue(request, certificate, key),
  };
}

async function issue(
  { commonName, serverNames = [], uses, until = new Date(Date.now() + YEAR_MS) }: CertificateRequest,
  issuer: pki.Certificate,
  issuerKey: pki.rsa.PrivateKey,
): Promise<Identity> {
  const { keyPem, certificate } = await blank(commonName, until);
  const serves = uses.includes('server');
  certificate.setIssuer(issuer.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: serves, clientAuth: uses.includes('client') },
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier: issuer.generateSubjectKeyIdentifier().getBytes() },
    ...(serves
      ? [
          {
            name: 'subjectAltName',
            altNames: [...thisMachine, ...serverNames.map((value) => ({ type: alternative.dns, value }))],
          },
        ]
      : []),
  ]);
  certificate.sign(issuerKey, md.sha256.create());
  return { pem: pki.certificateToPem(certificate), keyPem };
}

/** A certificate with only its key, number, subject and expiry. */
async function blank(
  commonName: string,
  until: Date,
): Promise<{ keyPem: string; certificate: pki.Certificate }> {
  const { privateKey, publicKey } = await newKeys('rsa', {
    modulusLength: KEY_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  // The first byte keeps the number positive: in DER its highest bit is the sign.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  // Clocks of two machines differ: a certificate valid from now would not be valid yet on another.
  certificate.validity.notBefore = new Date(Math.min(Date.now(), until.getTime()) - DAY_MS);
  certificate.validity.notAfter = until;
  certificate.setSubject([
    { shortName: 'CN', value: commonName },
    { shortName: 'O', value: 'Malipo' },
  ]);
  return { keyPem: privateKey, certificate };
}

/**
 * Writes `<name>.pem`, `<name>-key.pem` and `<name>-ca.pem` into the folder, readable only by their owner. Existing
 * files are replaced atomically, so a reader never gets half a file.
 * @param trusted the authorities, in PEM, that the other end's certificate must come from
 */
export async function writeTlsFiles(
  folder: string,
  name: string,
  { pem, keyPem }: Identity,
  trusted: readonly string[],
): Promise<TlsFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const write = async (suffix: string, content: string): Promise<string> => {
    const file = join(folder, `${name}${suffix}.pem`);
    const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
    await writeFile(unfinished, content, { mode: 0o600 });
    await rename(unfinished, file);
    return file;
  };
  return {
    caFile: await write('-ca', trusted.join('')),
    keyFile: await write('-key', keyPem),
    certFile: await write('', pem),
  };
}

/** Makes all certificates of a cluster, new each time; the authorities' keys are not stored. */
export async function clusterCertificates(folder: string): Promise<ClusterCertificates> {
  const [temporal, internode, postgres, mysql] = await Promise.all([
    newAuthority('Malipo Temporal CA'),
    newAuthority('Malipo Temporal Internode CA'),
    newAuthority('Malipo PostgreSQL CA'),
    newAuthority('Malipo MySQL CA'),
  ]);
  const make = async (name: string, by: Authority, request: CertificateRequest, trusted = [by]) =>
    writeTlsFiles(
      folder,
      name,
      await by.issue(request),
      trusted.map(({ pem }) => pem),
    );
  const client = (commonName: string): CertificateRequest => ({ commonName, uses: ['client'] });
  const server = (name: string): CertificateRequest => ({
    commonName: name,
    serverNames: [name],
    uses: ['server'],
  });
  const renewMysqlClient = (until?: Date) =>
    make('mysql-client', mysql, { ...client('malipo'), ...(until && { until }) });
  const [frontend, peer, caller, postgresServer, postgresClient, mysqlServer, mysqlClient] =
    await Promise.all([
      make('temporal-frontend', temporal, server(frontendName), [temporal, internode]),
      make('temporal-internode', internode, { ...server(internodeName), uses: ['server', 'client'] }),
      make('temporal-client', temporal, client('malipo')),
      make('postgres-server', postgres, server('postgres')),
      make('postgres-client', postgres, client(postgresUser)),
      make('mysql-server', mysql, server('mysql')),
      renewMysqlClient(),
    ]);
  return {
    temporal: { frontend, internode: peer, client: caller },
    postgres: { server: postgresServer, client: postgresClient },
    mysql: { server: mysqlServer, client: mysqlClient },
    renewMysqlClient,
  };
}
