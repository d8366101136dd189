/**
 * Takes the README's screenshot of a payment's page, with a test of the portal in a real browser: `node
 * scripts/portal-picture.mjs`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const picture = 'docs/portal-payment.png';
const look = 'desktop, light, English';

const folder = mkdtempSync(join(tmpdir(), 'malipo-picture-'));
const args = [
  'scripts/test.mjs',
  'e2e',
  'test/e2e/portal/money.browser',
  '-t',
  `can be used by everybody: ${look}`,
];
const env = { ...process.env, MALIPO_TEST_PICTURES: folder };
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
const taken = readdirSync(folder).find(
  (name) => name.includes('paid') && name.includes(look.replace(/\W+/g, '_')),
);
if (status === 0 && taken !== undefined) copyFileSync(join(folder, taken), picture);
rmSync(folder, { recursive: true });
process.exitCode = status === 0 && taken !== undefined ? 0 : 1;
