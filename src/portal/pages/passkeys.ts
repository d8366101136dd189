/** A device of one's own in place of a code: added, and taken away. */
import { enqueueMail } from '../../mail/enqueue-mail';
import { addPasskey, askForNewPasskey, removePasskey } from '../../users/passkeys';
import { noteProof, renewToken } from '../../users/sessions';
import { recordOwn, stageOf } from '../../users/sign-in';
import { inTransaction } from '../../store/transaction';
import { csrfOf } from '../forgery';
import { noticeMail } from '../mails';
import { draw, template } from '../render';
import { go, type Answer, type SignedInVisit } from '../visit';
import { problem } from './parts';
import { passkeyForm, passkeyOf, siteOfPortal } from './passkey-form';
import { notFound } from './refusals';
import { mustProve } from './second-app';
import { showCodes } from './security';

const here = '/security/passkey';

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

async function passkeyPage(visit: SignedInVisit, fault = ''): Promise<Answer> {
  const { db, box, session, config, t } = visit;
  const site = siteOfPortal(visit);
  const asked = site && (await askForNewPasskey(db, box, site, session));
  const body = draw(visit, passkeyTemplate, {
    problem: problem(visit, fault),
    isNeeded: stageOf(session, config.environment) === 'enrol',
    form: asked ? passkeyForm(visit, asked, { action: here, named: true }) : '',
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('passkey.title'), body };
}

export async function showPasskeys(visit: SignedInVisit): Promise<Answer> {
  return mustProve(visit, here) ?? passkeyPage(visit);
}

export async function addOnePasskey(visit: SignedInVisit): Promise<Answer> {
  const first = mustProve(visit, here);
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
      await noteProof(trx, sessionId, { passedSecond: true });
      token = await renewToken(trx, sessionId);
      if (sendsMail) await enqueueMail(trx, noticeMail(settings.url, person, 'passkey_on'));
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

export async function removeOnePasskey(visit: SignedInVisit): Promise<Answer> {
  const { db, session, config, settings, sendsMail, form } = visit;
  const { person } = session;
  const removed = await inTransaction(db, async (trx) => {
    const isRemoved = await removePasskey(trx, {
      asker: session,
      passkeyId: form('passkey'),
      mustStay: config.environment === 'live',
    });
    if (!isRemoved) return false;
    if (sendsMail) await enqueueMail(trx, noticeMail(settings.url, person, 'passkey_off'));
    await recordOwn(trx, person, 'user.passkey.remove');
    return true;
  });
  return removed ? go('/security?done=passkey_removed') : notFound(visit);
}
