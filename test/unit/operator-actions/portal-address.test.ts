/** A link that the command line prints leads to the portal of this deployment. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsOf } from '../../../src/cli/settings';
import { readPortalUrl } from '../../../src/portal/settings';
import { madeUpBeside } from '../../../tools/sandbox/credentials';

const folder = mkdtempSync(join(tmpdir(), 'malipo-portal-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('uses the address of the sandbox that npm start started, although another one has the usual port', async () => {
  const kept = join(folder, '.malipo');
  mkdirSync(kept);
  const described = {
    ...{
      database_url: 'mysql://127.0.0.1:1/x',
      temporal_address: '127.0.0.1:1',
      temporal_ui_url: 'http://127.0.0.1:1',
    },
    ...{ api_url: 'http://127.0.0.1:3009', simulator_url: 'http://127.0.0.1:1', settings: {}, providers: {} },
    portal: { url: 'http://127.0.0.1:3011', email: 'x', password: 'x' },
  };
  writeFileSync(join(kept, 'sandbox.json'), JSON.stringify(described));
  writeFileSync(join(kept, 'credentials.json'), JSON.stringify(madeUpBeside()));
  const settings = await settingsOf({}, folder);
  expect(readPortalUrl(settings, 'sandbox')).toBe('http://127.0.0.1:3011');
});

it('uses the setting, and fails without it', () => {
  expect(readPortalUrl({ MALIPO_PORTAL_URL: 'https://portal.example.com/' }, 'live')).toBe(
    'https://portal.example.com',
  );
  // The address on which a container listens is not an address that a user can open.
  const listening = { MALIPO_PORTAL_HOST: '0.0.0.0', MALIPO_PORTAL_PORT: '3002' };
  for (const env of [{}, { MALIPO_PORTAL_URL: '' }, listening])
    expect(() => readPortalUrl(env, 'sandbox')).toThrow('MALIPO_PORTAL_URL is not set');
});
