import Joi from 'joi';
import { ConfigError, providerUrl, readVariables } from '../../config';

export const xbCurrencies = ['UGX', 'TZS'] as const;

export type XbCurrency = (typeof xbCurrencies)[number];

export type XbProvider = 'intasend' | 'pawapay';

/** What the operator sets for this rail. */
export interface XbSettings {
  /** Whom a payment begins with. One that has begun keeps its provider. */
  providers: Record<XbCurrency, XbProvider>;
  /** Undefined where there is no such account. */
  intasend: IntasendSettings | undefined;
}

export interface IntasendSettings {
  baseUrl: string;
  secretKey: string;
  publishableKey: string;
  /** The shared secret that every notification carries. */
  challenge: string;
  /** What its signatures are made with, where the account signs. */
  webhookSecret: string | undefined;
  /** Failure codes and reasons in our words, tried in order before the built-in ones. */
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
 * IntaSend's push in these currencies is shown by public integrations alone, its documents and own clients ask in KES,
 * while pawaPay documents deposits in both countries: so that it is the default of live. The sandbox has one country each,
 * so that its demonstration goes through both.
 */
const provider = (inSandbox: XbProvider) =>
  Joi.string()
    .valid('intasend', 'pawapay')
    .default(inSandbox)
    .when('MALIPO_ENV', { is: 'live', then: Joi.string().default('pawapay') });

/** What IntaSend's account consists of: all of it, or nothing. */
const accountNames = ['XB_SECRET_KEY', 'XB_PUBLISHABLE_KEY', 'XB_CHALLENGE'] as const;

/** @public Compared with the deployment files by a test. */
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
 * `1032|rejected by user`: any of these words, whatever their case; `^17$` is the whole text. No regular expression,
 * since it would run over what a provider sends and nobody could say for how long.
 */
function wordsOf(pattern: string): { test(text: string): boolean } {
  const words = pattern.toLowerCase().split('|');
  return {
    test: (text) =>
      words.some((word) => {
        const plain = word.replace(/^\^|\$$/g, '');
        const [begins, ends] = [word.startsWith('^'), word.endsWith('$')];
        const said = text.toLowerCase();
        if (begins && ends) return said === plain;
        if (begins) return said.startsWith(plain);
        return ends ? said.endsWith(plain) : said.includes(plain);
      }),
  };
}

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
