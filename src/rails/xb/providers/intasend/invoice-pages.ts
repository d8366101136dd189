/**
 * Fetches the statement from the list of invoices, page by page. The list is not documented. Public clients query it by
 * reference and by state, and it has the format of the provider's framework: `results` and the address of the `next`
 * page. It has no date filter. With the newest first, pages are read until all invoices on one are too old; otherwise
 * they are read to the end. While a next page exists, the list is incomplete.
 */
import { isLosslessNumber, parse, stringify } from 'lossless-json';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';
import { askPatiently, notFetched } from '../../../../rail-kit/statement-calls';
import { statementBytesMax, type StatementSource } from '../../../../reconciliation/statement-source';
import { recordOf } from './invoice';

/** A collection that started before the period may have been paid in it: it is polled for three days. */
const lateMs = 4 * 86_400_000;
/** In a list with the newest first, two invoices this close in time may have changed places. */
const disorderMs = 15 * 60_000;
const pagesMax = 5_000;
const listPath = '/api/v1/invoices/';
const credentials = 'XB_SECRET_KEY; the IntaSend dashboard, Settings, API Keys';

type Json = Record<string, unknown>;

/** @param get fetches a path, and returns the body as written. */
export function invoicePages(
  get: (path: string) => Promise<ProviderResponse>,
  timeScale: number,
): StatementSource {
  return {
    async fetch(period, call) {
      const [from, to] = [period.from.getTime(), period.to.getTime()];
      const invoices: Json[] = [];
      let before: readonly number[] = [];
      let [bytes, listed] = [0, 0];
      let path: string | undefined = `${listPath}?page=1`;
      for (let n = 0; path !== undefined; n += 1) {
        if (n === pagesMax || bytes > statementBytesMax)
          return { kind: 'refused', text: 'the list of invoices is too long' };
        const asked: string = path;
        const answer = await askPatiently(() => get(asked), call, timeScale);
        if (answer.kind !== 'answered' || answer.status !== 200) return notFetched(answer, credentials);
        const page = pageIn(answer.body ?? '');
        if (!page) return { kind: 'unavailable', text: 'the answer is not a page of invoices' };
        bytes += answer.body?.length ?? 0;
        listed += page.invoices.length;
        const named = page.invoices.map((invoice) => ({ ...invoice, invoice_id: idOf(invoice) }));
        // An invoice that was paid in the period and changed after it has only the later time.
        const isOfPeriod = (invoice: Json) => !(updatedAt(invoice) < from) && !(createdAt(invoice) >= to);
        // In a list that grows meanwhile, the last of a page is repeated on the next one, as a line that was seen
        // before.
        invoices.push(...named.filter(isOfPeriod));
        const created = page.invoices.map(createdAt);
        if (goesBack(before, created) && created.every((moment) => moment < from - lateMs)) break;
        if (page.next === undefined && (page.isBroken || listed < page.count))
          return { kind: 'unavailable', text: `the list of invoices ends after ${String(listed)} of them` };
        [before, path] = [created, page.next];
      }
      const file = {
        from: period.from.toISOString(),
        to: period.to.toISOString(),
        results: invoices,
      };
      return {
        kind: 'fetched',
        name: 'invoices.json',
        content: Buffer.from(stringify(file) ?? ''),
        covers: period,
      };
    },
  };
}

/** Whether these two pages have the newest first. Unreadable times have no order. */
function goesBack(before: readonly number[], page: readonly number[]): boolean {
  const [first, last] = [before[0], page.at(-1)];
  if (first === undefined || last === undefined || !(last < first)) return false;
  let oldest = Infinity;
  return [...before, ...page].every((moment) => {
    const isInOrder = moment <= oldest + disorderMs;
    oldest = Math.min(oldest, moment);
    return isInOrder;
  });
}

interface Page {
  invoices: Json[];
  next: string | undefined;
  /** There is a next page, but its address cannot be read. */
  isBroken: boolean;
  /** The reported size of the whole list; 0 if unknown. */
  count: number;
}

/** A page of results, or the bare list. Numbers stay as written. */
function pageIn(body: string): Page | undefined {
  let json: unknown;
  try {
    json = parse(body);
  } catch {
    return undefined;
  }
  const { results, next, count } = recordOf(json);
  const list = Array.isArray(json) ? json : results;
  if (!Array.isArray(list)) return undefined;
  const path = nextPath(next);
  return {
    invoices: list.map((each) => recordOf(recordOf(each)['invoice'] ?? each)),
    next: path,
    isBroken: path === undefined && next !== undefined && next !== null && next !== '',
    count: isLosslessNumber(count) ? Number(count.toString()) : 0,
  };
}

/** Only the query of the next page's address is used: the host in it must not be called. */
function nextPath(next: unknown): string | undefined {
  if (typeof next !== 'string' || !URL.canParse(next, 'https://any')) return undefined;
  const { search } = new URL(next, 'https://any');
  return search === '' || search.length > 500 ? undefined : `${listPath}${search}`;
}

const timeIn = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN);
const createdAt = (invoice: Json): number => timeIn(invoice['created_at'] ?? invoice['updated_at']);
/** The time that the statement's reader uses. Unreadable times stay in, so that the reader reports them. */
const updatedAt = (invoice: Json): number => timeIn(invoice['updated_at'] ?? invoice['created_at']);

function idOf(invoice: Json): string {
  const id = invoice['invoice_id'] ?? invoice['id'];
  return isLosslessNumber(id) ? id.toString() : typeof id === 'string' ? id : '';
}
