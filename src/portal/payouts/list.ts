/** The payout lists of a merchant's team: drafts, waiting, sent and rejected ones. */
import { listCursorOf, listCursorAt } from '../../store/list-cursor';
import { handlesMoney } from '../../users/roles';
import { doneOf, pager } from '../pages/parts';
import { draw, template } from '../render';
import type { PageResponse, MerchantVisit } from '../visit';
import { listBatches, type BatchSummary } from './batches';

const listTemplate = template(`
<%~ it.done %>
<h1><%= it.t('payouts.title') %></h1>
<p><%= it.t('payouts.text') %></p>
<p class="actions"><% if (it.mayMake) { %><a class="button" href="<%= it.base %>/payouts/new"><%= it.t('payouts.make') %></a><% } %>
<a href="<%= it.base %>/payments?kind=payout"><%= it.t('payouts.all') %></a></p>
<% if (it.batches.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('payouts.title') %></caption>
<thead><tr><th scope="col"><%= it.t('payouts.name') %></th><th scope="col"><%= it.t('payments.state') %></th><th scope="col" class="number"><%= it.t('payouts.count') %></th><th scope="col"><%= it.t('payments.rail') %></th><th scope="col"><%= it.t('payouts.made') %></th></tr></thead>
<tbody><% for (const one of it.batches) { %><tr>
<th scope="row"><a href="<%= it.base %>/payouts/<%= one.batch_id %>"><%= one.name %></a></th>
<td data-label="<%= it.t('payments.state') %>"><span class="state <%= one.tone %>"><%= it.t('payouts.state.' + one.standing) %></span></td>
<td class="number" data-label="<%= it.t('payouts.count') %>"><%= it.count(one.row_count) %></td>
<td data-label="<%= it.t('payments.rail') %>"><%= it.railName(one.rail) %></td>
<td data-label="<%= it.t('payouts.made') %>"><span><%~ it.time(one.made_at) %> · <%= one.maker %></span></td></tr><% } %></tbody></table>
<%~ it.pager %>
<% } else { %><div class="empty"><h2><%= it.t('payouts.none.title') %></h2><p><%= it.t('payouts.none.text') %></p></div><% } %>
`);

const listedMax = 25;
const tones = {
  ...{ draft: 'open', waiting: 'open', sent: 'good', rejected: 'bad', over: 'bad' },
  ended: 'bad',
} as const;

/** Whether the user can create payouts and decide about those of others. */
export const isCashier = ({ place }: Pick<MerchantVisit, 'place'>) => handlesMoney(place.as);

/** The state of a list and its colour. */
export function batchState({
  state,
  is_over: over,
  ended_why: why,
}: Pick<BatchSummary, 'state' | 'is_over' | 'ended_why'>) {
  const standing = Number(over) === 1 ? 'over' : why === null ? state : 'ended';
  return { standing, tone: tones[standing] };
}

/** @returns the users' e-mail addresses by id. */
export async function namesOf(
  { db }: Pick<MerchantVisit, 'db'>,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const known = ids.filter((id) => id !== null);
  const users = await db('users').whereIn('user_id', known).select('user_id', 'email');
  return new Map(users.map(({ user_id: id, email }) => [id, email]));
}

export async function payouts(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, session, query, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  const { userId } = session.person;
  const before = listCursorAt((query.get('after') ?? '').slice(0, 100));
  const found = await listBatches(db, { merchantId, userId, before, limit: listedMax + 1 });
  const batches = found.slice(0, listedMax);
  const last = found.length > listedMax ? batches.at(-1) : undefined;
  const names = await namesOf(
    visit,
    batches.map(({ made_by: by }) => by),
  );
  const body = draw(visit, listTemplate, {
    done: doneOf(visit, 'payouts'),
    mayMake: isCashier(visit),
    pager: pager(visit, {
      path: `/m/${merchantId}/payouts`,
      from: before ? listCursorOf(before) : '',
      next: last ? listCursorOf({ at: last.made_at, id: last.batch_id }) : '',
    }),
    batches: batches.map((one) => ({ ...one, ...batchState(one), maker: names.get(one.made_by) ?? '' })),
  });
  return { kind: 'page', title: t('payouts.title'), body };
}
