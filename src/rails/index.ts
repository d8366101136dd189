import { ConfigError } from '../config';
import type { Rail, RailSettings } from '../rail-kit/rail';
import { cardprocRail } from './cardproc';
import { momoRail } from './momo';
import { momoCollections } from './momo/handset-collections';
import { stkRail } from './stk';
import { walletpayRail } from './walletpay';
import { xbRail } from './xb';

/** The rails of this build. A new rail is a folder beside this file and a line here. */
const rails: Record<string, (settings: RailSettings) => Rail> = {
  stk: stkRail,
  momo: momoRail,
  // Mobile money's account collects for the cross-border rail, too, where that is set.
  xb: (settings) => xbRail(settings, momoCollections(settings)),
  walletpay: walletpayRail,
  cardproc: cardprocRail,
};

/**
 * @param names the rails to serve; all of the build when empty.
 * @throws ConfigError for a name no rail has, and for what a rail's own settings lack.
 */
export function createRails(settings: RailSettings, names: string[] = []): Rail[] {
  const wanted = names.length > 0 ? names : Object.keys(rails);
  return wanted.map((name) => {
    const rail = rails[name];
    if (!rail)
      throw new ConfigError(
        `MALIPO_RAILS: no rail is called ${name}; there are ${Object.keys(rails).join(', ')}`,
      );
    // The rules of a rail's settings that hold in live look here.
    return rail({ ...settings, env: { ...settings.env, MALIPO_ENV: settings.environment } });
  });
}
