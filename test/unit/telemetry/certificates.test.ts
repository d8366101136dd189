/** The metric of certificates: which ones a process has, when each expires, and a file that is being replaced. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { readConfig } from '../../../src/config';
import { showCertificates } from '../../../src/telemetry/figures/certificate-figures';
import { newCertificate } from '../../support/rails/walletpay/paypal-certificates';

const dayMs = 86_400_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-certificates-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, ...days: number[]): string {
  const path = join(folder, name);
  const pems = days.map((last) => newCertificate({ commonName: name, validDays: [-90, last] }).pem);
  writeFileSync(path, pems.join(''));
  return path;
}

/** The days for which each certificate is still valid, as the metric shows it. */
function shownBy(env: Record<string, string>): () => Promise<Record<string, number>> {
  const registry = new Registry();
  showCertificates(
    [registry],
    readConfig({
      MALIPO_ENV: 'sandbox',
      DATABASE_URL: 'mysql://malipo@db.example.org/malipo',
      MALIPO_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
      ...env,
    }),
  );
  return async () => {
    const [metric] = await registry.getMetricsAsJSON();
    const { values } = metric as unknown as { values: { labels: { certificate: string }; value: number }[] };
    const days = (seconds: number) => Math.round((seconds * 1_000 - Date.now()) / dayMs);
    return Object.fromEntries(values.map(({ labels, value }) => [labels.certificate, days(value)]));
  };
}

it('shows each certificate of the settings: the first of a chain, and the last of a bundle of authorities', async () => {
  const shown = shownBy({
    DATABASE_URL: `mysql://malipo@db.example.org/malipo?ssl-ca=${file('ca.pem', 20, 400)}&ssl-cert=${file('cert.pem', 10, 700)}&ssl-key=${file('key.pem', 1)}`,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('temporal-ca.pem', 300),
    TEMPORAL_TLS_CLIENT_CERT_PATH: file('temporal.pem', 5),
    TEMPORAL_TLS_CLIENT_KEY_PATH: file('temporal-key.pem', 1),
  });
  expect(await shown()).toEqual({
    database_client: 10,
    database_authority: 400,
    temporal_client: 5,
    temporal_authority: 300,
  });
});

it('shows nothing where no setting names a file', async () => {
  expect(await shownBy({})()).toEqual({});
});

it('shows a replaced file at the next scrape, and the last value while it is replaced', async () => {
  const cert = file('rotated.pem', 2);
  const shown = shownBy({ TEMPORAL_TLS_CLIENT_CERT_PATH: cert, TEMPORAL_TLS_CLIENT_KEY_PATH: cert });
  expect(await shown()).toEqual({ temporal_client: 2 });
  rmSync(cert);
  expect(await shown()).toEqual({ temporal_client: 2 });
  file('rotated.pem', 365);
  expect(await shown()).toEqual({ temporal_client: 365 });
});
