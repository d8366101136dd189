import { validate as isUuid } from 'uuid';
import type { Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { UserError, endedDetails } from '../../users/requests';
import { recordAction, type Action } from '../../users/audit-log';
import { invite } from '../../users/invite';
import { changeRole, listMembers, removeMember } from '../../users/members';
import { canInvite, canMailAddress, canMail } from '../../users/passwords';
import { isMerchantRole, merchantRoles } from '../../users/roles';
import { actorOf } from '../../users/users';
import { invitationMail, mailDeciders, type Change } from '../mails';
import { draw, template } from '../render';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { doneOf, holdActor, canChange, problem } from './parts';
import { notFound, overrun } from './error-pages';

const teamTemplate = template(`
<%~ it.done %><%~ it.problem %>
<h1><%= it.t('team.title') %></h1>
<ul class="rows card">
<% for (const one of it.members) { %>
<li>
<dl>
<div><dt><%= it.t('team.email') %></dt><dd><%= one.email %><% if (one.isYou) { %> <strong>(<%= it.t('team.you') %>)</strong><% } %></dd></div>
<div><dt><%= it.t('team.role') %></dt><dd><%= it.t('role.' + one.role) %></dd></div>
<% if (one.accepted_at) { %>
<div><dt><%= it.t('team.second') %></dt><dd><%= it.t(one.hasSecond ? 'team.yes' : 'team.no') %></dd></div>
<div><dt><%= it.t('team.since') %></dt><dd><%~ it.time(one.accepted_at) %></dd></div>
<% } else { %><div><dt><%= it.t('team.since') %></dt><dd><%= it.t('team.state.invited') %></dd></div><% } %>
</dl>
<% if (it.mayChange) { %>
<div class="actions">
<form method="post" action="<%= it.base %>/team/role" class="line"><%~ it.token %><input type="hidden" name="user" value="<%= one.user_id %>">
<select name="role" aria-label="<%= it.t('team.change_of', { email: one.email }) %>">
<% for (const role of it.roles) { %><option value="<%= role %>"<% if (role === one.role) { %> selected<% } %>><%= it.t('role.' + role) %></option><% } %>
</select>
<button class="quiet" type="submit"><%= it.t('team.change') %></button></form>
<form method="post" action="<%= it.base %>/team/remove"><%~ it.token %><input type="hidden" name="user" value="<%= one.user_id %>">
<button class="quiet danger" type="submit" aria-label="<%= it.t('team.remove_of', { email: one.email }) %>"><%= it.t('team.remove') %></button></form>
</div>
<% } %>
</li>
<% } %>
</ul>
<% if (it.mayChange) { %>
<section class="card" aria-labelledby="invite">
<h2 id="invite"><%= it.t('team.invite.title') %></h2>
<% if (it.sendsMail) { %>
<form method="post" action="<%= it.base %>/team/invite">
<%~ it.token %>
<label for="email"><%= it.t('team.email') %></label>
<input id="email" name="email" type="email" autocomplete="off" required maxlength="254" value="<%= it.email %>">
<fieldset><legend><%= it.t('team.role') %></legend>
<% for (const role of it.roles) { %>
<label class="choice"><input type="radio" name="role" value="<%= role %>"<% if (role === 'viewer') { %> checked<% } %>> <span><strong><%= it.t('role.' + role) %></strong>: <%= it.t('role.' + role + '.hint') %></span></label>
<% } %>
</fieldset>
<button type="submit"><%= it.t('team.invite.submit') %></button>
</form>
<% } else { %><p><%= it.t('team.invite.no_mail') %></p><% } %>
</section>
<% } %>
`);

export async function team(visit: MerchantVisit, { fault = '', email = '' } = {}): Promise<PageResponse> {
  const { db, place, session, sendsMail, t } = visit;
  const members = await listMembers(db, place.merchant.merchant_id);
  const body = draw(visit, teamTemplate, {
    done: fault === '' ? doneOf(visit, 'team') : '',
    problem: problem(visit, fault, email === '' ? '' : 'email'),
    members: members.map((one) => ({
      ...one,
      hasSecond: one.has_second === 1,
      isYou: one.user_id === session.person.userId,
    })),
    mayChange: place.as === 'owner',
    roles: merchantRoles,
    email,
    sendsMail,
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('team.title'), body };
}

interface Changed {
  action: string;
  userId: string;
  details?: Action['details'];
  /** The mail to the users who decide about money. */
  mail: Change;
  /** Whether the user concerned gets the mail too. An invited user gets only the invitation. */
  mailsThem: boolean;
}

/**
 * Makes the change with its audit line, or shows the reason against it on the page.
 * @param work returns undefined if the user is not a member.
 */
async function changing(
  visit: MerchantVisit,
  done: string,
  work: (trx: Transaction) => Promise<Changed | undefined>,
  email = '',
): Promise<PageResponse> {
  const { db, place, session, t } = visit;
  const { merchant_id: merchantId } = place.merchant;
  try {
    const isDone = await inTransaction(db, async (trx) => {
      // Before the change, because users may change their own role.
      await holdActor(visit, trx);
      const change = await work(trx);
      if (!change) return false;
      const { action, userId, details = {}, mail, mailsThem } = change;
      const about = await trx('users').where({ user_id: userId }).first('email', 'locale');
      const values = { ...mail.values, email: about?.email ?? '' };
      await mailDeciders(visit, trx, { ...mail, values }, mailsThem ? about : undefined);
      await recordAction(trx, {
        by: actorOf(session.person),
        action,
        subject: { kind: 'merchant', id: merchantId },
        details: { user_id: userId, ...details },
      });
      return true;
    });
    if (!isDone) return notFound(visit);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code } = error;
    const fault =
      code === 'password_weak' || code === 'link_dead' ? t('error.busy.text') : t(`team.error.${code}`);
    return team(visit, { fault, email });
  }
  return go(`/m/${merchantId}/team?done=${done}`);
}

export async function inviteMember(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, session, form, settings, sendsMail, language, t } = visit;
  const [email, role] = [form('email').slice(0, 254), form('role')];
  if (!isMerchantRole(role)) return team(visit, { fault: t('team.error.role'), email });
  if (!sendsMail) return team(visit, { fault: t('team.invite.no_mail') });
  // Limits the mails to one address.
  if (!(await canMailAddress(db, email.trim().toLowerCase())))
    return team(visit, { fault: t('team.error.slow'), email });
  if (!(await canInvite(db, place.merchant.merchant_id)))
    return team(visit, { fault: t('team.error.many_today'), email });
  const { merchant_id: merchantId, name: merchantName } = place.merchant;
  const by = actorOf(session.person);
  return changing(
    visit,
    'invited',
    async (trx) => {
      const { user } = await invite(
        trx,
        { email, locale: language, by, member: { merchantId, role } },
        ({ user: to, token }) => invitationMail(settings.url, to, { token, merchantName }),
      );
      const mail: Change = { what: 'member_invited', values: { role } };
      return { action: 'member.invite', userId: user.user_id, details: { role }, mail, mailsThem: false };
    },
    email,
  );
}

export async function changeMember(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, form, t } = visit;
  const [userId, role] = [form('user'), form('role')];
  if (!isMerchantRole(role)) return team(visit, { fault: t('team.error.role') });
  const { merchant_id: merchantId } = place.merchant;
  const may = await canChange(visit, 'team');
  if (!may.allowed) return overrun(visit, 429, may);
  const member = (await listMembers(db, merchantId)).find(({ user_id: id }) => id === userId);
  if (member?.accepted_at && !(await canMail(db, merchantId, member.email)))
    return team(visit, { fault: t('team.error.slow') });
  return changing(visit, 'role', async (trx) => {
    // The column is ASCII. The database refuses to compare it with other text.
    const left = isUuid(userId) ? await changeRole(trx, { merchantId, userId, role }) : undefined;
    if (!left) return undefined;
    const details = { role, role_before: left.role, ...endedDetails(left) };
    const values = { role, role_before: left.role };
    const mail: Change = { what: 'member_role', values, ended: left };
    return { action: 'member.role', userId, details, mail, mailsThem: left.hadAccepted };
  });
}

const sureTemplate = template(`
<h1><%= it.t('team.sure.title', { email: it.email }) %></h1>
<p><%= it.t('team.sure.text', { merchant: it.merchant }) %></p>
<div class="actions">
<form method="post" action="<%= it.base %>/team/remove"><%~ it.token %><input type="hidden" name="user" value="<%= it.userId %>"><input type="hidden" name="sure" value="1">
<button class="quiet danger" type="submit" aria-label="<%= it.t('team.remove_of', { email: it.email }) %>"><%= it.t('team.remove') %></button></form>
<a class="button quiet" href="<%= it.base %>/team"><%= it.t('sure.no') %></a>
</div>
`);

/** Asks for confirmation with the user's e-mail address, because the buttons of two members are close together. */
async function askWhetherSure(visit: MerchantVisit, userId: string): Promise<PageResponse> {
  const { db, place, t } = visit;
  const { merchant_id: merchantId, name: merchant } = place.merchant;
  const one = (await listMembers(db, merchantId)).find(({ user_id: id }) => id === userId);
  if (!one) return notFound(visit);
  const { email } = one;
  const body = draw(visit, sureTemplate, { email, merchant, userId });
  return { kind: 'page', title: t('team.sure.title', { email }), body };
}

export async function removeFromTeam(visit: MerchantVisit): Promise<PageResponse> {
  const userId = visit.form('user');
  if (visit.form('sure') !== '1') return askWhetherSure(visit, userId);
  return changing(visit, 'removed', async (trx) => {
    const { merchant_id: merchantId } = visit.place.merchant;
    const left = isUuid(userId) ? await removeMember(trx, merchantId, userId) : undefined;
    if (!left) return undefined;
    const details = { role: left.role, ...endedDetails(left) };
    const mail: Change = { what: 'member_removed', values: { role: left.role }, ended: left };
    return { action: 'member.remove', userId, details, mail, mailsThem: left.hadAccepted };
  });
}
