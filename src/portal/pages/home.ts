/** The first page after sign-in, and the choice of the language. */
import { someMerchants } from '../../merchants/merchants';
import { inTransaction } from '../../store/transaction';
import { workplacesOf } from '../../users/members';
import { recordOwn } from '../../users/sign-in';
import { operatorOf, setLocale } from '../../users/users';
import { safeNext } from '../forms';
import { languageOf } from '../format';
import { draw, template } from '../render';
import { go, type PageResponse, type SignedInVisit, type Visit } from '../visit';

const homeTemplate = template(`
<h1><%= it.t('home.title') %></h1>
<% if (it.workplaces.length > 0) { %>
<h2><%= it.t('home.yours') %></h2>
<ul class="places">
<% for (const place of it.workplaces) { %>
<li><a href="/m/<%= place.merchant_id %>"><%= place.name %></a>
<span class="hint"><%= it.t('role.' + place.role) %> · <%= it.t('home.status.' + place.status) %></span></li>
<% } %>
</ul>
<% } %>
<% if (it.all) { %>
<h2><%= it.t('home.all') %></h2>
<ul class="places">
<% for (const merchant of it.all) { %>
<li><a href="/m/<%= merchant.merchant_id %>"><%= merchant.name %></a>
<span class="hint"><%= it.t('home.status.' + merchant.status) %></span></li>
<% } %>
</ul>
<% } %>
<% if (it.areMore) { %><p><a href="/ops/merchants"><%= it.t('home.more') %></a></p><% } %>
<% if (!it.all && it.workplaces.length === 0) { %>
<div class="empty"><h2><%= it.t('home.none.title') %></h2><p><%= it.t('home.none.text') %></p></div>
<% } %>
`);

/** Further merchants are on /ops/merchants. */
const listedMax = 50;

/** A user with only one merchant goes directly to its overview. */
export async function home(visit: SignedInVisit): Promise<PageResponse> {
  const { db, session, t } = visit;
  const workplaces = await workplacesOf(db, session.person.userId);
  const isPlatform = (await operatorOf(db, session.person)) !== undefined;
  const [only] = workplaces;
  if (only && workplaces.length === 1 && !isPlatform) return go(`/m/${only.merchant_id}`);
  const found = isPlatform ? await someMerchants(db, { limit: listedMax + 1 }) : undefined;
  const all = found?.slice(0, listedMax);
  const areMore = found !== undefined && found.length > listedMax;
  const body = draw(visit, homeTemplate, { workplaces, all, areMore });
  return { kind: 'page', title: t('home.title'), body };
}

/** Stores the language in a cookie and, for mails, in the account of the signed-in user. */
export async function changeLanguage({ db, cookies, form, session }: Visit): Promise<PageResponse> {
  const language = languageOf(form('language'));
  if (session && session.person.locale !== language)
    await inTransaction(db, async (trx) => {
      await setLocale(trx, session.person.userId, language);
      await recordOwn(trx, session.person, 'user.language', { language });
    });
  return go(safeNext(form('next')), [cookies.set('language', language)]);
}
