/** Messages about invalid settings: their names, and never their values. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSchema, type ObjectSchema } from 'joi';
import { ConfigError, readVariables, variables } from '../../../src/config';
import { mailVariables } from '../../../src/mail/settings';
import { readDatabaseUrl } from '../../../src/store/database-address';

const secret = 'my-secret pass/key';
const rails = join(__dirname, '..', '..', '..', 'src', 'rails');

function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('an invalid setting', () => {
  it('is named with its allowed values, if it is a choice', () => {
    expect(
      faultOf(() => readVariables(variables, { MALIPO_ENV: 'prod', MALIPO_SCHEDULES: 'OFF' })),
    ).toContain('MALIPO_SCHEDULES must be one of on, off');
  });

  it('is named without its value, for every setting', async () => {
    const files = readdirSync(rails)
      .map((name) => join(rails, name, 'settings.ts'))
      .filter((path) => existsSync(path));
    const modules = await Promise.all(files.map((path) => import(path) as Promise<Record<string, unknown>>));
    const ofRails = modules.flatMap((module) => Object.values(module).filter((value) => isSchema(value)));
    let refused = 0;
    for (const schema of [variables, mailVariables, ...ofRails] as ObjectSchema[]) {
      for (const name of Object.keys(schema.describe().keys as object)) {
        const { error } = schema.validate({ [name]: secret }, { abortEarly: false });
        if (!error?.details.some(({ path }) => path[0] === name)) continue;
        refused += 1;
        const reported = faultOf(() => readVariables(schema, { [name]: secret }));
        expect(reported).toContain(name);
        expect(reported).not.toContain(secret);
      }
    }
    expect(refused).toBeGreaterThan(20);
  });

  it('is a database URL with a question mark in its password, and the message contains no part of it', () => {
    const reported = faultOf(() => readDatabaseUrl('mysql://malipo:12?s3cret@db/malipo'));
    expect(reported).toContain('unknown parameters');
    expect(reported).not.toMatch(/s3cret|12/);
    expect(faultOf(() => readDatabaseUrl('mysql://malipo:x@db/malipo?charset=utf8'))).toContain('charset');
  });

  it.each(['ssl-ca=/nowhere/ca.pem', 'ssl-cert=/nowhere/ca.pem&ssl-key=/nowhere/key.pem'])(
    'is a file of the database URL that cannot be read: %s',
    (query) => {
      const reported = faultOf(() => readDatabaseUrl(`mysql://malipo:s3cret@db/malipo?${query}`));
      const [name = ''] = query.split('=');
      expect(reported).toBe(`${name} of the database URL: /nowhere/ca.pem cannot be read (ENOENT)`);
    },
  );
});
