import { createPrivateKey } from 'node:crypto';
import Joi from 'joi';
import { ConfigError, providerUrl, readVariables, type Environment } from '../../config';
import { noKey, noProvider } from '../../rail-kit/absent-keys';
import type { RailKeys } from '../../rail-kit/rail-definition';

/** The settings of this rail. */
export interface MomoSettings {
  baseUrl: string;
  token: string;
  /** True when the account signs its callbacks: a verified callback is then proof. False only in the sandbox. */
  signedCallbacks: boolean;
  /** Our signing key for requests, if the account requires it. */
  requestKey: RequestKey | undefined;
  /** Hours that a payout may stay queued before it is cancelled at the provider. */
  enqueuedMaxHours: number;
}

/** Our ECDSA P-256 key; the provider's account has its public half under this id. */
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

/** A PEM in an environment variable has `\n` written out. A key that cannot sign would make every payment fail. */
function privateKey(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const pem = value.replaceAll('\\n', '\n');
  try {
    const { asymmetricKeyDetails } = createPrivateKey(pem);
    return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? pem : helpers.error('key.not_ecdsa_p256');
  } catch {
    return helpers.error('key.not_a_private_key_in_pem');
  }
}

/** @public A test compares them with the deployment files. */
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

export const momoKeys: RailKeys = {
  needs: 'MOMO_TOKEN',
  absent: () => ({ MOMO_BASE_URL: noProvider, MOMO_TOKEN: noKey, MOMO_REQUEST_KEY_ID: undefined }),
};

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readMomoSettings(env: NodeJS.ProcessEnv, environment: Environment): MomoSettings {
  const v = readVariables(momoVariables, env);
  if (environment === 'live' && !v.MOMO_SIGNED_CALLBACKS) {
    throw new ConfigError('MOMO_SIGNED_CALLBACKS must not be false in live: anyone could report outcomes');
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
