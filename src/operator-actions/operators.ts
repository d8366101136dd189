/** Operators, and rows about rights that were changed outside Malipo. */
import { createHash } from 'node:crypto';
import Joi from 'joi';
import type { Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import { acceptRows } from '../users/audit-log';
import { digestOfRow, readControlRow } from '../users/control-rows';
import { createOperator, revokeOperator, roles, rotateToken, type Role } from '../users/operators';
import { alteredRows, unkeyedLines, type AlteredRow } from '../verify/audit-checks';
import { defineAction } from './action';
import { ActionError } from './errors';
import { id, readBy, reason } from './fields';
import { oneOf } from './read';

export interface AlteredList {
  rows: AlteredRow[];
  /** Audit lines without a key. */
  lines: string[];
  /** Their number, and a digest of each current row and line: another list has another name. */
  name: string;
}

/** @param locks locks the rows until the end of the transaction. */
export async function alteredIn(trx: Transaction, { locks = false } = {}): Promise<AlteredList> {
  const rows: AlteredRow[] = [];
  for await (const row of alteredRows(trx)) rows.push(row);
  const lines = await unkeyedLines(trx);
  const described: unknown[] = [];
  for (const { table, id: rowId, found, line } of rows) {
    const row = await readControlRow(trx, table, rowId, { locks });
    const digest = row ? digestOfRow(table, row).digest?.toString('hex') : null;
    described.push([table, rowId, found, line ?? null, digest]);
  }
  for (const { seq, hash } of lines) described.push([seq, hash.toString('hex')]);
  const digest = createHash('sha256').update(JSON.stringify(described)).digest('hex').slice(0, 32);
  return { rows, lines: lines.map(({ seq }) => seq), name: `${String(described.length)}:${digest}` };
}

interface Named {
  name: string;
}

/** Any text here: src/users/operators.ts checks the name, with one sentence for the operator. */
const name = Joi.string().allow('').max(160).required();

const about = (operator: string) => ({ subject: { kind: 'operator', id: operator } });

const common = { version: 1, right: 'act', approval: 'operators', writes: 'database' } as const;

export const operatorActions = {
  'operator.create': defineAction<Named & { role: Role }, Named & { role: Role; token: string }>({
    ...common,
    schema: Joi.object<Named & { role: Role }>({
      name,
      role: readBy(oneOf(roles, 'The role')).required(),
    }),
    phrase: {
      en: 'add the operator {name}, with the role {role}',
      sw: 'kumwongeza mwendeshaji {name}, mwenye jukumu {role}',
    },
    async run({ context, config: { environment }, acting }, { name: added, role }) {
      const operator = { name: added, role, by: acting.by, environment };
      const token = await createOperator(context.db, operator, (trx) => acting.record(trx, about(added)));
      return { name: added, role, token };
    },
  }),

  'operator.revoke': defineAction<Named, Named & { revoked: true }>({
    ...common,
    schema: Joi.object<Named>({ name }),
    phrase: {
      en: 'revoke the operator {name} permanently',
      sw: 'kumwondoa mwendeshaji {name} kabisa',
    },
    async run({ context, acting }, { name: ended }) {
      await revokeOperator(context.db, ended, (trx) => acting.record(trx, about(ended)));
      return { name: ended, revoked: true };
    },
  }),

  'operator.rotate': defineAction<Named, Named & { token: string }>({
    ...common,
    isOwn: (input, operator) => input.name === operator.name,
    schema: Joi.object<Named>({ name }),
    phrase: {
      en: 'make a new token of the operator {name}',
      sw: 'kutengeneza tokeni mpya ya mwendeshaji {name}',
    },
    async run({ context, config, acting }, { name: owner }) {
      const token = await rotateToken(context.db, owner, config.environment, (trx) =>
        acting.record(trx, about(owner)),
      );
      return { name: owner, token };
    },
  }),

  'control.accept': defineAction<{ list: string; reason: string }, { rows: number }>({
    ...common,
    schema: Joi.object<{ list: string; reason: string }>({
      list: id.required(),
      reason: reason.required(),
    }),
    phrase: {
      en: 'accept the rows about rights that were changed outside Malipo, list {list} (number and digest): first read malipo control list',
      sw: 'kukubali safu za haki ambazo zimebadilishwa nje ya Malipo, orodha {list} (idadi na muhtasari wake): soma kwanza malipo control list',
    },
    async run({ context, acting }, { list: seen }) {
      const taken = await inTransaction(context.db, async (trx) => {
        const { rows, name: listed } = await alteredIn(trx, { locks: true });
        if (listed !== seen)
          throw new ActionError(
            `The list is no longer ${seen}, but ${listed}: read malipo control list again.`,
          );
        await acceptRows(trx, rows);
        await acting.record(trx, {
          subject: { kind: 'control', id: 'rows' },
          details: { rows: rows.length },
        });
        return rows.length;
      });
      return { rows: taken };
    },
  }),
};
