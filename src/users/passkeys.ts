/**
 * Passkeys (WebAuthn): a second factor that a device shows to one origin alone, so that a page that only looks like ours
 * gets nothing. A challenge is sealed into the form that it is answered by, and is kept nowhere: each passkey takes only
 * those that were made after the last one it has answered.
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

/** Of one person. */
const passkeysMax = 10;
/** A page may be open for so long before its challenge is answered. */
const challengeMs = 10 * 60_000;
const issuer = 'Malipo';
const nameMax = 60;
const knownTransports: readonly string[] = [
  ...['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'],
];

/** Where passkeys count, and by which name browsers know it. */
export interface Site {
  origin: string;
  id: string;
}

/** @returns undefined where the portal has an address and no name: browsers have no passkeys for such. */
export function siteOf(origins: readonly string[]): Site | undefined {
  const named = origins.find((origin) => isIP(new URL(origin).hostname.replace(/^\[|\]$/g, '')) === 0);
  return named === undefined ? undefined : { origin: named, id: new URL(named).hostname };
}

type Ceremony = 'new-passkey' | 'passkey';
type Asker = Pick<Session, 'person' | 'sessionId' | 'credentials'>;

/** What a page asks the browser, and the sealed challenge that comes back with the answer. */
export interface SealedOptions<Options> {
  options: Options;
  sealed: string;
}

const contextOf = (what: Ceremony, { person, sessionId }: Asker) => `${what}:${person.userId}:${sessionId}`;
const digest = (text: string) => createHash('sha256').update(text).digest();
const bytesOf = (buffer: Buffer) => new Uint8Array(buffer);

function mintChallenge(box: SecretBox, what: Ceremony, asker: Asker) {
  const text = `${String(Date.now())}.${mintToken()}`;
  return { challenge: bytesOf(digest(text)), sealed: box.seal(text, contextOf(what, asker)) };
}

interface Challenge {
  /** Base64url, as the browser tells it. */
  text: string;
  madeAtMs: number;
}

/** @returns undefined for one of another session, and for one that is too old. */
function openChallenge(box: SecretBox, what: Ceremony, asker: Asker, sealed: string): Challenge | undefined {
  let text: string;
  try {
    text = box.open(sealed, contextOf(what, asker));
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
): Promise<SealedOptions<PublicKeyCredentialCreationOptionsJSON>> {
  const { challenge, sealed } = mintChallenge(box, 'new-passkey', asker);
  const options = await generateRegistrationOptions({
    rpName: issuer,
    rpID: site.id,
    userName: asker.person.email,
    userID: new TextEncoder().encode(asker.person.userId),
    challenge,
    timeout: challengeMs,
    attestationType: 'none',
    excludeCredentials: await knownOf(db, asker.person.userId),
    // It stands beside the password: a key that asks for no PIN is good enough.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  return { options, sealed };
}

export async function askForPasskey(
  db: Database,
  box: SecretBox,
  site: Site,
  asker: Asker,
): Promise<SealedOptions<PublicKeyCredentialRequestOptionsJSON>> {
  const { challenge, sealed } = mintChallenge(box, 'passkey', asker);
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    challenge,
    timeout: challengeMs,
    allowCredentials: await knownOf(db, asker.person.userId),
    userVerification: 'preferred',
  });
  return { options, sealed };
}

/** What came back from a page, as it came. */
export interface Answered {
  sealed: string;
  /** JSON of what the browser gave. */
  answer: string;
}

/** What nobody vouches for becomes undefined, whatever is wrong with it. */
async function orUndefined<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

/**
 * Adds a passkey that a device has just made for this session's challenge.
 * @param alongside writes what belongs to it, in its transaction.
 * @returns codes for paper with the first second factor, and none with others; undefined where it is not taken: the
 * answer is none to this challenge, the device is known already, or there are as many as may be.
 */
export async function addPasskey(
  db: Database,
  box: SecretBox,
  site: Site,
  { asker, name, sealed, answer }: Answered & { asker: Asker; name: string },
  alongside: (trx: Transaction) => Promise<void>,
): Promise<{ codes: string[] } | undefined> {
  const { userId } = asker.person;
  const challenge = openChallenge(box, 'new-passkey', asker, sealed);
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
  const told: readonly unknown[] = Array.isArray(transports) ? transports : [];
  const row = {
    passkey_id: uuidV7(),
    user_id: userId,
    credential_hash: digest(made.id),
    credential_id: made.id,
    public_key: Buffer.from(made.publicKey),
    sign_count: String(made.counter),
    transports: knownTransports.filter((one) => told.includes(one)).join(','),
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
    // The same device at the same moment, or a session that another change has ended meanwhile.
    if (!(error instanceof CredentialsChanged) && duplicateKeyOf(error) === undefined) throw error;
    return undefined;
  });
}

/** Takes a passkey's answer to this session's challenge: once, also of two who send it at the same moment. */
export async function takePasskey(
  db: Database,
  box: SecretBox,
  site: Site,
  asker: Asker,
  { sealed, answer }: Answered,
): Promise<boolean> {
  const challenge = openChallenge(box, 'passkey', asker, sealed);
  const response = await orUndefined(() => Promise.resolve(JSON.parse(answer) as AuthenticationResponseJSON));
  if (!challenge || typeof response?.id !== 'string') return false;
  const row = await db('passkeys')
    .where({ user_id: asker.person.userId, credential_hash: digest(response.id) })
    .first();
  // The key of somebody else may have been put into the row past us.
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
 * Takes a passkey away; the codes for paper go with the last second factor.
 * @param mustStay whether one has to be left, as in live.
 * @returns false where it is none of this person's, or would have been the last.
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
