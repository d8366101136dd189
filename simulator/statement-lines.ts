/** What stands in the providers' statements: their books, with what goes wrong with statements on demand. */
import { centsOf, decimalOf, type Books, type Success } from './books';
import { ControlError } from './control-error';
import type { Journal } from './journal';

export interface StatementLine extends Omit<Success, 'provider'> {
  /** What the provider kept of it. */
  fee?: string;
  /** Of what the provider took back: the receipt of what it took. */
  linked?: string;
}

/** What goes wrong, as a change of the lines. It is about the first payment. */
const faults = {
  orphan: (lines: StatementLine[]): StatementLine[] => {
    const stranger = {
      reference: '0a000000-dead-4000-8000-000000000001',
      receipt: 'ORPHAN0001',
      callerReference: '',
    };
    return [...lines, ...lines.slice(0, 1).map((line) => ({ ...line, ...stranger }))];
  },
  doubled: (lines: StatementLine[]): StatementLine[] => [...lines.slice(0, 1), ...lines],
  other_amount: (lines: StatementLine[]): StatementLine[] =>
    lines.map((line, n) => (n === 0 ? { ...line, amount: decimalOf(centsOf(line.amount) + 100n) } : line)),
  missing: (lines: StatementLine[]): StatementLine[] => lines.slice(1),
  /** The next day's: it has what the one before left out, and nothing else. */
  late: (lines: StatementLine[]): StatementLine[] => lines.slice(0, 1),
  /** The provider took it back by hand: no callback tells of that, and no API but the statement. */
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

/** Of every provider. A statement is made from the books anew each time it is asked for. */
export interface Statements {
  /** @param wanted further faults, or one, as a query tells them. @throws ControlError for a fault that none has. */
  lines(provider: string, wanted?: unknown): StatementLine[];
  /** How many lines a page has at most, of those that were asked for. */
  pageSize(provider: string, asked: number): number;
  /**
   * The faults of what the provider's own API gives from now on, and the lines of a page.
   * @throws ControlError for a fault that none has.
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
