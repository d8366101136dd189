/** In live, no request with our keys uses plain http, on any rail. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSchema, type ObjectSchema } from 'joi';
import { ConfigError, readVariables } from '../../../src/config';
import { createRails, railDefinitions } from '../../../src/rails';
import { ownTokens } from '../../support/own-tokens';
import { silentLog } from '../../support/silent-log';

const rails = join(__dirname, '..', '..', '..', 'src', 'rails');

interface Key {
  name: string;
  schema: ObjectSchema;
}

/** Every setting of every rail that is an address which the rail calls. */
async function providerUrls(): Promise<Key[]> {
  const files = readdirSync(rails)
    .map((name) => join(rails, name, 'settings.ts'))
    .filter((path) => existsSync(path));
  const modules = await Promise.all(files.map((path) => import(path) as Promise<Record<string, unknown>>));
  const schemas = modules.flatMap((module) => Object.values(module).filter((value) => isSchema(value)));
  return (schemas as ObjectSchema[]).flatMap((schema) =>
    Object.keys(schema.describe().keys as object)
      .filter((name) => name.endsWith('_BASE_URL'))
      .map((name) => ({ name, schema })),
  );
}

describe('the address of a provider', () => {
  it('must be https in live, on every rail', async () => {
    const urls = await providerUrls();
    expect(urls.map(({ name }) => name).sort()).toEqual(
      railDefinitions.map(({ name }) => `${name.toUpperCase()}_BASE_URL`).sort(),
    );
    for (const { name, schema } of urls) {
      const read = (MALIPO_ENV: string, url: string) => () => {
        readVariables(schema, { MALIPO_ENV, [name]: url });
      };
      const denial = `${name} must be an https URL in live`;
      expect(read('live', 'http://api.example.com')).toThrow(denial);
      // Its other settings are missing here; this one has no fault.
      expect(read('live', 'https://api.example.com')).not.toThrow(name);
      expect(read('sandbox', 'http://127.0.0.1:3001')).not.toThrow(name);
    }
  });

  it('is rejected before a live process serves anything', () => {
    const stk = {
      STK_BASE_URL: 'http://api.example.com',
      STK_CONSUMER_KEY: 'key',
      STK_CONSUMER_SECRET: 'secret',
      STK_PASSKEY: 'passkey',
      STK_SHORTCODE: '174379',
    };
    const create = (env: Record<string, string>) => () =>
      createRails(
        {
          environment: 'live',
          publicUrl: 'https://pay.example.com',
          timezone: 'Africa/Nairobi',
          timeScale: 1,
          env,
          log: silentLog,
          tokens: ownTokens(),
          observe: () => undefined,
        },
        ['stk'],
      );
    // Whatever MALIPO_ENV in the process's environment says.
    expect(create({ ...stk, MALIPO_ENV: 'sandbox' })).toThrow(ConfigError);
    expect(create(stk)).toThrow('STK_BASE_URL must be an https URL in live');
    expect(create({ ...stk, STK_BASE_URL: 'https://api.example.com' })).not.toThrow();
  });
});
