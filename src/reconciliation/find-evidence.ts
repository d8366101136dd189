import type { Database } from '../store/database';
import type { StatementLineRow } from '../store/tables';
import type { Evidence, KnownPayment } from './judge';
import { told } from './outcomes';
import { lineKindOf, type StatementFormat } from './statement';

type Before = NonNullable<Evidence['before']>;

/** Everything that lines may be judged by, looked up for many at once, each time by an index. */
export async function findEvidence(
  db: Database,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<(line: StatementLineRow) => Evidence> {
  const firsts = await firstLines(db, format.provider, lines);
  const payments = await findPayments(db, format, lines);
  const tellers = await tellersOf(db, format.provider, [...payments.values()]);
  const givenBack = await givenBackBy(db, format.provider, lines);

  return (line) => {
    const first = firsts.get(identityOf(line));
    const payment = lookUp(payments, format, line);
    // Parts of one deposit may go back one after the other.
    const mayRepeat = payment !== undefined && lineKindOf[payment.kind] !== line.kind;
    const teller = payment && tellers.get(`${payment.payment_id}:${line.kind}`);
    const isTold = !mayRepeat && teller !== undefined && BigInt(teller) < BigInt(line.line_id);
    return {
      before: first && BigInt(first.line_id) < BigInt(line.line_id) ? first : undefined,
      payment,
      toldBy: isTold ? teller : undefined,
      givenBackMinor: givenBack.get(line.original_reference ?? '') ?? 0n,
    };
  };
}

/** One receipt may have several fees; any other amount of it is one. */
function identityOf(line: StatementLineRow): string {
  const { provider_reference: reference, kind, amount_minor: amountMinor, currency } = line;
  const amount = kind === 'fee' ? [amountMinor, currency] : [];
  return [kind, ...amount, reference].join(':');
}

async function firstLines(
  db: Database,
  provider: string,
  lines: readonly StatementLineRow[],
): Promise<Map<string, Before>> {
  const references = lines.map(({ provider_reference: reference }) => reference);
  const found = await db('statement_lines')
    .where({ provider, state: 'completed' })
    .whereIn('provider_reference', references)
    .orderBy('line_id');
  const firsts = new Map<string, Before>();
  for (const line of found) if (!firsts.has(identityOf(line))) firsts.set(identityOf(line), line);
  return firsts;
}

const columns = [
  ...(['payment_id', 'kind', 'state', 'instructed_currency', 'confirmed_minor'] as const),
  ...(['given_back_minor', 'provider_reference', 'provider_receipt', 'callback_token'] as const),
];

/** Our ids are ASCII columns: the database refuses to compare them with more. */
const idText = /^[\x21-\x7e]{1,64}$/;

/** By column and value. */
async function findPayments(
  db: Database,
  { payments, knownBy, oursIs }: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<Map<string, KnownPayment>> {
  const theirs = lines.flatMap(({ provider_reference: own, original_reference: original }) => [
    own,
    ...(original === null ? [] : [original]),
  ]);
  const ours = lines.flatMap(({ our_reference: own }) => (own !== null && idText.test(own) ? [own] : []));
  const questions = [
    ...knownBy.map((column) => ({ column, values: theirs })),
    ...(oursIs === undefined ? [] : [{ column: oursIs, values: ours }]),
  ];
  const found = new Map<string, KnownPayment>();
  for (const { rail, provider } of payments) {
    for (const { column, values } of questions) {
      if (values.length === 0) continue;
      const query = db('payments').where({ rail }).whereIn(column, values).select(columns);
      if (provider !== undefined) void query.where({ provider });
      for (const payment of (await query) as KnownPayment[]) {
        const value = payment[column];
        if (value !== null) found.set(`${column}:${value}`, payment);
      }
    }
  }
  return found;
}

function lookUp(
  payments: ReadonlyMap<string, KnownPayment>,
  { knownBy, oursIs }: StatementFormat,
  line: StatementLineRow,
): KnownPayment | undefined {
  const byTheirs = (reference: string | null) =>
    knownBy.map((column) => payments.get(`${column}:${reference ?? ''}`)).find(Boolean);
  const own = byTheirs(line.provider_reference);
  if (own && lineKindOf[own.kind] === line.kind) return own;
  const ours = oursIs && payments.get(`${oursIs}:${line.our_reference ?? ''}`);
  // What has a receipt of its own is not what another one is about.
  if (ours && lineKindOf[ours.kind] === line.kind && ours.provider_receipt === null) return ours;
  return line.kind === 'refund' ? byTheirs(line.original_reference) : undefined;
}

/** Which line tells of each payment, the first where several do. */
async function tellersOf(
  db: Database,
  provider: string,
  payments: readonly KnownPayment[],
): Promise<Map<string, string>> {
  const ids = payments.map(({ payment_id: id }) => id);
  const found = await db('reconciliation_results')
    .where({ provider })
    .whereIn('payment_id', ids)
    .whereIn('outcome', told)
    .whereNotNull('line_id')
    .orderBy('line_id', 'desc');
  return new Map(found.map((result) => [`${result.payment_id ?? ''}:${result.kind}`, result.line_id ?? '']));
}

interface Part {
  original_reference: string;
  minor: string;
}

/** What all statements tell as given back, by the id of what it was given back of; each line counts once. */
async function givenBackBy(
  db: Database,
  provider: string,
  lines: readonly StatementLineRow[],
): Promise<Map<string, bigint>> {
  const originals = lines.flatMap(({ original_reference: original }) => original ?? []);
  if (originals.length === 0) return new Map();
  const parts = await db('statement_lines')
    .where({ provider, kind: 'refund', state: 'completed' })
    .whereIn('original_reference', originals)
    .groupBy('original_reference', 'provider_reference')
    .select('original_reference', db.raw('MAX(amount_minor) AS minor'));
  const sums = new Map<string, bigint>();
  for (const { original_reference: original, minor } of parts as unknown as Part[])
    sums.set(original, (sums.get(original) ?? 0n) + BigInt(minor));
  return sums;
}
