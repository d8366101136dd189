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
import type { PageResponse, PlatformVisit } from '../visit';
import { isWord, railWord } from '../words';

/** A name with its value: a text, or several texts with links. */
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
 * The preview button of a form, for its template. It sends the same form as a dry run.
 * @param what a template expression that names the form among several.
 */
export const previewButton = (what?: string): string =>
  `<button name="preview" value="1" class="quiet" type="submit"${
    what === undefined ? '' : ` aria-label="<%= it.t('ops.preview') %>: <%= ${what} %>"`
  }><%= it.t('ops.preview') %></button>`;

export const isPreview = ({ form }: PlatformVisit): boolean => form('preview') === '1';

/** The options of an action for a form. A preview does not use up the form's number. */
export const tryingOf = (visit: PlatformVisit) => ({ dryRun: isPreview(visit), form: formNumberOf(visit) });

const statuses = { done: 200, waits: 202, preview: 200 } as const;
const titles = { done: 'ops.done.title', waits: 'ops.waits.title', preview: 'ops.preview' } as const;

/** Runs the action for the operator of the page, or previews it. */
export async function act<Kind extends ActionKind>(
  visit: PlatformVisit,
  action: ActionOf<Kind>,
  back: string,
  factsOf: (result: ResultOf<Kind>) => Promise<Fact[]> = () => Promise.resolve([]),
): Promise<PageResponse> {
  const { operations, operator } = visit;
  const outcome = await operations.execute(operator.name, action, tryingOf(visit));
  return showOutcome(visit, outcome, back, outcome.kind === 'done' ? await factsOf(outcome.result) : []);
}

export async function showOutcome(
  visit: PlatformVisit,
  outcome: Outcome<unknown> | Denied,
  back: string,
  facts: Fact[] = [],
): Promise<PageResponse> {
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

/** The fields to send again after a preview; undefined for a form with a file. */
function fieldsOf({ fields, file }: PlatformVisit): [string, string][] | undefined {
  if (file('file')) return undefined;
  return fields().filter(([name]) => name !== 'preview');
}

function denied(
  visit: PlatformVisit,
  text: string,
  back: string,
  { status = 409, isEnglish }: { status?: number; isEnglish: boolean },
): PageResponse {
  const body = draw(visit, deniedTemplate, { back, isEnglish, problem: problem(visit, text) });
  return { kind: 'page', status, title: visit.t('ops.refused.title'), body };
}

/** Denies with a text of the page, for an incomplete form or an outdated page. */
export function refusedBefore(visit: PlatformVisit, text: string, back: string, status = 422): PageResponse {
  return denied(visit, text, back, { status, isEnglish: false });
}

/** Secret fields of results, shown only once. */
const secretFields = ['api_key', 'api_secret', 'webhook_secret', 'token', 'operator_token', 'link'] as const;

function secretsIn({ t }: PlatformVisit, result: object): [string, string][] {
  return secretFields.flatMap((field): [string, string][] => {
    const value = (result as Readonly<Record<string, unknown>>)[field];
    return typeof value === 'string' ? [[t(`result.${field}`), value]] : [];
  });
}

/** Fields of results that every result page shows. */
interface ResultFields {
  sessions_ended?: number;
  goes_on?: string;
  still_open?: string[];
  signalled?: { failed: unknown[] };
}

function factsIn({ t }: PlatformVisit, result: object): Fact[] {
  const {
    sessions_ended: sessions,
    goes_on: goesOn,
    still_open: open = [],
    signalled,
  } = result as ResultFields;
  const asleep = signalled?.failed.length ?? 0;
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

/** Asks for the second factor before the user fills in a form, because the form would be lost. */
export function authenticateFirst(visit: PlatformVisit, mayAct: boolean): string {
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

/** Ids of the row itself, and internal columns. */
const unshown = new Set([
  ...['approval_id', 'limit_id', 'fee_id', 'pause_id', 'user_id', 'session_id', 'endpoint_id'],
  ...['batch_id', 'confirmation_id', 'passkey_id', 'open_key', 'begun_log_id', 'ended_log_id'],
  ...['from_ahead_ms', 'ended_ahead_ms', 'updated_at', 'credentials_version'],
]);
/** Columns that every row has. If such a column changes from null to a value, the row is new. */
const rowKeys = [
  ...['created_at', 'session_id', 'user_id', 'limit_id', 'fee_id', 'pause_id', 'set_at', 'payment_id'],
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
    // In a preview, the id of a new merchant does not exist yet.
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

/** The translated name of a field, or the field's own name. */
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
  // A UUID says nothing to an operator. The fields identify the thing.
  return id.includes('|') || isUuid(id) ? what : `${what} ${id}`;
}

/** The value of a field after the change, or before it if the field was removed. */
function textIn(changes: readonly Change[], name: string): string | undefined {
  const change = changes.find(({ field }) => field === name);
  const value = change?.to ?? change?.from;
  return typeof value === 'string' ? value : undefined;
}

/** The prefixes of the words for values, by kind and field. */
const valueWords: Readonly<Record<string, string>> = {
  'payment.state': 'state.',
  'case.state': 'ops.case.',
  'unmatched.state': 'ops.unmatched.',
  'approvals.state': 'ops.approval.',
  'merchants.status': 'home.status.',
  'outflow_limits.kind': 'limit.',
  'fee_schedules.operation': 'terms.operation.',
  'operators.role': 'role.',
  'memberships.role': 'role.',
  'payout_pauses.with_refunds': 'change.flag.',
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
  // An empty list.
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

async function userPage(db: Database, userId: string | undefined): Promise<string | undefined> {
  const user = userId === undefined ? undefined : await db('users').where({ user_id: userId }).first('email');
  return user && `/ops/users?email=${encodeURIComponent(user.email)}`;
}

/** The page of each kind of thing; kinds without a page are missing. */
const pages: Readonly<Record<string, Page>> = {
  payment: paymentPage,
  payout_holds: paymentPage,
  case: (_, id) => (/^\d+$/.test(id) ? `/ops/cases/${id}` : '/ops/cases'),
  unmatched: (_, id) => `/ops/unmatched/${id}`,
  provider_statement: () => '/ops/reconciliation',
  payout_pauses: () => '/ops/pauses',
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
  users: (db, id) => userPage(db, id),
  user_sessions: (db, _, changes) => userPage(db, textIn(changes, 'user_id')),
};
