/** Operators' actions beside the command under test. */
import type { ActionKind } from '../../../../src/operator-actions/actions';
import { malipoSays } from '../../../../test/faults/support/malipo';
import type { TestRig } from '../support/test-rig';

/** Only the command is interrupted. @param name if it differs from the action's. */
export const byCommand = (action: ActionKind, name: string = action.replaceAll('.', '-')) => ({
  ...{ name: `cli/${name}`, action, victims: ['cli'] as const },
});

/** It creates no payment. */
export const nothingLives = {
  ask: () => Promise.resolve('done'),
  living: () => Promise.resolve(['done']),
  ends: [],
};

/** An operator other than the test rig's own. */
interface Colleague {
  name: string;
  token: string;
}

/** @returns the command's JSON. @throws if it ends with another code. */
export async function operates(
  { stack, operator }: TestRig,
  args: readonly string[],
  { as, code: wanted = 0 }: { as?: Colleague; code?: number } = {},
): Promise<Record<string, unknown>> {
  const who = as ? { MALIPO_OPERATOR: as.name, MALIPO_OPERATOR_TOKEN: as.token } : operator;
  const env = { ...stack.env, ...who };
  const { code, output } = await malipoSays({ ...stack, env }, ...args, '--json');
  if (code !== wanted) throw new Error(`malipo ${args.join(' ')} ended with ${code}: ${output}`);
  return JSON.parse(output) as Record<string, unknown>;
}

const colleagues = new WeakMap<TestRig, Promise<Colleague>>();

/** Requests what the test rig's own operator approves. Each rig has one, created at the first use. */
export function colleagueOf(rig: TestRig): Promise<Colleague> {
  const known = colleagues.get(rig) ?? createColleague(rig, 'brian');
  colleagues.set(rig, known);
  return known;
}

async function createColleague(rig: TestRig, name: string): Promise<Colleague> {
  const { token } = await operates(rig, ['operator', 'create', name]);
  return { name, token: String(token) };
}
