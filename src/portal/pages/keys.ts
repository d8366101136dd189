/** Requests for payout permission of keys: a second user confirms or rejects each. */
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import {
  confirmKey,
  isConfirmation,
  listConfirmations,
  NotNow,
  refuseKey,
  type KeyConfirmation,
} from '../../users/key-confirmations';
import { handlesMoney } from '../../users/roles';
import { namesOf } from '../payouts/list';
import { draw, template } from '../render';
import { mailDeciders } from '../mails';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { doneOf, problem, recordOf, actingUserOf } from './parts';
import { notFound } from './error-pages';

const keysTemplate = template(`
<%~ it.done %><%~ it.problem %>
<h1><%= it.t('keys.title') %></h1>
<p><%= it.t('keys.text') %></p>
<% if (it.items.length > 0) { %>
<ul class="rows card">
<% for (const one of it.items) { %>
<li><dl>
<div><dt><%= it.t('dev.key.name') %></dt><dd><%= one.name || '–' %></dd></div>
<div><dt><%= it.t('dev.key.key') %></dt><dd><code><%= one.api_key %></code></dd></div>
<div><dt><%= it.t('keys.wish') %></dt><dd><strong><%= it.t('scope.payout') %></strong></dd></div>
<div><dt><%= it.t('keys.asked') %></dt><dd><%= one.asker %> · <%~ it.time(one.asked_at) %></dd></div>
<div><dt><%= it.t('payments.state') %></dt><dd><span class="state <%= one.tone %>"><%= it.t('keys.state.' + one.standing) %></span><% if (one.decided_at) { %> <%= one.decider %> · <%~ it.time(one.decided_at) %><% } %></dd></div>
<% if (one.ended_why) { %><div><dt><%= it.t('payouts.why') %></dt><dd><%= it.t('ended.' + one.ended_why) %></dd></div><% } %>
</dl>
<% if (one.may.length > 0) { %>
<% if (one.may.includes('confirm')) { %><p class="hint"><%= it.t('keys.look') %></p><% } else { %><p class="hint"><%= it.t('keys.own') %></p><% } %>
<div class="actions">
<% if (one.may.includes('confirm')) { %><form method="post" action="<%= it.base %>/keys/<%= one.confirmation_id %>/confirm"><%~ it.token %><button type="submit"><%= it.t('keys.confirm') %></button></form><% } %>
<form method="post" action="<%= it.base %>/keys/<%= one.confirmation_id %>/refuse"><%~ it.token %><button class="quiet danger" type="submit"><%= it.t(one.may.includes('confirm') ? 'keys.refuse' : 'payouts.drop') %></button></form>
</div>
<% } %></li>
<% } %>
</ul>
<% } else { %><div class="empty"><h2><%= it.t('keys.none.title') %></h2><p><%= it.t('keys.none.text') %></p></div><% } %>
`);

const listedMax = 20;
const tones = { waiting: 'open', confirmed: 'good', refused: 'bad', over: 'bad', ended: 'bad' } as const;

function confirmationState({ state, is_over: over, ended_why: why }: KeyConfirmation) {
  const standing = Number(over) === 1 ? 'over' : why === null ? state : 'ended';
  return { standing, tone: tones[standing] };
}

function choicesOf({ session, place }: MerchantVisit, one: KeyConfirmation): string[] {
  if (confirmationState(one).standing !== 'waiting') return [];
  if (one.asked_by === session.person.userId) return ['drop'];
  return handlesMoney(place.as) ? ['confirm', 'refuse'] : [];
}

/** The names of the keys. */
async function keyNames(db: Database, keys: readonly string[]): Promise<Map<string, string>> {
  const rows = await db('api_keys')
    .whereIn('api_key', [...keys])
    .select('api_key', 'name');
  return new Map(rows.map(({ api_key: key, name }) => [key, name ?? '']));
}

export async function keys(visit: MerchantVisit, fault = ''): Promise<PageResponse> {
  const { db, place, t } = visit;
  const found = await listConfirmations(db, place.merchant.merchant_id, listedMax);
  const persons = await namesOf(
    visit,
    found.flatMap(({ asked_by: asker, decided_by: decider }) => [asker, decider]),
  );
  const names = await keyNames(
    db,
    found.map(({ api_key: key }) => key),
  );
  const body = draw(visit, keysTemplate, {
    done: fault === '' ? doneOf(visit, 'keys') : '',
    problem: problem(visit, fault),
    items: found.map((one) => ({
      ...one,
      ...confirmationState(one),
      name: names.get(one.api_key) ?? '',
      asker: persons.get(one.asked_by) ?? '',
      decider: persons.get(one.decided_by ?? '') ?? '',
      may: choicesOf(visit, one),
    })),
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('keys.title'), body };
}

/** Decides a request with its audit line and mails, or shows the reason against it on the page. */
async function deciding(
  visit: MerchantVisit,
  done: 'confirmed' | 'refused',
  work: (trx: Transaction) => Promise<string>,
): Promise<PageResponse> {
  const { db, place, params, t } = visit;
  if (!(await isConfirmation(db, askedOf(visit)))) return notFound(visit);
  try {
    await inTransaction(db, async (trx) => {
      const apiKey = await work(trx);
      await mailDeciders(visit, trx, { what: `key_${done}`, values: { key: apiKey } });
      const action = done === 'confirmed' ? 'api_key.confirm' : 'api_key.refuse';
      await recordOf(visit, trx, action, {
        api_key: apiKey,
        confirmation_id: params['confirmation'] ?? '',
        ...(done === 'confirmed' && { added: 'payout' }),
      });
    });
  } catch (error) {
    if (!(error instanceof NotNow)) throw error;
    return keys(visit, t(`keys.not_now.${error.why}`));
  }
  return go(`/m/${place.merchant.merchant_id}/keys?done=${done}`);
}

const askedOf = (visit: MerchantVisit) => ({
  ...actingUserOf(visit),
  confirmationId: visit.params['confirmation'] ?? '',
});

export function confirmOne(visit: MerchantVisit): Promise<PageResponse> {
  return deciding(visit, 'confirmed', (trx) => confirmKey(trx, askedOf(visit), visit.standingSeconds));
}

export function refuseOne(visit: MerchantVisit): Promise<PageResponse> {
  return deciding(visit, 'refused', (trx) => refuseKey(trx, askedOf(visit)));
}
