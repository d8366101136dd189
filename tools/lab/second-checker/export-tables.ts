/** The tables that the second checker reads, as lines of JSON; and the checker itself, started. */
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../src/store/database';

const tables = [
  ...(['payments', 'payment_log', 'attempts', 'cases', 'holds', 'outbox', 'webhook_deliveries'] as const),
  ...(['ledger_accounts', 'ledger_entries', 'ledger_postings', 'fx_quotes', 'fee_schedules'] as const),
  ...(['idempotency_keys', 'vouchers', 'inbox', 'bulk_payouts', 'bulk_rows'] as const),
];

/** @param db or a transaction, whose changes are exported though nobody else sees them. */
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
 * For what needs a Python, and nothing else. Who builds at home may have none; where changes are taken, one that is missing
 * would leave the books without their second checker, and so fails.
 */
export const hasPython = process.env['CI'] === 'true' || spawnSync('python3', ['--version']).status === 0;
export const describeWithPython = hasPython ? describe : describe.skip;

/** @returns what it printed, and whether it found nothing. */
export function secondChecker(...args: string[]): Promise<{ isClean: boolean; lines: string[] }> {
  return new Promise((resolve, reject) => {
    const script = join(__dirname, 'check.py');
    const options = { maxBuffer: 64 * 1024 * 1024 };
    // Nothing is written beside the sources.
    execFile('python3', ['-B', script, ...args], options, (error, out, complaints) => {
      const isVerdict = error === null || (error.code as unknown) === 1;
      if (!isVerdict || complaints !== '') reject(new Error(`the second checker: ${complaints}`));
      else resolve({ isClean: error === null, lines: out.trimEnd().split('\n') });
    });
  });
}
