import Joi from 'joi';
import { providerUrl, readVariables } from '../../config';

export type XbCurrency = 'UGX' | 'TZS';

/** What the operator sets for this rail. The provider publishes no method names for these countries, so they are set. */
export interface XbSettings {
  baseUrl: string;
  secretKey: string;
  publishableKey: string;
  /** The shared secret that every notification carries. */
  challenge: string;
  /** What its signatures are made with, where the account signs. */
  webhookSecret: string | undefined;
  methods: Record<XbCurrency, string>;
  /** Failure codes and reasons in our words, tried in order before the built-in ones. */
  failures: { match: { test(text: string): boolean }; means: XbFailure }[];
}

export type XbFailure = 'CANCELLED' | 'FAILED_VALIDATE' | 'FAILED';

interface Variables {
  XB_BASE_URL: string;
  XB_SECRET_KEY: string;
  XB_PUBLISHABLE_KEY: string;
  XB_CHALLENGE: string;
  XB_WEBHOOK_SECRET: string;
  XB_METHOD_UGX: string;
  XB_METHOD_TZS: string;
  XB_FAILURES: string;
}

const failurePattern = /^(?:(?:CANCELLED|FAILED_VALIDATE|FAILED)=[^;]+(?:;|$))*$/;

/** @public Compared with the deployment files by a test. */
export const xbVariables = Joi.object<Variables>({
  XB_BASE_URL: providerUrl,
  XB_SECRET_KEY: Joi.string().required(),
  XB_PUBLISHABLE_KEY: Joi.string().required(),
  XB_CHALLENGE: Joi.string().min(16).required(),
  XB_WEBHOOK_SECRET: Joi.string().allow('').min(16).default(''),
  XB_METHOD_UGX: Joi.string().default('MOBILE-MONEY-UG'),
  XB_METHOD_TZS: Joi.string().default('MOBILE-MONEY-TZ'),
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
  return {
    baseUrl: v.XB_BASE_URL,
    secretKey: v.XB_SECRET_KEY,
    publishableKey: v.XB_PUBLISHABLE_KEY,
    challenge: v.XB_CHALLENGE,
    webhookSecret: v.XB_WEBHOOK_SECRET === '' ? undefined : v.XB_WEBHOOK_SECRET,
    methods: { UGX: v.XB_METHOD_UGX, TZS: v.XB_METHOD_TZS },
    failures: v.XB_FAILURES.split(';')
      .filter((entry) => entry !== '')
      .map((entry) => {
        const [means = '', pattern = ''] = entry.split('=');
        return { means: means as XbFailure, match: wordsOf(pattern) };
      }),
  };
}
