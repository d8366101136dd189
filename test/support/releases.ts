/** The recorded data of releases: rows, schema, the provider's records, and histories (docs/testing.md). */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const fixtures = join(__dirname, '..', 'fixtures');

/** A new release gets a folder of its own; the data of earlier ones stays. */
export const newestRelease = join(fixtures, '1.0.0');

/** The folder of each release, the first one first. */
export const releases: readonly string[] = readdirSync(fixtures)
  .filter((name) => /^\d/.test(name))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  .map((name) => join(fixtures, name));
