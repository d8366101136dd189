/**
 * Creates a payout list: one payout with a form, or many with a file. The rail checks each payout. Nothing is sent.
 */
import { Readable } from 'node:stream';
import { cutText } from '../../domain/cut-text';
import { finish } from '../../domain/in-slices';
import { currentRequest } from '../../api/request-context';
import { takeToken } from '../../merchants/rate-limit';
import type { PayoutFault } from '../../rail-kit/rail';
import { inTransaction } from '../../store/transaction';
import { money } from '../format';
import { problem, recordOf, csvDownload } from '../pages/parts';
import { sentenceOf } from '../pages/payment-actions';
import { draw, template } from '../render';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { isWord, railWord } from '../words';
import { makeBatch } from './batches';
import type { PayoutFields } from '../../rail-kit/rail-definition';
import { payoutFormOf, payoutOf, readPayoutFile, type FileFault } from './read-file';

const newTemplate = template(`
<p><a href="<%= it.base %>/payouts"><%= it.t('payouts.back') %></a></p>
<%~ it.problem %>
<% if (it.faults.length > 0) { %>
<table class="stack"><caption><%= it.t('payouts.faults') %></caption>
<thead><tr><th scope="col"><%= it.t('payouts.line') %></th><th scope="col"><%= it.t('payouts.column') %></th><th scope="col"><%= it.t('payouts.wrong') %></th></tr></thead>
<tbody><% for (const one of it.faults) { %><tr><th scope="row" data-label="<%= it.t('payouts.line') %>"><%= one.line %></th><td data-label="<%= it.t('payouts.column') %>"><code><%= one.column %></code></td><td class="long" data-label="<%= it.t('payouts.wrong') %>"><span><%= one.text %><% if (one.detail) { %> <span class="hint" lang="en"><%= one.detail %></span><% } %></span></td></tr><% } %></tbody></table>
<% } %>
<h1><%= it.t('payouts.make') %></h1>
<p><%= it.t('payouts.make.text') %></p>
<% if (it.floats.length === 0) { %><div class="empty"><h2><%= it.t('payouts.no_float.title') %></h2><p><%= it.t('payouts.no_float.text') %></p></div><% } else { %>
<section class="card" aria-labelledby="one"><h2 id="one"><%= it.t('payouts.one') %></h2>
<form method="post" action="<%= it.base %>/payouts/one"><%~ it.token %>
<label for="float"><%= it.t('payouts.float') %></label>
<select id="float" name="float"><% for (const one of it.floats) { %><option value="<%= one.value %>"<% if (one.value === it.typed.float) { %> selected<% } %>><%= one.text %></option><% } %></select>
<label for="recipient"><%= it.t('payouts.recipient') %></label><p class="hint" id="recipient-hint"><%= it.t('payouts.recipient.hint') %></p>
<input id="recipient" name="recipient" required maxlength="127" autocomplete="off" spellcheck="false" aria-describedby="recipient-hint" value="<%= it.typed.recipient %>">
<label for="amount"><%= it.t('payouts.amount') %></label>
<input id="amount" name="amount" inputmode="decimal" required maxlength="20" autocomplete="off" value="<%= it.typed.amount %>">
<label for="reference"><%= it.t('payouts.reference') %></label>
<input id="reference" name="reference" required maxlength="100" autocomplete="off" value="<%= it.typed.reference %>">
<label for="message"><%= it.t('payouts.message') %></label>
<input id="message" name="message" maxlength="200" autocomplete="off" value="<%= it.typed.message %>">
<button type="submit"><%= it.t('payouts.look') %></button></form></section>
<section class="card" aria-labelledby="many"><h2 id="many"><%= it.t('payouts.many') %></h2>
<p><%= it.t('payouts.many.text') %></p>
<p><% for (const rail of it.rails) { %><a href="<%= it.base %>/payouts/example/<%= rail %>" download><%= it.t('payouts.example', { rail: it.railName(rail) }) %></a> <% } %></p>
<form method="post" action="<%= it.base %>/payouts/file" enctype="multipart/form-data"><%~ it.token %>
<label for="rail"><%= it.t('payments.rail') %></label>
<select id="rail" name="rail"><% for (const rail of it.rails) { %><option value="<%= rail %>"<% if (rail === it.typed.rail) { %> selected<% } %>><%= it.railName(rail) %></option><% } %></select>
<label for="name"><%= it.t('payouts.name') %></label>
<input id="name" name="name" required maxlength="100" autocomplete="off" value="<%= it.typed.name %>">
<label for="file"><%= it.t('payouts.file') %></label>
<input id="file" name="file" type="file" accept=".csv,text/csv" required>
<button type="submit"><%= it.t('payouts.look') %></button></form></section>
<% } %>
`);

interface LineFault {
  line: string;
  column: string;
  text: string;
  detail: string;
}

interface Rejected {
  fault?: string;
  faults?: LineFault[];
  typed?: Record<string, string>;
}

/** The maximum number of faults that the page shows for one file. */
const faultsMax = 200;
/** One check may query a provider about a thousand numbers. */
const checksPerMinute = 10;

async function newPage(visit: MerchantVisit, { fault = '', faults = [], typed = {} }: Rejected = {}) {
  const { db, acts, place, language, t } = visit;
  const floats = await db('ledger_accounts')
    .where({ merchant_id: place.merchant.merchant_id, class: 'float' })
    .whereIn('rail', [...acts.payoutRails])
    .orderBy(['rail', 'country', 'currency'])
    .select('rail', 'country', 'currency', 'balance');
  const body = draw(visit, newTemplate, {
    problem: problem(visit, fault || (faults.length > 0 ? t('payouts.faulty') : '')),
    faults: faults.slice(0, faultsMax),
    typed: { float: '', recipient: '', amount: '', reference: '', message: '', rail: '', name: '', ...typed },
    floats: floats.map(({ rail, country, currency, balance }) => ({
      value: [rail, currency, country].join(' '),
      text: [railWord(t, rail ?? ''), country, money(balance ?? '0', currency, language)]
        .filter(Boolean)
        .join(' · '),
    })),
    rails: [...new Set(floats.map(({ rail }) => rail))],
  });
  const isFaulty = fault !== '' || faults.length > 0;
  return {
    kind: 'page',
    status: isFaulty ? 422 : 200,
    title: t('payouts.make'),
    body,
  } satisfies PageResponse;
}

export function newPayouts(visit: MerchantVisit): Promise<PageResponse> {
  return newPage(visit);
}

interface Listed {
  rail: string;
  name: string;
  rows: { line: number; fields: PayoutFields }[];
}

/**
 * The rate limit, applied before the input is read.
 * @returns the error text after too many checks, or undefined.
 */
async function tooOften({ db, place, t }: MerchantVisit): Promise<string | undefined> {
  const bucket = `portal:payouts:${place.merchant.merchant_id}`;
  const token = await takeToken(db, { bucket, ratePerMinute: checksPerMinute, burst: checksPerMinute });
  return token.allowed ? undefined : t('sign_in.slow', { seconds: token.retryAfterSeconds });
}

/** Checks all payouts and stores them as a draft, or shows the faults on the page. */
async function putTogether(visit: MerchantVisit, { rail, name, rows }: Listed, typed: Rejected['typed']) {
  const { db, acts, place, session } = visit;
  const { merchant } = place;
  const reported = (more: Rejected) => newPage(visit, { ...more, ...(typed && { typed }) });
  const sent = rows.map(({ fields }) => fields);
  const requestId = currentRequest()?.requestId ?? '';
  let faults: PayoutFault[];
  try {
    faults = await acts.checkPayouts({ merchant, rail, rows: sent, requestId });
  } catch (error) {
    return reported({ fault: sentenceOf(visit, error) });
  }
  if (faults.length > 0) return reported({ faults: faults.map((one) => rowFault(visit, one, rows)) });
  const { merchant_id: merchantId } = merchant;
  const { userId } = session.person;
  const batchId = await inTransaction(db, async (trx) => {
    const id = await makeBatch(trx, { merchantId, rail, name, rows: sent, userId }, visit.standingSeconds);
    await recordOf(visit, trx, 'payouts.make', { batch_id: id, rail, count: sent.length });
    return id;
  });
  return go(`/m/${merchantId}/payouts/${batchId}`);
}

function rowFault({ t }: MerchantVisit, fault: PayoutFault, rows: Listed['rows']): LineFault {
  const { n, field, code, message } = fault;
  const word = `payouts.fault.${code}`;
  const lineOf = (at: number) => String(rows[at]?.line ?? at + 1);
  return {
    line: lineOf(n),
    column: field,
    text: t(isWord(word) ? word : 'payouts.fault.other'),
    // The message counts rows from 0; the page shows line numbers.
    detail: message.replace(/payouts\.(\d+)/g, (_, at: string) => `line ${lineOf(Number(at))}`),
  };
}

function fileFault({ t }: MerchantVisit, { what, line, column }: FileFault): LineFault {
  return { line: line === 0 ? '–' : String(line), column, text: t(`payouts.file.${what}`), detail: '' };
}

export async function makeOne(visit: MerchantVisit): Promise<PageResponse> {
  const { acts, form } = visit;
  const names = ['float', 'recipient', 'amount', 'reference', 'message'];
  const typed = Object.fromEntries(names.map((name) => [name, cutText(form(name).trim(), 200)]));
  const [rail = '', currency = '', country = ''] = (typed['float'] ?? '').split(' ');
  const fields = payoutFormOf(rail);
  if (!fields || !acts.payoutRails.includes(rail))
    return newPage(visit, { fault: visit.t('payouts.choose_float'), typed });
  const row = payoutOf(rail, {
    [fields.recipient]: typed['recipient'] ?? '',
    [fields.reference]: typed['reference'] ?? '',
    [fields.message]: typed['message'] ?? '',
    amount: typed['amount'] ?? '',
    currency,
    // The country of the chosen float. A number of another country is refused.
    ...(fields.columns.includes('country') && country !== '' && { country }),
  });
  const slow = await tooOften(visit);
  if (slow !== undefined) return newPage(visit, { fault: slow, typed });
  const name = typed['reference'] ?? '';
  return putTogether(visit, { rail, name, rows: [{ line: 1, fields: row }] }, typed);
}

export async function makeMany(visit: MerchantVisit): Promise<PageResponse> {
  const { acts, form, file, t } = visit;
  const rail = form('rail');
  const name = cutText(form('name').trim(), 100);
  const typed = { rail, name };
  const sent = file('file');
  if (!acts.payoutRails.includes(rail) || !payoutFormOf(rail) || !sent || sent.length === 0 || name === '')
    return newPage(visit, { fault: t('payouts.choose_file'), typed });
  const slow = await tooOften(visit);
  if (slow !== undefined) return newPage(visit, { fault: slow, typed });
  const { rows, faults } = await finish(readPayoutFile(rail, sent));
  if (faults.length > 0) return newPage(visit, { faults: faults.map((one) => fileFault(visit, one)), typed });
  return putTogether(visit, { rail, name, rows }, typed);
}

/** An example file with the column names and one line. */
export function exampleFile(visit: MerchantVisit): Promise<PageResponse> {
  const rail = visit.params['rail'] ?? '';
  const form = payoutFormOf(rail);
  if (!form) return newPage(visit, { fault: visit.t('payouts.choose_file') });
  const lines = [form.columns, form.example].map((line) => `${line.join(',')}\r\n`);
  return Promise.resolve(csvDownload(`payouts-${rail}.csv`, Readable.from(lines)));
}
