import { hashOf } from '../../operators/audit-log';
import type { Transaction } from '../../store/database';
import type { AuditLogRow } from '../../store/tables';
import { violationsMax, type Check, type Violation } from './check';

const atOnce = 1_000;
const start: Pick<AuditLogRow, 'seq' | 'hash'> = { seq: '0', hash: Buffer.alloc(32) };

/**
 * Recomputes the whole chain in every scope: people write it, so it stays short, and what one of them has changed by
 * hand may be as old as it likes.
 */
async function brokenLinks(trx: Transaction): Promise<Violation[]> {
  const found: Violation[] = [];
  let last: Pick<AuditLogRow, 'seq' | 'hash'> = start;
  for (;;) {
    const lines = await trx('audit_log').where('seq', '>', last.seq).orderBy('seq').limit(atOnce);
    for (const line of lines) {
      const expected = (BigInt(last.seq) + 1n).toString();
      const id = `line ${line.seq}`;
      if (line.seq !== expected) found.push({ id, detail: `comes after line ${last.seq}` });
      else if (!line.previous_hash.equals(last.hash))
        found.push({ id, detail: 'does not go on from the line before it' });
      if (!hashOf(line).equals(line.hash)) found.push({ id, detail: 'says something else than was written' });
      last = line;
    }
    if (lines.length < atOnce || found.length >= violationsMax) break;
  }
  if (found.length >= violationsMax) return found.slice(0, violationsMax);
  const head = await trx('audit_head').where({ id: 1 }).first();
  if (head?.seq !== last.seq || !head.hash.equals(last.hash))
    found.push({ id: 'head', detail: `stands at line ${head?.seq ?? '-'}, the log ends with ${last.seq}` });
  return found;
}

/** What operators did. */
export const auditChecks: Check[] = [
  {
    id: 'A1',
    promise: 'no line of the audit log was changed, taken away or put in',
    find: ({ trx }) => brokenLinks(trx),
  },
];
