/** Exports the tables that the second checker reads, as lines of JSON; and runs the checker. */
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../src/store/database';

const tables = [
  ...(['payments', 'payment_log', 'attempts', 'cases', 'holds', 'outbox', 'webhook_deliveries'] as const),
  ...(['ledger_accounts', 'ledger_entries', 'ledger_postings', 'fx_quotes', 'fee_schedules'] as const),
  ...(['idempotency_keys', 'vouchers', 'inbox', 'bulk_payouts', 'bulk_rows'] as const),
];

/** @param db or a transaction, whose changes are exported before its commit. */
export async function exportTables(db: Database, file: string): Promise<void> {
  const lines: string[] = [];
  for (const table of tables) {
    const rows: object[] = await db(table);
    for (const row of rows)
      lines.push(JSON.stringify({ table, row: Object.fromEntries(Object.entries(row).map(asText)) }));
  }
  await writeFile(file, `${lines.join('\n')}\n`);
}

const asText = ([column, value]: [string, unknown]): [string, unknown] => [
  column,
  Buffer.isBuffer(value) ? value.toString('hex') : value,
];

/**
 * For tests that need only Python. A developer may have none; in CI a missing Python fails, because the books would
 * lack their second checker.
 */
export const hasPython = process.env['CI'] === 'true' || spawnSync('python3', ['--version']).status === 0;
export const describeWithPython = hasPython ? describe : describe.skip;

/** @returns its output, and whether it found nothing. */
export function secondChecker(...args: string[]): Promise<{ isClean: boolean; lines: string[] }> {
  return new Promise((resolve, reject) => {
    const script = join(__dirname, 'check.py');
    const options = { maxBuffer: 64 * 1024 * 1024 };
    // Writes no bytecode beside the sources.
    execFile('python3', ['-B', script, ...args], options, (error, out, complaints) => {
      const isVerdict = error === null || (error.code as unknown) === 1;
      if (!isVerdict || complaints !== '') reject(new Error(`the second checker: ${complaints}`));
      else resolve({ isClean: error === null, lines: out.trimEnd().split('\n') });
    });
  });
}
