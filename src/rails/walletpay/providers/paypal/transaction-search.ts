/**
 * Fetches the statement by Transaction Search: at most 31 days and ten thousand transactions per query, in pages of up
 * to 500, with a delay of up to three hours (https://developer.paypal.com/docs/api/transaction-search/v1/).
 * `last_refreshed_datetime` shows the covered time; later transactions are missing.
 */
import { v4 as uuid } from 'uuid';
import { askPatiently, notFetched, statementRequestMs } from '../../../../rail-kit/statement-calls';
import type { ProviderCall } from '../../../../rail-kit/rail';
import type { Period } from '../../../../reconciliation/reconcile';
import {
  statementBytesMax,
  type NotFetched,
  type StatementCall,
  type StatementSource,
} from '../../../../reconciliation/statement-source';
import type { Ask } from './calls';
import { readError, recordOf, textOf } from './wire';

const dayMs = 86_400_000;
const windowMs = 31 * dayMs;
/** The documented maximal delay, if the provider does not report the actual one. */
const lateMs = dayMs / 8;
/** A smaller window is not halved: no account has ten thousand transactions in it. */
const windowLeastMs = 60_000;
const pageSize = 500;
/** A transaction has about a kilobyte. */
const pageBytesMax = 8 * 1024 * 1024;
const permission =
  'developer.paypal.com, Apps & Credentials, the app, Features: Transaction search (it takes hours to work)';

interface Page {
  transaction_details: unknown[];
  start_date: string;
  end_date: string;
}

interface Window {
  pages: Page[];
  /** The provider's data is complete up to this time; undefined if it does not say. */
  refreshedAt: Date | undefined;
}

/** A window with more transactions than the provider lists. */
const tooMany = { kind: 'too_many' } as const;

export function transactionSearch(begin: (call: ProviderCall) => Ask, timeScale: number): StatementSource {
  /** @param to exclusive; the provider includes the end of a window. */
  async function page(from: Date, to: Date, n: number, call: StatementCall) {
    const [start, end] = [from.toISOString(), new Date(to.getTime() - 1).toISOString()];
    const query = new URLSearchParams({
      start_date: start,
      end_date: end,
      fields: 'transaction_info',
      page_size: String(pageSize),
      page: String(n),
    });
    const answer = await askPatiently(
      () =>
        begin({ timeoutMs: statementRequestMs, requestId: uuid() })({
          call: 'statement',
          method: 'GET',
          path: `/v1/reporting/transactions?${query.toString()}`,
          answerBytesMax: pageBytesMax,
        }),
      call,
      timeScale,
    );
    if (answer.kind === 'answered' && answer.status === 200) {
      const reported = recordOf(answer.json);
      return { kind: 'page', reported, start, end } as const;
    }
    const error = answer.kind === 'account_refused' ? undefined : readError(answer);
    if (error && [error.name, error.issue].includes('RESULTSET_TOO_LARGE')) return tooMany;
    const failure = notFetched(answer, permission);
    return error ? { ...failure, text: `${failure.text} ${error.name}` } : failure;
  }

  async function window(
    from: Date,
    to: Date,
    call: StatementCall,
  ): Promise<Window | NotFetched | typeof tooMany> {
    const pages: Page[] = [];
    let refreshedAt: Date | undefined;
    let expected: number | undefined;
    for (let n = 1, total = 1; n <= total; n += 1) {
      const answer = await page(from, to, n, call);
      if (answer.kind !== 'page') return answer;
      const { reported, start, end } = answer;
      const details: unknown = reported['transaction_details'];
      if (!Array.isArray(details))
        return { kind: 'unavailable', text: 'the answer is not a page of Transaction Search' };
      pages.push({ transaction_details: details, start_date: start, end_date: end });
      refreshedAt ??= momentOf(reported['last_refreshed_datetime']);
      expected ??= numberOf(reported['total_items']);
      total = Math.max(total, numberOf(reported['total_pages']) ?? 0);
    }
    const count = pages.reduce((sum, { transaction_details: details }) => sum + details.length, 0);
    if (expected !== undefined && count < expected)
      return {
        kind: 'unavailable',
        text: `only ${String(count)} of ${String(expected)} transactions arrived`,
      };
    return { pages, refreshedAt };
  }

  /** Halves a window with too many transactions for one query. */
  async function windows(from: Date, to: Date, call: StatementCall): Promise<Window[] | NotFetched> {
    const found = await window(from, to, call);
    if (!('kind' in found)) return [found];
    if (found.kind !== 'too_many') return found;
    const halfMs = Math.floor((to.getTime() - from.getTime()) / 2_000) * 1_000;
    if (halfMs < windowLeastMs) return { kind: 'refused', text: 'there are too many transactions to list' };
    const middle = new Date(from.getTime() + halfMs);
    const first = await windows(from, middle, call);
    if (!Array.isArray(first)) return first;
    const second = await windows(middle, to, call);
    return Array.isArray(second) ? [...first, ...second] : second;
  }

  return {
    async fetch({ from, to }: Period, call) {
      const found: Window[] = [];
      let bytes = 0;
      for (let at = from.getTime(); at < to.getTime(); at += windowMs) {
        const next = await windows(new Date(at), new Date(Math.min(at + windowMs, to.getTime())), call);
        if (!Array.isArray(next)) return next;
        bytes += next.reduce((sum, { pages }) => sum + JSON.stringify(pages).length, 0);
        if (bytes > statementBytesMax)
          return { kind: 'refused', text: 'the statement is too large: ask for fewer days' };
        found.push(...next);
      }
      const refreshed = found.map(({ refreshedAt }) => refreshedAt?.getTime() ?? Date.now() - lateMs);
      const end = Math.min(to.getTime(), ...refreshed);
      if (end <= from.getTime())
        return { kind: 'unavailable', text: 'the provider has no data of that time yet' };
      return {
        kind: 'fetched',
        name: 'transaction-search.json',
        // The same transactions with a longer covered time are another statement.
        content: Buffer.from(
          JSON.stringify(
            found.flatMap(({ pages }) => pages).map((page) => ({ ...page, covered_to: new Date(end) })),
          ),
        ),
        covers: { from, to: new Date(end) },
      };
    },
  };
}

function momentOf(value: unknown): Date | undefined {
  // `+0000` is documented, but a Date reads only `+00:00`.
  const at = new Date(textOf(value).replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(at.getTime()) ? undefined : at;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
