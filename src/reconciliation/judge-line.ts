import type { Transaction } from '../store/database';
import { findEvidence } from './find-evidence';
import { judge, type KnownPayment } from './judge';
import type { Outcome } from './outcomes';
import type { StatementFormat } from './statement';

/** What a line is beside our books at this moment, and the payment that it names. Writes nothing; the caller has the turn. */
export async function judgeLine(
  trx: Transaction,
  format: StatementFormat,
  lineId: string,
): Promise<{ outcome: Outcome; payment: KnownPayment | undefined }> {
  const line = await trx('statement_lines').where({ line_id: lineId }).first();
  if (!line) throw new Error(`there is no line ${lineId}`);
  const evidence = (await findEvidence(trx, format, [line])).of(line);
  return { outcome: judge(line, evidence).outcome, payment: evidence.payment };
}
