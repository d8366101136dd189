import Joi from 'joi';
import { readVariables } from '../config';

interface Variables {
  MALIPO_STATEMENTS_AT: string;
}

/** @public Compared with the deployment files by a test. */
export const reconciliationVariables = Joi.object<Variables>({
  MALIPO_STATEMENTS_AT: Joi.string()
    .pattern(/^(?:off|(?:[01]\d|2[0-3]):[0-5]\d)$/)
    .empty('')
    .default('03:30')
    .messages({ 'string.pattern.base': 'MALIPO_STATEMENTS_AT must be a time such as 03:30, or off' }),
}).unknown(true);

/** By the clock of the deployment's time zone. */
export interface TimeOfDay {
  hour: number;
  minute: number;
}

/**
 * When the providers' statements are fetched by themselves; undefined for never.
 * @throws ConfigError
 */
export function readStatementsAt(env: NodeJS.ProcessEnv): TimeOfDay | undefined {
  const { MALIPO_STATEMENTS_AT: told } = readVariables(reconciliationVariables, env);
  return told === 'off' ? undefined : { hour: Number(told.slice(0, 2)), minute: Number(told.slice(3)) };
}
