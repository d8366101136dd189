/** Operators and their tokens, which are stored only as hashes. */
import type { Environment } from '../config';
import { mintSecret } from '../merchants/api-keys';
import { takeToken } from '../merchants/rate-limit';
import type { Database, Transaction } from '../store/database';
import { isKeyedHash, keyedHash } from '../store/keyed-hash';
import type { OperatorRow } from '../store/tables';
import { duplicateKeyOf, inTransaction, type Alongside } from '../store/transaction';
import { isAsWritten, recordAction, holdRows, rowChanged } from './audit-log';

/** The rights of each role, besides reading. */
const roleMay = {
  /** Acts, and approves the requests of others. */
  operator: ['act', 'approve'],
  /** Approves and rejects the requests of others. */
  approver: ['approve'],
  auditor: [],
} as const satisfies Record<OperatorRow['role'], readonly Right[]>;

export type Right = 'act' | 'approve';
export type Role = OperatorRow['role'];
export const roles = Object.keys(roleMay) as Role[];

/** The actor of everything while there are no operators. */
export const noOperator = 'nobody';

/** An expected error about operators, with a sentence for the user. */
export class OperatorError extends Error {}

export interface Operator {
  name: string;
  role: Role;
}

export function hasRight({ role }: Pick<Operator, 'role'>, right: Right): boolean {
  return (roleMay[role] as readonly Right[]).includes(right);
}

const nameShape = /^[a-z][a-z0-9._-]{1,39}$/;
/** Equals the digest of no known secret. */
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

/** Finds an operator by name without the check against the audit log, to end it or to report that it exists. */
async function findNamed(db: Database | Transaction, name: string): Promise<Operator | undefined> {
  // The column is ASCII. The database refuses to compare it with other text.
  if (!nameShape.test(name)) return undefined;
  return db('operators').where({ name, revoked_at: null }).first('name', 'role');
}

/**
 * Finds the operator who may act under a name, in the command line and in the portal. A row that was added or changed
 * from outside Malipo does not count, even before the next malipo verify.
 */
export async function findActive(db: Database | Transaction, name: string): Promise<Operator | undefined> {
  const found = await findNamed(db, name);
  return found && (await isAsWritten(db, 'operators', name)) ? found : undefined;
}

/** @returns the operator, or undefined. The answer does not show whether the name exists. */
export async function authenticateOperator(
  db: Database,
  { name, token }: { name: string; token: string },
): Promise<Operator | undefined> {
  const found = nameShape.test(name) ? await db('operators').where({ name }).first('token_hash') : undefined;
  const isProven = isKeyedHash(db, found?.token_hash ?? noDigest, token, ['operator', name]);
  return found && isProven ? findActive(db, name) : undefined;
}

/** Wrong tokens per minute that the audit log records. The log is permanent, and attempts are unlimited. */
const denialsLoggedPerMinute = 30;

/** Records a wrong token, or an operator without the right. */
export async function recordDenial(
  db: Database,
  { name, action, reason }: { name: string; action: string; reason: string },
): Promise<void> {
  const limit = { ratePerMinute: denialsLoggedPerMinute, burst: denialsLoggedPerMinute };
  if (!(await takeToken(db, { bucket: 'operators:refused', ...limit })).allowed) return;
  // The given name may be anything, even a token in the wrong place.
  const id = nameShape.test(name) ? name : '';
  await inTransaction(db, (trx) =>
    recordAction(trx, {
      by: noOperator,
      action: 'operator.refused',
      subject: { kind: 'operator', id },
      details: { action, reason },
    }),
  );
}

/**
 * Adds an operator. Names are never used twice.
 * @returns the token, which is not stored.
 * @throws OperatorError
 */
export async function createOperator(
  db: Database,
  { name, role, by, environment }: Operator & { by: string; environment: Environment },
  alongside?: Alongside,
): Promise<string> {
  if (!nameShape.test(name) || name === noOperator) {
    throw new OperatorError(
      'A name has 2 to 40 lower-case letters, digits, dots, dashes and underscores, and begins with a letter.',
    );
  }
  const token = mintSecret('op', environment);
  const taken = () =>
    new OperatorError(`The operator name ${name} is or was in use: a name is never used again.`);
  if (await db('operators').where({ name }).first('name')) throw taken();
  await inTransaction(db, async (trx) => {
    // This comes first. It waits for a concurrent addition, so the check below sees whether there is an operator.
    await alongside?.(trx);
    if (role !== 'operator' && !(await hasOperators(trx))) {
      throw new OperatorError(
        'The first operator must have the role operator, because no other role can add operators.',
      );
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

/**
 * @returns the new token, which is not stored; the previous one ends.
 * @throws OperatorError
 */
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

/**
 * Ends an operator permanently.
 * @throws OperatorError for the last one who can act.
 */
export async function revokeOperator(db: Database, name: string, alongside?: Alongside): Promise<void> {
  await expectRevocable(db, name);
  await inTransaction(db, async (trx) => {
    // This comes first. It orders two operators who revoke each other at once.
    await alongside?.(trx);
    await expectRevocable(trx, name);
    await holdRows(trx, 'operators', name);
    await trx('operators').where({ name }).update({ revoked_at: new Date() });
    await rowChanged(trx, 'operators', name);
  });
}

/**
 * This check also runs before the transaction, so that an impossible action is not sent for approval. The transaction
 * reads again, because it must see what was committed while it waited.
 */
async function expectRevocable(db: Database | Transaction, name: string): Promise<void> {
  await getActiveOrRefuse(db, name);
  const others = await db('operators').where({ revoked_at: null, role: 'operator' }).whereNot({ name });
  if (others.length === 0)
    throw new OperatorError(`${name} is the last operator who can act: add another operator first.`);
}

async function getActiveOrRefuse(db: Database | Transaction, name: string): Promise<Operator> {
  const found = await findNamed(db, name);
  if (!found)
    throw new OperatorError(`There is no active operator ${nameShape.test(name) ? name : 'with this name'}.`);
  return found;
}
