/** Pieces that several pages are made of. */
import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { FieldFault } from '../../domain/errors';
import { changesOfMerchant, takeToken, type RateLimitDecision } from '../../merchants/rate-limit';
import type { Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { recordAction, type Action } from '../../users/audit-log';
import { CredentialsChanged, holdCredentials } from '../../users/credentials';
import type { Somebody } from '../../users/deciders';
import { lockRole } from '../../users/members';
import { isMerchantRole } from '../../users/roles';
import { holdSession } from '../../users/sessions';
import { actorOf } from '../../users/users';
import { draw, template } from '../render';
import type { MerchantVisit, Visit, Answer } from '../visit';
import { isWord, type Word } from '../words';

const problemTemplate = template(`
<div class="problem" role="alert">
<h2><%= it.t('error.heading') %></h2>
<p><% if (it.field) { %><a href="#<%= it.field %>"><%= it.text %></a><% } else { %><%= it.text %><% } %></p>
</div>
`);

/** What is wrong with a form, above it. @param field the id of what to mend. */
export function problem(visit: Visit, text: string, field = ''): string {
  return text === '' ? '' : draw(visit, problemTemplate, { text, field });
}

const doneTemplate = template('<p class="done" role="status"><%= it.text %></p>');

/**
 * What was done by the form before this page, told once: `?done=` names it by a word of the catalogue.
 * @param prefix of the words that this page may tell.
 */
export function doneOf(visit: Visit, prefix: string): string {
  const word = `${prefix}.done.${visit.query.get('done') ?? ''}`;
  return isWord(word) ? draw(visit, doneTemplate, { text: visit.t(word) }) : '';
}

/** Who acts there. */
export const somebodyOf = ({ session, place }: MerchantVisit): Somebody => ({
  merchantId: place.merchant.merchant_id,
  userId: session.person.userId,
});

/** The line of what somebody does to the merchant of the page. */
export function recordOf(
  visit: MerchantVisit,
  trx: Transaction,
  action: string,
  details: Action['details'] = {},
): Promise<void> {
  const subject = { kind: 'merchant', id: visit.place.merchant.merchant_id };
  return recordActOf(visit, trx, { action, subject, details });
}

/** The line of an act, in its transaction. @throws as holdActor. */
export async function recordActOf(
  visit: MerchantVisit,
  trx: Transaction,
  line: Omit<Action, 'by'>,
): Promise<void> {
  await holdActor(visit, trx);
  await recordAction(trx, { by: actorOf(visit.session.person), ...line });
}

/**
 * Whose session has ended since the guard let them in, or whose role is another by now, does not act: what ends them
 * comes before the transaction, or after it.
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

/** Each of them writes a line of the audit log, which is for good; most tell somebody by mail. */
const allowances = {
  keys: changesOfMerchant,
  team: changesOfMerchant,
  connection: changesOfMerchant,
  /** The merchant's own server is what hears them. */
  tests: { ratePerMinute: 1, burst: 10 },
  /** Whole numbers and bodies that are shown, and what is sent again. */
  looks: { ratePerMinute: 10, burst: 60 },
};

/** Whether a merchant's people may do something once more that is written down, whoever of them does it. */
export function mayChange(
  { db, place }: Pick<MerchantVisit, 'db' | 'place'>,
  what: keyof typeof allowances,
): Promise<RateLimitDecision> {
  return takeToken(db, { bucket: `portal:${what}:${place.merchant.merchant_id}`, ...allowances[what] });
}

/** A year's statements at once, or a few files in a minute. */
const ofFiles = { ratePerMinute: 6, burst: 12 };

/**
 * Lets a person take a file of a merchant's, and writes it down: once for a day, however many they take. A line of the
 * audit log is for good, and says who had them; what was in each is no more than what they may see.
 */
export async function mayTakeFile(visit: MerchantVisit, action: string): Promise<RateLimitDecision> {
  const { db, place, session } = visit;
  const taken = await takeToken(db, { bucket: `portal:files:${session.person.userId}`, ...ofFiles });
  if (!taken.allowed) return taken;
  await inTransaction(db, async (trx) => {
    // In turn with every other line, so that of two at once one finds the other's.
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
  /** What the list was asked for beside its place. */
  wishes?: Record<string, string>;
  /** Where this page begins; empty for the first. */
  from: string;
  /** Where the next one does; empty on the last. */
  next: string;
}

/** From one page of a list to the next, and back to the first. */
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

/** Where a page of a list by numbers begins, as its address tells; empty for the first. */
export function numberAfter({ query }: Pick<Visit, 'query'>): string {
  return /^\d{1,15}$/.exec(query.get('after') ?? '')?.[0] ?? '';
}

export function indentedJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

// The part of a page that renews itself: asked for as the page is, and left as it is while it is the same.

/** What a page that renews itself shows already, by its digest; compared with what it would show now. */
export const seenHeader = 'x-malipo-seen';

const regionTemplate = template(
  `<div id="<%= it.id %>"<% if (it.url) { %> data-live hx-get="<%= it.url %>" hx-trigger="every <%= it.seconds %>s" hx-select="#<%= it.id %>" hx-swap="outerHTML" hx-headers='{"${seenHeader}":"<%= it.seen %>"}'<% } %>><%~ it.html %></div>`,
);
const pauseTemplate = template(
  `<p class="live"><button type="button" class="link" hidden data-live-pause="<%= it.t('live.pause') %>" data-go-on="<%= it.t('live.go_on') %>"><%= it.t('live.pause') %></button></p>`,
);

interface Region {
  id: string;
  /** Where it is asked for again; empty for what stands still. */
  url: string;
  seconds: number;
  html: string;
}

/** @returns what is drawn, the button that stops it outside of it, and what `Answer` is told of it. */
export function live(visit: Visit, { html, ...region }: Region): { html: string; seen: string } {
  const seen = createHash('sha256').update(html).digest('base64url').slice(0, 22);
  const drawn = draw(visit, regionTemplate, { ...region, html, seen });
  // What has just come to an end is drawn once more, without what asks for it again.
  const isLive = region.url !== '';
  return { html: isLive ? drawn + draw(visit, pauseTemplate) : drawn, seen: isLive ? seen : '' };
}

// What is wrong with what somebody has typed, in the language of the page: validation itself speaks English.

/** By how the sentence of the check goes on after the name of its field. */
const sentences: readonly (readonly [part: string, word: Word])[] = [
  ['must be at most 2000 characters', 'fault.url.long'],
  ['must be a complete http or https URL', 'fault.url.whole'],
  ['must be an https URL', 'fault.url.https'],
  ['must not contain a user name or a password', 'fault.url.password'],
  ['must use port 80, 443 or one from 1024 up', 'fault.url.port'],
  ['must name a host on the public internet', 'fault.url.public'],
  ['must write an IPv4 address as four decimal numbers', 'fault.url.ipv4'],
  ['must be an IP address or a CIDR block', 'fault.range'],
  ['must be a host name', 'fault.host'],
  ['must be a time zone', 'fault.zone'],
  ['payment card number', 'fault.card'],
  ['must not contain control characters', 'fault.control'],
  ['characters that can be printed', 'fault.key_name'],
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

/** `Allowed addresses, line 2: this is no address.` */
function faultText({ t }: Pick<Visit, 't'>, { field, message }: FieldFault): string {
  const [name = '', index] = field.split('.');
  const label = labels[name];
  const known = sentences.find(([part]) => message.includes(part))?.[1];
  const line = index === undefined ? '' : t('fault.line', { n: Number(index) + 1 });
  // What only a newer check says is told in its own words.
  return `${label ? t(label) : name}${line}: ${known ? t(known) : message}`;
}

export function faultsText(visit: Pick<Visit, 't'>, details: readonly FieldFault[] = []): string {
  return details.map((one) => faultText(visit, one)).join(' ');
}

// Files that people open in a spreadsheet: marked as UTF-8, without which it takes them for something else, and with its
// times as the pages have them.

const byteOrderMark = '\uFEFF';

async function* marked(parts: AsyncIterable<string>): AsyncGenerator<string> {
  yield byteOrderMark;
  yield* parts;
}

export function csvDownload(name: string, parts: AsyncIterable<string>): Answer {
  return {
    kind: 'download',
    type: 'text/csv; charset=utf-8; header=present',
    name,
    parts: marked(parts),
  };
}

/** By the clock of the pages, as spreadsheets know a moment: `2026-01-31 11:00:00`. */
export function timeIn(zone: string): (at: Date) => string {
  return (at) => DateTime.fromJSDate(at, { zone }).toFormat('yyyy-MM-dd HH:mm:ss');
}
