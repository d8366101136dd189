/** Mails about who works for a merchant, and what its keys may do: to every owner, and to whom it is about. */
import { enqueueMail } from '../mail/enqueue-mail';
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
export async function tellOwnersOf(
  trx: Transaction,
  { url, sendsMail, merchantId, timezone, who }: Telling,
  change: Change,
  about?: { email: string; locale: string },
): Promise<void> {
  if (!sendsMail) return;
  const merchant = await trx('merchants').where({ merchant_id: merchantId }).first('name', 'time_zone');
  const owners = await trx('memberships as m')
    .join('users as u', 'u.user_id', 'm.user_id')
    .where({ 'm.merchant_id': merchantId, 'm.role': 'owner' })
    .whereNotNull('m.accepted_at')
    .whereNull('u.ended_at')
    .orderBy('u.email')
    .select<{ email: string; locale: string }[]>('u.email', 'u.locale');
  const others = about && !owners.some(({ email }) => email === about.email) ? [about] : [];
  const told = {
    ...{ who, change, at: new Date(), merchant: merchant?.name ?? '' },
    zone: merchant?.time_zone ?? timezone,
    link: `${url}/m/${merchantId}`,
  };
  for (const one of [...owners, ...others]) await enqueueMail(trx, changeMail(one, told));
}

/** By who sits before the page. */
export function tellOwners(
  { place, session, settings, sendsMail, config }: MerchantVisit,
  trx: Transaction,
  change: Change,
  about?: { email: string; locale: string },
): Promise<void> {
  const telling = {
    ...{ url: settings.url, sendsMail, timezone: config.timezone },
    ...{ merchantId: place.merchant.merchant_id, who: session.person.email },
  };
  return tellOwnersOf(trx, telling, change, about);
}
