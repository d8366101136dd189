import { runCli } from '../../../src/cli/run-cli';
import { openSession } from '../../../src/cli/session';
import type { Stack } from '../../support/stack';

/** Runs an operator's command on the stack. @throws with its output on failure. */
export async function malipo(stack: Stack, ...args: string[]): Promise<string> {
  const { code, output } = await malipoSays(stack, ...args);
  if (code !== 0) throw new Error(`malipo ${args.join(' ')} ended with ${code}: ${output}`);
  return output;
}

/** The same, for a command that may fail, or find something. */
export async function malipoSays(stack: Stack, ...args: string[]): Promise<{ code: number; output: string }> {
  let output = '';
  const say = (text: string): void => {
    output += text;
  };
  const code = await runCli(args, { out: say, err: say, env: stack.env, folder: '/', openSession });
  return { code, output };
}
