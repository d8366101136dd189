/**
 * What operators did, for good. Each line holds the hash of the one before it, so that none can be changed, taken away
 * or put in without every later one being wrong; `malipo verify` (A1) recomputes them all.
 */
import { createHash } from 'node:crypto';
import type { Transaction } from '../store/database';
import type { AuditLogRow } from '../store/tables';

type Json =
  string | number | boolean | null | undefined | readonly Json[] | { readonly [name: string]: Json };

export interface Action {
  /** The name of an operator who has proved it, `nobody` while there is none, or a part of the engine that acts by itself. */
  by: string;
  /** Noun and verb, such as `float.withdraw`: at most 64 ASCII characters. */
  action: string;
  /** What was acted upon: a kind of at most 32 ASCII characters, and an id of at most 160 characters. */
  subject: { kind: string; id: string };
  /** Never a secret, and nothing that tells of a customer: the line cannot be taken away again. */
  details?: Readonly<Record<string, Json>>;
}

/** Writes a line in the name that a command has proved, in the place of the one that would say `by`. */
export type RecordLine = (trx: Transaction, line: Pick<Action, 'subject' | 'details'>) => Promise<void>;

type Line = Omit<AuditLogRow, 'hash'>;

/**
 * Adds a line to the chain in the transaction of the action, so that neither is there without the other. Lines are
 * numbered in the order of their commits: whoever writes one keeps the next waiting until its transaction ends, so this
 * is the transaction's last statement.
 */
export async function recordAction(
  trx: Transaction,
  { by, action, subject, details = {} }: Action,
): Promise<void> {
  const head = await trx('audit_head').where({ id: 1 }).forUpdate().first();
  if (!head) throw new Error('the audit log has lost its head; nothing is done that it cannot tell');
  const line: Line = {
    seq: (BigInt(head.seq) + 1n).toString(),
    at: new Date(),
    acted_by: by,
    action,
    subject_kind: subject.kind,
    subject_id: subject.id,
    details: JSON.stringify(details),
    previous_hash: head.hash,
  };
  const hash = hashOf(line);
  await trx('audit_log').insert({ ...line, hash });
  await trx('audit_head').where({ id: 1 }).update({ seq: line.seq, hash });
}

/** SHA-256 over everything that a line says and the hash of the one before it. */
export function hashOf(line: Line): Buffer {
  const said = [line.acted_by, line.action, line.subject_kind, line.subject_id, line.details];
  return createHash('sha256')
    .update(JSON.stringify([line.seq, line.at.toISOString(), ...said, line.previous_hash.toString('hex')]))
    .digest();
}
