/**
 * Fetches the statement by Pull Transactions: customers' payments to a shortcode within the last 48 hours
 * (https://developer.safaricom.co.ke/apis/PullTransaction). The shortcode is registered once; 1001 means that it was
 * registered before. Times are in Nairobi time. `OffSetValue` is the first row, and the number of rows per answer is
 * not documented, so pages are fetched until one is empty. Charges, withdrawals and reversals are not included.
 */
import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { wallClock } from '../../../../domain/time';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';
import { askPatiently, notFetched, statementRequestMs } from '../../../../rail-kit/statement-calls';
import type { Period } from '../../../../reconciliation/reconcile';
import {
  statementBytesMax,
  type NotFetched,
  type StatementCall,
  type StatementSource,
} from '../../../../reconciliation/statement-source';
import { recordOf } from './wire';

const keptMs = 48 * 3_600_000;
const minuteMs = 60_000;
/** Rows that leave the 48 hours between two pages would shift others past the offset. */
const marginMs = 15 * minuteMs;
const secondMs = 1_000;
const pagesMax = 5_000;
const pageBytesMax = 8 * 1024 * 1024;
const zone = 'Africa/Nairobi';
const permission =
  'STK_PULL_TRANSACTIONS; the product has to be granted to the app on developer.safaricom.co.ke';
const tooOld =
  'Pull Transactions has only the last 48 hours; older transactions are in the organisation statement of the M-Pesa portal';

/** 1000: registered, or transactions found. 1001: registered before, or none found. */
const [done, nothingNew] = ['1000', '1001'];

type Json = Record<string, unknown>;
type Answer = ProviderResponse | { kind: 'account_refused'; text: string };

interface PullQuestion {
  path: string;
  body: Json;
  timeoutMs: number;
  answerBytesMax: number;
  wantsBody: true;
}

interface PulledAccount {
  shortcode: string;
  /** The phone number in the provider's records of the shortcode: 254 and nine digits. */
  nominatedNumber: string;
  /** The provider requires an address, and documents no calls to it. */
  callbackUrl: string;
}

/** @param ask sends a request with the rail's token. */
export function pullTransactions(
  ask: (question: PullQuestion) => Promise<Answer>,
  { shortcode, nominatedNumber, callbackUrl }: PulledAccount,
  timeScale: number,
): StatementSource {
  let isRegistered = false;

  /** @returns the answer, with its numbers as written, or why there is none. */
  async function reported(
    path: string,
    body: Json,
    call: StatementCall,
  ): Promise<{ reported: Json } | NotFetched> {
    const question = {
      path,
      body: { ShortCode: shortcode, ...body },
      timeoutMs: statementRequestMs,
      answerBytesMax: pageBytesMax,
      wantsBody: true,
    } as const;
    const answer = await askPatiently(() => ask(question), call, timeScale);
    if (answer.kind !== 'answered' || answer.status !== 200) return notFetched(answer, permission);
    return { reported: parsedOf(answer.body ?? '') };
  }

  async function register(call: StatementCall): Promise<NotFetched | undefined> {
    const answer = await reported(
      '/pulltransactions/v1/register',
      { RequestType: 'Pull', NominatedNumber: nominatedNumber, CallBackURL: callbackUrl },
      call,
    );
    if ('kind' in answer) return answer;
    // Documented in one word, and seen in two.
    const status = textIn(answer.reported['ResponseStatus'] ?? answer.reported['Response Status']);
    isRegistered = status === done || status === nothingNew;
    if (isRegistered) return undefined;
    if (status === '') return { kind: 'unavailable', text: "the answer is not a registration's answer" };
    return {
      kind: 'refused',
      text: `the shortcode is not registered (${codeIn(status)}): see ${permission}`,
    };
  }

  async function rowsFrom(
    offset: number,
    { from, to }: Period,
    call: StatementCall,
  ): Promise<unknown[] | NotFetched> {
    const answer = await reported(
      '/pulltransactions/v1/query',
      {
        StartDate: wallClock(from, zone),
        EndDate: wallClock(to, zone),
        OffSetValue: String(offset),
      },
      call,
    );
    if ('kind' in answer) return answer;
    const code = textIn(answer.reported['ResponseCode']);
    const rows = rowsIn(answer.reported['Response'] ?? answer.reported['Transaction']);
    const isPage = code === done ? rows !== undefined : code === nothingNew && !rows?.length;
    if (isPage) return rows ?? [];
    if (code === '' || code === done || code === nothingNew)
      return { kind: 'unavailable', text: 'the answer is not a page of Pull Transactions' };
    return { kind: 'refused', text: `the provider answers ${codeIn(code)} to Pull Transactions` };
  }

  return {
    async fetch(asked, call) {
      const covers = withinWhatIsKept(asked);
      if (!covers) return { kind: 'refused', text: tooOld };
      const unregistered = isRegistered ? undefined : await register(call);
      if (unregistered) return unregistered;

      const transactions: unknown[] = [];
      const seen = new Set<string>();
      let bytes = 0;
      for (let pages = 0, repeated = 0; ; pages += 1) {
        const rows = await rowsFrom(transactions.length, covers, call);
        if (!Array.isArray(rows)) return rows;
        if (rows.length === 0) break;
        const written = rows.map((row) => stringify(row) ?? '');
        transactions.push(...rows);
        bytes += written.reduce((sum, row) => sum + row.length, 0);
        if (pages === pagesMax || bytes > statementBytesMax)
          return { kind: 'refused', text: 'there are too many transactions to list' };
        // A page may repeat rows of another one. Two pages in a row without new rows mean that the provider ignores the
        // offset.
        repeated = written.some((row) => !seen.has(row)) ? 0 : repeated + 1;
        if (repeated > 1)
          return { kind: 'unavailable', text: 'the provider returns the same transactions again' };
        for (const row of written) seen.add(row);
      }
      const file = {
        from: covers.from.toISOString(),
        to: covers.to.toISOString(),
        transactions: transactions.map(withoutName),
      };
      return {
        kind: 'fetched',
        name: 'pull-transactions.json',
        content: Buffer.from(stringify(file) ?? ''),
        covers,
      };
    },
  };
}

/** In whole seconds, the API's precision. */
function withinWhatIsKept({ from, to }: Period): Period | undefined {
  const earliest = Math.ceil((Date.now() - keptMs + marginMs) / minuteMs) * minuteMs;
  const begins = Math.max(from.getTime(), earliest);
  const ends = Math.floor(to.getTime() / secondMs) * secondMs;
  return begins < ends ? { from: new Date(begins), to: new Date(ends) } : undefined;
}

/** The documented list of lists, a plain list, or the text `[[]]` for an empty one. */
function rowsIn(list: unknown): unknown[] | undefined {
  if (list === '[[]]' || list === '[]') return [];
  return Array.isArray(list) ? (list as unknown[]).flat() : undefined;
}

function parsedOf(body: string): Json {
  try {
    return recordOf(parse(body));
  } catch {
    return {};
  }
}

const textIn = (value: unknown): string =>
  isLosslessNumber(value) ? value.toString() : typeof value === 'string' ? value : '';

/** For an operator. A code is short; anything longer is a text. */
const codeIn = (text: string): string => (/^[\w.-]{1,20}$/.test(text) ? text : 'in words');

/** The payer's name is not needed here. */
function withoutName(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || isLosslessNumber(row)) return row;
  const { sender: _, ...rest } = row as Json;
  return rest;
}
