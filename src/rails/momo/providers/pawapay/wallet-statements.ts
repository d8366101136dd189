/**
 * Fetches statements from pawaPay's statements API, one per wallet: it is requested, generated, and can then be
 * downloaded for a day (https://docs.pawapay.io/v2/api-reference/finances/initiate-statement and
 * .../check-statement-status). A statement has at most 31 days, and its data may be an hour old. Only all wallets
 * together are a statement of the account, since its payments may be in any of them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { finish } from '../../../../domain/in-slices';
import { isCurrency } from '../../../../domain/money';
import type { ProviderFiles } from '../../../../rail-kit/provider-file';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';
import { askPatiently, notFetched, statementRequestMs } from '../../../../rail-kit/statement-calls';
import { decode } from '../../../../reconciliation/reading/decode';
import type { Period } from '../../../../reconciliation/reconcile';
import { StatementError } from '../../../../reconciliation/statement';
import {
  statementBytesMax,
  type NotFetched,
  type StatementCall,
  type StatementSource,
} from '../../../../reconciliation/statement-source';
import type { Ask } from './ask';
import { listOf, textOf } from './directory';
import { noRows, walletRows } from './statement';
import { recordOf } from './transaction';

const windowMs = 31 * 86_400_000;
/** The possible delay of the data: the documentation says twenty minutes, older pages an hour. */
const lateMs = 3_600_000;
/** The pauses between two status queries of a statement. After all of them, about ten minutes, the job ends. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, ...Array.from({ length: 56 }, () => 10_000)];
const downloadMs = 120_000;
/** No account has more. */
const walletsMax = 500;
const credentials = 'MOMO_TOKEN; the pawaPay dashboard, System configuration, API tokens';

type Json = Record<string, unknown>;
interface Parts {
  ask: Ask;
  files: ProviderFiles;
  /** The address where the provider reports a finished statement. No code waits for it. */
  callbackUrl: string;
  timeScale: number;
}

interface Wallet {
  country: string;
  currency: string;
  /** Set if the wallet belongs to a single network. */
  provider?: string;
}

interface Downloaded {
  text: string;
  rows: number;
}

interface Asked {
  kind: 'asked';
  id: string;
  title: string;
  /** The provider's time of the request. */
  at: number;
}

type Found<T> = T | NotFetched;

const unavailable = (text: string): NotFetched => ({ kind: 'unavailable', text });
const isMissing = (found: object): found is NotFetched =>
  'kind' in found && (found.kind === 'unavailable' || found.kind === 'refused');

export function walletStatements({ ask, files, callbackUrl, timeScale }: Parts): StatementSource {
  const patiently = (
    method: 'GET' | 'POST',
    path: string,
    name: string,
    body: unknown,
    call: StatementCall,
  ) => askPatiently(() => ask(name, method, path, body, statementRequestMs), call, timeScale);

  async function walletsOf(call: StatementCall): Promise<Found<Wallet[]>> {
    const answer = await patiently('GET', '/v2/wallet-balances', 'balances', undefined, call);
    if (answer.kind !== 'answered' || answer.status !== 200) return notFetched(answer, credentials);
    const { balances } = recordOf(answer.json);
    if (!Array.isArray(balances)) return unavailable('the answer is not a list of wallets');
    const wallets = listOf(balances).flatMap(walletIn);
    if (wallets.length === 0) return { kind: 'refused', text: 'the account has no wallet' };
    return wallets.length > walletsMax
      ? { kind: 'refused', text: 'the account has too many wallets' }
      : wallets;
  }

  async function request(wallet: Wallet, { from, to }: Period, call: StatementCall): Promise<Found<Asked>> {
    const period = { startDate: startOf(from), endDate: endOf(to) };
    const body = { wallet, callbackUrl, ...period, compressed: false };
    const answer = await patiently('POST', '/v2/statements', 'statement', body, call);
    const reported = answer.kind === 'answered' ? recordOf(answer.json) : {};
    const id = textOf(reported['statementId']);
    if (reported['status'] !== 'ACCEPTED' || !/^[\w-]{1,64}$/.test(id)) return fetchErrorIn(answer, reported);
    const created = Date.parse(textOf(reported['created']));
    const title = `wallet ${wordsOf(wallet)} from ${period.startDate} to ${period.endDate}`;
    return { kind: 'asked', id, title, at: Number.isNaN(created) ? Date.now() : created };
  }

  /** @returns the address of the file, once it is generated. */
  async function whenMade(
    { id }: Asked,
    call: StatementCall,
  ): Promise<Found<{ url: string; bytes?: number }>> {
    for (let repeated = 0; ; repeated += 1) {
      const answer = await patiently('GET', `/v2/statements/${id}`, 'statement_status', undefined, call);
      if (answer.kind !== 'answered' || answer.status !== 200) return notFetched(answer, credentials);
      const { status, data } = recordOf(answer.json);
      if (status !== 'FOUND') return unavailable('the provider does not know the statement that it accepted');
      const reported = recordOf(data);
      if (reported['status'] === 'COMPLETED') {
        const bytes = reported['fileSize'] ?? reported['fileSIze'];
        return { url: textOf(reported['downloadUrl']), ...(typeof bytes === 'number' && { bytes }) };
      }
      if (reported['status'] === 'FAILED')
        return unavailable(`the provider could not generate the statement${failureIn(reported)}`);
      const pauseMs = pausesMs[repeated];
      if (pauseMs === undefined) return unavailable('the statement is not ready yet');
      await delay(pauseMs / timeScale, undefined, { signal: call.signal });
    }
  }

  async function download(asked: Asked, bytesMax: number, call: StatementCall): Promise<Found<Downloaded>> {
    const made = await whenMade(asked, call);
    if (isMissing(made)) return made;
    const file = { call: 'statement_file', url: made.url, timeoutMs: downloadMs, bytesMax };
    const answer = await askPatiently(() => files.get(file), call, timeScale);
    if (answer.kind !== 'answered') return unavailable(`the download of the file failed (${answer.text})`);
    const { status, content } = answer;
    if (status !== 200 || !content)
      return unavailable(`the download of the file failed (HTTP ${String(status)})`);
    if (made.bytes !== undefined && content.length !== made.bytes)
      return unavailable(`only ${String(content.length)} of ${String(made.bytes)} bytes of the file arrived`);
    if (made.bytes === 0) return { text: '', rows: 0 };
    try {
      return { text: decode(content), rows: (await finish(walletRows(content))).length };
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      return unavailable(`the file cannot be read (${error.message})`);
    }
  }

  return {
    async fetch({ from, to }, call) {
      const wallets = await walletsOf(call);
      if (isMissing(wallets)) return wallets;
      // All statements are requested before the first is awaited: the provider generates them in parallel.
      const asked: Asked[] = [];
      for (const period of windowsOf({ from, to })) {
        for (const wallet of wallets) {
          const next = await request(wallet, period, call);
          if (isMissing(next)) return next;
          asked.push(next);
        }
      }
      const end = Math.min(to.getTime(), ...asked.map(({ at }) => at - lateMs));
      if (end <= from.getTime()) return unavailable('the provider has no data of that time yet');
      const covers = { from, to: new Date(end) };
      // The title of each part is one cell, which is no transaction: a night without transactions makes a file of its
      // own.
      const parts = [`Wallets of pawaPay from ${from.toISOString()} to ${covers.to.toISOString()}`];
      let left = statementBytesMax;
      let rows = 0;
      for (const each of asked) {
        const file = await download(each, left, call);
        if (isMissing(file)) return file;
        left -= Buffer.byteLength(file.text);
        rows += file.rows;
        parts.push(each.title, file.text === '' ? noRows : file.text);
      }
      const content = Buffer.from(parts.join('\r\n'));
      // Files of different kinds would be read as one, and the lines of the others would be lost.
      if ((await rowsIn(content)) !== rows)
        return unavailable('the files of the wallets have different formats');
      return { kind: 'fetched', name: 'wallet-statements.csv', content, covers };
    },
  };
}

/** @returns undefined if the text is not one table. */
async function rowsIn(content: Buffer): Promise<number | undefined> {
  try {
    return (await finish(walletRows(content))).length;
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    return undefined;
  }
}

function walletIn({ country, currency, provider }: Json): Wallet[] {
  // No payment is in a currency that the service does not know.
  if (typeof currency !== 'string' || !isCurrency(currency)) return [];
  return [
    { country: textOf(country), currency, ...(textOf(provider) !== '' && { provider: textOf(provider) }) },
  ];
}

const wordsOf = (wallet: Wallet): string =>
  Object.values(wallet)
    .join(' ')
    .replaceAll(/[^\w ]/g, '');

function windowsOf({ from, to }: Period): Period[] {
  const count = Math.ceil((to.getTime() - from.getTime()) / windowMs);
  return Array.from({ length: count }, (_, n) => {
    const begins = from.getTime() + n * windowMs;
    return { from: new Date(begins), to: new Date(Math.min(begins + windowMs, to.getTime())) };
  });
}

/** In the format of the provider's samples: UTC without a zone, in whole seconds, rounded so that no second is lost. */
const startOf = (at: Date): string => at.toISOString().slice(0, 19);
const endOf = (at: Date): string => startOf(new Date(Math.ceil(at.getTime() / 1_000) * 1_000));

function fetchErrorIn(answer: ProviderResponse, reported: Json): NotFetched {
  const mayAsk = answer.kind === 'answered' && answer.status !== 401 && answer.status !== 403;
  if (mayAsk && reported['status'] === 'REJECTED')
    return { kind: 'refused', text: `the provider rejects the statement request${failureIn(reported)}` };
  const isNoAnswer = answer.kind === 'answered' && answer.status === 200;
  return isNoAnswer
    ? unavailable("the answer is not a statement request's answer")
    : notFetched(answer, credentials);
}

/** Only the code: the message may repeat parts of the request. */
function failureIn({ failureReason }: Json): string {
  const code = textOf(recordOf(failureReason)['failureCode']);
  return /^[A-Z_]{1,60}$/.test(code) ? ` (${code})` : '';
}
