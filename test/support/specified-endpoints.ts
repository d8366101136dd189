import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const listed = readFileSync(join(__dirname, '..', '..', 'docs', 'endpoints.md'), 'utf8');

/** An endpoint of the specification stands in docs/endpoints.md; one of a further rail in the rail's README. */
export const isSpecified = ({ method, path }: { method: string; path: string }): boolean =>
  listed.includes(`\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``);
