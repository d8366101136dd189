/** Where the developer's commands find keys and address: a secret never goes to a server that nobody named. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProfile, keysToKeep, readProfile, writeProfile } from '../../../packages/cli/profile';
import { runDeveloper } from '../../../packages/cli/run';

const shop = { name: 'Demo Shop', api_key: 'pk_test_1', api_secret: 'sk_test_1', webhook_secret: 'whsec_1' };
const keys = { MALIPO_API_KEY: 'pk_test_1', MALIPO_API_SECRET: 'sk_test_1' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-keys-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const world = (env: NodeJS.ProcessEnv = {}) => ({ env: { ...env, XDG_CONFIG_HOME: folder }, folder });

function makeSandbox() {
  mkdirSync(join(folder, '.malipo'));
  const sandbox = { api_url: 'http://127.0.0.1:3006', simulator_url: 'http://127.0.0.1:3007' };
  writeFileSync(join(folder, '.malipo', 'sandbox.json'), JSON.stringify({ ...sandbox, merchants: [shop] }));
}

describe('keys from the environment', () => {
  it.each(['MALIPO_URL', 'MALIPO_API_URL'])('go to the address in %s', async (name) => {
    const found = await readProfile(world({ ...keys, [name]: 'https://pay.example.org/' }), 'default');
    expect(found).toMatchObject({
      api_url: 'https://pay.example.org',
      api_key: 'pk_test_1',
      source: 'the environment (MALIPO_API_KEY)',
    });
  });

  it('go nowhere without an address', async () => {
    await expect(readProfile(world(keys), 'default')).rejects.toThrow('set MALIPO_URL');
    await expect(keysToKeep(world(keys), undefined)).rejects.toThrow('set MALIPO_URL');
  });

  it('go nowhere where two addresses are named', async () => {
    const two = { MALIPO_URL: 'http://127.0.0.1:3006', MALIPO_API_URL: 'http://127.0.0.1:3000' };
    await expect(readProfile(world({ ...keys, ...two }), 'default')).rejects.toThrow('unset one');
  });

  it('go to the sandbox in this folder, if they are its own', async () => {
    makeSandbox();
    const found = await readProfile(world(keys), 'default');
    expect(found).toMatchObject({ api_url: 'http://127.0.0.1:3006', simulator_url: 'http://127.0.0.1:3007' });
    const others = world({ ...keys, MALIPO_API_KEY: 'pk_test_2' });
    await expect(readProfile(others, 'default')).rejects.toThrow('set MALIPO_URL');
  });
});

describe('malipo login', () => {
  it('takes the first shop of the sandbox in this folder', async () => {
    makeSandbox();
    const found = await keysToKeep(world(), undefined);
    expect(found).toMatchObject({ api_key: 'pk_test_1', source: '.malipo/sandbox.json' });
  });

  it('names the address and the source of keys that nobody can reach', async () => {
    let text = '';
    const code = await runDeveloper(['login'], {
      ...world({ ...keys, MALIPO_URL: 'http://127.0.0.1:1' }),
      out: () => undefined,
      err: (more) => (text += more),
    });
    expect([code, text]).toEqual([1, expect.stringContaining('The API at http://127.0.0.1:1')]);
  });

  it('says that it cannot make the folder of a profile', async () => {
    const profile = { ...shop, api_url: 'http://127.0.0.1:3006', merchant_id: '1', merchant_name: 'Duka' };
    const nowhere = { env: { XDG_CONFIG_HOME: '/proc/config' }, folder };
    await expect(writeProfile(nowhere, 'default', profile)).rejects.toThrow(
      'The folder /proc/config/malipo cannot be made: ',
    );
  });

  it('keeps a profile that a later login can name', async () => {
    const profile = { ...shop, api_url: 'http://127.0.0.1:3006', merchant_id: '1', merchant_name: 'Duka' };
    await writeProfile(world(), 'default', profile);
    expect(await findProfile(world(), 'default')).toMatchObject({ merchant_name: 'Duka' });
    expect(await findProfile(world(), 'other')).toBeUndefined();
    expect((await readProfile(world(), 'default')).source).toMatch(
      /^the profile default \(.*default\.json\)$/,
    );
  });
});
