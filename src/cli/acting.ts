/** Authenticates the operator before a command changes anything. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../operator-actions/execute';
import { ActionError } from '../operator-actions/errors';
import { hasOperators, proveOperator, recordRefusal } from '../users/operators';
import { readSecret } from '../secret-files';
import type { Database } from '../store/database';
import type { Io } from './session';

/** The delay after a wrong token. */
const penaltyMs = 1_000;

/**
 * @param named by `--as`.
 * @throws ActionError when an operator is needed and none is authenticated.
 */
export async function proveActor(
  db: Database,
  { env }: Pick<Io, 'env'>,
  {
    named,
    action,
    keepsTypedName = false,
  }: { named: string | undefined; action: string; keepsTypedName?: boolean },
): Promise<Actor> {
  if (!(await hasOperators(db))) {
    if (named !== undefined && !keepsTypedName)
      throw new ActionError('There is no operator yet; malipo operator create adds the first one.');
    return { operator: undefined, name: named };
  }
  const name = named ?? env['MALIPO_OPERATOR'];
  const token = readSecret(env, 'MALIPO_OPERATOR_TOKEN')?.trim();
  if (!name || !token)
    throw new ActionError(
      `This needs an operator: name one with --as or MALIPO_OPERATOR, and prove it with the token in ` +
        'MALIPO_OPERATOR_TOKEN, or in the file that MALIPO_OPERATOR_TOKEN_FILE names.',
    );
  const operator = await proveOperator(db, { name, token });
  if (operator) return { operator };
  await recordRefusal(db, { name, action, reason: 'wrong token' });
  await delay(penaltyMs);
  throw new ActionError('No active operator has this name and this token.');
}
