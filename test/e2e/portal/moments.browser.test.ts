/** Pages after a form or an error, against WCAG like every page. */
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costlyJourneys, describeInBrowser, useVisitor } from '../../support/portal/browser-support';
import { startPortal, type TestPortal } from '../../support/portal/portal-support';
import { pathIn, setScene, type Onlooker, type Scene } from './scene';

describeInBrowser('a temporary page', () => {
  let portal: TestPortal;
  let scene: Scene;
  let isAway = false;
  let folder: string;
  let large: string;
  const visitor = useVisitor(() => portal.url, { stays: true });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'malipo-large-'));
    large = join(folder, 'nov.json');
    // A sparse file on the disk, for the browser to upload.
    await writeFile(large, '');
    await truncate(large, 17 * 1024 * 1024);
    portal = await startPortal({ misfit: () => (isAway ? 'away' : undefined) });
    scene = await setScene(portal);
    // As in live, money needs a second operator.
    await portal.test.db('approval_rules').insert({
      ...{ kind: 'money', currency: '', from_minor: '0', set_by: 'test', set_at: new Date() },
    });
  });
  afterAll(async () => {
    await portal.stop();
    await rm(folder, { recursive: true });
  });

  const at = (path: string) => visitor.at(pathIn(scene, path));
  const field = (name: string) => visitor.page().locator(`main [name="${name}"]`);
  const choose = (name: string, value: string) =>
    visitor.page().locator(`main [name="${name}"][value="${value}"]`).check();
  /** Sends the form and waits for the answer, which may have the same URL. */
  const send = (action: string) =>
    Promise.all([
      visitor.page().waitForEvent('load'),
      visitor.page().locator(`form[action$="${action}"] button[type=submit]`).first().click(),
    ]);

  interface Moment {
    as: Onlooker;
    /** A text of the page, in English. */
    sees: string;
    come(): Promise<unknown>;
  }

  const moments: Record<string, Moment> = {
    'a wrong password': {
      as: 'nobody',
      sees: 'The e-mail address or the password is wrong.',
      async come() {
        await at('/sign-in');
        await field('email').fill('nobody@duka.example');
        await field('password').fill('not this one');
        await send('/sign-in');
      },
    },
    'a sent reset link': {
      as: 'nobody',
      sees: 'Check your e-mail',
      async come() {
        await at('/forgot');
        await field('email').fill('nobody@duka.example');
        await send('/forgot');
      },
    },
    'a weak password': {
      as: 'nobody',
      sees: 'Choose a stronger password',
      async come() {
        await at('/reset/:reset');
        await field('password').fill('aaaaaaaaaaaa');
        await send('/reset');
      },
    },
    'a missing page': { as: 'nobody', sees: 'Page not found', come: () => at('/nothing') },
    'an unavailable service': {
      as: 'nobody',
      sees: 'The service is not available now',
      async come() {
        isAway = true;
        await at('/sign-in');
        isAway = false;
      },
    },
    'a forged form': {
      as: 'owner',
      sees: 'The page was open too long',
      async come() {
        await at('/security');
        await visitor
          .page()
          .evaluate('for (const one of document.getElementsByName("csrf")) one.value = "x"');
        await send('/sign-out');
      },
    },
    'recovery codes': {
      as: 'secured',
      sees: 'Save these recovery codes',
      async come() {
        await at('/security');
        await send('/security/recovery-codes');
      },
    },
    'a revealed phone number': {
      as: 'owner',
      sees: '254708374149',
      async come() {
        await at('/m/:merchant/payments/:waiting');
        await send('/phone');
      },
    },
    'a new key': {
      as: 'owner',
      sees: 'Your new API key',
      async come() {
        await portal.db('api_keys').update({ revoked_at: new Date() });
        await at('/m/:merchant/developers');
        await visitor.page().locator('form[action$="/keys"] [name=name]').fill('shop server, January');
        await send('/developers/keys');
      },
    },
    'a new secret': {
      as: 'owner',
      sees: 'Your new webhook secret',
      async come() {
        await at('/m/:merchant/developers');
        await send('/webhook-secret');
      },
    },
    'an additional webhook address': {
      as: 'owner',
      sees: 'Your new address receives events from now on',
      async come() {
        await portal.test.db('webhook_endpoints').delete();
        await at('/m/:merchant/endpoints');
        await field('url').fill('https://books.example.org/malipo');
        await send('/endpoints');
      },
    },
    'an invalid return URL': {
      as: 'owner',
      sees: 'There is a problem',
      async come() {
        await at('/m/:merchant/settings');
        await field('returnUrl').fill('ftp://shop.example.com');
        await send('/settings');
      },
    },
    'an invalid webhook address': {
      as: 'owner',
      sees: 'There is a problem',
      async come() {
        await at('/m/:merchant/endpoints');
        await field('url').fill('ftp://books.example.org');
        await send('/endpoints');
      },
    },
    'an existing member': {
      as: 'owner',
      sees: 'There is a problem',
      async come() {
        await at('/m/:merchant/team');
        await field('email').fill('viewer@duka.example');
        await send('/team/invite');
      },
    },
    'a completed action': {
      as: 'operator',
      sees: 'Done',
      async come() {
        await at('/ops/pauses');
        await field('rail').selectOption('loud');
        await field('reason').fill('the provider is down');
        await send('/ops/pauses');
      },
    },
    'a preview': {
      as: 'operator',
      sees: 'What would change',
      async come() {
        await at('/ops/cases/:case');
        await choose('outcome', 'failed');
        await field('note').fill('the statement of the day, line 12');
        await visitor.page().locator('form[action$="/resolve"] button[name=preview]').click();
      },
    },
    'a denied action': {
      as: 'operator',
      sees: 'Nothing was done',
      async come() {
        await at('/ops/cases/:case');
        await choose('outcome', 'paid');
        await field('note').fill('the statement of the day, line 12');
        await send('/resolve');
      },
    },
    'an action that needs approval': {
      as: 'operator',
      sees: 'A second operator must approve this',
      async come() {
        await at('/ops/cases/:case');
        await choose('outcome', 'paid');
        await field('amount').fill('90.00');
        await field('note').fill('the statement of the day, line 12');
        await send('/resolve');
      },
    },
    'pending approvals': {
      as: 'operator',
      sees: 'Approvals',
      come: () => at('/ops/approvals'),
    },
    'the confirmation of a pause of all payouts': {
      as: 'operator',
      sees: 'Pause all payouts of all merchants?',
      async come() {
        await at('/ops/pauses');
        await field('reason').fill('the payouts are not verified');
        await send('/ops/pauses');
      },
    },
    'the confirmation before removing a member': {
      as: 'owner',
      sees: 'No, go back',
      async come() {
        await at('/m/:merchant/team');
        await visitor.page().locator('form[action$="/team/remove"] button').last().click();
      },
    },
    'the sessions of a user': {
      as: 'operator',
      sees: 'End all sessions',
      come: () => at('/ops/users?email=viewer@duka.example'),
    },
    'paused accounts': { as: 'operator', sees: 'Pause payouts', come: () => at('/ops/pauses') },
    'a new merchant': {
      as: 'operator',
      sees: 'Done',
      async come() {
        await at('/ops/merchants');
        await field('name').fill('Duka la Brian');
        await send('/ops/merchants');
      },
    },
    'a file that is too large': {
      as: 'operator',
      sees: 'The file is too large',
      async come() {
        await at('/ops/reconciliation');
        await visitor.page().locator('main summary').first().click();
        await field('file').setInputFiles(large);
        await send('/reconciliation/file');
      },
    },
  };

  // The frame is tested in all four combinations with every page. These pages are tested once in each language, size
  // and colour scheme.
  it.each(
    costlyJourneys.flatMap(([name, look]) =>
      Object.entries(moments).map(([what, moment]) => ({ name, look, what, ...moment })),
    ),
  )('is accessible: $what: $name', async ({ name, look, what, as, sees, come }) => {
    await visitor.open(look);
    const token = await scene.tokenOf(as);
    if (token !== undefined) await visitor.signInAs(token);
    await come();
    await visitor.see(sees);
    if (look.id === 'phone-sw') await visitor.page().emulateMedia({ colorScheme: 'dark' });
    await visitor.inspectHere(what, name);
    // The browser reports error statuses on its console.
    visitor.complaints().forEach((text) => expect(text).toMatch(/status of (?:422|5\d\d)/));
  });
});
