/** What is told where a page is not shown: what happened, and what to do now. */
import { draw, template } from '../render';
import type { Answer, Standing, Visit } from '../visit';
import type { Word } from '../words';

const refusal = template(`
<h1><%= it.title %></h1>
<p><%= it.text %></p>
<p><a href="/"><%= it.t('error.first_page') %></a></p>
`);

function refusalPage(visit: Visit, status: number, title: Word, text: string) {
  const told = visit.t(title);
  return { kind: 'page' as const, status, title: told, body: draw(visit, refusal, { title: told, text }) };
}

export function notFound(visit: Visit): Answer {
  return refusalPage(visit, 404, 'error.not_found.title', visit.t('error.not_found.text'));
}

export function notAllowed(visit: Visit, as: Standing): Answer {
  const role = visit.t(`role.${as}`);
  const text = visit.operator ? 'error.not_allowed.platform' : 'error.not_allowed.text';
  return refusalPage(visit, 403, 'error.not_allowed.title', visit.t(text, { role }));
}

/** As the API, which lets nobody of a suspended merchant in. */
export function suspended(visit: Visit): Answer {
  return refusalPage(visit, 422, 'error.suspended.title', visit.t('act.error.suspended'));
}

export function forged(visit: Visit): Answer {
  return refusalPage(visit, 403, 'error.forged.title', visit.t('error.forged.text'));
}

/** What it asked for is done, or asked for, and not a second time. */
export function sentBefore(visit: Visit): Answer {
  return refusalPage(visit, 409, 'error.sent_before.title', visit.t('error.sent_before.text'));
}

export function formTooLarge(visit: Visit): Answer {
  return refusalPage(visit, 413, 'error.form_too_large.title', visit.t('error.form_too_large.text'));
}

/** Of what no keyboard types, and no page shows. */
export function unseen(visit: Visit): Answer {
  return refusalPage(visit, 422, 'error.unseen.title', visit.t('error.unseen.text'));
}

export function tooLarge(visit: Visit, bytesMax: number): Answer {
  const megabytes = Math.floor(bytesMax / (1024 * 1024));
  return refusalPage(visit, 413, 'error.too_large.title', visit.t('error.too_large.text', { n: megabytes }));
}

export function busy(visit: Visit): Answer {
  return refusalPage(visit, 503, 'error.busy.title', visit.t('error.busy.text'));
}

/** Nothing was done: later it is. */
export function overrun(
  visit: Visit,
  status: 429 | 503,
  { retryAfterSeconds }: { retryAfterSeconds: number },
): Answer {
  const text = visit.t('sign_in.slow', { seconds: retryAfterSeconds });
  return { ...refusalPage(visit, status, 'error.busy.title', text), retryAfterSeconds };
}

export function bug(visit: Visit, id: string): Answer {
  return refusalPage(visit, 500, 'error.bug.title', visit.t('error.bug.text', { id }));
}
