/** The portal's Express application. It reads a request into a visit, finds its route and sends the answer. */
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import { holdsControl } from '../domain/controls';
import { clientAddress } from '../merchants/ip-allow-list';
import { createAccessLog } from '../api/access-log';
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
import { bug, busy, forged, formTooLarge, notFound, overrun, tooLarge, unseen } from './pages/error-pages';
import { wholePage } from './render';
import { portalRoutes, type PortalRoute } from './routes';
import { cookiesOf, go, type PageResponse, type Cookies, type PortalServices, type Visit } from './visit';
import { translator } from './words';

export interface PortalAppServices extends PortalServices {
  metrics: { request(route: string, status: number, seconds: number): void };
  /** Why the portal cannot serve requests now, or undefined. */
  misfit(): string | undefined;
}

/** Pages load only our own files, run no inline script, and cannot be shown in a frame. */
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
    // With `no-referrer`, browsers would not send the origin of a form.
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
  // Assets need no session. So the page of a database outage has the same style.
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
    services.log.error('the portal refuses requests', { reason: misfit });
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
    // The session may have ended during the upload.
    ({ visit, token, kept } = await visitOf(services, request, { withSession: true }));
  }
  const isForged = visit.method === 'POST' && !(isFromUs && isCsrf(visit.form('csrf'), token));
  if (!route || isForged) {
    await send(response, visit, route ? forged(visit) : notFound(visit), kept);
    return;
  }
  if (isUnseen(request.body)) return send(response, visit, unseen(visit), kept);
  const { answer: reported, seen } = await guarded(route, visit);
  await send(response, seen, reported, kept);
}

/** Whether a text of the form has invisible characters. A password may have them, because no page shows it. */
function isUnseen(body: unknown): boolean {
  const fields = Object.entries((body ?? {}) as Record<string, unknown>);
  const isText = (text: unknown) => typeof text === 'string';
  return fields
    .filter(([name]) => name !== 'password')
    .some(([, value]) => [value].flat().filter(isText).some(isControlled));
}

/** Line ends and tabs are allowed. So is a byte order mark at either end of a pasted text; it counts as a space. */
const isControlled = (text: string) => holdsControl(text.replaceAll(/^\ufeff|\ufeff$|[\t\r\n]/g, ' '));

/** Whether the page updates itself, without a user's action. */
const renewsItself = ({ headers }: Request) => headers['hx-request'] === 'true';

/** The name of an asset contains its digest, so browsers can cache it permanently. */
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

/** Only a signed-in user may upload a file, and only an operator on the platform pages. */
function mayBeHeard({ who }: PortalRoute, { session }: Visit): boolean {
  if (!session) return false;
  return who !== 'platform' || session.person.operatorName !== null;
}

/** @returns the visit, the token that its form tokens are derived from, and the cookies to set. */
async function visitOf(
  services: PortalServices,
  request: Request,
  { withSession }: { withSession: boolean },
): Promise<{ visit: Visit; token: string; kept: string[] }> {
  const { db, config, settings } = services;
  const cookies = cookiesOf(request.headers.cookie, settings.url.startsWith('https:'));
  const sessionToken = cookies.get('session');
  // An automatic update does not keep the session alive.
  const byItself = renewsItself(request);
  const session =
    withSession && sessionToken !== undefined ? await findSession(db, sessionToken, { byItself }) : undefined;
  const [token, kept] = session ? [sessionToken ?? '', []] : visitToken(cookies);
  const url = new URL(request.originalUrl, 'http://portal.invalid');
  const language = languageFor(request, cookies, session?.person.locale);
  // A form with a file is read later, when the sender is known.
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

/** A visitor without a session gets a token too. It protects the sign-in forms against forged requests. */
function visitToken(cookies: Cookies): [token: string, kept: string[]] {
  const there = cookies.get('visit');
  if (there !== undefined) return [there, []];
  const made = mintToken();
  return [made, [cookies.set('visit', made)]];
}

/** The order: the choice in this browser, the account's language, the browser's preference. */
function languageFor(request: Request, cookies: Cookies, ofAccount: string | undefined): Language {
  const chosen = cookies.get('language') ?? ofAccount ?? '';
  if (isLanguage(chosen)) return chosen;
  return request.acceptsLanguages('en', 'sw') === 'sw' ? 'sw' : 'en';
}

async function send(response: Response, visit: Visit, reported: PageResponse, kept: string[]): Promise<void> {
  response.setHeader('Cache-Control', 'no-store');
  switch (reported.kind) {
    case 'download': {
      const headers = {
        'Content-Type': reported.type,
        'Content-Disposition': `attachment; filename="${reported.name}"`,
      };
      await sendFile(response, { status: 200, headers }, reported.parts);
      return;
    }
    case 'go':
      setCookies(response, [...kept, ...(reported.cookies ?? [])]);
      // An automatic update replaces a part of a page. This header makes the whole page navigate instead.
      if (renewsItself(response.req)) response.status(200).setHeader('HX-Redirect', reported.to).end();
      else response.status(303).setHeader('Location', reported.to).end();
      return;
    case 'page':
      setCookies(response, [...kept, ...(reported.cookies ?? [])]);
      if (reported.seen && response.req.headers[seenHeader] === reported.seen) {
        response.status(204).end();
        return;
      }
      if (reported.retryAfterSeconds !== undefined)
        response.setHeader('Retry-After', String(reported.retryAfterSeconds));
      response
        .status(reported.status ?? 200)
        .type('html')
        .send(wholePage({ ...visit, csrf: reported.csrf ?? visit.csrf }, reported));
  }
}

function setCookies(response: Response, cookies: string[]): void {
  if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);
}

/** The answer for expected errors: an ended session, and a full password queue. */
const errorPageOf = (visit: Visit, error: unknown): PageResponse | undefined =>
  error instanceof CredentialsChanged
    ? go('/sign-in')
    : error instanceof PasswordsBusy
      ? overrun(visit, error.isOfNetwork ? 429 : 503, error)
      : undefined;

const refusedForm = (visit: Visit, status: unknown) =>
  status === 413 ? formTooLarge(visit) : notFound(visit);

/** A 4xx status from Express, such as a form that is too long, is the caller's fault. Other errors are ours. */
async function fail(
  services: PortalAppServices,
  request: Request,
  response: Response,
  error: unknown,
): Promise<void> {
  const { status } = (error ?? {}) as { status?: unknown };
  const isTheirs = typeof status === 'number' && status >= 400 && status < 500;
  const isAway = isDatabaseUnavailable(error);
  const isReported = error instanceof PasswordsBusy || error instanceof CredentialsChanged;
  if (!isTheirs && !isReported) services.log.error('page failed', { error });
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { visit } = await visitOf(services, request, { withSession: false });
  const id = currentRequest()?.requestId ?? '';
  const reported =
    errorPageOf(visit, error) ??
    (isTheirs ? refusedForm(visit, status) : isAway ? busy(visit) : bug(visit, id));
  await send(response, visit, reported, []);
}

/**
 * Writes one log line and one count per request, after it ends. It never logs the URL: a mailed link is a secret. The
 * lines are as bounded as those of callers without keys at the API.
 */
function observed({ config, log, metrics }: PortalAppServices): RequestHandler {
  const logCall = createAccessLog(log, config.trustedProxies);
  return (request, response, next) => {
    const begun = process.hrtime.bigint();
    const context = currentRequest();
    const { remoteAddress: socketAddress } = request.socket;
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
      const route = context?.route ?? 'unknown';
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.request(route, status, seconds);
      const forwardedFor = request.headers['x-forwarded-for'];
      logCall({ context, method: request.method, status, seconds, socketAddress, forwardedFor });
    });
    next();
  };
}
