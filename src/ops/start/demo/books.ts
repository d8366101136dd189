import { join } from 'node:path';
import { tryCommand } from '../../services/run-command';

const cli = join(__dirname, '..', '..', 'cli.js');

/** Runs `malipo verify` as an operator would. @returns what it found, in sentences; empty when the books are right. */
export async function verifyBooks(env: NodeJS.ProcessEnv): Promise<string[]> {
  const { code, output } = await tryCommand(process.execPath, [cli, 'verify', '--json'], { env });
  return code === 0 ? [] : [`malipo verify ended with ${String(code)}: ${output.trim()}`];
}
