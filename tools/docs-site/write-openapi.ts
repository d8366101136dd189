/** `npm run openapi`: writes the API's description, which is committed; a test compares it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { committedDescription } from './served-api';

const file = join(__dirname, '..', '..', '..', 'docs', 'openapi.json');

writeFileSync(file, `${JSON.stringify(committedDescription(), null, 2)}\n`);
process.stdout.write(`${file}\n`);
