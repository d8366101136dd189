import Joi from 'joi';
import { readVariables } from '../config';

interface Variables {
  MALIPO_REPLICA_URLS: string;
}

/** @public Compared with the deployment files by a test. */
export const replicaVariables = Joi.object<Variables>({
  MALIPO_REPLICA_URLS: Joi.string()
    .pattern(/^(?:mysql|mariadb):\/\/[^\s,]+(?:,(?:mysql|mariadb):\/\/[^\s,]+)*$/)
    .allow('')
    .default('')
    .messages({
      'string.pattern.base': 'MALIPO_REPLICA_URLS must be a list of mysql:// URLs, comma-separated',
    }),
}).unknown(true);

/** The database replicas whose lag is measured; none by default. */
export function readReplicaUrls(env: NodeJS.ProcessEnv): string[] {
  return readVariables(replicaVariables, env)
    .MALIPO_REPLICA_URLS.split(',')
    .filter((url) => url !== '');
}
