/** Every page of the table of routes against WCAG: light and dark, desktop and phone, with and without data. */
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

/** The pages of each route, and the users who see them. */
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
    ...by('owner', `${m}/payments`, `${m}/payments?state=returned_money`),
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
  '/ops/unmatched/:unmatched': by('operator', '/ops/unmatched/:unmatched'),
  '/ops/pauses': by('operator', '/ops/pauses'),
  '/ops/holds': by('operator', '/ops/holds'),
  '/ops/approvals': by('operator', '/ops/approvals'),
  '/ops/users': by('operator', '/ops/users', '/ops/users?email=viewer@duka.example', '/ops/users?email=x'),
  '/ops/audit': by('operator', '/ops/audit', '/ops/audit?by=nobody'),
};
/** Downloads, which are not pages. */
const files = [
  '/m/:merchant/payments/file',
  '/m/:merchant/payouts/example/:rail',
  '/m/:merchant/statements/file',
];

it('every route of the table is tested', () => {
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

  // Each page is also tested in the other size and colours, so the two give four combinations.
  const cases = costlyJourneys.flatMap(([name, check]) => onlookers.map((who) => ({ name, check, who })));
  it.each(cases)('is accessible, as $who: $name', async ({ name, check, who }) => {
    await visitor.open(check);
    const token = await scene.tokenOf(who);
    if (token !== undefined) await visitor.signInAs(token);
    const own = Object.values(stops)
      .flat()
      .filter(({ as }) => as === who);
    for (const [n, { path, status }] of own.entries()) {
      await visitor.inspect(pathIn(scene, path), `${who}-${name}-${String(n)}`, status);
      await visitor.inspectTurned(path);
    }
    expect(await visitor.page().locator('html').getAttribute('lang')).toBe(check.language);
    // The skip link leads the keyboard focus to the content.
    await visitor.page().keyboard.press('Tab');
    expect(await visitor.page().evaluate<string>(`document.activeElement?.getAttribute('href')`)).toBe(
      '#main',
    );
    // The browser reports the failed page on its console.
    expect(visitor.complaints().every((text) => text.includes('status of 500'))).toBe(true);
  });
});
