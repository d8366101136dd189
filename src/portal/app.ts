/** The portal as an application: reads a request into a visit, lets the table of routes decide, and sends the answer. */
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import { holdsControl } from '../domain/controls';
import { clientAddress } from '../merchants/ip-allow-list';
import { sendFile } from '../api/errors';
import { currentRequest, withRequestContext } from '../api/request-context';
import { CredentialsChanged, mintToken } from '../users/credentials';
import { PasswordsBusy } from '../users/passwords';
import { findSession } from '../users/sessions';
import { isDatabaseUnavailable } from '../store/transaction';
import { isLanguage, type Language } from './format';
import { comesFromUs, csrfOf, isCsrf, originsOf, readUpload } from './forms';
import { guarded } from './guard';
import { assetAt } from './pages/assets';
import { seenHeader } from './pages/parts';
import { bug, busy, forged, formTooLarge, notFound, overrun, tooLarge, unseen } from './pages/refusals';
import { wholePage } from './render';
import { portalRoutes, type PortalRoute } from './routes';
import { cookiesOf, go, type Answer, type Cookies, type PortalServices, type Visit } from './visit';
import { translator } from './words';

export interface PortalAppServices extends PortalServices {
  metrics: { request(route: string, status: number, seconds: number): void };
  /** Why nothing can be done for anybody now, or undefined. */
  misfit(): string | undefined;
}

/** Nothing is loaded from elsewhere, nothing written into a page runs, and nobody shows a page in a frame. */
function securityHeaders(isSecure: boolean): RequestHandler {
  const self = ["'self'"];
  const none = ["'none'"];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: none,
        scriptSrc: self,
        styleSrc: self,
        imgSrc: self,
        connectSrc: self,
        formAction: self,
        baseUri: none,
        frameAncestors: none,
      },
    },
    xFrameOptions: { action: 'deny' },
    // With none at all, browsers would not name the origin that a form comes from.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: isSecure,
  });
}

const formBytesMax = 20_000;
const yearSeconds = 365 * 86_400;

export function createPortalApp(services: PortalAppServices): Express {
  const app = express();
  const isSecure = services.settings.url.startsWith('https:');
  app.set('etag', false);
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.use(withRequestContext, observed(services), securityHeaders(isSecure));
  // Before anybody is looked up: a page that says that the database is away looks like any other.
  app.get('/assets/:name', sendAsset);
  app.use(express.urlencoded({ extended: false, limit: formBytesMax, parameterLimit: 50 }));
  const byPath = new Map<string, Map<string, PortalRoute>>();
  for (const route of portalRoutes)
    byPath.set(
      route.path,
      (byPath.get(route.path) ?? new Map<string, PortalRoute>()).set(route.method, route),
    );
  for (const [path, routes] of byPath) {
    app.all(path, async (request, response) => {
      const context = currentRequest();
      if (context) context.route = path;
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      await answer(services, request, response, routes.get(method));
    });
  }
  app.use((request: Request, response: Response) => answer(services, request, response, undefined));
  app.use((error: unknown, request: Request, response: Response, _next: unknown) =>
    fail(services, request, response, error),
  );
  return app;
}

async function answer(
  services: PortalAppServices,
  request: Request,
  response: Response,
  route: PortalRoute | undefined,
): Promise<void> {
  const misfit = services.misfit();
  if (misfit !== undefined) {
    services.log.error('nobody is served', { reason: misfit });
    const bare = await visitOf(services, request, { withSession: false });
    await send(response, bare.visit, busy(bare.visit), []);
    return;
  }
  let { visit, token, kept } = await visitOf(services, request, { withSession: true });
  const isFromUs = comesFromUs(request.headers, originsOf(services.settings.url));
  if (route?.fileBytesMax !== undefined && isFromUs && mayBeHeard(route, visit)) {
    const sent = await readUpload(request, response, route.fileBytesMax);
    if (sent === 'too_large') return send(response, visit, tooLarge(visit, route.fileBytesMax), kept);
    request.body = sent;
    // Whoever was signed in when it began may not be any more.
    ({ visit, token, kept } = await visitOf(services, request, { withSession: true }));
  }
  const isForged = visit.method === 'POST' && !(isFromUs && isCsrf(visit.form('csrf'), token));
  if (!route || isForged) {
    await send(response, visit, route ? forged(visit) : notFound(visit), kept);
    return;
  }
  if (isUnseen(request.body)) return send(response, visit, unseen(visit), kept);
  const { answer: told, seen } = await guarded(route, visit);
  await send(response, seen, told, kept);
}

/** Whether one of the texts of a form holds what nobody sees. A password may: nobody is shown it. */
function isUnseen(body: unknown): boolean {
  const fields = Object.entries((body ?? {}) as Record<string, unknown>);
  const isText = (text: unknown) => typeof text === 'string';
  return fields
    .filter(([name]) => name !== 'password')
    .some(([, value]) => [value].flat().filter(isText).some(isControlled));
}

/** Where the field has lines of its own, their ends are none; nor is a mark at the ends of what was pasted, which counts as a space. */
const isControlled = (text: string) => holdsControl(text.replaceAll(/^\ufeff|\ufeff$|[\t\r\n]/g, ' '));

/** What a page asks for by itself, without anybody who sits before it. */
const renewsItself = ({ headers }: Request) => headers['hx-request'] === 'true';

/** Of a name that has its digest in it: kept for good. */
const sendAsset: RequestHandler = (request, response, next) => {
  const found = assetAt(request.path);
  if (!found) {
    next();
    return;
  }
  const context = currentRequest();
  if (context) context.route = '/assets/:name';
  response.setHeader('Cache-Control', `public, max-age=${String(yearSeconds)}, immutable`);
  response.status(200).setHeader('Content-Type', found.type).end(found.content);
};

/** A file is read for who is signed in alone, and one of the platform for its own people. */
function mayBeHeard({ who }: PortalRoute, { session }: Visit): boolean {
  if (!session) return false;
  return who !== 'platform' || session.person.operatorName !== null;
}

/** @returns the visit, what its forms are proved by, and the cookies that make it so. */
async function visitOf(
  services: PortalServices,
  request: Request,
  { withSession }: { withSession: boolean },
): Promise<{ visit: Visit; token: string; kept: string[] }> {
  const { db, config, settings } = services;
  const cookies = cookiesOf(request.headers.cookie, settings.url.startsWith('https:'));
  const sessionToken = cookies.get('session');
  // A page that renews itself keeps nobody signed in.
  const byItself = renewsItself(request);
  const session =
    withSession && sessionToken !== undefined ? await findSession(db, sessionToken, { byItself }) : undefined;
  const [token, kept] = session ? [sessionToken ?? '', []] : visitToken(cookies);
  const url = new URL(request.originalUrl, 'http://portal.invalid');
  const language = languageFor(request, cookies, session?.person.locale);
  // Where there is a file in it, it is read when it is known who sends it.
  const sent = (name: string) => (request.body as Record<string, unknown> | undefined)?.[name];
  const visit: Visit = {
    ...services,
    method: request.method === 'POST' ? 'POST' : 'GET',
    path: `${url.pathname}${url.search}`,
    params: request.params as Record<string, string>,
    query: url.searchParams,
    form(name) {
      const text = sent(name);
      return typeof text === 'string' ? text : '';
    },
    fields: () =>
      Object.entries((request.body ?? {}) as Record<string, unknown>).flatMap(
        ([name, text]): [string, string][] => (typeof text === 'string' ? [[name, text]] : []),
      ),
    file(name) {
      const bytes = sent(name);
      return Buffer.isBuffer(bytes) ? bytes : undefined;
    },
    language,
    t: translator(language),
    cookies,
    trier: {
      address: clientAddress(
        request.socket.remoteAddress,
        request.headers['x-forwarded-for'],
        config.trustedProxies,
      ),
      browser: cookies.get('browser'),
      agent: request.headers['user-agent'] ?? '',
    },
    csrf: csrfOf(token),
    session,
    place: undefined,
    operator: undefined,
  };
  return { visit, token, kept };
}

/** Who is not signed in gets a token as well, so that nobody else sends the forms of the sign-in. */
function visitToken(cookies: Cookies): [token: string, kept: string[]] {
  const there = cookies.get('visit');
  if (there !== undefined) return [there, []];
  const made = mintToken();
  return [made, [cookies.set('visit', made)]];
}

/** What was chosen here, then what the account has, then what the browser asks for. */
function languageFor(request: Request, cookies: Cookies, ofAccount: string | undefined): Language {
  const chosen = cookies.get('language') ?? ofAccount ?? '';
  if (isLanguage(chosen)) return chosen;
  return request.acceptsLanguages('en', 'sw') === 'sw' ? 'sw' : 'en';
}

async function send(response: Response, visit: Visit, told: Answer, kept: string[]): Promise<void> {
  response.setHeader('Cache-Control', 'no-store');
  switch (told.kind) {
    case 'download': {
      const headers = {
        'Content-Type': told.type,
        'Content-Disposition': `attachment; filename="${told.name}"`,
      };
      await sendFile(response, { status: 200, headers }, told.parts);
      return;
    }
    case 'go':
      setCookies(response, [...kept, ...(told.cookies ?? [])]);
      // A part of a page would be shown another page in its place: the whole of it goes there.
      if (renewsItself(response.req)) response.status(200).setHeader('HX-Redirect', told.to).end();
      else response.status(303).setHeader('Location', told.to).end();
      return;
    case 'page':
      setCookies(response, [...kept, ...(told.cookies ?? [])]);
      if (told.seen && response.req.headers[seenHeader] === told.seen) {
        response.status(204).end();
        return;
      }
      if (told.retryAfterSeconds !== undefined)
        response.setHeader('Retry-After', String(told.retryAfterSeconds));
      response
        .status(told.status ?? 200)
        .type('html')
        .send(wholePage({ ...visit, csrf: told.csrf ?? visit.csrf }, told));
  }
}

function setCookies(response: Response, cookies: string[]): void {
  if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);
}

/** What was not even begun, and what came from a session that has just ended. */
const toldOf = (visit: Visit, error: unknown): Answer | undefined =>
  error instanceof CredentialsChanged
    ? go('/sign-in')
    : error instanceof PasswordsBusy
      ? overrun(visit, error.isOfNetwork ? 429 : 503, error)
      : undefined;

const refusedForm = (visit: Visit, status: unknown) =>
  status === 413 ? formTooLarge(visit) : notFound(visit);

/** What Express refuses itself, such as a form that is too long, is the caller's; the rest is ours. */
async function fail(
  services: PortalAppServices,
  request: Request,
  response: Response,
  error: unknown,
): Promise<void> {
  const { status } = (error ?? {}) as { status?: unknown };
  const isTheirs = typeof status === 'number' && status >= 400 && status < 500;
  const isAway = isDatabaseUnavailable(error);
  const isTold = error instanceof PasswordsBusy || error instanceof CredentialsChanged;
  if (!isTheirs && !isTold) services.log.error('a page failed', { error });
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { visit } = await visitOf(services, request, { withSession: false });
  const id = currentRequest()?.requestId ?? '';
  const told =
    toldOf(visit, error) ?? (isTheirs ? refusedForm(visit, status) : isAway ? busy(visit) : bug(visit, id));
  await send(response, visit, told, []);
}

/** One line and one count per request, once it is over. Never the address: a link that was mailed is a secret. */
function observed({ log, metrics }: PortalAppServices): RequestHandler {
  return (request, response, next) => {
    const begun = process.hrtime.bigint();
    const context = currentRequest();
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
      const route = context?.route ?? 'unknown';
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.request(route, status, seconds);
      log.debug('request', {
        method: request.method,
        route,
        status,
        duration_ms: Math.round(seconds * 1000),
      });
    });
    next();
  };
}
