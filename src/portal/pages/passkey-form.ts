/** The form that a passkey is shown by, beside that for a code: there only where the browser has script and passkeys. */
import { askForPasskey, siteOf, type Asked, type Site } from '../../users/passkeys';
import { originsOf } from '../forgery';
import { draw, template } from '../render';
import type { SignedInVisit, Visit } from '../visit';
import { assetUrl } from './assets';

const formTemplate = template(`
<form method="post" action="<%= it.action %>" class="card" data-passkey="<%= it.asked %>" hidden>
<%~ it.token %><input type="hidden" name="sealed" value="<%= it.sealed %>"><input type="hidden" name="passkey" value="">
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
  /** Its device is named, since it is a new one. */
  named: boolean;
}

export function passkeyForm(visit: Visit, { options, sealed }: Asked<object>, form: Form): string {
  const asked = JSON.stringify(options);
  return draw(visit, formTemplate, { next: '', ...form, asked, sealed, script: assetUrl('passkeys.js') });
}

/** Of this portal; undefined where browsers have none for it. */
export function siteOfPortal({ settings }: Pick<Visit, 'settings'>): Site | undefined {
  return siteOf(originsOf(settings.url));
}

/** @returns nothing for who has no passkey. */
export async function showPasskeyForm(visit: SignedInVisit, action: string, next: string): Promise<string> {
  const { db, box, session } = visit;
  const site = siteOfPortal(visit);
  if (!site || !session.person.hasPasskey) return '';
  return passkeyForm(visit, await askForPasskey(db, box, site, session), { action, next, named: false });
}

/** What came by such a form; undefined where the form for a code was sent. */
export function passkeyOf(visit: Visit): { site: Site; sealed: string; answer: string } | undefined {
  const site = siteOfPortal(visit);
  const answer = visit.form('passkey');
  return site && answer !== '' ? { site, sealed: visit.form('sealed'), answer } : undefined;
}
