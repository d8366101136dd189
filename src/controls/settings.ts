import Joi from 'joi';
import { readVariables, type Environment } from '../config';

interface Variables {
  MALIPO_OUTFLOW_DEFAULTS?: 'on' | 'off';
}

/** @public Compared with the deployment files by a test. */
export const controlVariables = Joi.object<Variables>({
  MALIPO_OUTFLOW_DEFAULTS: Joi.string().valid('on', 'off').empty(''),
}).unknown(true);

/**
 * Whether payouts that nobody has set a limit for have the default ones: in live unless they are switched off.
 * @throws ConfigError
 */
export function readOutflowDefaults(env: NodeJS.ProcessEnv, environment: Environment): boolean {
  const { MALIPO_OUTFLOW_DEFAULTS: told } = readVariables(controlVariables, env);
  return (told ?? (environment === 'live' ? 'on' : 'off')) === 'on';
}
