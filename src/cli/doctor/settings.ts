import Joi from 'joi';
import { readVariables } from '../../config';

interface Variables {
  MALIPO_BACKUP_STAMP?: string;
}

/** @public Compared with the deployment files by a test. */
export const doctorVariables = Joi.object<Variables>({
  MALIPO_BACKUP_STAMP: Joi.string().empty(''),
}).unknown(true);

/** @returns the file that each backup writes when it has succeeded; undefined where none is named. */
export function findBackupStamp(env: NodeJS.ProcessEnv): string | undefined {
  return readVariables(doctorVariables, env).MALIPO_BACKUP_STAMP;
}
