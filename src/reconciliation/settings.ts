import Joi from 'joi';
import { readVariables } from '../config';

interface Variables {
  MALIPO_STATEMENTS_AT: string;
}

/** @public A test compares it with the deployment files. */
export const reconciliationVariables = Joi.object<Variables>({
  MALIPO_STATEMENTS_AT: Joi.string()
    .pattern(/^(?:off|(?:[01]\d|2[0-3]):[0-5]\d)$/)
    .empty('')
    .default('03:30')
    .messages({ 'string.pattern.base': 'MALIPO_STATEMENTS_AT must be a time such as 03:30, or off' }),
}).unknown(true);

/** A time in the deployment's zone. */
export interface TimeOfDay {
  hour: number;
  minute: number;
}

/**
 * The time when workers fetch the providers' statements; undefined for never.
 * @throws ConfigError
 */
export function readStatementsAt(env: NodeJS.ProcessEnv): TimeOfDay | undefined {
  const { MALIPO_STATEMENTS_AT: given } = readVariables(reconciliationVariables, env);
  return given === 'off' ? undefined : { hour: Number(given.slice(0, 2)), minute: Number(given.slice(3)) };
}
