/** The certificates of a cluster, used by both ends of real connections. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import {
  clusterCertificates,
  frontendName,
  internodeName,
  newAuthority,
  writeTlsFiles,
  type ClusterCertificates,
  type TlsFiles,
} from '../../../tools/cluster/certificates';

let folder: string;
let certificates: ClusterCertificates;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-certificates-'));
  certificates = await clusterCertificates(join(folder, 'certificates'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const read = ({ caFile, certFile, keyFile }: TlsFiles) => ({
  ca: readFileSync(caFile),
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
});

/** @returns the client's identity for the server, or why it was rejected. */
async function handshake(
  server: TlsFiles,
  client: TlsFiles | { caFile: string },
  { servername = 'localhost', host = '127.0.0.1' } = {},
): Promise<string> {
  const listener = createServer(
    { ...read(server), requestCert: true, rejectUnauthorized: false },
    (socket) => {
      socket.on('error', () => undefined);
      const verdict = socket.authorized ? 'takes' : `refuses for ${String(socket.authorizationError)}`;
      const shown = socket.getPeerCertificate() as { subject?: { CN: string } };
      socket.end(`${verdict} ${shown.subject?.CN ?? 'nobody'}`);
    },
  );
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const { port } = listener.address() as AddressInfo;
    const ours = 'certFile' in client ? read(client) : { ca: readFileSync(client.caFile) };
    const socket = connect({ host, port, servername, ...ours });
    let output = '';
    socket.on('data', (data: Buffer) => (output += data.toString()));
    await once(socket, 'end');
    socket.destroy();
    return output;
  } finally {
    listener.close();
  }
}

const temporal = () => certificates.temporal;

describe('the connections of a cluster', () => {
  it('accept their own clients, by the names of the servers and of the machine', async () => {
    const { mysql, postgres } = certificates;
    const { frontend, internode, client } = temporal();
    expect(await handshake(frontend, client, { servername: frontendName })).toBe('takes malipo');
    expect(await handshake(internode, internode, { servername: internodeName })).toBe(
      'takes temporal-internode',
    );
    expect(await handshake(postgres.server, postgres.client)).toBe('takes temporal');
    expect(await handshake(mysql.server, mysql.client)).toBe('takes malipo');
    // Without a name the certificate is compared with the address.
    expect(await handshake(mysql.server, mysql.client, { servername: '' })).toBe('takes malipo');
  });

  it('reject a caller without a certificate', async () => {
    const { frontend, client } = temporal();
    expect(await handshake(frontend, { caFile: client.caFile })).toMatch(/^refuses for \S+ nobody$/);
  });

  it('reject a certificate of another connection: a client of the frontend cannot reach the servers behind it', async () => {
    const { internode, client } = temporal();
    const trusting = { ...client, caFile: internode.caFile };
    expect(await handshake(internode, trusting)).toMatch(/^refuses for \S+ malipo$/);
    // In the other direction, the cluster's own worker calls the frontend.
    const worker = { ...internode, caFile: client.caFile };
    expect(await handshake(temporal().frontend, worker)).toBe('takes temporal-internode');
  });

  it('reject a certificate of another authority with the same name', async () => {
    const otherAuthority = await newAuthority('Malipo Temporal CA');
    const identity = await otherAuthority.issue({ commonName: 'malipo', uses: ['client'] });
    const { frontend, client } = temporal();
    const forged = await writeTlsFiles(join(folder, 'stranger'), 'client', identity, [
      readFileSync(client.caFile, 'utf8'),
    ]);
    expect(await handshake(frontend, forged)).toBe('refuses for UNABLE_TO_VERIFY_LEAF_SIGNATURE malipo');
  });

  it('reject a client’s certificate for a server, and a server with another name', async () => {
    const { client, frontend } = temporal();
    await expect(handshake({ ...client, caFile: frontend.caFile }, client)).rejects.toThrow(/purpose/);
    await expect(handshake(frontend, client, { servername: internodeName })).rejects.toThrow(/altnames/);
  });

  it('reject an expired certificate', async () => {
    const authority = await newAuthority('Short CA');
    const of = async (name: string, uses: 'server' | 'client', until?: Date) =>
      writeTlsFiles(
        join(folder, 'short'),
        name,
        await authority.issue({ commonName: name, uses: [uses], ...(until && { until }) }),
        [authority.pem],
      );
    const ended = await of('ended', 'client', new Date(Date.now() - 60_000));
    const server = await of('server', 'server');
    expect(await handshake(server, ended)).toBe('refuses for CERT_HAS_EXPIRED ended');
    expect(await handshake(server, await of('good', 'client'))).toBe('takes good');
  });
});

describe('the files', () => {
  it('are readable only by their owner, and the authorities store no key', () => {
    const inside = join(folder, 'certificates');
    expect(statSync(inside).mode & 0o777).toBe(0o700);
    const names = readdirSync(inside).sort();
    expect(names.map((name) => (statSync(join(inside, name)).mode & 0o777).toString(8))).toEqual(
      names.map(() => '600'),
    );
    expect(names.filter((name) => name.endsWith('-key.pem'))).toHaveLength(7);
    expect(names.filter((name) => name.includes('ca-key'))).toEqual([]);
  });

  it('are valid X.509 for strict readers: each names its issuer’s key, and no leaf may sign', () => {
    const leaf = new X509Certificate(readFileSync(temporal().frontend.certFile));
    const [authority = ''] = readFileSync(temporal().client.caFile, 'utf8').split(
      /(?<=-----END CERTIFICATE-----\s)/,
    );
    expect(leaf.checkIssued(new X509Certificate(authority))).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(new X509Certificate(authority).ca).toBe(true);
    expect(leaf.subjectAltName).toContain('IP Address:127.0.0.1');
    expect(leaf.subjectAltName).toContain(`DNS:${frontendName}`);
  });
});
