/** Sign-in with password and second factor, and the confirmation before dangerous actions. */
import { enqueueMail } from '../../mail/enqueue-mail';
import { inTransaction } from '../../store/transaction';
import { askForPasskey, siteOf, type EncryptedOptions, type Site } from '../../users/passkeys';
import { endSession } from '../../users/sessions';
import { recordOwn, showCode, showPasskey, signIn, showPassword, type Refused } from '../../users/sign-in';
import { safeNext, originsOf } from '../forms';
import { userMail } from '../mails';
import { draw, template } from '../render';
import { go, type PageResponse, type SignedInVisit, type Visit } from '../visit';
import { assetUrl } from './assets';
import { doneOf, problem } from './parts';

const signInTemplate = template(`
<div class="narrow">
<%~ it.done %><%~ it.problem %>
<h1><%= it.t('sign_in.title') %></h1>
<form method="post" action="/sign-in" class="card">
<%~ it.token %><input type="hidden" name="next" value="<%= it.next %>">
<label for="email"><%= it.t('sign_in.email') %></label>
<input id="email" name="email" type="email" autocomplete="username" required value="<%= it.email %>" maxlength="254">
<label for="password"><%= it.t('sign_in.password') %></label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="512">
<button type="submit"><%= it.t('sign_in.submit') %></button>
</form>
<p><a href="/forgot"><%= it.t('sign_in.forgot') %></a></p>
</div>
`);

/** The texts of the page beside its form. */
interface SignInState {
  next?: string;
  email?: string;
  fault?: string;
  status?: number;
  retryAfterSeconds?: number | undefined;
}

function signInPage(
  visit: Visit,
  { next = '/', email = '', fault = '', status = 200, retryAfterSeconds }: SignInState = {},
): PageResponse {
  const done = fault === '' ? doneOf(visit, 'sign_in') : '';
  const reported = problem(visit, fault, 'email');
  const body = draw(visit, signInTemplate, { next, email, done, problem: reported });
  const later = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: 'page', status, title: visit.t('sign_in.title'), body, ...later };
}

export function showSignIn(visit: Visit): Promise<PageResponse> {
  return Promise.resolve(signInPage(visit, { next: safeNext(visit.query.get('next')) }));
}

/** The error text and status of a failed attempt. */
function refusedAs(visit: Visit, refused: Refused, wrong: string) {
  if (refused.kind === 'wrong') {
    if (refused.alarming) mailAboutTries(visit, refused.alarming);
    return { fault: wrong, status: 422 };
  }
  const { kind, retryAfterSeconds } = refused;
  const fault = visit.t('sign_in.slow', { seconds: retryAfterSeconds });
  return { fault, status: kind === 'slow' ? 429 : 503, retryAfterSeconds };
}

/** Writes the mail after the answer. Otherwise the response time would show whether the account exists. */
function mailAboutTries(
  { db, settings, sendsMail, log }: Visit,
  to: { email: string; locale: string },
): void {
  if (!sendsMail) return;
  setImmediate(() => {
    inTransaction(db, (trx) => enqueueMail(trx, userMail(settings.url, to, 'refused'))).catch(
      (error: unknown) => {
        log.error('could not write the mail about refused sign-ins', { error });
      },
    );
  });
}

export async function checkPassword(visit: Visit): Promise<PageResponse> {
  const { db, box, cookies, form, trier, session } = visit;
  const [email, next] = [form('email').slice(0, 254), safeNext(form('next'))];
  const result = await signIn(db, box, { ...trier, email, password: form('password') });
  if (result.kind !== 'in')
    return signInPage(visit, { next, email, ...refusedAs(visit, result, visit.t('sign_in.wrong')) });
  // The browser loses the token of the previous session, so nobody else would end that session.
  if (session) await endSession(db, session.person.userId, session.sessionId);
  const kept = [cookies.set('session', result.token), cookies.clear('visit')];
  if (result.person.hasSecondFactor) return go(`/second-factor?next=${encodeURIComponent(next)}`, kept);
  // With a second factor, the browser cookie is set only after the second factor.
  return go(next, [...kept, cookies.set('browser', result.browser)]);
}

const secondTemplate = template(`
<div class="narrow">
<%~ it.problem %>
<h1><%= it.title %></h1>
<%~ it.passkey %>
<% if (it.passkey) { %><h2><%= it.t('passkey.or_code') %></h2><% } %>
<form method="post" action="/second-factor" class="card">
<%~ it.token %><input type="hidden" name="next" value="<%= it.next %>">
<label for="code"><%= it.t('second.code') %></label>
<p class="hint" id="code-hint"><%= it.t('second.hint') %></p>
<input id="code" name="code" autocomplete="one-time-code" required maxlength="40" aria-describedby="code-hint" spellcheck="false" autocapitalize="none">
<button type="submit"><%= it.t('second.submit') %></button>
</form>
</div>
`);

async function secondPage(
  visit: SignedInVisit,
  { next = '/', fault = '', status = 200, retryAfterSeconds }: SignInState,
): Promise<PageResponse> {
  const passkey = await showPasskeyForm(visit, '/second-factor', next);
  const title = visit.t(passkey === '' ? 'second.title' : 'second.title.passkey');
  const body = draw(visit, secondTemplate, { title, next, passkey, problem: problem(visit, fault, 'code') });
  const later = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: 'page', status, title, body, ...later };
}

export async function showSecondFactor(visit: SignedInVisit): Promise<PageResponse> {
  const next = safeNext(visit.query.get('next'));
  const isNeeded = visit.session.person.hasSecondFactor && !visit.session.passedSecond;
  return isNeeded ? secondPage(visit, { next }) : go(next);
}

/** Checks the passkey or the code, and gives the error text for a wrong one. */
async function proveSecond(visit: SignedInVisit) {
  const { db, box, form, trier, session, t } = visit;
  const passkey = passkeyOf(visit);
  const result = passkey
    ? await showPasskey(db, box, session, { ...trier, ...passkey })
    : await showCode(db, box, session, { ...trier, code: form('code').slice(0, 40) });
  return { result, wrong: t(passkey ? 'passkey.wrong' : 'second.wrong') };
}

export async function checkCode(visit: SignedInVisit): Promise<PageResponse> {
  const { cookies, form } = visit;
  const next = safeNext(form('next'));
  const { result, wrong } = await proveSecond(visit);
  if (result.kind !== 'in') return secondPage(visit, { next, ...refusedAs(visit, result, wrong) });
  if (result.with === 'recovery_code') await mailAboutRecovery(visit);
  return go(next, [cookies.set('session', result.token), cookies.set('browser', result.browser)]);
}

async function mailAboutRecovery({ db, settings, sendsMail, session }: SignedInVisit): Promise<void> {
  if (!sendsMail) return;
  await inTransaction(db, (trx) => enqueueMail(trx, userMail(settings.url, session.person, 'recovery')));
}

export async function signOut({ db, cookies, session }: SignedInVisit): Promise<PageResponse> {
  await inTransaction(db, async (trx) => {
    await endSession(trx, session.person.userId, session.sessionId);
    await recordOwn(trx, session.person, 'user.sign_out');
  });
  return go('/sign-in?done=out', [cookies.clear('session')]);
}

// Confirms the user's identity again before a dangerous action.

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
  { next = '/', fault = '', status = 200, retryAfterSeconds }: SignInState,
): Promise<PageResponse> {
  const passkey = await showPasskeyForm(visit, '/confirm', next);
  const body = draw(visit, confirmTemplate, { next, passkey, problem: problem(visit, fault, 'code') });
  const later = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { kind: 'page', status, title: visit.t('confirm.title'), body, ...later };
}

export function showConfirm(visit: SignedInVisit): Promise<PageResponse> {
  return confirmPage(visit, { next: safeNext(visit.query.get('next')) });
}

export async function confirmAgain(visit: SignedInVisit): Promise<PageResponse> {
  const { session, form, cookies } = visit;
  const next = safeNext(form('next'));
  const { result, wrong } = session.person.hasSecondFactor
    ? await proveSecond(visit)
    : await provePassword(visit);
  if (result.kind === 'in') {
    if (result.with === 'recovery_code') await mailAboutRecovery(visit);
    return go(next, [cookies.set('session', result.token)]);
  }
  return confirmPage(visit, { next, ...refusedAs(visit, result, wrong) });
}

async function provePassword({ db, box, session, form, trier, t }: SignedInVisit) {
  const result = await showPassword(db, box, session, { ...trier, password: form('password') });
  return { result, wrong: t('confirm.wrong') };
}

// The passkey form, beside the code form. It is visible only if the browser has scripts and passkeys.

const formTemplate = template(`
<form method="post" action="<%= it.action %>" class="card" data-passkey="<%= it.asked %>" hidden>
<%~ it.token %><input type="hidden" name="encrypted" value="<%= it.encrypted %>"><input type="hidden" name="passkey" value="">
<% if (it.next) { %><input type="hidden" name="next" value="<%= it.next %>"><% } %>
<p class="problem" role="alert" hidden><%= it.t('passkey.failed') %></p>
<% if (it.named) { %><label for="passkey-name"><%= it.t('passkey.name') %></label>
<p class="hint" id="passkey-name-hint"><%= it.t('passkey.name.hint') %></p>
<input id="passkey-name" name="name" required maxlength="60" autocomplete="off" aria-describedby="passkey-name-hint"><% } %>
<button type="submit"><%= it.t(it.named ? 'passkey.add' : 'passkey.use') %></button>
</form>
<script src="<%= it.script %>" defer></script>
`);

interface Form {
  action: string;
  next?: string;
  /** Whether the form asks for a device name, for a new passkey. */
  named: boolean;
}

export function passkeyForm(
  visit: Visit,
  { options, encrypted }: EncryptedOptions<object>,
  form: Form,
): string {
  const asked = JSON.stringify(options);
  return draw(visit, formTemplate, { next: '', ...form, asked, encrypted, script: assetUrl('passkeys.js') });
}

/** The passkey site of this portal; undefined if its address cannot have passkeys. */
export function siteOfPortal({ settings }: Pick<Visit, 'settings'>): Site | undefined {
  return siteOf(originsOf(settings.url));
}

/** @returns an empty text for a user without a passkey. */
async function showPasskeyForm(visit: SignedInVisit, action: string, next: string): Promise<string> {
  const { db, box, session } = visit;
  const site = siteOfPortal(visit);
  if (!site || !session.person.hasPasskey) return '';
  return passkeyForm(visit, await askForPasskey(db, box, site, session), { action, next, named: false });
}

/** The answer of the passkey form; undefined if the code form was sent. */
export function passkeyOf(visit: Visit): { site: Site; encrypted: string; answer: string } | undefined {
  const site = siteOfPortal(visit);
  const answer = visit.form('passkey');
  return site && answer !== '' ? { site, encrypted: visit.form('encrypted'), answer } : undefined;
}
