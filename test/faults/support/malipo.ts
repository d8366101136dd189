import { runCli } from '../../../src/cli/run-cli';
import { openSession } from '../../../src/cli/session';
import type { Stack } from '../../support/stack';

/** Runs an operator's command on the stack. @throws with what it said when it did not succeed. */
export async function malipo(stack: Stack, ...args: string[]): Promise<string> {
  const { code, said } = await malipoSays(stack, ...args);
  if (code !== 0) throw new Error(`malipo ${args.join(' ')} ended with ${code}: ${said}`);
  return said;
}

/** The same, where it may as well refuse, or find something. */
export async function malipoSays(stack: Stack, ...args: string[]): Promise<{ code: number; said: string }> {
  let said = '';
  const say = (text: string): void => {
    said += text;
  };
  const code = await runCli(args, { out: say, err: say, env: stack.env, folder: '/', openSession });
  return { code, said };
}
