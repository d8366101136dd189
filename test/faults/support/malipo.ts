import { runCli } from '../../../src/ops/cli/run-cli';
import { openSession } from '../../../src/ops/cli/session';
import type { Stack } from '../../support/stack';

/** Runs an operator's command on the stack. @throws with what it said when it did not succeed. */
export async function malipo(stack: Stack, ...args: string[]): Promise<string> {
  let said = '';
  const say = (text: string): void => {
    said += text;
  };
  const exitCode = await runCli(args, { out: say, err: say, env: stack.env, folder: '/', openSession });
  if (exitCode !== 0) throw new Error(`malipo ${args.join(' ')} ended with ${exitCode}: ${said}`);
  return said;
}
