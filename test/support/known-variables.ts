/** Every setting that the code reads, to compare deployment files with. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSchema, type ObjectSchema } from 'joi';
import { variables as ownVariables } from '../../src/config';

const src = join(__dirname, '..', '..', 'src');

export interface KnownVariable {
  flags?: { presence?: string; default?: unknown };
}

/** Every rail, and the code that rails share, has the schema of its variables in its settings file. */
async function furtherVariables(): Promise<ObjectSchema[]> {
  const files = [src, ...['rails', 'worker', 'cli', 'telemetry'].map((name) => join(src, name))]
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name, 'settings.ts')))
    .filter((path) => existsSync(path));
  const modules = await Promise.all(files.map((path) => import(path) as Promise<Record<string, unknown>>));
  return modules.flatMap((module) =>
    Object.values(module).filter((value) => isSchema(value) && value.type === 'object'),
  ) as ObjectSchema[];
}

export async function knownVariables(): Promise<Map<string, KnownVariable>> {
  const schemas = [ownVariables, ...(await furtherVariables())];
  return new Map(
    schemas.flatMap((schema) => Object.entries(schema.describe().keys as Record<string, KnownVariable>)),
  );
}
