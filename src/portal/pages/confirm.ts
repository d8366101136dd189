/** Asks once more who sits there, before something that cannot be taken back. */
import { showCode, showPassword } from '../../people/sign-in';
import { safeNext } from '../forgery';
import { draw, template } from '../render';
import { go, type Answer, type SignedInVisit } from '../visit';
import { problem } from './parts';
import { refusedAs, tellOfRecovery } from './sign-in';

const confirmTemplate = template(`
<div class="narrow">
<%~ it.problem %>
<h1><%= it.t('confirm.title') %></h1>
<p><%= it.t('confirm.text') %></p>
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

function confirmPage(visit: SignedInVisit, { next = '/', fault = '', status = 200 }): Answer {
  const body = draw(visit, confirmTemplate, { next, problem: problem(visit, fault, 'code') });
  return { kind: 'page', status, title: visit.t('confirm.title'), body };
}

export function showConfirm(visit: SignedInVisit): Promise<Answer> {
  return Promise.resolve(confirmPage(visit, { next: safeNext(visit.query.get('next')) }));
}

export async function confirmAgain(visit: SignedInVisit): Promise<Answer> {
  const { db, box, session, form, trier, cookies, t } = visit;
  const next = safeNext(form('next'));
  const { hasSecondFactor } = session.person;
  const result = hasSecondFactor
    ? await showCode(db, box, session, { ...trier, code: form('code').slice(0, 40) })
    : await showPassword(db, box, session, { ...trier, password: form('password') });
  if (result.kind === 'in') {
    if (result.with === 'recovery_code') await tellOfRecovery(visit);
    return go(next, [cookies.set('session', result.token)]);
  }
  const wrong = t(hasSecondFactor ? 'second.wrong' : 'confirm.wrong');
  return confirmPage(visit, { next, ...refusedAs(visit, result, wrong) });
}
