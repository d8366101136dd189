/** The pages of mailed links: a password reset, or an invitation. */
import { enqueueMail } from '../../mail/enqueue-mail';
import { inTransaction } from '../../store/transaction';
import { UserError } from '../../users/requests';
import { findLink, makeLink, resetPassword, acceptInvitation } from '../../users/links';
import { roleAt } from '../../users/members';
import { preparePassword, canMailAddress } from '../../users/passwords';
import { recordOwn } from '../../users/sign-in';
import { findUser, personOf } from '../../users/users';
import { userMail, resetMail, mailDecidersOf } from '../mails';
import { draw, template } from '../render';
import { go, type PageResponse, type Visit } from '../visit';
import { problem } from './parts';

const forgotTemplate = template(`
<div class="narrow">
<h1><%= it.t('forgot.title') %></h1>
<% if (it.sendsMail) { %>
<p><%= it.t('forgot.text') %></p>
<form method="post" action="/forgot" class="card">
<%~ it.token %>
<label for="email"><%= it.t('sign_in.email') %></label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254">
<button type="submit"><%= it.t('forgot.submit') %></button>
</form>
<% } else { %><p><%= it.t('forgot.no_mail') %></p><% } %>
</div>
`);
const sentTemplate = template(`
<div class="narrow"><h1><%= it.t('forgot.sent.title') %></h1><p><%= it.t('forgot.sent.text') %></p></div>
`);

export function showForgot(visit: Visit): Promise<PageResponse> {
  const { sendsMail, t } = visit;
  const body = draw(visit, forgotTemplate, { sendsMail });
  return Promise.resolve({ kind: 'page', title: t('forgot.title'), body });
}

/** Writes the mail after the answer. Otherwise the response time would show whether the account exists. */
export function askReset(visit: Visit): Promise<PageResponse> {
  const email = visit.form('email').slice(0, 254);
  setImmediate(() => {
    writeReset(visit, email).catch((error: unknown) => {
      visit.log.error('could not write the mail with the reset link', { error });
    });
  });
  const body = draw(visit, sentTemplate);
  return Promise.resolve({ kind: 'page', title: visit.t('forgot.sent.title'), body });
}

async function writeReset({ db, settings, sendsMail }: Visit, email: string): Promise<void> {
  const user = await findUser(db, email);
  // A user who never accepted an invitation needs a new invitation, not a reset.
  if (!sendsMail || !user?.password_hash || !(await canMailAddress(db, user.email))) return;
  await inTransaction(db, async (trx) => {
    const token = await makeLink(trx, { kind: 'reset', userId: user.user_id });
    await enqueueMail(trx, resetMail(settings.url, user, token));
    await recordOwn(trx, personOf(user), 'user.reset_asked');
  });
}

/** Moves the token into a cookie, so that no later URL or referrer contains it. */
export function openReset({ params, cookies }: Visit): Promise<PageResponse> {
  const token = params['token'] ?? '';
  return Promise.resolve(go('/reset', /^[\w-]{43}$/.test(token) ? [cookies.set('link', token)] : []));
}

const resetTemplate = template(`
<div class="narrow">
<%~ it.problem %>
<h1><%= it.t('reset.title') %></h1>
<form method="post" action="/reset" class="card">
<%~ it.token %>
<input type="hidden" name="username" autocomplete="username" value="<%= it.email %>">
<label for="password"><%= it.t('password.new') %></label>
<p class="hint" id="password-hint"><%= it.t('password.hint') %></p>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="512" aria-describedby="password-hint">
<button type="submit"><%= it.t('reset.submit') %></button>
</form>
</div>
`);
const deadTemplate = template(`
<div class="narrow"><h1><%= it.t('link.dead.title') %></h1><p><%= it.t('link.dead.text') %></p>
<p><a href="/sign-in"><%= it.t('sign_in.title') %></a></p></div>
`);

function deadLink(visit: Visit): PageResponse {
  const body = draw(visit, deadTemplate);
  return { kind: 'page', status: 410, title: visit.t('link.dead.title'), body };
}

export async function showReset(visit: Visit, fault = ''): Promise<PageResponse> {
  const link = await findLink(visit.db, 'reset', visit.cookies.get('link') ?? '');
  if (!link) return deadLink(visit);
  const reported = problem(visit, fault, 'password');
  const body = draw(visit, resetTemplate, { problem: reported, email: link.user.email });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: visit.t('reset.title'), body };
}

export async function setNewPassword(visit: Visit): Promise<PageResponse> {
  const { db, cookies, form, settings, sendsMail, trier } = visit;
  const token = cookies.get('link') ?? '';
  const link = await findLink(db, 'reset', token);
  if (!link) return deadLink(visit);
  try {
    // Before the transaction, because the password queue may take time.
    const password = await preparePassword(form('password'), link.user.email, trier.address);
    await inTransaction(db, async (trx) => {
      const { user } = await resetPassword(trx, token, password);
      if (sendsMail) await enqueueMail(trx, userMail(settings.url, user, 'password'));
      await recordOwn(trx, personOf(user), 'user.reset');
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.code === 'password_weak' ? showReset(visit, visit.t('password.weak')) : deadLink(visit);
  }
  return go('/sign-in?done=reset', [cookies.clear('link'), cookies.clear('session')]);
}

/** Moves the token into a cookie, so that no later URL or referrer contains it. */
export function openInvitation({ params, cookies }: Visit): Promise<PageResponse> {
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

export async function showInvitation(visit: Visit, fault = ''): Promise<PageResponse> {
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

export async function acceptInvite(visit: Visit): Promise<PageResponse> {
  const { db, cookies, form, trier, settings, sendsMail, config, t } = visit;
  const token = cookies.get('link') ?? '';
  const found = await findLink(db, 'invitation', token);
  if (!found) return deadLink(visit);
  try {
    // Before the transaction, because the password queue may take time. An existing password stays.
    const { email, password_hash: there } = found.user;
    const password =
      there === null ? await preparePassword(form('password'), email, trier.address) : undefined;
    await inTransaction(db, async (trx) => {
      const link = await acceptInvitation(trx, token, password);
      const of = link.merchantId === null ? {} : { merchant_id: link.merchantId };
      if (link.merchantId !== null) {
        const { merchantId } = link;
        const role = (await roleAt(trx, merchantId, link.user.user_id)) ?? '';
        const mailing = { url: settings.url, sendsMail, timezone: config.timezone, merchantId };
        const change = { what: 'member_joined' as const, values: { email: link.user.email, role } };
        await mailDecidersOf(trx, { ...mailing, who: link.user.email }, change);
      }
      await recordOwn(trx, personOf(link.user), 'user.accept', of);
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.code === 'password_weak' ? showInvitation(visit, t('password.weak')) : deadLink(visit);
  }
  return go('/sign-in?done=invitation', [cookies.clear('link')]);
}
