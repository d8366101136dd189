/** The time until the first byte of each portal page, for its users. */
import { request } from 'undici';
import { portalRoutes, type PortalRoute } from '../../../src/portal/routes';
import type { Database } from '../../../src/store/database';
import { percentiles } from '../measures/statistics';
import type { Stack } from '../ours/stack';
import { spread, type Spread } from '../ours/steady';
import { signIn, type Viewer } from './users';

export interface PageFigures {
  viewer: Viewer;
  page: string;
  first_byte_ms: Spread;
}

export interface PortalFigures {
  pages: PageFigures[];
  /** Pages that this deployment has no row for, and why. */
  left_out: string[];
}

/** Lists are followed this many pages back, as in a search. */
const pagesDeep = 30;
const warmUps = 2;

/** The values of a route's parameters. */
type Parameters = Readonly<Record<string, string | undefined>>;

export async function measurePortal(
  { db, env, merchant }: Pick<Stack, 'db' | 'env'> & { merchant: Pick<Stack['merchant'], 'merchant_id'> },
  rounds: number,
): Promise<PortalFigures> {
  const merchantId = merchant.merchant_id;
  const sessions = await signIn(db, merchantId);
  const given = await parametersOf(db, merchantId);
  const figures: PortalFigures = { pages: [], left_out: [] };
  for (const { viewer, page, address } of addressesOf(portalRoutes, given)) {
    if (address === undefined) {
      figures.left_out.push(`${viewer} ${page}: there is none`);
      continue;
    }
    const open = opener(env['MALIPO_PORTAL_URL'] ?? '', sessions[viewer]);
    const { status, older } = await open(address);
    if (status >= 500) throw new Error(`${page} of the portal answered ${status}`);
    if (status >= 400) {
      figures.left_out.push(`${viewer} ${page}: ${status}`);
      continue;
    }
    const measure = async (name: string, at: string): Promise<void> => {
      figures.pages.push({ viewer, page: name, first_byte_ms: await timed(open, at, rounds) });
    };
    await measure(page, address);
    const deep = older && (await followed(open, older));
    if (deep !== undefined) await measure(`${page}, ${pagesDeep} pages on`, deep);
  }
  return figures;
}

/** Every page, once for each kind of user that may open it. */
export function addressesOf(
  routes: readonly PortalRoute[],
  given: Parameters,
): { viewer: Viewer; page: string; address: string | undefined }[] {
  return routes
    .filter(({ method }) => method === 'GET')
    .flatMap((route) => viewersOf(route).map((viewer) => ({ viewer, page: route.path })))
    .map((one) => ({ ...one, address: addressOf(one.page, given) }));
}

/** A page for any user is opened by the owner. */
function viewersOf({ who }: PortalRoute): Viewer[] {
  if (who === 'platform') return ['operator'];
  if (typeof who === 'string') return ['owner'];
  return (['owner', 'operator'] as const).filter((viewer) => who.includes(viewer));
}

function addressOf(page: string, given: Parameters): string | undefined {
  const parts = page.split('/').map((part) => (part.startsWith(':') ? given[part.slice(1)] : part));
  return parts.includes(undefined) ? undefined : parts.join('/');
}

/** The rows with the most related ones: the merchant's newest payment, and what belongs to similar ones. */
async function parametersOf(db: Database, merchantId: string): Promise<Parameters> {
  const own = { merchant_id: merchantId };
  const payment = await db('payments').where(own).orderBy('created_at', 'desc').first('payment_id');
  const webhook = await db('outbox').where(own).orderBy('created_at', 'desc').first('webhook_id');
  const open = await db('cases').orderBy('case_id', 'desc').first('case_id');
  return {
    ...{ merchant: merchantId, shop: merchantId, rail: 'momo', name: 'portal.css' },
    payment: payment?.payment_id,
    webhook: webhook?.webhook_id,
    case: open?.case_id,
  };
}

interface Opened {
  status: number;
  /** Until the first byte of the answer. */
  ms: number;
  /** The page's link to older rows. */
  older: string | undefined;
}

type Open = (address: string) => Promise<Opened>;

function opener(url: string, token: string): Open {
  return async (address) => {
    const beganAt = performance.now();
    const { statusCode, headers, body } = await request(`${url}${address}`, {
      headers: { cookie: `malipo-session=${token}`, accept: 'text/html' },
    });
    const ms = performance.now() - beganAt;
    if (headers['content-type']?.includes('text/html') === true)
      return { status: statusCode, ms, older: olderOf(await body.text()) };
    // A file may contain every payment.
    body.on('error', () => undefined).destroy();
    return { status: statusCode, ms, older: undefined };
  };
}

/** The link to older rows, as a browser reads it. */
export function olderOf(html: string): string | undefined {
  const link = html.match(/<a [^>]{1,2000}>/g)?.find((tag) => tag.includes('rel="next"'));
  return /href="([^"]+)"/.exec(link ?? '')?.[1]?.replaceAll('&amp;', '&');
}

/** @returns the last page; undefined if the list ends earlier. */
async function followed(open: Open, from: string): Promise<string | undefined> {
  let at: string | undefined = from;
  for (let page = 1; page < pagesDeep && at !== undefined; page += 1) at = (await open(at)).older;
  return at;
}

async function timed(open: Open, address: string, rounds: number): Promise<Spread> {
  const took: number[] = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    const { ms } = await open(address);
    if (round >= 0) took.push(ms);
  }
  return spread(percentiles(took));
}
