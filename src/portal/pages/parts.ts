/** Parts that several pages share. */
import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { FieldFault } from '../../domain/errors';
import { changesOfMerchant, takeToken, type RateLimitDecision } from '../../merchants/rate-limit';
import type { Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { recordAction, type Action } from '../../users/audit-log';
import { CredentialsChanged, holdCredentials } from '../../users/credentials';
import type { ActingUser } from '../../users/deciders';
import { lockRole } from '../../users/members';
import { isMerchantRole } from '../../users/roles';
import { holdSession } from '../../users/sessions';
import { actorOf } from '../../users/users';
import { draw, template } from '../render';
import type { MerchantVisit, Visit, PageResponse } from '../visit';
import { isWord, type Word } from '../words';

const problemTemplate = template(`
<div class="problem" role="alert">
<h2><%= it.t('error.heading') %></h2>
<p><% if (it.field) { %><a href="#<%= it.field %>"><%= it.text %></a><% } else { %><%= it.text %><% } %></p>
</div>
`);

/**
 * The error message above a form.
 * @param field the id of the faulty field.
 */
export function problem(visit: Visit, text: string, field = ''): string {
  return text === '' ? '' : draw(visit, problemTemplate, { text, field });
}

const doneTemplate = template('<p class="done" role="status"><%= it.text %></p>');

/**
 * The success message of the form before this page; `?done=` names its word in the catalogue.
 * @param prefix of the words that this page may show.
 */
export function doneOf(visit: Visit, prefix: string): string {
  const word = `${prefix}.done.${visit.query.get('done') ?? ''}`;
  return isWord(word) ? draw(visit, doneTemplate, { text: visit.t(word) }) : '';
}

/** The acting user and the merchant. */
export const actingUserOf = ({ session, place }: MerchantVisit): ActingUser => ({
  merchantId: place.merchant.merchant_id,
  userId: session.person.userId,
});

/** Writes the audit line of an action on the merchant of the page. */
export function recordOf(
  visit: MerchantVisit,
  trx: Transaction,
  action: string,
  details: Action['details'] = {},
): Promise<void> {
  const subject = { kind: 'merchant', id: visit.place.merchant.merchant_id };
  return recordActOf(visit, trx, { action, subject, details });
}

/**
 * Writes the audit line of an action, in its transaction.
 * @throws as holdActor.
 */
export async function recordActOf(
  visit: MerchantVisit,
  trx: Transaction,
  line: Omit<Action, 'by'>,
): Promise<void> {
  await holdActor(visit, trx);
  await recordAction(trx, { by: actorOf(visit.session.person), ...line });
}

/**
 * Locks the user's session and role for the transaction. An action fails if the session ended or the role changed after
 * the access check.
 * @throws CredentialsChanged
 */
export async function holdActor({ session, place }: MerchantVisit, trx: Transaction): Promise<void> {
  const { person, sessionId, credentials } = session;
  await holdCredentials(trx, person.userId, credentials);
  await holdSession(trx, sessionId);
  if (isMerchantRole(place.as)) {
    const role = await lockRole(trx, { merchantId: place.merchant.merchant_id, userId: person.userId });
    if (role !== place.as) throw new CredentialsChanged();
  }
}

/** Rate limits of changes. Each change writes a permanent audit line, and most send mails. */
const allowances = {
  keys: changesOfMerchant,
  team: changesOfMerchant,
  connection: changesOfMerchant,
  /** They send requests to the merchant's own server. */
  tests: { ratePerMinute: 1, burst: 10 },
  /** Full phone numbers and bodies that are shown, and webhooks that are sent again. */
  checks: { ratePerMinute: 10, burst: 60 },
};

/** Whether the merchant's team may make one more change now. The limit counts all users of the merchant together. */
export function canChange(
  { db, place }: Pick<MerchantVisit, 'db' | 'place'>,
  what: keyof typeof allowances,
): Promise<RateLimitDecision> {
  return takeToken(db, { bucket: `portal:${what}:${place.merchant.merchant_id}`, ...allowances[what] });
}

/** Twelve files at once, such as the statements of a year, then six per minute. */
const ofFiles = { ratePerMinute: 6, burst: 12 };

/**
 * Allows the download of a file, and records it once per day and user. Audit lines are permanent, so further downloads
 * add none. The files contain only what the user may see.
 */
export async function canTakeFile(visit: MerchantVisit, action: string): Promise<RateLimitDecision> {
  const { db, place, session } = visit;
  const taken = await takeToken(db, { bucket: `portal:files:${session.person.userId}`, ...ofFiles });
  if (!taken.allowed) return taken;
  await inTransaction(db, async (trx) => {
    // The lock orders this with all other audit lines, so the second of two downloads at once finds the first one's
    // line.
    await trx('audit_head').forUpdate().first('seq');
    const last = await trx('audit_log')
      .where({ acted_by: actorOf(session.person), action })
      .where({ subject_kind: 'merchant', subject_id: place.merchant.merchant_id })
      .whereRaw('at >= UTC_DATE()')
      .first('seq');
    if (!last) await recordOf(visit, trx, action);
  });
  return taken;
}

const pagerTemplate = template(`<nav class="pager" aria-label="<%= it.t('payments.pager') %>">
<% if (it.first) { %><a href="<%= it.first %>"><%= it.t('pager.first') %></a><% } %>
<% if (it.next) { %><a href="<%= it.next %>" rel="next"><%= it.t('pager.next') %></a><% } %></nav>`);

interface Paged {
  path: string;
  /** The query parameters of the list, besides its place. */
  wishes?: Record<string, string>;
  /** The beginning of this page; empty for the first page. */
  from: string;
  /** The beginning of the next page; empty on the last page. */
  next: string;
}

/** Links to the next page of a list and back to the first. */
export function pager(visit: Visit, { path, wishes = {}, from, next }: Paged): string {
  if (from === '' && next === '') return '';
  const urlOf = (place: string) => {
    const all = new URLSearchParams({ ...wishes, ...(place !== '' && { after: place }) }).toString();
    return all === '' ? path : `${path}?${all}`;
  };
  return draw(visit, pagerTemplate, {
    first: from === '' ? '' : urlOf(''),
    next: next === '' ? '' : urlOf(next),
  });
}

/** The number in the URL after which the page begins; empty for the first page. */
export function numberAfter({ query }: Pick<Visit, 'query'>): string {
  return /^\d{1,15}$/.exec(query.get('after') ?? '')?.[0] ?? '';
}

export function indentedJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

// The region of a page that updates itself. It requests the page again, and changes only if the content differs.

/** The request header with the digest of the shown content. */
export const seenHeader = 'x-malipo-seen';

const regionTemplate = template(
  `<div id="<%= it.id %>"<% if (it.url) { %> data-live hx-get="<%= it.url %>" hx-trigger="every <%= it.seconds %>s" hx-select="#<%= it.id %>" hx-swap="outerHTML" hx-headers='{"${seenHeader}":"<%= it.seen %>"}'<% } %>><%~ it.html %></div>`,
);
const pauseTemplate = template(
  `<p class="live"><button type="button" class="link" hidden data-live-pause="<%= it.t('live.pause') %>" data-go-on="<%= it.t('live.go_on') %>"><%= it.t('live.pause') %></button></p>`,
);

interface Region {
  id: string;
  /** The URL of the updates; empty for a region without updates. */
  url: string;
  seconds: number;
  html: string;
}

/** @returns the HTML with the pause button, and the digest for `Answer.seen`. */
export function live(visit: Visit, { html, ...region }: Region): { html: string; seen: string } {
  const seen = createHash('sha256').update(html).digest('base64url').slice(0, 22);
  const drawn = draw(visit, regionTemplate, { ...region, html, seen });
  // A finished region has no digest, so it is sent once more without update attributes.
  const isLive = region.url !== '';
  return { html: isLive ? drawn + draw(visit, pauseTemplate) : drawn, seen: isLive ? seen : '' };
}

// Translates the faults of an input. Validation messages are English.

/** The text of a validation message after the field name, and its word. */
const sentences: readonly (readonly [part: string, word: Word])[] = [
  ['must be at most 2000 characters', 'fault.url.long'],
  ['must be a complete http or https URL', 'fault.url.whole'],
  ['must be an https URL', 'fault.url.https'],
  ['must not contain a user name or a password', 'fault.url.password'],
  ['must use port 80, 443', 'fault.url.port'],
  ['must name a host on the public internet', 'fault.url.public'],
  ['must write an IPv4 address as four decimal numbers', 'fault.url.ipv4'],
  ['must be an IP address or a CIDR block', 'fault.range'],
  ['must be a host name', 'fault.host'],
  ['must be a time zone', 'fault.zone'],
  ['payment card number', 'fault.card'],
  ['must not contain control characters', 'fault.control'],
  ['printable characters', 'fault.key_name'],
  ['is not allowed to be empty', 'fault.empty'],
  ['length must be less than or equal to', 'fault.long'],
  ['contains a duplicate value', 'fault.twice'],
  ['must contain less than or equal to', 'fault.many'],
  ['must be one of', 'fault.choose'],
];

const labels: Readonly<Record<string, Word>> = {
  name: 'dev.key.name',
  url: 'endpoints.url',
  webhookUrl: 'dev.address.webhookUrl',
  callbackUrl: 'dev.address.callbackUrl',
  returnUrl: 'dev.address.returnUrl',
  cancelUrl: 'dev.address.cancelUrl',
  walletCurrency: 'settings.wallet',
  timeZone: 'settings.zone',
  ipAllow: 'fault.field.ipAllow',
  checkoutHosts: 'fault.field.checkoutHosts',
};

/** For example `Allowed addresses, line 2: write an IP address …`. */
function faultText({ t }: Pick<Visit, 't'>, { field, message }: FieldFault): string {
  const [name = '', index] = field.split('.');
  const label = labels[name];
  const known = sentences.find(([part]) => message.includes(part))?.[1];
  const line = index === undefined ? '' : t('fault.line', { n: Number(index) + 1 });
  // A message without a translation stays English.
  return `${label ? t(label) : name}${line}: ${known ? t(known) : message}`;
}

export function faultsText(visit: Pick<Visit, 't'>, details: readonly FieldFault[] = []): string {
  return details.map((one) => faultText(visit, one)).join(' ');
}

// CSV files for spreadsheets. A byte order mark shows that they are UTF-8. Their times have the time zone of the pages.

const byteOrderMark = '\uFEFF';

async function* marked(parts: AsyncIterable<string>): AsyncGenerator<string> {
  yield byteOrderMark;
  yield* parts;
}

export function csvDownload(name: string, parts: AsyncIterable<string>): PageResponse {
  return {
    kind: 'download',
    type: 'text/csv; charset=utf-8; header=present',
    name,
    parts: marked(parts),
  };
}

/** Formats a time for spreadsheets, in the time zone of the pages: `2026-01-31 11:00:00`. */
export function timeIn(zone: string): (at: Date) => string {
  return (at) => DateTime.fromJSDate(at, { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
}
