import Joi from 'joi';
import { ConfigError, type Environment, providerUrl, readVariables } from '../../config';

/** What the operator sets for this rail. */
export interface WalletpaySettings {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Of the webhook registered with the provider: part of what it signs, and never told by a notification. */
  webhookId: string;
  /** Hosts, with their ports, whose certificates are taken beside the provider's own. Sandbox only. */
  certHosts: string[];
  /** Where a further authority lies whose certificates may sign events: a file, or in the sandbox an address. */
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

/** @public Compared with the deployment files by a test. */
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
 * Each of these lets somebody else than the provider tell us that we were paid. A file is the operator's own, and what it
 * holds vouches only for certificates in the provider's name that lie at the provider's.
 */
const sandboxOnly = ['WALLETPAY_CERT_HOSTS', 'WALLETPAY_CA_URL'] as const;

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
