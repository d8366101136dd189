/**
 * Passkeys (WebAuthn): a second factor that a device shows only to our origin, so a fake site gets nothing. The form
 * carries its encrypted challenge; the database does not store it. A passkey answers only challenges that are newer
 * than the last one it answered.
 */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type AuthenticatorTransportFuture,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { v7 as uuidV7, validate as isUuid } from 'uuid';
import { cutText } from '../domain/cut-text';
import { holdRows, isAsWritten, rowChanged } from './audit-log';
import type { SecretBox } from '../merchants/secrets';
import type { Database, Transaction } from '../store/database';
import type { PasskeyRow } from '../store/tables';
import { duplicateKeyOf, inTransaction } from '../store/transaction';
import { CredentialsChanged, holdCredentials, renewCredentials, mintToken } from './credentials';
import { keptOf, removeSecondFactor, writeRecoveryCodes } from './second-factor';
import type { Session } from './sessions';

/** The maximum per user. */
const passkeysMax = 10;
/** The time to answer a challenge. */
const challengeMs = 10 * 60_000;
const issuer = 'Malipo';
const nameMax = 60;
const knownTransports: readonly string[] = [
  ...['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'],
];

/** The origin of the passkeys and their id for browsers (RP id). */
export interface Site {
  origin: string;
  id: string;
}

/** @returns undefined if the portal has an IP address instead of a host name; browsers allow no passkeys there. */
export function siteOf(origins: readonly string[]): Site | undefined {
  const named = origins.find((origin) => isIP(new URL(origin).hostname.replace(/^\[|\]$/g, '')) === 0);
  return named === undefined ? undefined : { origin: named, id: new URL(named).hostname };
}

type Ceremony = 'new-passkey' | 'passkey';
type Asker = Pick<Session, 'person' | 'sessionId' | 'credentials'>;

/** The options for the browser, and the encrypted challenge that comes back with the answer. */
export interface EncryptedOptions<Options> {
  options: Options;
  encrypted: string;
}

const contextOf = (what: Ceremony, { person, sessionId }: Asker) => `${what}:${person.userId}:${sessionId}`;
const digest = (text: string) => createHash('sha256').update(text).digest();
const bytesOf = (buffer: Buffer) => new Uint8Array(buffer);

function mintChallenge(box: SecretBox, what: Ceremony, asker: Asker) {
  const text = `${String(Date.now())}.${mintToken()}`;
  return { challenge: bytesOf(digest(text)), encrypted: box.encrypt(text, contextOf(what, asker)) };
}

interface Challenge {
  /** Base64url, as the browser returns it. */
  text: string;
  madeAtMs: number;
}

/** @returns undefined for a challenge of another session, or one that is too old. */
function openChallenge(
  box: SecretBox,
  what: Ceremony,
  asker: Asker,
  encrypted: string,
): Challenge | undefined {
  let text: string;
  try {
    text = box.open(encrypted, contextOf(what, asker));
  } catch {
    return undefined;
  }
  const madeAtMs = Number(text.split('.', 1)[0]);
  if (!(Date.now() - madeAtMs < challengeMs)) return undefined;
  return { text: digest(text).toString('base64url'), madeAtMs };
}

export function listPasskeys(db: Database, userId: string): Promise<PasskeyRow[]> {
  return db('passkeys').where({ user_id: userId }).orderBy(['created_at', 'passkey_id']);
}

const transportsOf = ({ transports }: Pick<PasskeyRow, 'transports'>) =>
  transports.split(',').filter(Boolean) as AuthenticatorTransportFuture[];

async function knownOf(db: Database, userId: string) {
  const rows = await listPasskeys(db, userId);
  return rows.map((row) => ({ id: row.credential_id, transports: transportsOf(row) }));
}

export async function askForNewPasskey(
  db: Database,
  box: SecretBox,
  site: Site,
  asker: Asker,
): Promise<EncryptedOptions<PublicKeyCredentialCreationOptionsJSON>> {
  const { challenge, encrypted } = mintChallenge(box, 'new-passkey', asker);
  const options = await generateRegistrationOptions({
    rpName: issuer,
    rpID: site.id,
    userName: asker.person.email,
    userID: new TextEncoder().encode(asker.person.userId),
    challenge,
    timeout: challengeMs,
    attestationType: 'none',
    excludeCredentials: await knownOf(db, asker.person.userId),
    // The password comes first, so a security key without a PIN is enough.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  return { options, encrypted };
}

export async function askForPasskey(
  db: Database,
  box: SecretBox,
  site: Site,
  asker: Asker,
): Promise<EncryptedOptions<PublicKeyCredentialRequestOptionsJSON>> {
  const { challenge, encrypted } = mintChallenge(box, 'passkey', asker);
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    challenge,
    timeout: challengeMs,
    allowCredentials: await knownOf(db, asker.person.userId),
    userVerification: 'preferred',
  });
  return { options, encrypted };
}

/** The unverified answer of the page. */
export interface Answered {
  encrypted: string;
  /** The browser's answer as JSON. */
  answer: string;
}

/** Returns undefined for an invalid answer, whatever its fault. */
async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

/**
 * Adds a passkey that a device has just created for this session's challenge.
 * @param alongside writes the audit line and the mail, in its transaction.
 * @returns recovery codes with the first second factor, otherwise none. It is undefined if the answer does not fit the
 * challenge, the device is already known, or the user has the maximum number.
 */
export async function addPasskey(
  db: Database,
  box: SecretBox,
  site: Site,
  { asker, name, encrypted, answer }: Answered & { asker: Asker; name: string },
  alongside: (trx: Transaction) => Promise<void>,
): Promise<{ codes: string[] } | undefined> {
  const { userId } = asker.person;
  const challenge = openChallenge(box, 'new-passkey', asker, encrypted);
  if (!challenge) return undefined;
  const proved = await orUndefined(async () => {
    const response = JSON.parse(answer) as RegistrationResponseJSON;
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.text,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: false,
    });
    return (
      registrationInfo && { made: registrationInfo.credential, transports: response.response.transports }
    );
  });
  if (!proved) return undefined;
  const { made, transports } = proved;
  const reported: readonly unknown[] = Array.isArray(transports) ? transports : [];
  const row = {
    passkey_id: uuidV7(),
    user_id: userId,
    credential_hash: digest(made.id),
    credential_id: made.id,
    public_key: Buffer.from(made.publicKey),
    sign_count: String(made.counter),
    transports: knownTransports.filter((one) => reported.includes(one)).join(','),
    name: cutText(name.trim(), nameMax),
    challenged_ms: String(challenge.madeAtMs),
  };
  return inTransaction(db, async (trx) => {
    const user = await holdCredentials(trx, userId, asker.credentials);
    if (user.passkeys >= passkeysMax) return undefined;
    const isTaken = await trx('passkeys').where({ credential_hash: row.credential_hash }).first('passkey_id');
    if (isTaken) return undefined;
    await trx('passkeys').insert({ ...row, created_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
    await holdRows(trx, 'users', userId);
    await trx('users').where({ user_id: userId }).increment('passkeys');
    await rowChanged(trx, 'passkeys', row.passkey_id);
    const isFirst = user.totp_secret === null && user.passkeys === 0;
    const codes = isFirst ? await writeRecoveryCodes(trx, userId) : [];
    await renewCredentials(trx, userId, keptOf(user, asker.sessionId));
    await alongside(trx);
    return { codes };
  }).catch((error: unknown) => {
    // The same device was added at the same moment, or another change ended the session.
    if (!(error instanceof CredentialsChanged) && duplicateKeyOf(error) === undefined) throw error;
    return undefined;
  });
}

/** Accepts a passkey's answer to this session's challenge once, also for two requests at the same moment. */
export async function takePasskey(
  db: Database,
  box: SecretBox,
  site: Site,
  asker: Asker,
  { encrypted, answer }: Answered,
): Promise<boolean> {
  const challenge = openChallenge(box, 'passkey', asker, encrypted);
  const response = await orUndefined(() => Promise.resolve(JSON.parse(answer) as AuthenticationResponseJSON));
  if (!challenge || typeof response?.id !== 'string') return false;
  const row = await db('passkeys')
    .where({ user_id: asker.person.userId, credential_hash: digest(response.id) })
    .first();
  // The key in the row may have been replaced from outside Malipo.
  if (!row || !(await isAsWritten(db, 'passkeys', row.passkey_id))) return false;
  const proved = await orUndefined(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.text,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: false,
      credential: {
        id: row.credential_id,
        publicKey: bytesOf(row.public_key),
        counter: Number(row.sign_count),
        transports: transportsOf(row),
      },
    }),
  );
  if (!proved?.verified) return false;
  const taken = await db('passkeys')
    .where({ passkey_id: row.passkey_id })
    .where('challenged_ms', '<', challenge.madeAtMs)
    .update({
      challenged_ms: String(challenge.madeAtMs),
      sign_count: String(proved.authenticationInfo.newCounter),
      last_used_at: db.raw<Date>('UTC_TIMESTAMP(3)'),
    });
  return taken === 1;
}

/**
 * Removes a passkey. With the last second factor, the recovery codes end too.
 * @param mustStay whether one second factor must remain, as in live.
 * @returns false if the user does not have this passkey, or if it is the last one and must stay.
 */
export async function removePasskey(
  trx: Transaction,
  {
    asker: { person, sessionId, credentials },
    passkeyId,
    mustStay,
  }: { asker: Asker; passkeyId: string; mustStay: boolean },
): Promise<boolean> {
  if (!isUuid(passkeyId)) return false;
  const { userId } = person;
  const user = await holdCredentials(trx, userId, credentials);
  const isLast = user.totp_secret === null && user.passkeys === 1;
  if (isLast && mustStay) return false;
  await holdRows(trx, 'passkeys', passkeyId);
  const removed = await trx('passkeys').where({ passkey_id: passkeyId, user_id: userId }).delete();
  if (removed === 0) return false;
  if (isLast) await removeSecondFactor(trx, userId, sessionId);
  else {
    await holdRows(trx, 'users', userId);
    await trx('users').where({ user_id: userId }).decrement('passkeys');
    await renewCredentials(trx, userId, { sessionId });
  }
  await rowChanged(trx, 'passkeys', passkeyId);
  return true;
}
