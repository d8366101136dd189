/** The lines to the database and to Temporal: whether others could listen, and when a certificate ends. */
import { X509Certificate } from 'node:crypto';
import type { Config } from '../../config';
import { attention, fault, ok, type Diagnosis } from '../../domain/diagnosis';
import { isThisMachine } from '../../domain/ip-address';
import { readDatabaseUrl } from '../../store/database-address';
import { ageText } from '../wall-clock';
import { temporalOptionsOf } from '../../process/temporal-connection';
import type { Checkup } from './checkup';

/** Enough for whoever has to sign a new one. */
const renewBeforeMs = 14 * 86_400_000;

export const lineCheckups: Checkup[] = [
  {
    name: 'database line',
    async examine({ db, config }) {
      const [[row]] = (await db.raw("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) as unknown as [
        [{ Value: string } | undefined],
      ];
      if (row?.Value) return ok(`The line to the database is encrypted (${row.Value}).`);
      return unprotected(config, {
        what: 'The line to the database',
        host: readDatabaseUrl(config.databaseUrl).host,
        see: 'ssl-ca',
      });
    },
  },
  {
    name: 'temporal line',
    examine({ config }) {
      if (config.temporalLine.tls) return Promise.resolve(ok('The line to Temporal is encrypted.'));
      const host = config.temporalAddress.replace(/:\d+$/, '');
      return Promise.resolve(
        unprotected(config, { what: 'The line to Temporal', host, see: 'TEMPORAL_TLS' }),
      );
    },
  },
  {
    name: 'certificates',
    examine: ({ config }) => Promise.resolve(examineCertificates(config, Date.now())),
  },
];

function unprotected(
  { environment }: Config,
  { what, host, see }: { what: string; host: string; see: string },
): Diagnosis {
  if (environment !== 'live') return ok('Not encrypted; a sandbox does not need it.');
  if (isThisMachine(host)) return ok(`${what} does not leave this machine.`);
  return attention(`${what} is not encrypted; see ${see} in docs/production.md.`);
}

/** Of the certificates that we show, and of the authorities that we trust. */
function examineCertificates(config: Config, nowMs: number): Diagnosis {
  const { ssl } = readDatabaseUrl(config.databaseUrl);
  const { tls } = temporalOptionsOf(config);
  const held = [
    { name: 'our certificate for the database', pem: ssl?.cert },
    { name: "the database's authority", pem: ssl?.ca },
    { name: 'our certificate for Temporal', pem: tls?.clientCertPair?.crt.toString() },
    { name: "Temporal's authority", pem: tls?.serverRootCACertificate?.toString() },
  ].flatMap(({ name, pem }) => (pem === undefined ? [] : [{ name, leftMs: endOf(name, pem) - nowMs }]));
  const ended = held.filter(({ leftMs }) => leftMs <= 0);
  if (ended.length > 0) return fault(`Ended: ${ended.map(({ name }) => name).join(', ')}.`);
  const ending = held.filter(({ leftMs }) => leftMs < renewBeforeMs);
  if (ending.length > 0) {
    const which = ending.map(({ name, leftMs }) => `${name} (in ${ageText(leftMs)})`).join(', ');
    return attention(
      `Ends soon: ${which}. New files are taken up without a restart; see docs/connections.md.`,
    );
  }
  return ok(
    held.length === 0 ? 'No certificate comes from a file.' : 'Every certificate is good for two weeks.',
  );
}

/** A chain ends with its first certificate; of a bundle of authorities one that is good is enough. */
function endOf(name: string, pem: string): number {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const ends = blocks.map((block) => Date.parse(new X509Certificate(block).validTo));
  return name.endsWith('authority') ? Math.max(...ends) : (ends[0] ?? 0);
}
