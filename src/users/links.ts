/** Mailed links: invitations and password resets. Each works once, for a limited time. */
import type { Database, Transaction } from '../store/database';
import { isKeyedHash, keyedHash } from '../store/keyed-hash';
import type { UserLinkRow, UserRow } from '../store/tables';
import { acceptMembership } from './members';
import type { PreparedPassword } from './passwords';
import { UserError } from './requests';
import { idInToken, mintTokenOf } from './credentials';
import { setPassword } from './users';

export type LinkKind = UserLinkRow['kind'];

/** The hours that each link works. A reset is short, because the user has just requested it. */
export const linkHours = { invitation: 72, reset: 1 } as const satisfies Record<LinkKind, number>;

/**
 * Creates a link. A new reset replaces earlier ones.
 * @returns the token for the mail, which is not stored.
 */
export async function makeLink(
  trx: Transaction,
  { kind, userId, merchantId = null }: { kind: LinkKind; userId: string; merchantId?: string | null },
): Promise<string> {
  if (kind === 'reset') await trx('user_links').where({ user_id: userId, kind }).delete();
  const token = mintTokenOf(userId);
  const user = await trx('users').where({ user_id: userId }).first('credentials_version');
  const link = {
    ...{ kind, user_id: userId, merchant_id: merchantId },
    credentials_version: user?.credentials_version ?? null,
  };
  await trx('user_links').insert({
    ...link,
    link_hash: keyedHash(trx, token, signedParts(link)),
    created_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
    expires_at: trx.raw<Date>(`UTC_TIMESTAMP(3) + INTERVAL ${String(linkHours[kind])} HOUR`),
  });
  return token;
}

/** The hash includes everything that the link allows. So its row cannot be moved to another user or merchant. */
const signedParts = (
  link: Pick<UserLinkRow, 'kind' | 'user_id' | 'merchant_id' | 'credentials_version'>,
): ['link', ...(string | number | null)[]] => [
  'link',
  link.kind,
  link.user_id,
  link.merchant_id,
  link.credentials_version,
];

export interface OpenLink {
  kind: LinkKind;
  user: UserRow;
  merchantId: string | null;
  /** The merchant's name; undefined without a merchant. */
  merchantName: string | undefined;
  /** The hash, to find the row again. */
  hash: Buffer;
}

/** Finds a valid link without using it up; undefined if it was used, has expired or never existed. */
export async function findLink(
  db: Database | Transaction,
  kind: LinkKind,
  token: string,
): Promise<OpenLink | undefined> {
  const userId = idInToken(token);
  if (userId === undefined) return undefined;
  const links = await db('user_links')
    .where({ user_id: userId, kind, used_at: null })
    .whereRaw('expires_at > UTC_TIMESTAMP(3)');
  const link = links.find((one) => isKeyedHash(db, one.link_hash, token, signedParts(one)));
  const user = link && (await db('users').where({ user_id: link.user_id, ended_at: null }).first());
  if (!link || !user || !isOf(link, user)) return undefined;
  const merchant =
    link.merchant_id === null
      ? undefined
      : await db('merchants').where({ merchant_id: link.merchant_id }).first('name');
  return { kind, user, merchantId: link.merchant_id, merchantName: merchant?.name, hash: link.link_hash };
}

/** A reset link becomes invalid with every change of the user's credentials. */
const isOf = ({ kind, credentials_version: version }: UserLinkRow, user: UserRow) =>
  kind !== 'reset' || version === user.credentials_version;

/**
 * Uses the link up; of two requests, the first one gets it.
 * @throws UserError link_dead
 */
async function takeLink(trx: Transaction, kind: LinkKind, token: string): Promise<OpenLink> {
  const found = await findLink(trx, kind, token);
  // Reads the user again under the lock, because the earlier read may be outdated.
  const user = found && (await trx('users').where({ user_id: found.user.user_id }).forUpdate().first());
  const link = user && { ...found, user };
  const isSame = user?.ended_at === null && user.credentials_version === found?.user.credentials_version;
  const taken =
    link &&
    (kind !== 'reset' || isSame) &&
    user.ended_at === null &&
    (await trx('user_links')
      .where({ link_hash: link.hash, used_at: null })
      .whereRaw('expires_at > UTC_TIMESTAMP(3)')
      .update({ used_at: trx.raw<Date>('UTC_TIMESTAMP(3)') }));
  if (!link || taken !== 1) throw new UserError('link_dead', 'The link was already used or has expired.');
  return link;
}

/**
 * Accepts an invitation. An existing password stays, because access to the mailbox alone must not change it.
 * @param password for a user without one.
 * @throws UserError link_dead, password_weak
 */
export async function acceptInvitation(
  trx: Transaction,
  token: string,
  password: string | PreparedPassword | undefined,
): Promise<OpenLink> {
  const link = await takeLink(trx, 'invitation', token);
  if (link.user.password_hash === null) await setPassword(trx, link.user, password ?? '');
  if (link.merchantId !== null) await acceptMembership(trx, link.merchantId, link.user.user_id);
  return link;
}

/**
 * Sets a new password and ends every session. The second factor stays.
 * @throws UserError link_dead, password_weak
 */
export async function resetPassword(
  trx: Transaction,
  token: string,
  password: string | PreparedPassword,
): Promise<OpenLink> {
  const link = await takeLink(trx, 'reset', token);
  await setPassword(trx, link.user, password);
  return link;
}
