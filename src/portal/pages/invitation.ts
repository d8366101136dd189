import { acceptInvitation, findLink } from '../../users/links';
import { roleAt } from '../../users/members';
import { preparePassword } from '../../users/passwords';
import { PeopleRefusal } from '../../users/asked';
import { recordOwn } from '../../users/sign-in';
import { personOf } from '../../users/users';
import { inTransaction } from '../../store/transaction';
import { draw, template } from '../render';
import { tellDecidersOf } from '../tell-deciders';
import { go, type Answer, type Visit } from '../visit';
import { deadLink } from './forgot';
import { problem } from './parts';

/** The token moves into a cookie, so that no later address, and no page behind a link, has it. */
export function openInvitation({ params, cookies }: Visit): Promise<Answer> {
  const token = params['token'] ?? '';
  return Promise.resolve(go('/invitation', /^[\w-]{43}$/.test(token) ? [cookies.set('link', token)] : []));
}

const invitationTemplate = template(`
<div class="narrow">
<%~ it.problem %>
<h1><%= it.t('invitation.title') %></h1>
<p><%= it.text %></p>
<form method="post" action="/invitation" class="card">
<%~ it.token %>
<input type="hidden" name="username" autocomplete="username" value="<%= it.email %>">
<% if (it.isKnown) { %><p><%= it.t('invitation.known') %></p><% } else { %>
<label for="password"><%= it.t('password.new') %></label>
<p class="hint" id="password-hint"><%= it.t('password.hint') %></p>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="512" aria-describedby="password-hint">
<% } %>
<button type="submit"><%= it.t('invitation.submit') %></button>
</form>
</div>
`);

export async function showInvitation(visit: Visit, fault = ''): Promise<Answer> {
  const { db, cookies, t } = visit;
  const link = await findLink(db, 'invitation', cookies.get('link') ?? '');
  if (!link) return deadLink(visit);
  const { email } = link.user;
  const { merchantName: merchant } = link;
  const body = draw(visit, invitationTemplate, {
    problem: problem(visit, fault, 'password'),
    email,
    isKnown: link.user.password_hash !== null,
    text:
      merchant === undefined
        ? t('invitation.platform', { email })
        : t('invitation.merchant', { merchant, email }),
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('invitation.title'), body };
}

export async function acceptInvite(visit: Visit): Promise<Answer> {
  const { db, cookies, form, trier, settings, sendsMail, config, t } = visit;
  const token = cookies.get('link') ?? '';
  const found = await findLink(db, 'invitation', token);
  if (!found) return deadLink(visit);
  try {
    // Before the transaction: it may wait for its turn. Who has a password keeps it.
    const { email, password_hash: there } = found.user;
    const password =
      there === null ? await preparePassword(form('password'), email, trier.address) : undefined;
    await inTransaction(db, async (trx) => {
      const link = await acceptInvitation(trx, token, password);
      const of = link.merchantId === null ? {} : { merchant_id: link.merchantId };
      if (link.merchantId !== null) {
        const { merchantId } = link;
        const role = (await roleAt(trx, merchantId, link.user.user_id)) ?? '';
        const telling = { url: settings.url, sendsMail, timezone: config.timezone, merchantId };
        const change = { what: 'member_joined' as const, values: { email: link.user.email, role } };
        await tellDecidersOf(trx, { ...telling, who: link.user.email }, change);
      }
      await recordOwn(trx, personOf(link.user), 'user.accept', of);
    });
  } catch (error) {
    if (!(error instanceof PeopleRefusal)) throw error;
    return error.code === 'password_weak' ? showInvitation(visit, t('password.weak')) : deadLink(visit);
  }
  return go('/sign-in?done=invitation', [cookies.clear('link')]);
}
