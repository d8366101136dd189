import Joi from 'joi';
import { providerUrl, readVariables } from '../../config';
import { noKey, noProvider } from '../../rail-kit/absent-keys';
import type { RailKeys } from '../../rail-kit/rail-definition';

/** The settings of this rail. */
export interface CardprocSettings {
  baseUrl: string;
  consumerKey: string;
  consumerSecret: string;
}

interface Variables {
  CARDPROC_BASE_URL: string;
  CARDPROC_CONSUMER_KEY: string;
  CARDPROC_CONSUMER_SECRET: string;
}

/** @public A test compares them with the deployment files. */
export const cardprocVariables = Joi.object<Variables>({
  CARDPROC_BASE_URL: providerUrl,
  CARDPROC_CONSUMER_KEY: Joi.string().required(),
  CARDPROC_CONSUMER_SECRET: Joi.string().required(),
}).unknown(true);

export const cardprocKeys: RailKeys = {
  needs: 'CARDPROC_CONSUMER_KEY',
  absent: () => ({
    ...{ CARDPROC_BASE_URL: noProvider, CARDPROC_CONSUMER_KEY: noKey, CARDPROC_CONSUMER_SECRET: noKey },
  }),
};

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readCardprocSettings(env: NodeJS.ProcessEnv): CardprocSettings {
  const v = readVariables(cardprocVariables, env);
  return {
    baseUrl: v.CARDPROC_BASE_URL,
    consumerKey: v.CARDPROC_CONSUMER_KEY,
    consumerSecret: v.CARDPROC_CONSUMER_SECRET,
  };
}
