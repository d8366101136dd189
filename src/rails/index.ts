import { ConfigError } from '../config';
import type { Rail, RailSettings } from '../rail-kit/rail';
import type { RailDefinition } from '../rail-kit/rail-definition';
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
  // Mobile money's account collects for the cross-border rail, too, where that is set.
  xb(momoCollections),
  walletpay,
  cardproc,
];

/** @returns undefined where this build has no such rail. */
export function findRailDefinition(name: string): RailDefinition | undefined {
  return railDefinitions.find((rail) => rail.name === name);
}

/**
 * @param names the rails to serve; all of the build when empty.
 * @throws ConfigError for a name no rail has, and for what a rail's own settings lack.
 */
export function createRails(settings: RailSettings, names: string[] = []): Rail[] {
  const known = railDefinitions.map(({ name }) => name);
  const wanted = names.length > 0 ? names : known;
  return wanted.map((name) => {
    const rail = findRailDefinition(name);
    if (!rail)
      throw new ConfigError(`MALIPO_RAILS: no rail is called ${name}; there are ${known.join(', ')}`);
    // The rules of a rail's settings that hold in live look here.
    return rail.create({ ...settings, env: { ...settings.env, MALIPO_ENV: settings.environment } });
  });
}
