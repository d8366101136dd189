import { createPrivateKey } from 'node:crypto';
import Joi from 'joi';
import { ConfigError, providerUrl, readVariables, type Environment } from '../../config';

/** What the operator sets for this rail. */
export interface MomoSettings {
  baseUrl: string;
  token: string;
  /** True when the account signs its callbacks: a verified one is then proof by itself. False in the sandbox only. */
  signedCallbacks: boolean;
  /** Our key for signing requests, where the account demands it. */
  requestKey: RequestKey | undefined;
  /** Hours a payout may stay queued before it is cancelled at the provider. */
  enqueuedMaxHours: number;
}

/** An ECDSA P-256 key of ours, whose public half the provider's account knows under this id. */
export interface RequestKey {
  id: string;
  pem: string;
  /** The provider's own examples write DER; RFC 9421 says r and s, raw. */
  encoding: 'der' | 'raw';
}

interface Variables {
  MOMO_BASE_URL: string;
  MOMO_TOKEN: string;
  MOMO_SIGNED_CALLBACKS: boolean;
  MOMO_REQUEST_KEY_ID?: string;
  MOMO_REQUEST_KEY?: string;
  MOMO_REQUEST_SIGNATURE: 'der' | 'raw';
  MALIPO_ENQUEUED_MAX: number;
}

/** A PEM in an environment variable has its line ends written out. A key that cannot sign would refuse every payment. */
function privateKey(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const pem = value.replaceAll('\\n', '\n');
  try {
    const { asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? pem : helpers.error('key.not_ecdsa_p256');
  } catch {
    return helpers.error('key.not_a_private_key_in_pem');
  }
}

/** @public Compared with the deployment files by a test. */
export const momoVariables = Joi.object<Variables>({
  MOMO_BASE_URL: providerUrl,
  MOMO_TOKEN: Joi.string().required(),
  MOMO_SIGNED_CALLBACKS: Joi.boolean().default(true),
  MOMO_REQUEST_KEY_ID: Joi.string(),
  MOMO_REQUEST_KEY: Joi.string().custom(privateKey),
  MOMO_REQUEST_SIGNATURE: Joi.string().valid('der', 'raw').default('der'),
  MALIPO_ENQUEUED_MAX: Joi.number().min(1).max(720).default(72),
})
  .and('MOMO_REQUEST_KEY_ID', 'MOMO_REQUEST_KEY')
  .unknown(true);

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readMomoSettings(env: NodeJS.ProcessEnv, environment: Environment): MomoSettings {
  const v = readVariables(momoVariables, env);
  if (environment === 'live' && !v.MOMO_SIGNED_CALLBACKS) {
    throw new ConfigError('MOMO_SIGNED_CALLBACKS must not be false in live: anybody could report outcomes');
  }
  return {
    baseUrl: v.MOMO_BASE_URL,
    token: v.MOMO_TOKEN,
    signedCallbacks: v.MOMO_SIGNED_CALLBACKS,
    requestKey:
      v.MOMO_REQUEST_KEY === undefined
        ? undefined
        : { id: v.MOMO_REQUEST_KEY_ID ?? '', pem: v.MOMO_REQUEST_KEY, encoding: v.MOMO_REQUEST_SIGNATURE },
    enqueuedMaxHours: v.MALIPO_ENQUEUED_MAX,
  };
}
