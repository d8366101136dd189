/** The rows of a request for many payouts. Every error of every row is reported at once, by the row's position. */
import type Joi from 'joi';
import { isLosslessNumber } from 'lossless-json';
import { PaymentError, invalid, type ErrorCode, type FieldFault } from '../../../domain/errors';
import { inParallel } from '../../../domain/in-parallel';
import type { PaymentDraft } from '../../../rail-kit/draft';
import { validateInput } from '../../../rail-kit/fields';
import type { PayoutFault } from '../../../rail-kit/rail';

/** Rows that are drafted at the same time: drafting may ask the provider. */
const atOnce = 10;

export type Row = Record<string, unknown>;

interface RowFault {
  code: ErrorCode;
  faults: FieldFault[];
  retryAfterSeconds?: number | undefined;
}

export class BulkRows {
  private constructor(
    /** As validated; undefined for a row that is invalid. */
    private readonly rows: (Row | undefined)[],
    private readonly faults: RowFault[],
  ) {}

  static read(sent: readonly unknown[], schema: Joi.ObjectSchema): BulkRows {
    const faults: RowFault[] = [];
    const rows = sent.map((row, n) => {
      try {
        return validateInput(schema, objectOf(row));
      } catch (error) {
        faults.push(faultOf(n, error));
        return undefined;
      }
    });
    return new BulkRows(rows, faults);
  }

  get areValid(): boolean {
    return this.faults.length === 0;
  }

  /** A canonical text: equal for equal rows, whatever the order of their fields and the notation of their amounts. */
  get text(): string {
    return JSON.stringify(
      this.rows.map((row) =>
        Object.entries(row ?? {})
          .map(([name, value]) => [name, String(value)])
          .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
      ),
    );
  }

  /**
   * Drafts every row that is valid by itself, so that errors between rows are reported together with the errors of
   * single rows.
   * @throws PaymentError with the errors of all rows, under their own code when they share one, else
   *   VALIDATION_FAILED.
   */
  async drafts(draft: (row: Row) => Promise<PaymentDraft>): Promise<PaymentDraft[]> {
    const { drafted, faults } = await this.drafted(draft);
    if (faults.length > 0) throw rowError(faults);
    return drafted;
  }

  /** The same for a user who corrects the rows one by one: in the order of the rows. */
  async faultsOf(draft: (row: Row) => Promise<PaymentDraft>): Promise<PayoutFault[]> {
    const { faults } = await this.drafted(draft);
    return inOrder(faults).flatMap(({ code, faults: reported }) =>
      reported.map(({ field, message }) => {
        const [, n = '', ...rest] = field.split('.');
        const own = rest.join('.');
        return { n: Number(n), field: own, code, message: message.replace(`${placeOf(Number(n))}.`, '') };
      }),
    );
  }

  private async drafted(
    draft: (row: Row) => Promise<PaymentDraft>,
  ): Promise<{ drafted: PaymentDraft[]; faults: RowFault[] }> {
    const faults = [...this.faults];
    const drafted: { n: number; draft: PaymentDraft }[] = [];
    const { error } = await inParallel([...this.rows.entries()], atOnce, async ([n, row]) => {
      try {
        if (row) drafted.push({ n, draft: await draft(row) });
      } catch (thrown) {
        faults.push(faultOf(n, thrown));
      }
      return 'go_on';
    });
    if (error) throw error;
    drafted.sort((one, other) => one.n - other.n);
    faults.push(...repeated(drafted));
    return { drafted: drafted.map((each) => each.draft), faults };
  }
}

function objectOf(row: unknown): Row {
  const isObject = typeof row === 'object' && row !== null && !Array.isArray(row) && !isLosslessNumber(row);
  if (!isObject) throw invalid([{ field: '', message: ' must be an object' }]);
  return row as Row;
}

/** @throws an error that the row did not cause. */
function faultOf(n: number, error: unknown): RowFault {
  if (!(error instanceof PaymentError)) throw error;
  const { code, options } = error;
  return { code, faults: faultsAt(n, error), retryAfterSeconds: options.retryAfterSeconds };
}

/**
 * Finds rows with the same recipient, amount and purpose. The same row twice in one list is a mistake, and would be
 * paid twice.
 */
function repeated(drafted: readonly { n: number; draft: PaymentDraft }[]): RowFault[] {
  const first = new Map<string, number>();
  return drafted.flatMap(({ n, draft }): RowFault[] => {
    const { orderId, sameness, currency, requestedMinor } = draft;
    const { counterparty, reference } = sameness ?? {};
    const key = orderId ?? [counterparty, reference, currency, String(requestedMinor)].join('\n');
    const before = first.get(key);
    if (before === undefined) {
      first.set(key, n);
      return [];
    }
    const message = `${placeOf(n)} is the same payment as ${placeOf(before)}`;
    return [{ code: 'DUPLICATE_PAYMENT', faults: [{ field: placeOf(n), message }] }];
  });
}

function rowError(found: RowFault[]): PaymentError {
  const placed = inOrder(found);
  const codes = new Set(placed.map(({ code }) => code));
  const [code = 'VALIDATION_FAILED'] = codes;
  const details = placed.flatMap(({ faults }) => faults);
  if (codes.size > 1) return invalid(details);
  const retryAfterSeconds = placed[0]?.retryAfterSeconds;
  const message = details[0]?.message;
  return new PaymentError(code, {
    details,
    ...(message === undefined ? {} : { message }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function inOrder(faults: readonly RowFault[]): RowFault[] {
  return [...faults].sort((one, other) => indexOf(one) - indexOf(other));
}

function indexOf({ faults }: RowFault): number {
  return Number(faults[0]?.field.split('.')[1] ?? 0);
}

/** A row's position in the list, written as a field of the request: `payouts.3`. */
const placeOf = (n: number) => `payouts.${String(n)}`;

/** The errors of a refused row, with the names that the fields have in the whole request. */
function faultsAt(n: number, { message, options: { details } }: PaymentError): FieldFault[] {
  const place = placeOf(n);
  return (details ?? [{ field: '', message: `: ${message}` }]).map(({ field, message: text }) => {
    const named = field === '' ? place : `${place}.${field}`;
    return { field: named, message: text.startsWith(field) ? `${named}${text.slice(field.length)}` : text };
  });
}

export function atPlace(n: number, denial: PaymentError): PaymentError {
  const details = faultsAt(n, denial);
  const message = details[0]?.message ?? denial.message;
  return new PaymentError(denial.code, { ...denial.options, details, message });
}
