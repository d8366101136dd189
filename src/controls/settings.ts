import Joi from 'joi';
import { readVariables, type Environment } from '../config';

interface Variables {
  MALIPO_OUTFLOW_DEFAULTS?: 'on' | 'off';
  MALIPO_APPROVER_STANDING_HOURS?: number;
}

/** @public A test compares it with the deployment files. */
export const controlVariables = Joi.object<Variables>({
  MALIPO_OUTFLOW_DEFAULTS: Joi.string().valid('on', 'off').empty(''),
  MALIPO_APPROVER_STANDING_HOURS: Joi.number().min(0).max(720).empty(''),
}).unknown(true);

/**
 * Whether default limits apply to payouts without a limit: in live, unless they are switched off.
 * @throws ConfigError
 */
export function readOutflowDefaults(env: NodeJS.ProcessEnv, environment: Environment): boolean {
  const { MALIPO_OUTFLOW_DEFAULTS: given } = readVariables(controlVariables, env);
  return (given ?? (environment === 'live' ? 'on' : 'off')) === 'on';
}

/**
 * How long a member must have a merchant's role before it counts for approvals of money, in seconds: a day in live, 0 in the
 * sandbox.
 * @throws ConfigError
 */
export function readApproverStanding(env: NodeJS.ProcessEnv, environment: Environment): number {
  const { MALIPO_APPROVER_STANDING_HOURS: hours } = readVariables(controlVariables, env);
  return (hours ?? (environment === 'live' ? 24 : 0)) * 3_600;
}
