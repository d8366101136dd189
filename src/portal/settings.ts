import Joi from 'joi';
import { ConfigError, readVariables, type Environment } from '../config';

export interface PortalSettings {
  /** The public URL of the portal. Links in mails begin with it, and forms from other origins are refused. */
  url: string;
  host: string;
  port: number;
  /** The address of /readyz and of the metrics. */
  healthHost: string;
  healthPort: number;
}

interface Variables {
  MALIPO_PORTAL_URL?: string;
  MALIPO_PORTAL_HOST: string;
  MALIPO_PORTAL_PORT: number;
  MALIPO_PORTAL_HEALTH: string;
}

/** @public A test compares it with the deployment files. */
export const portalVariables = Joi.object<Variables>({
  MALIPO_PORTAL_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .empty(''),
  MALIPO_PORTAL_HOST: Joi.string().default('127.0.0.1'),
  MALIPO_PORTAL_PORT: Joi.number().port().default(3002),
  MALIPO_PORTAL_HEALTH: Joi.string()
    .pattern(/^[^:]+:\d+$/)
    .default('127.0.0.1:9466')
    .messages({
      'string.pattern.base': 'MALIPO_PORTAL_HEALTH must be a host and a port, as in 127.0.0.1:9466',
    }),
}).unknown(true);

/**
 * The URL for links that other processes create. The listen address does not replace it, because users cannot reach it.
 * @throws ConfigError if the setting is missing or wrong.
 */
export function readPortalUrl(env: NodeJS.ProcessEnv, environment: Environment): string {
  if (!env['MALIPO_PORTAL_URL'])
    throw new ConfigError('MALIPO_PORTAL_URL is not set: links need the public address of the portal');
  return readPortalSettings(env, environment).url;
}

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readPortalSettings(env: NodeJS.ProcessEnv, environment: Environment): PortalSettings {
  const v = readVariables(portalVariables, env);
  if (environment === 'live' && !v.MALIPO_PORTAL_URL?.startsWith('https://'))
    throw new ConfigError('MALIPO_PORTAL_URL must be an https URL in live');
  const url = v.MALIPO_PORTAL_URL ?? `http://${v.MALIPO_PORTAL_HOST}:${String(v.MALIPO_PORTAL_PORT)}`;
  if (new URL(url).pathname !== '/')
    throw new ConfigError('MALIPO_PORTAL_URL must be an origin without a path');
  const [healthHost = '', healthPort] = v.MALIPO_PORTAL_HEALTH.split(':');
  return {
    url: new URL(url).origin,
    host: v.MALIPO_PORTAL_HOST,
    port: v.MALIPO_PORTAL_PORT,
    healthHost,
    healthPort: Number(healthPort),
  };
}
