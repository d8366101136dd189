/** The result page of an action: done, previewed, denied, or waiting for an approval; and what it changes. */
import { validate as isUuid } from 'uuid';
import type { Change, Reference, ShownValue } from '../../operator-actions/action';
import type { ActionKind, ResultOf } from '../../operator-actions/actions';
import type { Outcome } from '../../operator-actions/execute';
import { fromTo } from '../../operator-actions/wording';
import type { Database } from '../../store/database';
import { formNumberOf } from '../forms';
import type { ActionOf, Denied } from '../operating';
import { problem } from '../pages/parts';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { isWord, railWord } from '../words';

/** A name, and what stands beside it: a text, or several with their pages. */
export type Fact = [name: string, value: string | { text: string; href: string }[]];

const outcomeTemplate = template(`
<p><a href="<%= it.back %>"><%= it.t('ops.back') %></a></p>
<h1><%= it.title %></h1>
<p class="sentence" role="status"><strong><%= it.sentence %></strong></p>
<% if (it.kind === 'waits') { %>
<p><%= it.t('ops.waits.text') %></p>
<p><a class="button" href="/ops/approvals"><%= it.t('ops.approvals') %></a></p>
<% } %>
<% if (it.secrets.length > 0) { %>
<div class="note"><p><strong><%= it.t('dev.shown.once') %></strong></p>
<dl><% for (const [name, value] of it.secrets) { %><div><dt><%= name %></dt><dd><code><%= value %></code></dd></div><% } %></dl></div>
<% } %>
<% if (it.facts.length > 0) { %>
<section class="card" aria-labelledby="result"><h2 id="result"><%= it.t('ops.result') %></h2>
<dl class="facts"><% for (const [name, value] of it.facts) { %><div><dt><%= name %></dt><dd><% if (typeof value === 'string') { %><%= value %><% } else { %><% for (const one of value) { %><a href="<%= one.href %>"><%= one.text %></a> <% } %><% } %></dd></div><% } %></dl></section>
<% } %>
<%~ it.changes %>
<% if (it.kind === 'preview') { %>
<% if (it.needsSecond) { %><p class="note"><%= it.t('ops.preview.second') %></p><% } %>
<% if (it.fields) { %><form method="post" action="<%= it.action %>" class="actions">
<% for (const [name, value] of it.fields) { %><input type="hidden" name="<%= name %>" value="<%= value %>"><% } %>
<button type="submit"><%= it.t(it.needsSecond ? 'ops.preview.ask' : 'ops.preview.do') %></button>
<a class="button quiet" href="<%= it.back %>"><%= it.t('sure.no') %></a></form>
<% } else { %><p><%= it.t('ops.preview.file') %></p><% } %>
<% } %>
`);

const deniedTemplate = template(`
<p><a href="<%= it.back %>"><%= it.t('ops.back') %></a></p>
<%~ it.problem %>
<h1><%= it.t('ops.refused.title') %></h1>
<% if (it.isEnglish) { %><p class="hint"><%= it.t('ops.english') %></p><% } %>
`);

/**
 * The second button of a form that acts, for its template: the same form, and nothing is done.
 * @param what an expression of the template, for a form among many.
 */
export const previewButton = (what?: string): string =>
  `<button name="preview" value="1" class="quiet" type="submit"${
    what === undefined ? '' : ` aria-label="<%= it.t('ops.preview') %>: <%= ${what} %>"`
  }><%= it.t('ops.preview') %></button>`;

export const isPreview = ({ form }: PlatformVisit): boolean => form('preview') === '1';

/** How an action is run for a form: a preview leaves its number as it was. */
export const tryingOf = (visit: PlatformVisit) => ({ dryRun: isPreview(visit), form: formNumberOf(visit) });

const statuses = { done: 200, waits: 202, preview: 200 } as const;
const titles = { done: 'ops.done.title', waits: 'ops.waits.title', preview: 'ops.preview' } as const;

/** Runs the action for the operator of the page, or previews it where the form asks for that. */
export async function act<Kind extends ActionKind>(
  visit: PlatformVisit,
  action: ActionOf<Kind>,
  back: string,
  factsOf: (result: ResultOf<Kind>) => Promise<Fact[]> = () => Promise.resolve([]),
): Promise<Answer> {
  const { operations, operator } = visit;
  const outcome = await operations.execute(operator.name, action, tryingOf(visit));
  return showOutcome(visit, outcome, back, outcome.kind === 'done' ? await factsOf(outcome.result) : []);
}

export async function showOutcome(
  visit: PlatformVisit,
  outcome: Outcome<unknown> | Denied,
  back: string,
  facts: Fact[] = [],
): Promise<Answer> {
  const { language, t } = visit;
  if (outcome.kind === 'denied') return denied(visit, outcome.text, back, { isEnglish: language !== 'en' });
  const { kind, texts, changes } = outcome;
  const result = kind === 'done' ? (outcome.result ?? {}) : {};
  const title = t(titles[kind]);
  const body = draw(visit, outcomeTemplate, {
    ...{ kind, title, back, action: visit.path },
    sentence: texts[language].sentence,
    secrets: secretsIn(visit, result),
    facts: [...facts, ...factsIn(visit, result)],
    changes: await drawChanges(visit, changes, { isTried: kind !== 'done' }),
    needsSecond: kind === 'preview' && outcome.needsSecond,
    fields: fieldsOf(visit),
  });
  return { kind: 'page', status: statuses[kind], title, body };
}

/** What is sent again without the wish for a preview, as the same form; a file is not, and undefined. */
function fieldsOf({ fields, file }: PlatformVisit): [string, string][] | undefined {
  if (file('file')) return undefined;
  return fields().filter(([name]) => name !== 'preview');
}

function denied(
  visit: PlatformVisit,
  text: string,
  back: string,
  { status = 409, isEnglish }: { status?: number; isEnglish: boolean },
): Answer {
  const body = draw(visit, deniedTemplate, { back, isEnglish, problem: problem(visit, text) });
  return { kind: 'page', status, title: visit.t('ops.refused.title'), body };
}

/** In the words of the page: the form was not filled in, or the page is too old. */
export function refusedBefore(visit: PlatformVisit, text: string, back: string, status = 422): Answer {
  return denied(visit, text, back, { status, isEnglish: false });
}

/** Fields of results that nobody is shown again. */
const secretFields = ['api_key', 'api_secret', 'webhook_secret', 'token', 'operator_token', 'link'] as const;

function secretsIn({ t }: PlatformVisit, result: object): [string, string][] {
  return secretFields.flatMap((field): [string, string][] => {
    const value = (result as Readonly<Record<string, unknown>>)[field];
    return typeof value === 'string' ? [[t(`result.${field}`), value]] : [];
  });
}

/** Fields of results that every page shows. */
interface Telling {
  sessions_ended?: number;
  goes_on?: string;
  still_open?: string[];
  woken?: { failed: unknown[] };
}

function factsIn({ t }: PlatformVisit, result: object): Fact[] {
  const { sessions_ended: sessions, goes_on: goesOn, still_open: open = [], woken } = result as Telling;
  const asleep = woken?.failed.length ?? 0;
  const facts: Fact[] = [];
  if (sessions !== undefined) facts.push([t('result.sessions_ended'), String(sessions)]);
  if (goesOn !== undefined) {
    const word = `result.goes_on.${goesOn}`;
    facts.push([t('result.goes_on'), isWord(word) ? t(word) : goesOn]);
  }
  if (open.length > 0)
    facts.push([t('result.still_open'), open.map((id) => ({ text: id, href: `/ops/cases/${id}` }))]);
  if (asleep > 0) facts.push([t('result.asleep'), String(asleep)]);
  return facts;
}

const proveTemplate = template(`
<% if (it.mayAct && !it.session.isFresh) { %>
<div class="note"><p><%= it.t('dev.prove') %></p><p><a class="button" href="/confirm?next=<%= it.next %>"><%= it.t('dev.prove.go') %></a></p></div>
<% } %>`);

/** Asks for the second factor before a form is filled in that would be lost. */
export function proveFirst(visit: PlatformVisit, mayAct: boolean): string {
  return draw(visit, proveTemplate, { mayAct, next: encodeURIComponent(visit.path) });
}

// The changes of an action as HTML: each thing with a link, each field from → to.

const changesTemplate = template(`
<section aria-labelledby="changes"><h2 id="changes"><%= it.t(it.isTried ? 'ops.changes.would' : 'ops.changes') %></h2>
<% if (it.things.length > 0) { %>
<ul class="rows card"><% for (const one of it.things) { %><li>
<p><strong><% if (one.href) { %><a href="<%= one.href %>"><%= one.name %></a><% } else { %><%= one.name %><% } %></strong><% if (one.became) { %> <span class="state <%= one.became === 'new' ? 'good' : 'bad' %>"><%= it.t('change.' + one.became) %></span><% } %></p>
<% if (one.fields.length > 0) { %><dl><% for (const [name, value] of one.fields) { %><div><dt><%= name %></dt><dd><%= value %></dd></div><% } %></dl><% } %></li><% } %></ul>
<% if (it.more > 0) { %><p class="hint"><%= it.t('ops.changes.more', { n: it.count(it.more) }) %></p><% } %>
<% } else { %><p><%= it.t('ops.changes.none') %></p><% } %></section>
`);

const thingsMax = 50;

/** The changed fields of one thing. */
interface Thing {
  of: Reference;
  changes: Change[];
}

/** @param isTried for a preview: a new thing has no page yet. */
async function drawChanges(
  visit: PlatformVisit,
  changes: readonly Change[],
  { isTried }: { isTried: boolean },
): Promise<string> {
  const things = thingsOf(changes);
  const listed = things.slice(0, thingsMax);
  const merchants = await namesOfMerchants(
    visit.db,
    listed.flatMap(({ of, changes: fields }) => [...of.id.split(/[:|]/), ...fields.flatMap(merchantsIn)]),
  );
  const shown = await Promise.all(listed.map((thing) => showThing(visit, thing, { merchants, isTried })));
  return draw(visit, changesTemplate, { things: shown, more: things.length - listed.length, isTried });
}

function thingsOf(changes: readonly Change[]): Thing[] {
  const things = new Map<string, Thing>();
  for (const change of changes) {
    const key = `${change.of.kind} ${change.of.id}`;
    const thing = things.get(key) ?? { of: change.of, changes: [] };
    thing.changes.push(change);
    things.set(key, thing);
  }
  return [...things.values()];
}

const merchantsIn = ({ field, from, to }: Change): string[] =>
  field === 'merchant_id' ? [from, to].filter((id) => typeof id === 'string') : [];

type NamesById = ReadonlyMap<string, string>;

async function namesOfMerchants(db: Database, ids: readonly string[]): Promise<NamesById> {
  const rows = await db('merchants')
    .whereIn('merchant_id', [...new Set(ids.filter(isUuid))])
    .select('merchant_id', 'name');
  return new Map(rows.map(({ merchant_id: id, name }) => [id, name]));
}

/** Columns that name the row itself, or that only the engine reads. */
const unshown = new Set([
  ...['approval_id', 'limit_id', 'fee_id', 'stop_id', 'user_id', 'session_id', 'endpoint_id'],
  ...['batch_id', 'confirmation_id', 'passkey_id', 'open_key', 'begun_log_id', 'ended_log_id'],
  ...['from_ahead_ms', 'ended_ahead_ms', 'updated_at', 'credentials_version'],
]);
/** Columns that every row has: from nothing to a value is a new row. */
const rowKeys = [
  ...['created_at', 'session_id', 'user_id', 'limit_id', 'fee_id', 'stop_id', 'set_at', 'payment_id'],
  ...['merchant_id', 'provider'],
];

async function showThing(
  visit: PlatformVisit,
  { of, changes }: Thing,
  { merchants, isTried }: { merchants: NamesById; isTried: boolean },
) {
  const key = changes.find(({ field }) => rowKeys.includes(field) || of.kind === 'payment');
  const became = !key ? undefined : key.from === null ? 'new' : key.to === null ? 'removed' : undefined;
  const { language, config } = visit;
  const isThere = !(isTried && became === 'new');
  const shown = changes
    .filter(({ field, to }) => !unshown.has(field) && to !== of.id)
    // The id of a merchant that is only tried is nobody's.
    .filter((change) => isThere || merchantsIn(change).every((id) => merchants.has(id)))
    .map((change) => {
      const value = (given: ShownValue) => valueOf(visit, change, given, merchants);
      return { ...change, from: value(change.from), to: value(change.to) };
    })
    .filter(({ from, to }) => from !== to);
  const fields = (became === 'removed' ? [] : shown).map((change) => [
    fieldWord(visit, change.field),
    fromTo(change, language, config.timezone),
  ]);
  return {
    name: nameOf(visit, of, { merchants, isThere }),
    href: isThere ? await pages[of.kind]?.(visit.db, of.id, changes) : undefined,
    became,
    fields,
  };
}

/** In the words of the page; by its own name where there are none. */
export function fieldWord({ t }: Pick<PlatformVisit, 't'>, field: string): string {
  const word = `change.field.${field}`;
  return isWord(word) ? t(word) : field;
}

/** `Float · mobile money · Duka la Amina · KEN`, of `float:momo:0190…:KEN:KES`. */
function accountName(
  { t }: Pick<PlatformVisit, 't'>,
  code: string,
  merchants: NamesById,
): string | undefined {
  const [kind = '', ...parts] = code.split(':').slice(0, -1);
  const word = `change.account.${kind}`;
  if (!isWord(word)) return undefined;
  const named = parts.filter((part) => part !== '-').map((part) => merchants.get(part) ?? railWord(t, part));
  return [t(word), ...named].join(' · ');
}

function nameOf(
  visit: PlatformVisit,
  { kind, id }: Reference,
  { merchants, isThere }: { merchants: NamesById; isThere: boolean },
): string {
  const { t } = visit;
  const word = `change.of.${kind}`;
  const what = isWord(word) ? t(word) : kind;
  if (kind === 'ledger_account') return accountName(visit, id, merchants) ?? `${what} ${id}`;
  if (!isThere) return what;
  if (kind === 'merchants') return `${what} ${merchants.get(id) ?? id}`;
  if (kind === 'payment' || kind === 'payout_holds') return `${what} ${id}`;
  // What nobody knows by its id is known by its fields.
  return id.includes('|') || isUuid(id) ? what : `${what} ${id}`;
}

/** What a field holds after the change, or before it where it is gone. */
function textIn(changes: readonly Change[], name: string): string | undefined {
  const change = changes.find(({ field }) => field === name);
  const value = change?.to ?? change?.from;
  return typeof value === 'string' ? value : undefined;
}

/** Words of the catalogue for values, by what they are of. */
const valueWords: Readonly<Record<string, string>> = {
  'payment.state': 'state.',
  'case.state': 'ops.case.',
  'orphan.state': 'ops.orphan.',
  'approvals.state': 'ops.approval.',
  'merchants.status': 'home.status.',
  'outflow_limits.kind': 'limit.',
  'fee_schedules.operation': 'terms.operation.',
  'operators.role': 'role.',
  'memberships.role': 'role.',
  'payout_stops.with_refunds': 'change.flag.',
};

function valueOf(
  { t }: PlatformVisit,
  { of, field }: Change,
  value: ShownValue,
  merchants: NamesById,
): ShownValue {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value);
  if (field === 'per_million') return `${String(Number(text) / 1_000)} ‰`;
  // A list without anything in it.
  if (text === '[]') return null;
  if (field === 'merchant_id') return merchants.get(text) ?? text;
  if (field === 'rail') return railWord(t, text);
  const word = `${valueWords[`${of.kind}.${field}`] ?? ' '}${text}`;
  return isWord(word) ? t(word) : value;
}

type Page = (
  db: Database,
  id: string,
  changes: readonly Change[],
) => Promise<string | undefined> | string | undefined;

const merchantOf = (changes: readonly Change[]) => textIn(changes, 'merchant_id');

const termsPage = (merchantId: string | null | undefined) =>
  merchantId ? `/ops/merchants/${merchantId}` : undefined;
const below = (merchantId: string | null | undefined, path: string) =>
  merchantId ? `/m/${merchantId}/${path}` : undefined;

const paymentPage: Page = async (db, id) => {
  const payment = await db('payments').where({ payment_id: id }).first('merchant_id');
  return below(payment?.merchant_id, `payments/${id}`);
};

async function peoplePage(db: Database, userId: string | undefined): Promise<string | undefined> {
  const user = userId === undefined ? undefined : await db('users').where({ user_id: userId }).first('email');
  return user && `/ops/people?email=${encodeURIComponent(user.email)}`;
}

/** Where a thing is shown; nothing for what has no page. */
const pages: Readonly<Record<string, Page>> = {
  payment: paymentPage,
  payout_holds: paymentPage,
  case: (_, id) => (/^\d+$/.test(id) ? `/ops/cases/${id}` : '/ops/cases'),
  orphan: (_, id) => `/ops/orphans/${id}`,
  provider_statement: () => '/ops/reconciliation',
  payout_stops: () => '/ops/stops',
  approvals: () => '/ops/approvals',
  merchants: (_, id) => `/ops/merchants/${id}`,
  ledger_account: (_, code) => termsPage(code.split(':').find((part) => isUuid(part))),
  async outflow_limits(db, id, changes) {
    const row = await db('outflow_limits').where({ limit_id: id }).first('merchant_id');
    return termsPage(row?.merchant_id ?? merchantOf(changes));
  },
  async fee_schedules(db, id, changes) {
    const row = await db('fee_schedules').where({ fee_id: id }).first('merchant_id');
    return termsPage(row?.merchant_id ?? merchantOf(changes));
  },
  async api_keys(db, id) {
    const key = await db('api_keys').where({ api_key: id }).first('merchant_id');
    return below(key?.merchant_id, 'developers');
  },
  async webhook_endpoints(db, id) {
    const endpoint = await db('webhook_endpoints').where({ endpoint_id: id }).first('merchant_id');
    return below(endpoint?.merchant_id, 'endpoints');
  },
  async webhook(db, id) {
    const webhook = await db('outbox').where({ webhook_id: id }).first('merchant_id');
    return below(webhook?.merchant_id, `webhooks/${id}`);
  },
  async payout_batches(db, id) {
    const batch = await db('payout_batches').where({ batch_id: id }).first('merchant_id');
    return below(batch?.merchant_id, `payouts/${id}`);
  },
  memberships: (_, id) => below(id.split('|')[0], 'team'),
  users: (db, id) => peoplePage(db, id),
  user_sessions: (db, _, changes) => peoplePage(db, textIn(changes, 'user_id')),
};
