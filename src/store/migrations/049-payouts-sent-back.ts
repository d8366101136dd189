import type { Statements } from './migration';

export const kind = 'migrate';

/** What PayPal sent back of payouts, by its event codes: it came in, and was read as if it had gone out. */
const sentBack = `l.provider = 'paypal' AND l.kind = 'refund' AND (l.description LIKE 'T1114%' OR l.description LIKE 'T1115%')`;

/** Turns the lines. What is open in suspense of them is booked anew by the next look, which sees that its line says otherwise. */
export async function up(schema: Statements): Promise<void> {
  await turn(schema, '>');
}

export async function down(schema: Statements): Promise<void> {
  await turn(schema, '<');
}

async function turn(schema: Statements, sign: '>' | '<'): Promise<void> {
  await schema.raw(`
    UPDATE reconciliation_results r JOIN statement_lines l ON l.line_id = r.line_id
    SET r.amount_minor = -r.amount_minor
    WHERE ${sentBack} AND r.amount_minor ${sign} 0`);
  await schema.raw(
    `UPDATE statement_lines l SET l.amount_minor = -l.amount_minor WHERE ${sentBack} AND l.amount_minor ${sign} 0`,
  );
}
