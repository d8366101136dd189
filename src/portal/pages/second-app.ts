import { toString as qrCode } from 'qrcode';
import { enqueueMail } from '../../mail/enqueue-mail';
import { addSecondFactor, newSecondFactor, removeApp as takeAppAway } from '../../users/second-factor';
import { noteProof, renewToken } from '../../users/sessions';
import { recordOwn, stageOf } from '../../users/sign-in';
import { inTransaction } from '../../store/transaction';
import { csrfOf } from '../forgery';
import { noticeMail } from '../mails';
import { draw, template } from '../render';
import { go, type Answer, type SignedInVisit } from '../visit';
import { problem } from './parts';
import { notFound } from './refusals';
import { showCodes } from './security';

const appTemplate = template(`
<div class="narrow">
<%~ it.problem %>
<h1><%= it.t('app_add.title') %></h1>
<% if (it.isNeeded) { %><p><%= it.t('app_add.needed') %></p><% } %>
<p><%= it.t('app_add.scan') %></p>
<div class="qr" role="img" aria-label="<%= it.t('app_add.picture') %>"><%~ it.picture %></div>
<p><%= it.t('app_add.type') %><br><code class="key"><%= it.secret %></code></p>
<form method="post" action="/security/app" class="card">
<%~ it.token %><input type="hidden" name="sealed" value="<%= it.sealed %>">
<label for="code"><%= it.t('app_add.enter') %></label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="10" spellcheck="false">
<button type="submit"><%= it.t('app_add.submit') %></button>
</form>
<p><a href="/security/passkey"><%= it.t('passkey.other') %></a></p>
</div>
`);

/** For this person in this session: a secret that is not known to anybody else, and is kept nowhere until it is proved. */
const contextOf = ({ session }: SignedInVisit) => `new-totp:${session.person.userId}:${session.sessionId}`;

/**
 * Whoever has a second factor shows that first; whoever has none has just signed in, or proves once more who it is.
 * @returns where to go first.
 */
export function mustProve({ session, config }: SignedInVisit, here: string): Answer | undefined {
  const stage = stageOf(session, config.environment);
  const next = `?next=${encodeURIComponent(here)}`;
  if (stage === 'second_factor') return go(`/second-factor${next}`);
  return stage === 'in' && !session.isFresh ? go(`/confirm${next}`) : undefined;
}

async function appPage(visit: SignedInVisit, secret: string | undefined, fault = ''): Promise<Answer> {
  const { box, session, config, t } = visit;
  const made = newSecondFactor(session.person.email, secret);
  const body = draw(visit, appTemplate, {
    problem: problem(visit, fault, 'code'),
    isNeeded: stageOf(session, config.environment) === 'enrol',
    picture: await qrCode(made.uri, { type: 'svg', margin: 2 }),
    secret: made.secret.match(/.{1,4}/g)?.join(' ') ?? '',
    sealed: box.seal(made.secret, contextOf(visit)),
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('app_add.title'), body };
}

const here = '/security/app';

export async function showApp(visit: SignedInVisit): Promise<Answer> {
  return mustProve(visit, here) ?? appPage(visit, undefined);
}

export async function addApp(visit: SignedInVisit): Promise<Answer> {
  const first = mustProve(visit, here);
  if (first) return first;
  const { db, box, session, form, settings, sendsMail, cookies, t } = visit;
  const { person, sessionId } = session;
  let token = '';
  const secret = opened(visit, form('sealed'));
  if (secret === undefined) return appPage(visit, undefined);
  const code = form('code').slice(0, 40);
  const codes = await addSecondFactor(
    db,
    box,
    { userId: person.userId, secret, code, session },
    async (trx) => {
      await noteProof(trx, sessionId, { passedSecond: true });
      token = await renewToken(trx, sessionId);
      if (sendsMail) await enqueueMail(trx, noticeMail(settings.url, person, 'second_on'));
      await recordOwn(trx, person, 'user.second_factor.add');
    },
  );
  if (!codes) return appPage(visit, secret, t('second.wrong'));
  const csrf = csrfOf(token);
  const shown = showCodes({ ...visit, csrf, session: { ...session, passedSecond: true } }, codes);
  return { ...shown, csrf, cookies: [cookies.set('session', token)] };
}

function opened(visit: SignedInVisit, sealed: string): string | undefined {
  try {
    return visit.box.open(sealed, contextOf(visit));
  } catch {
    return undefined;
  }
}

/** In live only from who has a passkey, too: nobody works there without a second factor. */
export async function removeApp(visit: SignedInVisit): Promise<Answer> {
  const { db, session, config, settings, sendsMail } = visit;
  const { person } = session;
  const removed = await inTransaction(db, async (trx) => {
    const mustStay = config.environment === 'live';
    if (!(await takeAppAway(trx, session, mustStay))) return false;
    if (sendsMail) await enqueueMail(trx, noticeMail(settings.url, person, 'second_off'));
    await recordOwn(trx, person, 'user.second_factor.remove');
    return true;
  });
  return removed ? go('/security?done=removed') : notFound(visit);
}
