/** The result page of an action: done, previewed, denied, or waiting for an approval. */
import type { ActionKind, ResultOf } from '../../operator-actions/actions';
import type { Outcome } from '../../operator-actions/execute';
import type { ActionOf, Denied } from '../operating';
import { problem } from '../pages/parts';
import { draw, template } from '../render';
import type { Answer, PlatformVisit } from '../visit';
import { isWord } from '../words';
import { formNumberOf } from '../form-numbers';
import { drawChanges } from './changes';

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
