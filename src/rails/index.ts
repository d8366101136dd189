import { ConfigError } from '../config';
import type { Rail, RailSettings } from '../rail-kit/rail';
import type { RailDefinition } from '../rail-kit/rail-definition';
import { usesSecret } from '../secret-files';
import { cardproc } from './cardproc';
import { momo } from './momo';
import { momoCollections } from './momo/handset-collections';
import { stk } from './stk';
import { walletpay } from './walletpay';
import { xb } from './xb';

/** The rails of this build. A new rail is a folder beside this file and a line here. */
export const railDefinitions: readonly RailDefinition[] = [
  stk,
  momo,
  // The mobile money account also collects for the cross-border rail, if it is configured.
  xb(momoCollections),
  walletpay,
  cardproc,
];

/** @returns undefined if this build has no such rail. */
export function findRailDefinition(name: string): RailDefinition | undefined {
  return railDefinitions.find((rail) => rail.name === name);
}

/** The settings of all rails, as far as this process has their keys. A rail may collect through another one's account. */
function envOf({ env, environment, process }: RailSettings): NodeJS.ProcessEnv {
  const absent = railDefinitions.map(({ keys }) =>
    keys === undefined || usesSecret(process, keys.needs) ? {} : keys.absent(env, process),
  );
  return Object.assign({ ...env }, ...absent, { MALIPO_ENV: environment }) as NodeJS.ProcessEnv;
}

/**
 * @param names the rails to serve; all rails of the build when empty.
 * @throws ConfigError for an unknown rail, and for missing settings of a rail.
 */
export function createRails(settings: RailSettings, names: string[] = []): Rail[] {
  const known = railDefinitions.map(({ name }) => name);
  // The rails' settings check here whether they run in live.
  const own = { ...settings, env: envOf(settings) };
  const wanted = names.length > 0 ? names : known;
  return wanted.map((name) => {
    const rail = findRailDefinition(name);
    if (!rail)
      throw new ConfigError(`MALIPO_RAILS: there is no rail ${name}; the rails are ${known.join(', ')}`);
    return rail.create(own);
  });
}
