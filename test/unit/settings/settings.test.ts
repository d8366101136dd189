/** What is said of settings that are not usable: their names, and never what they hold. */
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

describe('a setting that is not usable', () => {
  it('is named with what it may be, where that is a choice', () => {
    expect(
      faultOf(() => readVariables(variables, { MALIPO_ENV: 'prod', MALIPO_SCHEDULES: 'OFF' })),
    ).toContain('MALIPO_SCHEDULES must be one of on, off');
  });

  it('is named and not repeated, whichever it is', async () => {
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
        const told = faultOf(() => readVariables(schema, { [name]: secret }));
        expect(told).toContain(name);
        expect(told).not.toContain(secret);
      }
    }
    expect(refused).toBeGreaterThan(20);
  });

  it('is a database URL whose password has a question mark, and names no part of it', () => {
    const told = faultOf(() => readDatabaseUrl('mysql://malipo:12?s3cret@db/malipo'));
    expect(told).toContain('parameters that are not known');
    expect(told).not.toMatch(/s3cret|12/);
    expect(faultOf(() => readDatabaseUrl('mysql://malipo:x@db/malipo?charset=utf8'))).toContain('charset');
  });
});
