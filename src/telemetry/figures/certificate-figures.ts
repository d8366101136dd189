/** When the certificates of our connections expire: those of the settings, which are files. */
import { X509Certificate } from 'node:crypto';
import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../../config';
import { temporalOptionsOf, type TemporalSettings } from '../../process/temporal-connection';
import { readDatabaseUrl } from '../../store/database-address';

/** A client's certificate is ours. An authority signs the certificate of the server. */
export type CertificateName = `${'database' | 'temporal'}_${'client' | 'authority'}`;

export interface Certificate {
  name: CertificateName;
  /** In milliseconds since 1970; 0 for a file without a certificate. */
  expiresAtMs: number;
}

type Settings = Pick<Config, 'databaseUrl'> & TemporalSettings;
type Pem = string | Buffer | undefined;

function databaseCertificates({ databaseUrl }: Settings): Certificate[] {
  const { ssl } = readDatabaseUrl(databaseUrl);
  return certificatesIn('database', ssl?.cert, ssl?.ca);
}

function temporalCertificates(config: Settings): Certificate[] {
  const { tls } = temporalOptionsOf(config);
  return certificatesIn('temporal', tls?.clientCertPair?.crt, tls?.serverRootCACertificate);
}

function certificatesIn(server: 'database' | 'temporal', client: Pem, authority: Pem): Certificate[] {
  return [
    // The first certificate of a chain is the client's own.
    ...(client ? [{ name: `${server}_client` as const, expiresAtMs: endsOf(client)[0] ?? 0 }] : []),
    // Of a bundle, one valid authority is enough.
    ...(authority
      ? [{ name: `${server}_authority` as const, expiresAtMs: Math.max(0, ...endsOf(authority)) }]
      : []),
  ];
}

function endsOf(pem: string | Buffer): number[] {
  const blocks = pem.toString().match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => Date.parse(new X509Certificate(block).validTo));
}

/** @throws if a file is unreadable, or has something else in place of a certificate. */
export function certificatesOf(config: Settings): Certificate[] {
  return [...databaseCertificates(config), ...temporalCertificates(config)];
}

/** Read at each scrape: a file may be replaced while the process runs. */
export function showCertificates(registers: Registry[], config: Settings): void {
  new Gauge({
    name: 'malipo_certificate_expiry_timestamp_seconds',
    help: "Unix time at which a certificate of this process's connections expires.",
    labelNames: ['certificate'],
    registers,
    collect() {
      for (const read of [databaseCertificates, temporalCertificates]) {
        try {
          for (const { name, expiresAtMs } of read(config))
            this.set({ certificate: name }, expiresAtMs / 1_000);
        } catch {
          // A file is being replaced. The last value stays; new connections report a file that stays unreadable.
        }
      }
    },
  });
}
