import { malipo } from '../../../../test/faults/support/malipo';
import type { Stack } from '../../../../test/support/stack';

/** An operator who may run commands that change data. */
export interface Operator {
  /** @throws with the command's output on failure. */
  malipo(...args: string[]): Promise<string>;
  /** The same, with the command's own settings. */
  with(env: Record<string, string>): Operator;
}

const name = 'amina';

export async function operatorOf(stack: Stack): Promise<Operator> {
  const output = await malipo(stack, 'operator', 'create', name, '--json');
  const { token } = JSON.parse(output) as { token: string };
  return proven(stack, { ...stack.env, MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: token });
}

const proven = (stack: Stack, env: Record<string, string>): Operator => ({
  malipo: (...args) => malipo({ ...stack, env }, ...args),
  with: (own) => proven(stack, { ...env, ...own }),
});
