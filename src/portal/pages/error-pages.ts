/** Error pages: the reason, and what the user can do. */
import { draw, template } from '../render';
import type { PageResponse, AnyRole, Visit } from '../visit';
import type { Word } from '../words';

const errorTemplate = template(`
<h1><%= it.title %></h1>
<p><%= it.text %></p>
<p><a href="/"><%= it.t('error.first_page') %></a></p>
`);

function errorPage(visit: Visit, status: number, title: Word, text: string) {
  const reported = visit.t(title);
  return {
    kind: 'page' as const,
    status,
    title: reported,
    body: draw(visit, errorTemplate, { title: reported, text }),
  };
}

export function notFound(visit: Visit): PageResponse {
  return errorPage(visit, 404, 'error.not_found.title', visit.t('error.not_found.text'));
}

export function notAllowed(visit: Visit, as: AnyRole): PageResponse {
  const role = visit.t(`role.${as}`);
  const text = visit.operator ? 'error.not_allowed.platform' : 'error.not_allowed.text';
  return errorPage(visit, 403, 'error.not_allowed.title', visit.t(text, { role }));
}

/** The API refuses a suspended merchant too. */
export function suspended(visit: Visit): PageResponse {
  return errorPage(visit, 422, 'error.suspended.title', visit.t('act.error.suspended'));
}

export function forged(visit: Visit): PageResponse {
  return errorPage(visit, 403, 'error.forged.title', visit.t('error.forged.text'));
}

/** The form was already sent; its action is not repeated. */
export function sentBefore(visit: Visit): PageResponse {
  return errorPage(visit, 409, 'error.sent_before.title', visit.t('error.sent_before.text'));
}

export function formTooLarge(visit: Visit): PageResponse {
  return errorPage(visit, 413, 'error.form_too_large.title', visit.t('error.form_too_large.text'));
}

/** For invisible characters in a form. */
export function unseen(visit: Visit): PageResponse {
  return errorPage(visit, 422, 'error.unseen.title', visit.t('error.unseen.text'));
}

export function tooLarge(visit: Visit, bytesMax: number): PageResponse {
  const megabytes = Math.floor(bytesMax / (1024 * 1024));
  return errorPage(visit, 413, 'error.too_large.title', visit.t('error.too_large.text', { n: megabytes }));
}

export function busy(visit: Visit): PageResponse {
  return errorPage(visit, 503, 'error.busy.title', visit.t('error.busy.text'));
}

/** Too many requests: nothing was done, and the user can try later. */
export function overrun(
  visit: Visit,
  status: 429 | 503,
  { retryAfterSeconds }: { retryAfterSeconds: number },
): PageResponse {
  const text = visit.t('sign_in.slow', { seconds: retryAfterSeconds });
  return { ...errorPage(visit, status, 'error.busy.title', text), retryAfterSeconds };
}

export function bug(visit: Visit, id: string): PageResponse {
  return errorPage(visit, 500, 'error.bug.title', visit.t('error.bug.text', { id }));
}
