/** Pieces that several pages are made of. */
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
import type { MerchantVisit, Visit } from '../visit';
import { isWord } from '../words';

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
