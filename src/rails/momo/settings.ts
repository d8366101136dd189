import Joi from 'joi';
import { readVariables } from '../../config';

/** What the operator sets for this rail. */
export interface MomoSettings {
  baseUrl: string;
  token: string;
  /** True when the account signs its callbacks: a verified one is then proof by itself. */
  signedCallbacks: boolean;
  /** Our key for signing requests, where the account demands it. */
  requestKey: { id: string; pem: string } | undefined;
  /** Hours a payout may stay queued before it is cancelled at the provider. */
  enqueuedMaxHours: number;
}

interface Variables {
  MOMO_BASE_URL: string;
  MOMO_TOKEN: string;
  MOMO_SIGNED_CALLBACKS: boolean;
  MOMO_REQUEST_KEY_ID?: string;
  MOMO_REQUEST_KEY?: string;
  MALIPO_ENQUEUED_MAX: number;
}

/** @public Compared with the deployment files by a test. */
export const momoVariables = Joi.object<Variables>({
  MOMO_BASE_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .required(),
  MOMO_TOKEN: Joi.string().required(),
  MOMO_SIGNED_CALLBACKS: Joi.boolean().default(true),
  MOMO_REQUEST_KEY_ID: Joi.string(),
  MOMO_REQUEST_KEY: Joi.string(),
  MALIPO_ENQUEUED_MAX: Joi.number().min(1).max(720).default(72),
})
  .and('MOMO_REQUEST_KEY_ID', 'MOMO_REQUEST_KEY')
  .unknown(true);

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readMomoSettings(env: NodeJS.ProcessEnv): MomoSettings {
  const v = readVariables(momoVariables, env);
  const key = v.MOMO_REQUEST_KEY;
  return {
    baseUrl: v.MOMO_BASE_URL,
    token: v.MOMO_TOKEN,
    signedCallbacks: v.MOMO_SIGNED_CALLBACKS,
    // A PEM in an environment variable has its line ends written out.
    requestKey:
      key === undefined ? undefined : { id: v.MOMO_REQUEST_KEY_ID ?? '', pem: key.replaceAll('\\n', '\n') },
    enqueuedMaxHours: v.MALIPO_ENQUEUED_MAX,
  };
}
