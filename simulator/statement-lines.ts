/** The contents of the providers' statements: their books, with faults on request. */
import { centsOf, decimalOf, type Books, type Success } from './books';
import { ControlError } from './control-error';
import type { Journal } from './journal';

export interface StatementLine extends Omit<Success, 'provider'> {
  /** The provider's fee. */
  fee?: string;
  /** For a reversal: the receipt of the reversed payment. */
  linked?: string;
}

/** Faults, as changes of the lines. They concern the first payment. */
const faults = {
  orphan: (lines: StatementLine[]): StatementLine[] => {
    const unknownLine = {
      reference: '0a000000-dead-4000-8000-000000000001',
      receipt: 'ORPHAN0001',
      callerReference: '',
    };
    return [...lines, ...lines.slice(0, 1).map((line) => ({ ...line, ...unknownLine }))];
  },
  doubled: (lines: StatementLine[]): StatementLine[] => [...lines.slice(0, 1), ...lines],
  other_amount: (lines: StatementLine[]): StatementLine[] =>
    lines.map((line, n) => (n === 0 ? { ...line, amount: decimalOf(centsOf(line.amount) + 100n) } : line)),
  missing: (lines: StatementLine[]): StatementLine[] => lines.slice(1),
  /** The statement of the next day: only the lines that the one before left out. */
  late: (lines: StatementLine[]): StatementLine[] => lines.slice(0, 1),
  /** The provider reversed it manually: neither a callback nor another API reports it, only the statement. */
  reversed: (lines: StatementLine[]): StatementLine[] => [
    ...lines,
    ...lines.slice(0, 1).map((line) => ({
      ...line,
      ...{
        kind: 'reversal' as const,
        reference: '0a000000-beef-4000-8000-000000000001',
        receipt: 'REVERSAL01',
      },
      linked: line.receipt,
    })),
  ],
  fee: (lines: StatementLine[]): StatementLine[] =>
    lines.map((line, n) => (n === 0 ? { ...line, fee: '1.00' } : line)),
} as const;
type Fault = keyof typeof faults;

interface Standing {
  faults: Fault[];
  pageSize?: number;
}

/** The statements of every provider, made from the books at each request. */
export interface Statements {
  /** @param wanted further faults, or one, as in a query. @throws ControlError for an unknown fault. */
  lines(provider: string, wanted?: unknown): StatementLine[];
  /** The maximal number of lines on a page, at most the requested number. */
  pageSize(provider: string, asked: number): number;
  /**
   * The faults of the statements in the provider's own API from now on, and the lines of a page.
   * @throws ControlError for an unknown fault.
   */
  set(provider: string, wanted: { faults?: unknown; page_size?: unknown }): void;
}

export function openStatements(journal: Journal, books: Books): Statements {
  const standing = journal.collection<Standing>('statements');
  return {
    lines(provider, wanted) {
      const all = [...(standing.get(provider)?.faults ?? []), ...readFaults(wanted)];
      return all.reduce<StatementLine[]>(
        (lines, fault) => faults[fault](lines),
        [...books.successes(provider)],
      );
    },
    pageSize: (provider, asked) => Math.min(asked, standing.get(provider)?.pageSize ?? asked),
    set(provider, { faults: wanted, page_size: pageSize }) {
      const isSize = typeof pageSize === 'number' && Number.isInteger(pageSize) && pageSize > 0;
      if (pageSize !== undefined && !isSize) throw new ControlError(400, 'page_size must be a whole number');
      standing.put(provider, { faults: readFaults(wanted), ...(isSize && { pageSize }) });
    },
  };
}

function readFaults(wanted: unknown): Fault[] {
  return [wanted].flat().flatMap((fault) => {
    if (fault === undefined) return [];
    if (typeof fault === 'string' && Object.hasOwn(faults, fault)) return fault as Fault;
    throw new ControlError(400, `fault must be one of: ${Object.keys(faults).join(', ')}`);
  });
}
