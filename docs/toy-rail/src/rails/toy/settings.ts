import Joi from 'joi';
import { providerUrl, readVariables } from '../../config';
import { noKey, noProvider } from '../../rail-kit/absent-keys';
import type { RailKeys } from '../../rail-kit/rail-definition';

/** The settings of this rail. */
export interface ToySettings {
  TOY_BASE_URL: string;
  TOY_TOKEN: string;
}

/** @public Compared with the deployment files by a test. */
export const toyVariables = Joi.object<ToySettings>({
  TOY_BASE_URL: providerUrl,
  TOY_TOKEN: Joi.string().required(),
}).unknown(true);

/** The API and the portal call nothing at the bank, so they start without its token. */
export const toyKeys: RailKeys = {
  needs: 'TOY_TOKEN',
  absent: () => ({ TOY_BASE_URL: noProvider, TOY_TOKEN: noKey }),
};

/** @throws ConfigError naming every setting that is missing or wrong. */
export function readToySettings(env: NodeJS.ProcessEnv): ToySettings {
  return readVariables(toyVariables, env);
}
