/**
 * The payout permission of an API key. One user with money rights requests it, and another one confirms it, if there is
 * one. Until then the key works without it.
 */
import { v7 as uuid, validate as isUuid } from 'uuid';
import { scopesOf } from '../merchants/api-keys';
import { lockKey, setKeyScopes } from '../merchants/own-keys';
import { holdRows, rowChanged, isAsWritten } from './audit-log';
import type { Database, Transaction } from '../store/database';
import type { KeyConfirmationRow } from '../store/user-tables';
import { waitsHours } from './requests';
import { couldAnotherDecide, rightToDecide, type ActingUser } from './deciders';

/** Why a user cannot decide now. */
export type NotNowWhy =
  /** Another user has decided, or the request has ended. */
  | 'decided'
  /** The request has expired. */
  | 'over'
  /** Users cannot confirm their own requests. */
  | 'own'
  /** The row was changed from outside Malipo. */
  | 'altered'
  /** The role cannot decide (`role`), or is too new (`too_new`). */
  | 'role'
  | 'too_new';

export class NotNow extends Error {
  constructor(readonly why: NotNowWhy) {
    super(`this cannot be decided now: ${why}`);
  }
}

/** @throws NotNow role, too_new */
export async function expectRight(trx: Transaction, who: ActingUser, standingSeconds: number): Promise<void> {
  const right = await rightToDecide(trx, who, standingSeconds);
  if (right !== 'may') throw new NotNow(right === 'none' ? 'role' : 'too_new');
}

/**
 * Gives a key payout permission if nobody else could decide about it; otherwise requests confirmation.
 * @returns the id of the request, or undefined if the key can send payouts from now on.
 * @throws NotNow `decided` if the key has ended or the request exists already; role, too_new.
 */
export async function letPayOut(
  trx: Transaction,
  { apiKey, ...who }: ActingUser & { apiKey: string },
  standingSeconds: number,
): Promise<string | undefined> {
  const { merchantId, userId } = who;
  const right = await rightToDecide(trx, who, standingSeconds);
  if (right === 'none') throw new NotNow('role');
  const key = await lockKey(trx, merchantId, apiKey);
  if (!key) throw new NotNow('decided');
  if (await couldAnotherDecide(trx, who, standingSeconds)) return ask(trx, { apiKey, ...who });
  if (right === 'too_new') throw new NotNow('too_new');
  await addPayout(trx, merchantId, apiKey);
  const waiting = await waitingOf(trx, merchantId, apiKey);
  // The request was made while another user could decide.
  if (waiting) await decide(trx, waiting.confirmation_id, userId, 'refused');
  return undefined;
}

async function ask(trx: Transaction, { merchantId, userId, apiKey }: ActingUser & { apiKey: string }) {
  if (await waitingOf(trx, merchantId, apiKey)) throw new NotNow('decided');
  const confirmationId = uuid();
  await trx('key_confirmations').insert({
    confirmation_id: confirmationId,
    merchant_id: merchantId,
    api_key: apiKey,
    state: 'waiting',
    asked_by: userId,
    asked_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
  });
  await rowChanged(trx, 'key_confirmations', confirmationId);
  return confirmationId;
}

async function addPayout(trx: Transaction, merchantId: string, apiKey: string): Promise<void> {
  const key = await lockKey(trx, merchantId, apiKey);
  if (!key) throw new NotNow('decided');
  const seen = scopesOf(key.scopes);
  await setKeyScopes(trx, merchantId, { apiKey, seen, scopes: [...seen, 'payout'] });
}

const isOver = (db: Database | Transaction) =>
  db.raw(
    `(state = 'waiting' AND asked_at < UTC_TIMESTAMP(3) - INTERVAL ${String(waitsHours)} HOUR) AS is_over`,
  );

export type KeyConfirmation = KeyConfirmationRow & { is_over: number | string };

async function waitingOf(trx: Transaction, merchantId: string, apiKey: string) {
  const all = await trx('key_confirmations')
    .where({ merchant_id: merchantId, api_key: apiKey, state: 'waiting' })
    .whereRaw(`asked_at > UTC_TIMESTAMP(3) - INTERVAL ${String(waitsHours)} HOUR`)
    .forUpdate();
  return all[0];
}

/**
 * Confirms another user's request.
 * @returns the key.
 * @throws NotNow
 */
export async function confirmKey(
  trx: Transaction,
  { confirmationId, ...who }: ActingUser & { confirmationId: string },
  standingSeconds: number,
): Promise<string> {
  await expectRight(trx, who, standingSeconds);
  const { api_key: apiKey, asked_by: asker } = await lock(trx, confirmationId, who.merchantId);
  if (asker === who.userId) throw new NotNow('own');
  await addPayout(trx, who.merchantId, apiKey);
  await decide(trx, confirmationId, who.userId, 'confirmed');
  return apiKey;
}

/**
 * Rejects a request. Every user who may decide can do this, and the requester to withdraw it.
 * @returns the key.
 * @throws NotNow
 */
export async function refuseKey(
  trx: Transaction,
  { confirmationId, ...who }: ActingUser & { confirmationId: string },
): Promise<string> {
  const { api_key: apiKey, asked_by: asker } = await lock(trx, confirmationId, who.merchantId, {
    evenOver: true,
  });
  if (asker !== who.userId && (await rightToDecide(trx, who, 0)) !== 'may') throw new NotNow('role');
  await decide(trx, confirmationId, who.userId, 'refused');
  return apiKey;
}

async function decide(
  trx: Transaction,
  confirmationId: string,
  userId: string,
  state: 'confirmed' | 'refused',
): Promise<void> {
  await holdRows(trx, 'key_confirmations', confirmationId);
  await trx('key_confirmations')
    .where({ confirmation_id: confirmationId })
    .update({ state, decided_by: userId, decided_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
  await rowChanged(trx, 'key_confirmations', confirmationId);
}

async function lock(
  trx: Transaction,
  confirmationId: string,
  merchantId: string,
  { evenOver = false } = {},
): Promise<KeyConfirmation> {
  // The column is ASCII. The database refuses to compare it with other text.
  const found = isUuid(confirmationId)
    ? await trx('key_confirmations')
        .where({ confirmation_id: confirmationId.toLowerCase(), merchant_id: merchantId })
        .forUpdate()
        .first<KeyConfirmation | undefined>('*', isOver(trx))
    : undefined;
  if (found?.state !== 'waiting') throw new NotNow('decided');
  if (Number(found.is_over) === 1 && !evenOver) throw new NotNow('over');
  // After a change from outside, a new audit line would make the row look valid. So the decision fails here.
  if (!(await isAsWritten(trx, 'key_confirmations', found.confirmation_id))) throw new NotNow('altered');
  return found;
}

/** Whether the merchant has a request with this id. */
export async function isConfirmation(
  db: Database,
  { merchantId, confirmationId }: { merchantId: string; confirmationId: string },
): Promise<boolean> {
  // The column is ASCII. The database refuses to compare it with other text.
  if (!isUuid(confirmationId)) return false;
  const where = { confirmation_id: confirmationId.toLowerCase(), merchant_id: merchantId };
  return (await db('key_confirmations').where(where).first('state')) !== undefined;
}

/** Lists all requests, newest first, including decided ones. */
export function listConfirmations(
  db: Database,
  merchantId: string,
  limit: number,
): Promise<KeyConfirmation[]> {
  return db('key_confirmations')
    .where({ merchant_id: merchantId })
    .orderBy('asked_at', 'desc')
    .limit(limit)
    .select<KeyConfirmation[]>('*', isOver(db));
}

/** The pending requests of a merchant. */
export async function waitingKeys(db: Database, merchantId: string): Promise<KeyConfirmationRow[]> {
  return db('key_confirmations')
    .where({ merchant_id: merchantId, state: 'waiting' })
    .whereRaw(`asked_at > UTC_TIMESTAMP(3) - INTERVAL ${String(waitsHours)} HOUR`)
    .orderBy('asked_at', 'desc');
}
