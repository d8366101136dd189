/**
 * Authorities, and the certificates that the servers of a cluster on one machine show each other. Every kind of line has
 * an authority of its own: who may ask the frontend for a workflow must not be able to pass for one of the servers behind it.
 */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { md, pki } from 'node-forge';

/** What one end of a line needs: paths of files in PEM. */
export interface TlsFiles {
  /** The authorities that the other end must have its certificate of. */
  caFile: string;
  certFile: string;
  keyFile: string;
}

export interface ClusterCertificates {
  /** The frontend also serves the cluster's own system worker, which shows the certificate of its servers. */
  temporal: Record<'frontend' | 'internode' | 'client', TlsFiles>;
  postgres: Record<'server' | 'client', TlsFiles>;
  mysql: Record<'server' | 'client', TlsFiles>;
}

export interface CertificateRequest {
  /** Who it is; PostgreSQL takes it for the name of the account. */
  commonName: string;
  /** Names of a server beside those of this machine. */
  serverNames?: readonly string[];
  uses: readonly ('server' | 'client')[];
  /** When it ends; a year from now if nothing is said. */
  until?: Date;
}

/** A certificate and its private key, in PEM. */
export interface Identity {
  pem: string;
  keyPem: string;
}

export interface Authority {
  /** Its own certificate, in PEM. */
  pem: string;
  issue(request: CertificateRequest): Promise<Identity>;
}

/** The names that the frontend and the servers behind it are verified by: none of them is the name of a machine. */
export const frontendName = 'temporal-frontend';
export const internodeName = 'temporal-internode';

/** The account that Temporal has in PostgreSQL: its certificate proves it, and there is no password. */
export const postgresUser = 'temporal';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** The library signs with RSA alone. */
const KEY_BITS = 2048;
/** What X.509 calls the kinds of alternative names. */
const alternative = { dns: 2, ip: 7 } as const;

/** Every server of the cluster listens here, and is called by one of these. */
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

/** A certificate that says nothing yet but its key, its number, whose it is and when it ends. */
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
  // The first byte keeps the number positive, which DER reads from its highest bit.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  // Clocks of two machines differ: what is valid from now on would not be valid yet for a while.
  certificate.validity.notBefore = new Date(Math.min(Date.now(), until.getTime()) - DAY_MS);
  certificate.validity.notAfter = until;
  certificate.setSubject([
    { shortName: 'CN', value: commonName },
    { shortName: 'O', value: 'Malipo' },
  ]);
  return { keyPem: privateKey, certificate };
}

/**
 * Writes `<name>.pem`, `<name>-key.pem` and `<name>-ca.pem` into the folder, readable by their owner alone. Files that
 * are there are replaced whole, so that who reloads them never reads half of one.
 * @param trusted the authorities, in PEM, that the other end must have its certificate of
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

/** Makes all that a cluster needs, anew each time; the keys of the authorities are kept nowhere. */
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
  const [frontend, peer, caller, postgresServer, postgresClient, mysqlServer, mysqlClient] =
    await Promise.all([
      make('temporal-frontend', temporal, server(frontendName), [temporal, internode]),
      make('temporal-internode', internode, { ...server(internodeName), uses: ['server', 'client'] }),
      make('temporal-client', temporal, client('malipo')),
      make('postgres-server', postgres, server('postgres')),
      make('postgres-client', postgres, client(postgresUser)),
      make('mysql-server', mysql, server('mysql')),
      make('mysql-client', mysql, client('malipo')),
    ]);
  return {
    temporal: { frontend, internode: peer, client: caller },
    postgres: { server: postgresServer, client: postgresClient },
    mysql: { server: mysqlServer, client: mysqlClient },
  };
}
