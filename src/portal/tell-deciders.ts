/**
 * Mails about who works for a merchant, and what its keys may do: to everybody there who decides about its money, and to
 * whom it is about. One person with two addresses could let in the second alone, where only owners were told.
 */
import { enqueueMail } from '../mail/enqueue-mail';
import { everybodyWithTheRight } from '../users/deciders';
import type { Transaction } from '../store/database';
import { changeMail, type Change } from './mails';
import type { MerchantVisit } from './visit';

export interface Telling {
  /** Of the portal. */
  url: string;
  sendsMail: boolean;
  merchantId: string;
  /** The deployment's zone, where the merchant has none. */
  timezone: string;
  /** Who did it. */
  who: string;
}

/** @param about whom it is about besides, where that is somebody. */
export async function tellDecidersOf(
  trx: Transaction,
  { url, sendsMail, merchantId, timezone, who }: Telling,
  change: Change,
  about?: { email: string; locale: string },
): Promise<void> {
  if (!sendsMail) return;
  const merchant = await trx('merchants').where({ merchant_id: merchantId }).first('name', 'time_zone');
  const deciders = await everybodyWithTheRight(trx, merchantId);
  const others = about && !deciders.some(({ email }) => email === about.email) ? [about] : [];
  const told = {
    ...{ who, change, at: new Date(), merchant: merchant?.name ?? '' },
    zone: merchant?.time_zone ?? timezone,
    link: `${url}/m/${merchantId}`,
  };
  for (const one of [...deciders, ...others]) await enqueueMail(trx, changeMail(one, told));
}

/** Where it is, and no more: the rest of an address may be a secret of its owner's. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : '');

type Addresses = Partial<Record<'webhook_url' | 'callback_url' | 'return_url' | 'cancel_url', string | null>>;

/** @param changed the columns that are others now. */
export function addressesChange(now: Addresses, changed: readonly (keyof Addresses)[]): Change {
  const addresses = changed.map((column) => `${column}: ${hostOf(now[column] ?? '') || '–'}`);
  return { what: 'addresses_changed', values: { addresses: addresses.join(', ') } };
}

type EndpointChangeWord = 'endpoint_added' | 'endpoint_secret' | 'endpoint_ended';

export function endpointChange(what: EndpointChangeWord, url: string): Change {
  return { what, values: { host: hostOf(url) } };
}

/** By who sits before the page. */
export function tellDeciders(
  { place, session, settings, sendsMail, config }: MerchantVisit,
  trx: Transaction,
  change: Change,
  about?: { email: string; locale: string },
): Promise<void> {
  const telling = {
    ...{ url: settings.url, sendsMail, timezone: config.timezone },
    ...{ merchantId: place.merchant.merchant_id, who: session.person.email },
  };
  return tellDecidersOf(trx, telling, change, about);
}
