import Joi from 'joi';
import { providerUrl, readVariables } from '../../config';

/** What the operator sets for this rail. */
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

/** @public Compared with the deployment files by a test. */
export const cardprocVariables = Joi.object<Variables>({
  CARDPROC_BASE_URL: providerUrl,
  CARDPROC_CONSUMER_KEY: Joi.string().required(),
  CARDPROC_CONSUMER_SECRET: Joi.string().required(),
}).unknown(true);

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readCardprocSettings(env: NodeJS.ProcessEnv): CardprocSettings {
  const v = readVariables(cardprocVariables, env);
  return {
    baseUrl: v.CARDPROC_BASE_URL,
    consumerKey: v.CARDPROC_CONSUMER_KEY,
    consumerSecret: v.CARDPROC_CONSUMER_SECRET,
  };
}
