import Joi from 'joi';
import { readVariables, type Environment } from '../config';

interface Variables {
  MALIPO_OUTFLOW_DEFAULTS?: 'on' | 'off';
  MALIPO_APPROVER_STANDING_HOURS?: number;
}

/** @public Compared with the deployment files by a test. */
export const controlVariables = Joi.object<Variables>({
  MALIPO_OUTFLOW_DEFAULTS: Joi.string().valid('on', 'off').empty(''),
  MALIPO_APPROVER_STANDING_HOURS: Joi.number().min(0).max(720).empty(''),
}).unknown(true);

/**
 * Whether payouts that nobody has set a limit for have the default ones: in live unless they are switched off.
 * @throws ConfigError
 */
export function readOutflowDefaults(env: NodeJS.ProcessEnv, environment: Environment): boolean {
  const { MALIPO_OUTFLOW_DEFAULTS: told } = readVariables(controlVariables, env);
  return (told ?? (environment === 'live' ? 'on' : 'off')) === 'on';
}

/**
 * How long the role of a merchant's member has to have been there before it decides on money, in seconds: a day in live,
 * nothing in the sandbox.
 * @throws ConfigError
 */
export function readApproverStanding(env: NodeJS.ProcessEnv, environment: Environment): number {
  const { MALIPO_APPROVER_STANDING_HOURS: hours } = readVariables(controlVariables, env);
  return (hours ?? (environment === 'live' ? 24 : 0)) * 3_600;
}
