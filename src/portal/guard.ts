/** Access control: decides from the table of routes alone who may use a route. */
import { findMerchant } from '../merchants/merchants';
import type { Operator } from '../users/operators';
import { SentBefore } from '../users/audit-log';
import type { Session } from '../users/sessions';
import { stageOf } from '../users/sign-in';
import { operatorOf, roleOf } from '../users/users';
import { formNumberOf } from './forms';
import type { PortalRoute } from './routes';
import type { PageResponse, MerchantVisit, MerchantPlace, SignedInVisit, Visit } from './visit';
import { go } from './visit';
import { forged, notAllowed, notFound, sentBefore, suspended } from './pages/error-pages';

export interface Guarded {
  answer: PageResponse;
  /** The visit that the route received, with the merchant of the page. */
  seen: Visit;
}

/** @returns the answer of the route, or the answer for a user who may not use it. */
export async function guarded(route: PortalRoute, visit: Visit): Promise<Guarded> {
  const place = 'merchant' in visit.params && visit.session ? await placeOf(visit, visit.session) : undefined;
  const operator =
    route.who === 'platform' && visit.session ? await operatorIn(visit, visit.session) : undefined;
  const seen = { ...visit, place, operator };
  try {
    return { answer: await answerOf(route, seen), seen };
  } catch (error) {
    if (error instanceof SentBefore) return { answer: sentBefore(seen), seen };
    throw error;
  }
}

async function answerOf(route: PortalRoute, visit: Visit): Promise<PageResponse> {
  if (route.who === 'anybody') return route.handle(visit);
  const { session } = visit;
  if (!session) return go(`/sign-in${backTo(visit)}`);
  const signedIn: SignedInVisit = { ...visit, session };
  if (route.who === 'half') return route.handle(signedIn);
  const stage = stageOf(session, visit.config.environment);
  if (stage === 'second_factor') return go(`/second-factor${backTo(visit)}`);
  if (stage === 'enrol') return go('/security/app');
  if (route.who === 'person') return inProvedTime(route.provedAgain, signedIn) ?? route.handle(signedIn);

  if (route.who === 'platform') {
    const { operator } = visit;
    // Users without a platform role get the same answer as for a missing page.
    if (!operator) return notFound(visit);
    if (!route.roles.includes(operator.role)) return notAllowed(signedIn, operator.role);
    const confirms = inProvedTime(route.provedAgain, signedIn);
    if (confirms) return confirms;
    if (visit.method === 'POST' && formNumberOf(visit) === undefined) return forged(visit);
    return route.handle({ ...signedIn, operator });
  }
  const { place } = visit;
  // Another merchant's page and a missing page get the same answer.
  if (!place) return notFound(visit);
  if (!route.who.includes(place.as)) return notAllowed(signedIn, place.as);
  if (route.whileActive && place.merchant.status !== 'active') return suspended(visit);
  const there: MerchantVisit = { ...signedIn, place };
  return inProvedTime(route.provedAgain, signedIn) ?? route.handle(there);
}

function inProvedTime(
  provedAgain: ((params: Visit['params']) => string) | undefined,
  { session, params }: SignedInVisit,
): PageResponse | undefined {
  if (!provedAgain || session.isFresh) return undefined;
  return go(`/confirm?next=${encodeURIComponent(provedAgain(params))}`);
}

async function operatorIn({ db, config }: Visit, session: Session): Promise<Operator | undefined> {
  return stageOf(session, config.environment) === 'in' ? operatorOf(db, session.person) : undefined;
}

async function placeOf({ db, params, config }: Visit, session: Session): Promise<MerchantPlace | undefined> {
  const { person } = session;
  if (stageOf(session, config.environment) !== 'in') return undefined;
  const merchant = await findMerchant(db, params['merchant'] ?? '');
  if (!merchant) return undefined;
  const role = await roleOf(db, merchant.merchant_id, person);
  const as = role ?? (await operatorOf(db, person))?.role;
  return as && { merchant, as };
}

function backTo({ method, path }: Visit): string {
  return method === 'GET' && path !== '/' ? `?next=${encodeURIComponent(path)}` : '';
}
