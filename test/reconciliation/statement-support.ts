/** A provider whose statements are JSON, so that a test says what stands in one. */
import { StatementError, type StatementFormat, type StatementLine } from '../../src/reconciliation/statement';
import type { StatementCall } from '../../src/reconciliation/statement-source';
import type { Database } from '../../src/store/database';

export const hourMs = 3_600_000;

export const format: StatementFormat = {
  provider: 'loudpay',
  payments: [{ rail: 'loud' }, { rail: 'quiet', provider: 'shared' }],
  knownBy: ['provider_reference', 'provider_receipt'],
  oursIs: 'payment_id',
  read(file) {
    const lines = JSON.parse(file.toString()) as Written[];
    return lines.map(({ amountMinor, at, ...line }, index) => {
      if (!/^-?\d+$/.test(amountMinor)) throw new StatementError(`"${amountMinor}" is no amount`, index + 1);
      return { n: index + 1, ...line, amountMinor: BigInt(amountMinor), at: new Date(at) };
    });
  },
};

type Written = Omit<StatementLine, 'n' | 'amountMinor' | 'at'> & { amountMinor: string; at: string };

export function line(providerReference: string, more: Partial<Written> = {}): Written {
  return {
    providerReference,
    kind: 'collection',
    state: 'completed',
    currency: 'KES',
    amountMinor: '10000',
    at: new Date().toISOString(),
    ...more,
  };
}

export const file = (lines: Written[], name = 'statement.json') => ({
  name,
  content: Buffer.from(JSON.stringify(lines)),
});

/** Somebody who waits for a statement as long as it takes. */
export const patiently: StatementCall = { alive: () => undefined, signal: new AbortController().signal };

/** Around now. */
export const period = () => ({
  from: new Date(Date.now() - 3 * hourMs),
  to: new Date(Date.now() + 3 * hourMs),
});

export async function forgetStatements(db: Database): Promise<void> {
  const tables = ['orphans', 'reconciliation_results', 'statement_lines', 'provider_statements'] as const;
  for (const table of tables) await db(table).delete();
}
