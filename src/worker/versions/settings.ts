import Joi from 'joi';
import { ConfigError, readVariables } from '../../config';
import { findBuild, buildIdPattern } from './build';

interface Variables {
  MALIPO_DEPLOYMENT?: string;
  MALIPO_BUILD_ID?: string;
}

/** Temporal uses both within one name and in queries. */
const word = (pattern: RegExp, name: string) =>
  Joi.string()
    .pattern(pattern)
    .empty('')
    .messages({
      'string.pattern.base': `${name} must be a word such as malipo-live, without spaces or colons`,
    });

/** @public Compared with the deployment files by a test. */
export const versionVariables = Joi.object<Variables>({
  MALIPO_DEPLOYMENT: word(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'MALIPO_DEPLOYMENT'),
  MALIPO_BUILD_ID: word(buildIdPattern, 'MALIPO_BUILD_ID'),
}).unknown(true);

/** The identity of one task queue's workers for Temporal, whatever their version. */
export interface Deployment {
  name: string;
  /** The build of this process; undefined if it was not built and no setting names it. */
  buildId: string | undefined;
}

/** A worker with a version. */
export interface WorkerVersion extends Deployment {
  buildId: string;
}

/** The build of this process: its name from the settings, or from the build itself; undefined if it was not built. */
export function findBuildId(env: NodeJS.ProcessEnv): string | undefined {
  return readVariables(versionVariables, env).MALIPO_BUILD_ID ?? findBuild()?.id;
}

/**
 * @returns undefined if workers have no versions.
 * @throws ConfigError
 */
export function findDeployment(env: NodeJS.ProcessEnv): Deployment | undefined {
  const { MALIPO_DEPLOYMENT: name } = readVariables(versionVariables, env);
  return name === undefined ? undefined : { name, buildId: findBuildId(env) };
}

/** Like `findDeployment`, for a worker. */
export function findWorkerVersion(env: NodeJS.ProcessEnv): WorkerVersion | undefined {
  const deployment = findDeployment(env);
  if (!deployment) return undefined;
  const { name, buildId } = deployment;
  if (buildId === undefined)
    throw new ConfigError('MALIPO_DEPLOYMENT needs a build: run npm run build, or set MALIPO_BUILD_ID');
  return { name, buildId };
}
