/** docker-compose.yml, as Docker Compose's own loader takes it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { deployTool } from '../../../tools/sandbox/services/deploy-tools';

const file = readFileSync(join(__dirname, '..', '..', '..', 'docker-compose.yml'), 'utf8');
const { services } = parse(file, { merge: true }) as { services: object };

const describeWithTools = existsSync(deployTool('compose')) ? describe : describe.skip;

describeWithTools('the loader of Docker Compose', () => {
  it('takes the file', async () => {
    expect(Object.keys((await load(file)).services).sort()).toEqual(Object.keys(services).sort());
  });

  it.each([
    ['a field that it does not know', file.replace('    read_only: true', '    read_olny: true')],
    ['a text where a number belongs', file.replace('pids_limit: 512', 'pids_limit: many')],
    ['a field that is missing', file.replace('condition: service_healthy', '')],
  ])('refuses %s', async (_fault, text) => {
    await expect(load(text)).rejects.toThrow(/fail/);
  });

  /** Only what is required has to be set; the loader does not look at its own environment. */
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
