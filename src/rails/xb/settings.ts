import Joi from 'joi';
import { ConfigError, providerUrl, readVariables } from '../../config';
import { noKey, noProvider } from '../../rail-kit/absent-keys';
import type { RailKeys } from '../../rail-kit/rail-definition';
import { usesSecret } from '../../secret-files';

export const xbCurrencies = ['UGX', 'TZS'] as const;

export type XbCurrency = (typeof xbCurrencies)[number];

export type XbProvider = 'intasend' | 'pawapay';

/** The settings of this rail. */
export interface XbSettings {
  /** The provider for new payments. A started payment keeps its provider. */
  providers: Record<XbCurrency, XbProvider>;
  /** Undefined if there is no account. */
  intasend: IntasendSettings | undefined;
}

export interface IntasendSettings {
  baseUrl: string;
  secretKey: string;
  publishableKey: string;
  /** The shared secret in every notification. */
  challenge: string;
  /** The secret for signatures, if the account signs. */
  webhookSecret: string | undefined;
  /** Failure codes and reasons with their meanings, checked in order before the built-in ones. */
  failures: { match: { test(text: string): boolean }; means: XbFailure }[];
}

export type XbFailure = 'CANCELLED' | 'FAILED_VALIDATE' | 'FAILED';

interface Variables {
  XB_PROVIDER_UGX: XbProvider;
  XB_PROVIDER_TZS: XbProvider;
  XB_BASE_URL?: string;
  XB_SECRET_KEY: string;
  XB_PUBLISHABLE_KEY: string;
  XB_CHALLENGE: string;
  XB_WEBHOOK_SECRET: string;
  XB_FAILURES: string;
}

const failurePattern = /^(?:(?:CANCELLED|FAILED_VALIDATE|FAILED)=[^;]+(?:;|$))*$/;

/**
 * Only public integrations show IntaSend's push in these currencies; its documents and own clients use KES. pawaPay
 * documents deposits in both countries, so it is the default in live. In the sandbox each provider has one country, so
 * that the demo uses both.
 */
const provider = (inSandbox: XbProvider) =>
  Joi.string()
    .valid('intasend', 'pawapay')
    .default(inSandbox)
    .when('MALIPO_ENV', { is: 'live', then: Joi.string().default('pawapay') });

/** The settings of the IntaSend account: all of them, or none. */
const accountNames = ['XB_SECRET_KEY', 'XB_PUBLISHABLE_KEY', 'XB_CHALLENGE'] as const;

/** @public A test compares them with the deployment files. */
export const xbVariables = Joi.object<Variables>({
  XB_PROVIDER_UGX: provider('intasend'),
  XB_PROVIDER_TZS: provider('pawapay'),
  XB_BASE_URL: providerUrl.optional(),
  XB_SECRET_KEY: Joi.string().allow('').default(''),
  XB_PUBLISHABLE_KEY: Joi.string().allow('').default(''),
  XB_CHALLENGE: Joi.string().allow('').min(16).default(''),
  XB_WEBHOOK_SECRET: Joi.string().allow('').min(16).default(''),
  XB_FAILURES: Joi.string().allow('').pattern(failurePattern).default('').messages({
    'string.pattern.base':
      'XB_FAILURES must be like "CANCELLED=1032|rejected by user;FAILED_VALIDATE=unregistered"',
  }),
}).unknown(true);

/**
 * `1032|rejected by user`: any of these texts, in any letter case; `^17$` is the whole text. No regular expressions: on
 * a provider's text, their run time would have no limit.
 */
function wordsOf(pattern: string): { test(text: string): boolean } {
  const words = pattern.toLowerCase().split('|');
  return {
    test: (text) =>
      words.some((word) => {
        const plain = word.replace(/^\^|\$$/g, '');
        const [begins, ends] = [word.startsWith('^'), word.endsWith('$')];
        const lower = text.toLowerCase();
        if (begins && ends) return lower === plain;
        if (begins) return lower.startsWith(plain);
        return ends ? lower.endsWith(plain) : lower.includes(plain);
      }),
  };
}

export const xbKeys: RailKeys = {
  needs: 'XB_SECRET_KEY',
  absent({ XB_CHALLENGE: challenge = '' }, process) {
    // In a process that verifies notifications, the shared secret shows whether there is an account.
    if (challenge === '' && usesSecret(process, 'XB_CHALLENGE')) return {};
    const keys = { XB_BASE_URL: noProvider, XB_SECRET_KEY: noKey, XB_PUBLISHABLE_KEY: noKey };
    return challenge === '' ? { ...keys, XB_CHALLENGE: noKey } : keys;
  },
};

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readXbSettings(env: NodeJS.ProcessEnv): XbSettings {
  const v = readVariables(xbVariables, env);
  const providers = { UGX: v.XB_PROVIDER_UGX, TZS: v.XB_PROVIDER_TZS };
  const isUsed = Object.values(providers).includes('intasend');
  const missing: string[] = accountNames.filter((name) => v[name] === '');
  if (!isUsed && missing.length === accountNames.length) return { providers, intasend: undefined };
  if (v.XB_BASE_URL === undefined) missing.unshift('XB_BASE_URL');
  if (missing.length > 0) {
    throw new ConfigError(
      `${missing.join(', ')} must be set ${isUsed ? 'where XB_PROVIDER_UGX or XB_PROVIDER_TZS is intasend' : 'beside the rest of the account'}`,
    );
  }
  return { providers, intasend: intasendOf(v) };
}

function intasendOf(v: Variables): IntasendSettings {
  return {
    baseUrl: v.XB_BASE_URL ?? '',
    secretKey: v.XB_SECRET_KEY,
    publishableKey: v.XB_PUBLISHABLE_KEY,
    challenge: v.XB_CHALLENGE,
    webhookSecret: v.XB_WEBHOOK_SECRET === '' ? undefined : v.XB_WEBHOOK_SECRET,
    failures: v.XB_FAILURES.split(';')
      .filter((entry) => entry !== '')
      .map((entry) => {
        const [means = '', pattern = ''] = entry.split('=');
        return { means: means as XbFailure, match: wordsOf(pattern) };
      }),
  };
}
