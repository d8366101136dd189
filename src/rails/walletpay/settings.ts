import Joi from 'joi';
import { ConfigError, type Environment, providerUrl, readVariables } from '../../config';
import { noKey, noProvider } from '../../rail-kit/absent-keys';
import type { RailKeys } from '../../rail-kit/rail-definition';

/** The settings of this rail. */
export interface WalletpaySettings {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /**
   * The id of the webhook that is registered with the provider. The signature covers it, and no notification contains
   * it.
   */
  webhookId: string;
  /** Hosts with ports whose certificates are accepted besides the provider's own. Sandbox only. */
  certHosts: string[];
  /** An additional authority for certificates that sign events: a file, or an address in the sandbox. */
  authority: { file: string } | { url: string } | undefined;
}

interface Variables {
  WALLETPAY_BASE_URL: string;
  WALLETPAY_CLIENT_ID: string;
  WALLETPAY_CLIENT_SECRET: string;
  WALLETPAY_WEBHOOK_ID: string;
  WALLETPAY_CERT_HOSTS: string;
  WALLETPAY_CA_FILE?: string;
  WALLETPAY_CA_URL?: string;
}

/** @public A test compares them with the deployment files. */
export const walletpayVariables = Joi.object<Variables>({
  WALLETPAY_BASE_URL: providerUrl,
  WALLETPAY_CLIENT_ID: Joi.string().required(),
  WALLETPAY_CLIENT_SECRET: Joi.string().required(),
  WALLETPAY_WEBHOOK_ID: Joi.string().required(),
  WALLETPAY_CERT_HOSTS: Joi.string()
    .allow('')
    .pattern(/^[A-Za-z0-9.[\]:-]+(,[A-Za-z0-9.[\]:-]+)*$/)
    .default('')
    .messages({ 'string.pattern.base': 'WALLETPAY_CERT_HOSTS must be a list such as "127.0.0.1:3240"' }),
  WALLETPAY_CA_FILE: Joi.string(),
  WALLETPAY_CA_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
})
  .oxor('WALLETPAY_CA_FILE', 'WALLETPAY_CA_URL')
  .unknown(true);

/**
 * With these settings, someone other than the provider could report payments. A file belongs to the operator, and only
 * applies to certificates with the provider's name and address.
 */
const sandboxOnly = ['WALLETPAY_CERT_HOSTS', 'WALLETPAY_CA_URL'] as const;

export const walletpayKeys: RailKeys = {
  needs: 'WALLETPAY_CLIENT_ID',
  absent: () => ({
    ...{ WALLETPAY_BASE_URL: noProvider, WALLETPAY_CLIENT_ID: noKey },
    ...{ WALLETPAY_CLIENT_SECRET: noKey, WALLETPAY_WEBHOOK_ID: noKey },
  }),
};

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readWalletpaySettings(env: NodeJS.ProcessEnv, environment: Environment): WalletpaySettings {
  const v = readVariables(walletpayVariables, { ...env, MALIPO_ENV: environment });
  if (environment === 'live') {
    const faults: string[] = sandboxOnly
      .filter((name) => v[name] !== undefined && v[name] !== '')
      .map((name) => `${name} is for the sandbox only`);
    if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  }
  return {
    baseUrl: v.WALLETPAY_BASE_URL,
    clientId: v.WALLETPAY_CLIENT_ID,
    clientSecret: v.WALLETPAY_CLIENT_SECRET,
    webhookId: v.WALLETPAY_WEBHOOK_ID,
    certHosts: v.WALLETPAY_CERT_HOSTS.split(',').filter((host) => host !== ''),
    authority:
      v.WALLETPAY_CA_FILE !== undefined
        ? { file: v.WALLETPAY_CA_FILE }
        : v.WALLETPAY_CA_URL !== undefined
          ? { url: v.WALLETPAY_CA_URL }
          : undefined,
  };
}
