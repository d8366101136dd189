/** What operators do beside the command that is tried. */
import type { ActionKind } from '../../../../src/operator-actions/actions';
import { malipoSays } from '../../../../test/faults/support/malipo';
import type { Lane } from '../support/lane';

/** Interrupted is the command alone. @param name where it is not that of the action. */
export const byCommand = (action: ActionKind, name: string = action.replaceAll('.', '-')) => ({
  ...{ name: `cli/${name}`, action, victims: ['cli'] as const },
});

/** It begins no payment. */
export const nothingLives = {
  ask: () => Promise.resolve('done'),
  living: () => Promise.resolve(['done']),
  ends: [],
};

/** Another operator than the lane's own. */
interface Colleague {
  name: string;
  token: string;
}

/** @returns the command's JSON. @throws where it ends with another code. */
export async function operates(
  { stack, operator }: Lane,
  args: readonly string[],
  { as, code: wanted = 0 }: { as?: Colleague; code?: number } = {},
): Promise<Record<string, unknown>> {
  const who = as ? { MALIPO_OPERATOR: as.name, MALIPO_OPERATOR_TOKEN: as.token } : operator;
  const env = { ...stack.env, ...who };
  const { code, said } = await malipoSays({ ...stack, env }, ...args, '--json');
  if (code !== wanted) throw new Error(`malipo ${args.join(' ')} ended with ${code}: ${said}`);
  return JSON.parse(said) as Record<string, unknown>;
}

const colleagues = new WeakMap<Lane, Promise<Colleague>>();

/** Asks for what the lane's own operator approves. Each lane has one, created when it is needed first. */
export function colleagueOf(lane: Lane): Promise<Colleague> {
  const known = colleagues.get(lane) ?? createColleague(lane, 'brian');
  colleagues.set(lane, known);
  return known;
}

async function createColleague(lane: Lane, name: string): Promise<Colleague> {
  const { token } = await operates(lane, ['operator', 'create', name]);
  return { name, token: String(token) };
}
