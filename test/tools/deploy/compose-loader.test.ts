/** The Compose files, as Docker Compose's own loader reads them. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { deployTool } from '../../../tools/sandbox/services/deploy-tools';

const root = join(__dirname, '..', '..', '..');
const file = readFileSync(join(root, 'deploy', 'compose', 'production.yml'), 'utf8');
const sandbox = readFileSync(join(root, 'docker-compose.yml'), 'utf8');

const describeWithTools = existsSync(deployTool('compose')) ? describe : describe.skip;

describeWithTools('the loader of Docker Compose', () => {
  it.each([
    ['the deployment', file],
    ['the sandbox', sandbox],
  ])('accepts the file of %s', async (_name, text) => {
    const { services } = parse(text, { merge: true }) as { services: object };
    expect(Object.keys((await load(text)).services).sort()).toEqual(Object.keys(services).sort());
  });

  it.each(['MALIPO_ENV', 'MALIPO_PUBLIC_URL'])(
    'refuses the sandbox, in a sentence, if %s is set',
    async (variable) => {
      const set = sandbox.replace(new RegExp(String.raw`\$\{${variable}:\+([^}]*)\}`), '$1');
      expect(set).not.toBe(sandbox);
      await expect(load(set)).rejects.toThrow(
        `${variable} is set: this clone has the settings of a deployment, and no sandbox starts here`,
      );
    },
  );

  it.each([
    ['an unknown field', file.replace('    read_only: true', '    read_olny: true')],
    ['a text instead of a number', file.replace('pids_limit: 512', 'pids_limit: many')],
    ['a missing field', file.replace('condition: service_healthy', '')],
  ])('refuses %s', async (_fault, text) => {
    await expect(load(text)).rejects.toThrow(/fail/);
  });

  /** Only required variables are set; the loader does not read its own environment. */
  async function load(text: string): Promise<{ services: Record<string, unknown> }> {
    const folder = mkdtempSync(join(tmpdir(), 'malipo-compose-'));
    try {
      writeFileSync(join(folder, 'compose.yml'), text.replaceAll(/\$\{\w+:\?[^}]*\}/g, 'set'));
      const { stdout } = await promisify(execFile)(
        deployTool('compose'),
        ['-format', 'json', 'compose.yml'],
        {
          cwd: folder,
          timeout: 60_000,
        },
      );
      return JSON.parse(stdout) as { services: Record<string, unknown> };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
});
