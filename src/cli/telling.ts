/** Mails to the owners of a merchant about what an operator does to its people and keys. */
import { ConfigError } from '../config';
import type { Telling } from '../portal/tell-deciders';
import type { Session } from './session';

/** An operator is told by name, as the audit log has it. */
export function tellingOf({ acting, config, portal }: Session, merchantId: string): Telling {
  return { ...placeOf(portal), timezone: config.timezone, merchantId, who: acting.by };
}

/** Where there is no portal, nobody works in it. */
function placeOf(portal: Session['portal']): Pick<Telling, 'url' | 'sendsMail'> {
  try {
    return portal();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { url: '', sendsMail: false };
  }
}
