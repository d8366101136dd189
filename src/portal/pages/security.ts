/** The security page: password, authenticator app, passkeys, recovery codes and sessions. */
import { toString as qrCode } from 'qrcode';
import { enqueueMail } from '../../mail/enqueue-mail';
import type { Database } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { UserError } from '../../users/requests';
import { holdCredentials, renewCredentials } from '../../users/credentials';
import { listPasskeys, addPasskey, askForNewPasskey, removePasskey } from '../../users/passkeys';
import { preparePassword } from '../../users/passwords';
import {
  countRecoveryCodes,
  writeRecoveryCodes,
  addSecondFactor,
  newSecondFactor,
  removeApp as takeAppAway,
} from '../../users/second-factor';
import { endOtherSessions, endSession, listSessions, recordFactor, renewToken } from '../../users/sessions';
import { recordOwn, stageOf } from '../../users/sign-in';
import { setPassword } from '../../users/users';
import { csrfOf } from '../forms';
import { userMail } from '../mails';
import { draw, template } from '../render';
import { go, type PageResponse, type SignedInVisit } from '../visit';
import { doneOf, problem } from './parts';
import { siteOfPortal, passkeyForm, passkeyOf } from './sign-in';
import { notFound } from './error-pages';

const securityTemplate = template(`
<%~ it.done %><%~ it.problem %>
<h1><%= it.t('security.title') %></h1>
<p><%= it.t('security.signed_in_as', { email: it.session.person.email }) %></p>

<section class="card" aria-labelledby="second">
<h2 id="second"><%= it.t('security.second.title') %></h2>
<% const { hasApp, hasPasskey } = it.session.person; %>
<% if (hasApp || hasPasskey) { %>
<p><%= it.t(hasApp ? 'security.second.on' : 'security.second.passkey_on') %></p>
<div class="actions">
<a class="button quiet" href="/security/app"><%= it.t(hasApp ? 'security.second.replace' : 'security.second.add') %></a>
<% if (it.hasSite) { %><a class="button quiet" href="/security/passkey"><%= it.t('passkey.add') %></a><% } %>
<% if (hasApp && it.mayRemoveApp) { %>
<form method="post" action="/security/app/remove"><%~ it.token %><button class="quiet" type="submit"><%= it.t('security.app.remove') %></button></form>
<% } %>
</div>
<% if (hasPasskey) { %>
<h3><%= it.t('security.passkeys') %></h3>
<ul class="rows"><% for (const one of it.passkeys) { %><li><dl>
<div><dt><%= it.t('dev.key.name') %></dt><dd><%= one.name %></dd></div>
<div><dt><%= it.t('dev.key.created') %></dt><dd><%~ it.time(one.created_at) %></dd></div>
<div><dt><%= it.t('security.passkeys.used') %></dt><dd><% if (one.last_used_at) { %><%~ it.time(one.last_used_at) %><% } else { %><%= it.t('security.passkeys.unused') %><% } %></dd></div></dl>
<% if (it.mayRemovePasskey) { %><form method="post" action="/security/passkey/remove" class="actions"><%~ it.token %><input type="hidden" name="passkey" value="<%= one.passkey_id %>"><button class="quiet danger" type="submit" aria-label="<%= it.t('security.passkeys.remove_of', { name: one.name }) %>"><%= it.t('security.passkeys.remove') %></button></form><% } %></li><% } %></ul>
<% } %>
<h3><%= it.t('security.recovery.title') %></h3>
<p><%= it.t('security.recovery.left', { n: it.codesLeft }) %></p>
<form method="post" action="/security/recovery-codes"><%~ it.token %><button class="quiet" type="submit"><%= it.t('security.recovery.new') %></button></form>
<% } else { %>
<p><%= it.t('security.second.off') %></p>
<p class="actions"><a class="button" href="/security/app"><%= it.t('security.second.add') %></a>
<% if (it.hasSite) { %><a class="button quiet" href="/security/passkey"><%= it.t('passkey.add') %></a><% } %></p>
<% } %>
</section>

<section class="card" aria-labelledby="change">
<h2 id="change"><%= it.t('security.password.title') %></h2>
<form method="post" action="/security/password">
<%~ it.token %>
<input type="hidden" name="username" autocomplete="username" value="<%= it.session.person.email %>">
<label for="password"><%= it.t('password.new') %></label>
<p class="hint" id="password-hint"><%= it.t('password.hint') %></p>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="512" aria-describedby="password-hint">
<button type="submit"><%= it.t('security.password.submit') %></button>
</form>
</section>

<section class="card" aria-labelledby="sessions">
<h2 id="sessions"><%= it.t('security.sessions.title') %></h2>
<% if (it.refused) { %><p class="note"><%= it.t('security.refused', { n: it.count(it.refused.n) }) %> <%~ it.time(it.refused.at) %></p><% } %>
<ul class="rows">
<% for (const one of it.sessions) { %>
<li>
<dl>
<div><dt><%= it.t('security.sessions.browser') %></dt><dd><%= one.agent %><% if (one.isHere) { %> <strong>(<%= it.t('security.sessions.here') %>)</strong><% } %></dd></div>
<div><dt><%= it.t('security.sessions.address') %></dt><dd><%= one.address %></dd></div>
<div><dt><%= it.t('security.sessions.since') %></dt><dd><%~ it.time(one.created_at) %></dd></div>
<div><dt><%= it.t('security.sessions.seen') %></dt><dd><%~ it.time(one.seen_at) %></dd></div>
</dl>
<% if (!one.isHere) { %>
<form method="post" action="/security/sessions/end"><%~ it.token %><input type="hidden" name="session" value="<%= one.session_id %>"><button class="quiet" type="submit"><%= it.t('security.sessions.end') %></button></form>
<% } %>
</li>
<% } %>
</ul>
<% if (it.sessions.length > 1) { %>
<form method="post" action="/security/sessions/end-others"><%~ it.token %><button type="submit"><%= it.t('security.sessions.end_others') %></button></form>
<% } %>
</section>
`);

export async function security(visit: SignedInVisit, fault = ''): Promise<PageResponse> {
  const { db, session, config, t } = visit;
  const { userId } = session.person;
  const sessions = (await listSessions(db, userId)).map((one) => ({
    ...one,
    isHere: one.session_id === session.sessionId,
  }));
  const isSandbox = config.environment === 'sandbox';
  const passkeys = await listPasskeys(db, userId);
  const body = draw(visit, securityTemplate, {
    done: fault === '' ? doneOf(visit, 'security') : '',
    problem: problem(visit, fault, 'password'),
    // In live, a user must keep at least one second factor.
    mayRemoveApp: isSandbox || session.person.hasPasskey,
    mayRemovePasskey: isSandbox || session.person.hasApp || passkeys.length > 1,
    hasSite: siteOfPortal(visit) !== undefined,
    passkeys,
    refused: await refusedTries(db, userId),
    codesLeft: await countRecoveryCodes(db, userId),
    sessions,
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('security.title'), body };
}

const refusedShownDays = 30;

/** The recent failed sign-in attempts on this account. */
async function refusedTries(db: Database, userId: string) {
  const user = await db('users')
    .where({ user_id: userId })
    .whereRaw(`refused_at > UTC_TIMESTAMP(3) - INTERVAL ${String(refusedShownDays)} DAY`)
    .first('refused_tries', 'refused_at');
  return user && { n: user.refused_tries, at: user.refused_at };
}

export async function endOneSession(visit: SignedInVisit): Promise<PageResponse> {
  const { db, session, form } = visit;
  const ended = await inTransaction(db, async (trx) => {
    const isEnded = await endSession(trx, session.person.userId, form('session'));
    if (isEnded) await recordOwn(trx, session.person, 'user.end_session', { session_id: form('session') });
    return isEnded;
  });
  return ended ? go('/security?done=session') : notFound(visit);
}

export async function endOthers({ db, session }: SignedInVisit): Promise<PageResponse> {
  await inTransaction(db, async (trx) => {
    await holdCredentials(trx, session.person.userId, session.credentials);
    const ended = await endOtherSessions(trx, session.person.userId, session.sessionId);
    await recordOwn(trx, session.person, 'user.end_sessions', { ended });
  });
  return go('/security?done=others');
}

export async function changePassword(visit: SignedInVisit): Promise<PageResponse> {
  const { db, session, form, settings, sendsMail, trier, t } = visit;
  const { person, sessionId, credentials } = session;
  try {
    // Before the transaction, because the password queue may take time.
    const password = await preparePassword(form('password'), person.email, trier.address);
    await inTransaction(db, async (trx) => {
      const user = await holdCredentials(trx, person.userId, credentials);
      await setPassword(trx, user, password, { sessionId });
      if (sendsMail) await enqueueMail(trx, userMail(settings.url, person, 'password'));
      await recordOwn(trx, person, 'user.password');
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return security(visit, t('password.weak'));
  }
  return go('/security?done=password');
}

const codesTemplate = template(`
<div class="narrow">
<h1><%= it.t('security.recovery.shown.title') %></h1>
<p><%= it.t('security.recovery.shown.text') %></p>
<ol class="codes card">
<% for (const code of it.codes) { %><li><code><%= code %></code></li><% } %>
</ol>
<p><a class="button" href="/security"><%= it.t('security.recovery.kept') %></a></p>
</div>
`);

/** Shows recovery codes once. */
function showCodes(visit: SignedInVisit, codes: string[]) {
  const body = draw(visit, codesTemplate, { codes });
  return { kind: 'page' as const, title: visit.t('security.recovery.shown.title'), body };
}

export async function newRecoveryCodes(visit: SignedInVisit): Promise<PageResponse> {
  const { db, session } = visit;
  if (!session.person.hasSecondFactor) return notFound(visit);
  const codes = await inTransaction(db, async (trx) => {
    await holdCredentials(trx, session.person.userId, session.credentials);
    const written = await writeRecoveryCodes(trx, session.person.userId);
    await renewCredentials(trx, session.person.userId, { sessionId: session.sessionId });
    await recordOwn(trx, session.person, 'user.recovery_codes');
    return written;
  });
  return showCodes(visit, codes);
}

const appTemplate = template(`
<div class="narrow">
<%~ it.problem %>
<h1><%= it.t('app_add.title') %></h1>
<% if (it.isNeeded) { %><p><%= it.t('app_add.needed') %></p><% } %>
<p><%= it.t('app_add.scan') %></p>
<div class="qr" role="img" aria-label="<%= it.t('app_add.picture') %>"><%~ it.picture %></div>
<p><%= it.t('app_add.type') %><br><code class="key"><%= it.secret %></code></p>
<form method="post" action="/security/app" class="card">
<%~ it.token %><input type="hidden" name="encrypted" value="<%= it.encrypted %>">
<label for="code"><%= it.t('app_add.enter') %></label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="10" spellcheck="false">
<button type="submit"><%= it.t('app_add.submit') %></button>
</form>
<p><a href="/security/passkey"><%= it.t('passkey.other') %></a></p>
</div>
`);

/**
 * Binds the encrypted secret to this user and session. The form carries it; the database stores it only after the user
 * has proved it.
 */
const contextOf = ({ session }: SignedInVisit) => `new-totp:${session.person.userId}:${session.sessionId}`;

/**
 * A user with a second factor must show it first. A user without one must have proved the password recently.
 * @returns the page to go to first.
 */
function mustProve({ session, config }: SignedInVisit, here: string): PageResponse | undefined {
  const stage = stageOf(session, config.environment);
  const next = `?next=${encodeURIComponent(here)}`;
  if (stage === 'second_factor') return go(`/second-factor${next}`);
  return stage === 'in' && !session.isFresh ? go(`/confirm${next}`) : undefined;
}

async function appPage(visit: SignedInVisit, secret: string | undefined, fault = ''): Promise<PageResponse> {
  const { box, session, config, t } = visit;
  const made = newSecondFactor(session.person.email, secret);
  const body = draw(visit, appTemplate, {
    problem: problem(visit, fault, 'code'),
    isNeeded: stageOf(session, config.environment) === 'enrol',
    picture: await qrCode(made.uri, { type: 'svg', margin: 2 }),
    secret: made.secret.match(/.{1,4}/g)?.join(' ') ?? '',
    encrypted: box.encrypt(made.secret, contextOf(visit)),
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('app_add.title'), body };
}

const appPath = '/security/app';

export async function showApp(visit: SignedInVisit): Promise<PageResponse> {
  return mustProve(visit, appPath) ?? appPage(visit, undefined);
}

export async function addApp(visit: SignedInVisit): Promise<PageResponse> {
  const first = mustProve(visit, appPath);
  if (first) return first;
  const { db, box, session, form, settings, sendsMail, cookies, t } = visit;
  const { person, sessionId } = session;
  let token = '';
  const secret = opened(visit, form('encrypted'));
  if (secret === undefined) return appPage(visit, undefined);
  const code = form('code').slice(0, 40);
  const codes = await addSecondFactor(
    db,
    box,
    { userId: person.userId, secret, code, session },
    async (trx) => {
      await recordFactor(trx, sessionId, { passedSecond: true });
      token = await renewToken(trx, sessionId);
      if (sendsMail) await enqueueMail(trx, userMail(settings.url, person, 'second_on'));
      await recordOwn(trx, person, 'user.second_factor.add');
    },
  );
  if (!codes) return appPage(visit, secret, t('second.wrong'));
  const csrf = csrfOf(token);
  const shown = showCodes({ ...visit, csrf, session: { ...session, passedSecond: true } }, codes);
  return { ...shown, csrf, cookies: [cookies.set('session', token)] };
}

function opened(visit: SignedInVisit, encrypted: string): string | undefined {
  try {
    return visit.box.open(encrypted, contextOf(visit));
  } catch {
    return undefined;
  }
}

/** In live, the user must have a passkey to remove the app, because a second factor is required. */
export async function removeApp(visit: SignedInVisit): Promise<PageResponse> {
  const { db, session, config, settings, sendsMail } = visit;
  const { person } = session;
  const removed = await inTransaction(db, async (trx) => {
    const mustStay = config.environment === 'live';
    if (!(await takeAppAway(trx, session, mustStay))) return false;
    if (sendsMail) await enqueueMail(trx, userMail(settings.url, person, 'second_off'));
    await recordOwn(trx, person, 'user.second_factor.remove');
    return true;
  });
  return removed ? go('/security?done=removed') : notFound(visit);
}

// Passkeys: adding and removing.

const passkeyPath = '/security/passkey';

const passkeyTemplate = template(`
<div class="narrow">
<%~ it.problem %>
<h1><%= it.t('passkey.title') %></h1>
<% if (it.isNeeded) { %><p><%= it.t('app_add.needed') %></p><% } %>
<p><%= it.t('passkey.text') %></p>
<%~ it.form %>
<p class="note" data-without-passkeys><%= it.t('passkey.none') %></p>
<p><a href="/security/app"><%= it.t('passkey.app') %></a></p>
</div>
`);

async function passkeyPage(visit: SignedInVisit, fault = ''): Promise<PageResponse> {
  const { db, box, session, config, t } = visit;
  const site = siteOfPortal(visit);
  const asked = site && (await askForNewPasskey(db, box, site, session));
  const body = draw(visit, passkeyTemplate, {
    problem: problem(visit, fault),
    isNeeded: stageOf(session, config.environment) === 'enrol',
    form: asked ? passkeyForm(visit, asked, { action: passkeyPath, named: true }) : '',
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('passkey.title'), body };
}

export async function showPasskeys(visit: SignedInVisit): Promise<PageResponse> {
  return mustProve(visit, passkeyPath) ?? passkeyPage(visit);
}

export async function addOnePasskey(visit: SignedInVisit): Promise<PageResponse> {
  const first = mustProve(visit, passkeyPath);
  if (first) return first;
  const { db, box, session, form, settings, sendsMail, cookies, t } = visit;
  const { person, sessionId } = session;
  const sent = passkeyOf(visit);
  if (!sent || form('name').trim() === '') return passkeyPage(visit, t('passkey.wrong_new'));
  let token = '';
  const { site, ...answered } = sent;
  const added = await addPasskey(
    db,
    box,
    site,
    { ...answered, asker: session, name: form('name') },
    async (trx) => {
      await recordFactor(trx, sessionId, { passedSecond: true });
      token = await renewToken(trx, sessionId);
      if (sendsMail) await enqueueMail(trx, userMail(settings.url, person, 'passkey_on'));
      await recordOwn(trx, person, 'user.passkey.add');
    },
  );
  if (!added) return passkeyPage(visit, t('passkey.wrong_new'));
  const kept = [cookies.set('session', token)];
  if (added.codes.length === 0) return go('/security?done=passkey', kept);
  const csrf = csrfOf(token);
  const shown = showCodes({ ...visit, csrf, session: { ...session, passedSecond: true } }, added.codes);
  return { ...shown, csrf, cookies: kept };
}

export async function removeOnePasskey(visit: SignedInVisit): Promise<PageResponse> {
  const { db, session, config, settings, sendsMail, form } = visit;
  const { person } = session;
  const removed = await inTransaction(db, async (trx) => {
    const isRemoved = await removePasskey(trx, {
      asker: session,
      passkeyId: form('passkey'),
      mustStay: config.environment === 'live',
    });
    if (!isRemoved) return false;
    if (sendsMail) await enqueueMail(trx, userMail(settings.url, person, 'passkey_off'));
    await recordOwn(trx, person, 'user.passkey.remove');
    return true;
  });
  return removed ? go('/security?done=passkey_removed') : notFound(visit);
}
