import { malipo } from '../../../../test/faults/support/malipo';
import type { Stack } from '../../../../test/support/stack';

/** Somebody who may run commands that change something. */
export interface Operator {
  /** @throws with what it said when it did not succeed. */
  malipo(...args: string[]): Promise<string>;
  /** The same, with settings of the command's own. */
  with(env: Record<string, string>): Operator;
}

const name = 'amina';

export async function operatorOf(stack: Stack): Promise<Operator> {
  const said = await malipo(stack, 'operator', 'create', name, '--json');
  const { token } = JSON.parse(said) as { token: string };
  return proven(stack, { ...stack.env, MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: token });
}

const proven = (stack: Stack, env: Record<string, string>): Operator => ({
  malipo: (...args) => malipo({ ...stack, env }, ...args),
  with: (own) => proven(stack, { ...env, ...own }),
});
