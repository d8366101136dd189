/**
 * `npm run clients`: generates the clients' operations and types from docs/openapi.json. `-- --check` writes nothing, and
 * fails if a file differs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeOperations } from './clients/node.mjs';
import { phpOperations } from './clients/php.mjs';
import { pythonOperations } from './clients/python.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const description = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'));
const { Error: refusal, ...shapes } = description.components.schemas;
// Every language has its own error class.
description.components.schemas = { ErrorBody: refusal, ...shapes };
const files = {
  'packages/clients/node/src/operations.ts': nodeOperations(description),
  'packages/clients/python/malipo/operations.py': pythonOperations(description),
  'packages/clients/php/src/Operations.php': phpOperations(description),
};

const onlyChecks = process.argv.includes('--check');
for (const [file, text] of Object.entries(files)) {
  const path = join(root, file);
  if (!onlyChecks) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`${file} is not what the description says: npm run clients\n`);
    process.exitCode = 1;
  }
}
