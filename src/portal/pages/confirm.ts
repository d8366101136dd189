/** Asks once more who sits there, before something that cannot be taken back. */
import { showPassword } from '../../users/sign-in';
import { safeNext } from '../forgery';
import { draw, template } from '../render';
import { go, type Answer, type SignedInVisit } from '../visit';
import { problem } from './parts';
import { showPasskeyForm } from './passkey-form';
import { proveSecond, refusedAs, tellOfRecovery, type Told } from './sign-in';

const confirmTemplate = template(`
<div class="narrow">
<%~ it.problem %>
<h1><%= it.t('confirm.title') %></h1>
<p><%= it.t('confirm.text') %></p>
<%~ it.passkey %>
<% if (it.passkey) { %><h2><%= it.t('passkey.or_code') %></h2><% } %>
<form method="post" action="/confirm" class="card">
<%~ it.token %><input type="hidden" name="next" value="<%= it.next %>">
<% if (it.session.person.hasSecondFactor) { %>
<label for="code"><%= it.t('second.code') %></label>
<p class="hint" id="code-hint"><%= it.t('second.hint') %></p>
<input id="code" name="code" autocomplete="one-time-code" required maxlength="40" aria-describedby="code-hint" spellcheck="false" autocapitalize="none">
<% } else { %>
<label for="code"><%= it.t('confirm.password') %></label>
<input id="code" name="password" type="password" autocomplete="current-password" required maxlength="512">
<% } %>
<button type="submit"><%= it.t('second.submit') %></button>
</form>
</div>
`);

async function confirmPage(
  visit: SignedInVisit,
  { next = '/', fault = '', status = 200, retryAfterSeconds }: Told,
): Promise<Answer> {
  const passkey = await showPasskeyForm(visit, '/confirm', next);
  const body = draw(visit, confirmTemplate, { next, passkey, problem: problem(visit, fault, 'code') });
  const later = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: 'page', status, title: visit.t('confirm.title'), body, ...later };
}

export function showConfirm(visit: SignedInVisit): Promise<Answer> {
  return confirmPage(visit, { next: safeNext(visit.query.get('next')) });
}

export async function confirmAgain(visit: SignedInVisit): Promise<Answer> {
  const { session, form, cookies } = visit;
  const next = safeNext(form('next'));
  const { result, wrong } = session.person.hasSecondFactor
    ? await proveSecond(visit)
    : await provePassword(visit);
  if (result.kind === 'in') {
    if (result.with === 'recovery_code') await tellOfRecovery(visit);
    return go(next, [cookies.set('session', result.token)]);
  }
  return confirmPage(visit, { next, ...refusedAs(visit, result, wrong) });
}

async function provePassword({ db, box, session, form, trier, t }: SignedInVisit) {
  const result = await showPassword(db, box, session, { ...trier, password: form('password') });
  return { result, wrong: t('confirm.wrong') };
}
