/** Who operates the engine, proved by a token of which only a hash is kept. */
import type { Environment } from '../config';
import { mintSecret } from '../merchants/api-keys';
import { takeToken } from '../merchants/rate-limit';
import type { Database, Transaction } from '../store/database';
import { isKeyedHash, keyedHash } from '../store/keyed-hash';
import type { OperatorRow } from '../store/tables';
import { duplicateKeyOf, inTransaction, type Alongside } from '../store/transaction';
import { isAsWritten, recordAction, holdRows, rowChanged } from './audit-log';

/** What each role may do beside looking. */
const roleMay = {
  /** Acts, and approves what another has asked for. */
  operator: ['act', 'approve'],
  /** Approves and rejects what others have asked for. */
  approver: ['approve'],
  auditor: [],
} as const satisfies Record<OperatorRow['role'], readonly Right[]>;

export type Right = 'act' | 'approve';
export type Role = OperatorRow['role'];
export const roles = Object.keys(roleMay) as Role[];

/** By whom everything is done while there is no operator. */
export const nobody = 'nobody';

/** A definite no about operators, with a sentence for the one who asked. */
export class OperatorRefusal extends Error {}

export interface Operator {
  name: string;
  role: Role;
}

export function may({ role }: Pick<Operator, 'role'>, right: Right): boolean {
  return (roleMay[role] as readonly Right[]).includes(right);
}

const nameShape = /^[a-z][a-z0-9._-]{1,39}$/;
/** Equals the digest of no secret anybody knows. */
const noDigest = Buffer.alloc(32);

export async function hasOperators(db: Database | Transaction): Promise<boolean> {
  return (await db('operators').first('name')) !== undefined;
}

export function listOperators(db: Database): Promise<Omit<OperatorRow, 'token_hash'>[]> {
  return db('operators')
    .orderBy('created_at')
    .orderBy('name')
    .select('name', 'role', 'created_by', 'created_at', 'rotated_at', 'revoked_at');
}

/** Of that name, whoever has written the row: to be ended, and to be told apart from nobody. */
async function findNamed(db: Database | Transaction, name: string): Promise<Operator | undefined> {
  // The column is ASCII, and the database refuses to compare it with more.
  if (!nameShape.test(name)) return undefined;
  return db('operators').where({ name, revoked_at: null }).first('name', 'role');
}

/**
 * Who may act under that name, at the command line and in the portal alike. Who was made an operator past us, or given
 * another role, is none, also for as long as nobody has run malipo verify.
 */
export async function findActive(db: Database | Transaction, name: string): Promise<Operator | undefined> {
  const found = await findNamed(db, name);
  return found && (await isAsWritten(db, 'operators', name)) ? found : undefined;
}

/** @returns the operator, or undefined: whether there is one of that name is not told. */
export async function proveOperator(
  db: Database,
  { name, token }: { name: string; token: string },
): Promise<Operator | undefined> {
  const found = nameShape.test(name) ? await db('operators').where({ name }).first('token_hash') : undefined;
  const isProven = isKeyedHash(db, found?.token_hash ?? noDigest, token, ['operator', name]);
  return found && isProven ? findActive(db, name) : undefined;
}

/** Wrong tokens a minute that are written down: the log is for good, and anybody who can try can try without end. */
const refusalsToldPerMinute = 30;

/** Of a token that was not right, or of an operator who may not do this. */
export async function recordRefusal(
  db: Database,
  { name, action, reason }: { name: string; action: string; reason: string },
): Promise<void> {
  const limit = { ratePerMinute: refusalsToldPerMinute, burst: refusalsToldPerMinute };
  if (!(await takeToken(db, { bucket: 'operators:refused', ...limit })).allowed) return;
  // What was given may be anything, a token that was put into the wrong place among it.
  const id = nameShape.test(name) ? name : '';
  await inTransaction(db, (trx) =>
    recordAction(trx, {
      by: nobody,
      action: 'operator.refused',
      subject: { kind: 'operator', id },
      details: { action, reason },
    }),
  );
}

/**
 * Adds an operator. Names are never used twice.
 * @returns the token, which is not kept.
 * @throws OperatorRefusal
 */
export async function createOperator(
  db: Database,
  { name, role, by, environment }: Operator & { by: string; environment: Environment },
  alongside?: Alongside,
): Promise<string> {
  if (!nameShape.test(name) || name === nobody) {
    throw new OperatorRefusal(
      'A name has 2 to 40 small letters, digits, dots, dashes and underscores, and begins with a letter.',
    );
  }
  const token = mintSecret('op', environment);
  const taken = () =>
    new OperatorRefusal(`There is, or was, an operator ${name}: a name is one person's for ever.`);
  if (await db('operators').where({ name }).first('name')) throw taken();
  await inTransaction(db, async (trx) => {
    // First: it waits for whoever else adds one, and then knows whether one was there before.
    await alongside?.(trx);
    if (role !== 'operator' && !(await hasOperators(trx))) {
      throw new OperatorRefusal('The first one must have the role operator: nobody else could add another.');
    }
    const row = {
      name,
      role,
      token_hash: keyedHash(trx, token, ['operator', name]),
      created_by: by,
      created_at: new Date(),
    };
    await holdRows(trx, 'operators', name);
    await trx('operators').insert(row);
    await rowChanged(trx, 'operators', name);
  }).catch((error: unknown) => {
    throw duplicateKeyOf(error) === undefined ? error : taken();
  });
  return token;
}

/** @returns the new token, which is not kept; the one before it ends. @throws OperatorRefusal */
export async function rotateToken(
  db: Database,
  name: string,
  environment: Environment,
  alongside?: Alongside,
): Promise<string> {
  const token = mintSecret('op', environment);
  await getActiveOrRefuse(db, name);
  await inTransaction(db, async (trx) => {
    await alongside?.(trx);
    await getActiveOrRefuse(trx, name);
    await holdRows(trx, 'operators', name);
    await trx('operators')
      .where({ name })
      .update({ token_hash: keyedHash(trx, token, ['operator', name]), rotated_at: new Date() });
    await rowChanged(trx, 'operators', name);
  });
  return token;
}

/** Ends an operator for good. @throws OperatorRefusal for the last one who may act. */
export async function revokeOperator(db: Database, name: string, alongside?: Alongside): Promise<void> {
  await expectRevocable(db, name);
  await inTransaction(db, async (trx) => {
    // First: two who revoke each other at once come one after the other.
    await alongside?.(trx);
    await expectRevocable(trx, name);
    await holdRows(trx, 'operators', name);
    await trx('operators').where({ name }).update({ revoked_at: new Date() });
    await rowChanged(trx, 'operators', name);
  });
}

/**
 * Asked before the transaction as well, so that nobody is asked to approve what cannot be done; by another read than that
 * of the transaction, which has to see what was committed while it waited.
 */
async function expectRevocable(db: Database | Transaction, name: string): Promise<void> {
  await getActiveOrRefuse(db, name);
  const others = await db('operators').where({ revoked_at: null, role: 'operator' }).whereNot({ name });
  if (others.length === 0)
    throw new OperatorRefusal(`${name} is the last one who can act: add another operator first.`);
}

async function getActiveOrRefuse(db: Database | Transaction, name: string): Promise<Operator> {
  const found = await findNamed(db, name);
  if (!found)
    throw new OperatorRefusal(`No operator ${nameShape.test(name) ? name : 'of that name'} is active.`);
  return found;
}
