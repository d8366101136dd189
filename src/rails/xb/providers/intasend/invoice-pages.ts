/**
 * Fetches the statement from the list of invoices, page by page. No document has the list; public clients ask it by name
 * and by state, and it answers as the framework of the provider lists things: `results` and the address of the `next`
 * page. That knows no dates: the pages are read until all on one are too old, where the newest come first, and to the end
 * elsewhere.
 */
import { isLosslessNumber, parse, stringify } from 'lossless-json';
import type { ProviderAnswer } from '../../../../payments/rail/provider-http';
import { askPatiently, notFetched } from '../../../../payments/rail/statement-calls';
import { statementBytesMax, type StatementSource } from '../../../../reconciliation/statement-source';
import { recordOf } from './invoice';

/** A collection that is older than the period may have been paid in it: it is followed for three days. */
const lateMs = 4 * 86_400_000;
const pagesMax = 5_000;
const listPath = '/api/v1/invoices/';
const credentials = 'XB_SECRET_KEY; the IntaSend dashboard, Settings, API Keys';

type Json = Record<string, unknown>;

/** @param get asks for a path, and wants the body of the answer as it was written. */
export function invoicePages(
  get: (path: string) => Promise<ProviderAnswer>,
  timeScale: number,
): StatementSource {
  return {
    async fetch(period, call) {
      const [from, to] = [period.from.getTime(), period.to.getTime()];
      const invoices: Json[] = [];
      const order = newestFirst();
      let bytes = 0;
      let path: string | undefined = `${listPath}?page=1`;
      for (let n = 0; path !== undefined; n += 1) {
        if (n === pagesMax || bytes > statementBytesMax)
          return { kind: 'refused', text: 'the list of invoices is too long to be read' };
        const asked: string = path;
        const answer = await askPatiently(() => get(asked), call, timeScale);
        if (answer.kind !== 'answered' || answer.status !== 200) return notFetched(answer, credentials);
        const page = pageIn(answer.body ?? '');
        if (!page) return { kind: 'unavailable', text: 'an answer is no page of invoices' };
        bytes += answer.body?.length ?? 0;
        const named = page.invoices.map((invoice) => ({ ...invoice, invoice_id: idOf(invoice) }));
        const isOfPeriod = (invoice: Json) => !(movedAt(invoice) < from) && !(movedAt(invoice) >= to);
        // A list that grows meanwhile shows the last of a page again on the next one: as a line that was seen before.
        invoices.push(...named.filter(isOfPeriod));
        const isPast = order.add(page.invoices.map(createdAt)) && order.oldest() < from - lateMs;
        path = isPast ? undefined : page.next;
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

/** Whether everything so far came with the newest first. */
function newestFirst() {
  let last = Infinity;
  let holds = true;
  return {
    add(moments: readonly number[]): boolean {
      for (const moment of moments) {
        holds &&= moment <= last;
        last = moment;
      }
      return holds && moments.length > 0;
    },
    oldest: () => last,
  };
}

/** A page of results, or the bare list. Numbers stay as they were written. */
function pageIn(body: string): { invoices: Json[]; next: string | undefined } | undefined {
  let json: unknown;
  try {
    json = parse(body);
  } catch {
    return undefined;
  }
  const { results, next } = recordOf(json);
  const list = Array.isArray(json) ? json : results;
  if (!Array.isArray(list)) return undefined;
  return { invoices: list.map((each) => recordOf(recordOf(each)['invoice'] ?? each)), next: nextPath(next) };
}

/** Only what it asks for is taken from the address of the next page: its host is none of ours to call. */
function nextPath(next: unknown): string | undefined {
  if (typeof next !== 'string' || !URL.canParse(next, 'https://any')) return undefined;
  const { search } = new URL(next, 'https://any');
  return search === '' || search.length > 500 ? undefined : `${listPath}${search}`;
}

const timeIn = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN);
const createdAt = (invoice: Json): number => timeIn(invoice['created_at'] ?? invoice['updated_at']);
/** As the statement's reader dates it. What cannot be read stays in, for that to complain of. */
const movedAt = (invoice: Json): number => timeIn(invoice['updated_at'] ?? invoice['created_at']);

function idOf(invoice: Json): string {
  const id = invoice['invoice_id'] ?? invoice['id'];
  return isLosslessNumber(id) ? id.toString() : typeof id === 'string' ? id : '';
}
