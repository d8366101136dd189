/**
 * Fetches the statement from the list of invoices, page by page. No document has the list; public clients ask it by name
 * and by state, and it answers as the framework of the provider lists things: `results` and the address of the `next`
 * page. That knows no dates: the pages are read until all on one are too old, where the newest come first, and to the end
 * elsewhere. As long as it says that there is more, what came is not the list.
 */
import { isLosslessNumber, parse, stringify } from 'lossless-json';
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import { askPatiently, notFetched } from '../../../../rail-kit/statement-calls';
import { statementBytesMax, type StatementSource } from '../../../../reconciliation/statement-source';
import { recordOf } from './invoice';

/** A collection that is older than the period may have been paid in it: it is followed for three days. */
const lateMs = 4 * 86_400_000;
/** So far apart two invoices may have changed places in a list that has the newest first. */
const disorderMs = 15 * 60_000;
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
      let before: readonly number[] = [];
      let [bytes, listed] = [0, 0];
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
        listed += page.invoices.length;
        const named = page.invoices.map((invoice) => ({ ...invoice, invoice_id: idOf(invoice) }));
        // One that was paid in the period and touched after it has only the later moment.
        const isOfPeriod = (invoice: Json) => !(movedAt(invoice) < from) && !(createdAt(invoice) >= to);
        // A list that grows meanwhile shows the last of a page again on the next one: as a line that was seen before.
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

/** Whether these two pages have the newest first. What cannot be read is in no order. */
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
  /** There is a next page, and its address cannot be read. */
  isBroken: boolean;
  /** Of the whole list, as it says; 0 where it does not. */
  count: number;
}

/** A page of results, or the bare list. Numbers stay as they were written. */
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
