/** Every page of the table of routes, held to WCAG: light and dark, on a desk and on a phone, full and empty. */
import { portalRoutes } from '../../../src/portal/routes';
import { costlyJourneys, describeInBrowser, useVisitor } from '../../support/portal/browser-support';
import { startPortal, type TestPortal } from '../../support/portal/portal-support';
import { onlookers, pathIn, setScene, type Onlooker, type Scene } from './scene';

interface Stop {
  as: Onlooker;
  path: string;
  status?: number;
}

const m = '/m/:merchant';
const by = (as: Onlooker, ...paths: string[]): Stop[] => paths.map((path) => ({ as, path }));

/** Where each route's pages are seen, and by whom. */
const stops: Record<string, Stop[]> = {
  '/sign-in': by('nobody', '/sign-in', '/sign-in?done=out'),
  '/forgot': by('nobody', '/forgot'),
  '/reset/:token': by('nobody', '/reset/:reset'),
  '/reset': [{ as: 'viewer', path: '/reset', status: 410 }],
  '/invitation/:token': by('nobody', '/invitation/:invited'),
  '/invitation': [{ as: 'viewer', path: '/invitation', status: 410 }],
  '/second-factor': by('half', '/second-factor'),
  '/security/app': by('owner', '/security/app'),
  '/security/passkey': by('owner', '/security/passkey'),
  '/': by('operator', '/'),
  '/confirm': by('owner', '/confirm?next=/security'),
  '/security': [...by('owner', '/security', '/security?done=app'), ...by('secured', '/security')],
  '/m/:merchant': [...by('owner', m, `${m}?days=7`, `${m}?days=30`), ...by('operator', '/m/:empty')],
  '/m/:merchant/payments': [
    ...by('owner', `${m}/payments`, `${m}/payments?state=given_back`),
    ...by('operator', '/m/:empty/payments'),
  ],
  '/m/:merchant/payments/:payment': [
    ...by('owner', `${m}/payments/:paid`, `${m}/payments/:waiting`, `${m}/payments/:payout`),
    ...by('viewer', `${m}/payments/:waiting`),
    { as: 'owner', path: `${m}/payments/nothing`, status: 404 },
  ],
  '/m/:merchant/payments/:payment/refund': by('owner', `${m}/payments/:paid/refund`),
  '/m/:merchant/payments/:payment/cancel': by('owner', `${m}/payments/:payout/cancel`),
  '/m/:merchant/payouts': [...by('owner', `${m}/payouts`), ...by('operator', '/m/:empty/payouts')],
  '/m/:merchant/payouts/new': by('owner', `${m}/payouts/new`),
  '/m/:merchant/payouts/:batch': by('owner', `${m}/payouts/:batch`),
  '/m/:merchant/duplicates': [...by('owner', `${m}/duplicates`), ...by('operator', '/m/:empty/duplicates')],
  '/m/:merchant/statements': [
    ...by('owner', `${m}/statements`),
    ...by('operator', '/m/:empty/statements'),
    { as: 'owner', path: `${m}/statements?from=2020-01-01&to=2019-01-01`, status: 422 },
  ],
  '/m/:merchant/developers': by('owner', `${m}/developers`),
  '/m/:merchant/keys': [...by('owner', `${m}/keys`), ...by('operator', '/m/:empty/keys')],
  '/m/:merchant/endpoints': by('owner', `${m}/endpoints`),
  '/m/:merchant/webhooks': by('owner', `${m}/webhooks`, `${m}/webhooks?state=unaddressed`),
  '/m/:merchant/webhooks/:webhook': [
    ...by('owner', `${m}/webhooks/:webhook`),
    { as: 'owner', path: `${m}/webhooks/:broken`, status: 500 },
  ],
  '/m/:merchant/settings': by('owner', `${m}/settings`),
  '/m/:merchant/team': [...by('owner', `${m}/team`), { as: 'viewer', path: `${m}/developers`, status: 403 }],
  '/ops': by('operator', '/ops'),
  '/ops/cases': by('operator', '/ops/cases', '/ops/cases?by=money'),
  '/ops/cases/:case': by('operator', '/ops/cases/:case'),
  '/ops/payments': by('operator', '/ops/payments', '/ops/payments?newest=1', '/ops/payments?q=nothing'),
  '/ops/merchants': by('operator', '/ops/merchants'),
  '/ops/merchants/:shop': by('operator', '/ops/merchants/:shop'),
  '/ops/webhooks': by('operator', '/ops/webhooks?trouble=dead', '/ops/webhooks?trouble=late'),
  '/ops/reconciliation': by('operator', '/ops/reconciliation'),
  '/ops/orphans/:orphan': by('operator', '/ops/orphans/:orphan'),
  '/ops/stops': by('operator', '/ops/stops'),
  '/ops/holds': by('operator', '/ops/holds'),
  '/ops/approvals': by('operator', '/ops/approvals'),
  '/ops/people': by(
    'operator',
    '/ops/people',
    '/ops/people?email=viewer@duka.example',
    '/ops/people?email=x',
  ),
  '/ops/audit': by('operator', '/ops/audit', '/ops/audit?by=nobody'),
};
/** What is saved, and is no page. */
const files = [
  '/m/:merchant/payments/file',
  '/m/:merchant/payouts/example/:rail',
  '/m/:merchant/statements/file',
];

it('of the table of routes is looked at', () => {
  const pages = portalRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  expect([...Object.keys(stops), ...files].sort()).toEqual([...pages].sort());
});

describeInBrowser('a page', () => {
  let portal: TestPortal;
  let scene: Scene;
  const visitor = useVisitor(() => portal.url);
  beforeAll(async () => {
    portal = await startPortal();
    scene = await setScene(portal);
  });
  afterAll(() => portal.stop());

  // Each page is turned to the other size and colours, too, which makes four looks of the two.
  const cases = costlyJourneys.flatMap(([name, look]) => onlookers.map((who) => ({ name, look, who })));
  it.each(cases)('can be used by everybody, as $who: $name', async ({ name, look, who }) => {
    await visitor.open(look);
    const token = await scene.tokenOf(who);
    if (token !== undefined) await visitor.signInAs(token);
    const own = Object.values(stops)
      .flat()
      .filter(({ as }) => as === who);
    for (const [n, { path, status }] of own.entries()) {
      await visitor.inspect(pathIn(scene, path), `${who}-${name}-${String(n)}`, status);
      await visitor.inspectTurned(path);
    }
    expect(await visitor.page().locator('html').getAttribute('lang')).toBe(look.language);
    // The way of the keyboard: past the frame to the content.
    await visitor.page().keyboard.press('Tab');
    expect(await visitor.page().evaluate<string>(`document.activeElement?.getAttribute('href')`)).toBe(
      '#main',
    );
    // A browser tells on its console of the page that failed.
    expect(visitor.complaints().every((text) => text.includes('status of 500'))).toBe(true);
  });
});
