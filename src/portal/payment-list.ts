/**
 * A merchant's payments for the pages, newest first. Pages go on from the last payment shown, by the index that has a
 * merchant's payments by time: a page deep in the past costs what the first does, and nothing moves while one reads.
 */
import { validate as isUuid } from 'uuid';
import { finalStates, paymentStates, type PaymentKind, type PaymentState } from '../domain/payment';
import type { Database } from '../store/database';
import type { PaymentRow } from '../store/tables';

export interface PaymentFilter {
  merchantId: string;
  states?: readonly PaymentState[];
  rail?: string;
  kind?: PaymentKind;
  /** The last digits of the customer's number. */
  phoneEnd?: string;
  /** From when on, and until before when. */
  from?: Date;
  until?: Date;
}

/** What people look for, as states. */
export const stateGroups = {
  waiting: paymentStates.filter((state) => !(finalStates as readonly PaymentState[]).includes(state)),
  succeeded: ['succeeded'],
  unsuccessful: ['failed', 'cancelled', 'timed_out'],
  given_back: ['refunded', 'reversed', 'returned'],
} as const satisfies Record<string, readonly PaymentState[]>;
export type StateGroup = keyof typeof stateGroups;

export interface Position {
  at: Date;
  id: string;
}

export interface PaymentPage {
  payments: PaymentRow[];
  /** Where older ones begin; undefined at the end. */
  older: Position | undefined;
}

const pageLength = 25;
/** Payments that are looked at for one page: of a rare kind a page may hold few, or none, and say where it goes on. */
const lookedAtMax = 2_000;

export async function listPayments(
  db: Database,
  { merchantId, states, rail, kind, phoneEnd, from, until }: PaymentFilter,
  before?: Position,
): Promise<PaymentPage> {
  const seen = db('payments')
    .where({ merchant_id: merchantId })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'payment_id', order: 'desc' },
    ])
    .limit(lookedAtMax)
    .select('payment_id', 'created_at', 'state', 'rail', 'kind', 'phone_number');
  if (from) void seen.where('created_at', '>=', from);
  if (until) void seen.where('created_at', '<', until);
  if (before)
    void seen.where('created_at', '<=', before.at).where((older) => {
      void older.where('created_at', '<', before.at).orWhere('payment_id', '<', before.id);
    });
  const isFiltered = [states, rail, kind, phoneEnd].some((wish) => wish !== undefined);
  if (!isFiltered) void seen.limit(pageLength + 1);
  const rows = await seen;
  const matching = rows.filter(
    (row) =>
      (!states || states.includes(row.state)) &&
      (rail === undefined || row.rail === rail) &&
      (kind === undefined || row.kind === kind) &&
      (phoneEnd === undefined || row.phone_number?.endsWith(phoneEnd) === true),
  );
  const shown = matching.slice(0, pageLength);
  const wasCut = rows.length === (isFiltered ? lookedAtMax : pageLength + 1);
  const last = matching.length > pageLength ? shown.at(-1) : wasCut ? rows.at(-1) : undefined;
  const whole = await db('payments').whereIn(
    'payment_id',
    shown.map(({ payment_id: id }) => id),
  );
  const byId = new Map(whole.map((row) => [row.payment_id, row]));
  return {
    payments: shown.flatMap(({ payment_id: id }) => byId.get(id) ?? []),
    older: last && { at: last.created_at, id: last.payment_id },
  };
}

export function positionText({ at, id }: Position): string {
  return `${String(at.getTime())}_${id}`;
}

/** @returns undefined for what is no place in a list. */
export function readPosition(text: string): Position | undefined {
  const [, ms = '', id = ''] = /^(\d{1,15})_([\da-f-]{36})$/.exec(text) ?? [];
  return isUuid(id) ? { at: new Date(Number(ms)), id } : undefined;
}
