/** What the doctor reports about connections: whether they are encrypted, and when a certificate expires. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config';
import type { Diagnosis } from '../../../src/domain/diagnosis';
import type { Patient } from '../../../src/cli/doctor/checkup';
import { lineCheckups } from '../../../src/cli/doctor/temporal-checkups';
import { newCertificate } from '../../support/rails/walletpay/paypal-certificates';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-lines-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, ...days: number[]): string {
  const pems = days.map((last) => newCertificate({ commonName: name, validDays: [-90, last] }).pem);
  writeFileSync(join(folder, name), pems.join(''));
  return join(folder, name);
}

function examine(name: string, env: Record<string, string>): Promise<Diagnosis> {
  const config = readConfig({
    MALIPO_ENV: 'live',
    MALIPO_PUBLIC_URL: 'https://pay.example.org',
    DATABASE_URL: 'mysql://malipo@db.example.org/malipo',
    MALIPO_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    MALIPO_AUDIT_KEY: `a1:${Buffer.alloc(32).toString('base64')}`,
    ...env,
  });
  const checkup = lineCheckups.find((one) => one.name === name);
  if (!checkup) throw new Error(`no checkup is called ${name}`);
  const db = { raw: () => Promise.resolve([[{ Value: '' }]]) };
  return checkup.examine({ config, db } as unknown as Patient);
}

describe('a connection without TLS', () => {
  it.each([
    ['temporal line', { TEMPORAL_ADDRESS: 'temporal.example.org:7233' }, 'attention'],
    ['temporal line', { TEMPORAL_ADDRESS: '127.0.0.1:7233' }, 'ok'],
    ['temporal line', { TEMPORAL_ADDRESS: '[::1]:7233' }, 'ok'],
    ['temporal line', { TEMPORAL_ADDRESS: 'temporal.example.org:7233', TEMPORAL_TLS: 'true' }, 'ok'],
    ['temporal line', { TEMPORAL_ADDRESS: 'temporal:7233', MALIPO_ENV: 'sandbox' }, 'ok'],
    ['database line', {}, 'attention'],
    ['database line', { DATABASE_URL: 'mysql://malipo@localhost/malipo' }, 'ok'],
  ])('%s with %j is reported as %s', async (name, env, level) => {
    expect(await examine(name, env as Record<string, string>)).toMatchObject({ level });
  });
});

describe('certificates', () => {
  const temporal = (cert: string): Record<string, string> => ({
    TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
    TEMPORAL_TLS_CLIENT_KEY_PATH: cert,
  });

  it('are ok when no setting names one', async () => {
    expect(await examine('certificates', {})).toMatchObject({ level: 'ok' });
  });

  it('are reported by owner when they expire within 30 days; an expired one is a fault', async () => {
    const soon = await examine('certificates', temporal(file('soon.pem', 29, 400)));
    expect(soon).toMatchObject({ level: 'attention' });
    expect(soon.sentence).toContain('our certificate for Temporal (in ');
    expect(await examine('certificates', temporal(file('later.pem', 31)))).toMatchObject({ level: 'ok' });
    expect(await examine('certificates', temporal(file('ended.pem', -1)))).toMatchObject({
      level: 'fault',
      sentence: 'Expired: our certificate for Temporal.',
    });
  });

  it('of authorities are ok while one of the bundle is valid', async () => {
    const url = (ca: string) => ({ DATABASE_URL: `mysql://malipo@db.example.org/malipo?ssl-ca=${ca}` });
    expect(await examine('certificates', url(file('both.pem', -1, 31)))).toMatchObject({ level: 'ok' });
    expect(await examine('certificates', url(file('old.pem', -1)))).toMatchObject({
      level: 'fault',
      sentence: "Expired: the database's authority.",
    });
  });
});
