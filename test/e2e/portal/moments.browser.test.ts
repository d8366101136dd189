/** What is shown once, after a form or when something is wrong: held to WCAG as every page is. */
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costlyJourneys, describeInBrowser, useVisitor } from '../../support/portal/browser-support';
import { startPortal, type TestPortal } from '../../support/portal/portal-support';
import { pathIn, setScene, type Onlooker, type Scene } from './scene';

describeInBrowser('what is there for a moment', () => {
  let portal: TestPortal;
  let scene: Scene;
  let isAway = false;
  let folder: string;
  let large: string;
  const visitor = useVisitor(() => portal.url, { stays: true });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'malipo-large-'));
    large = join(folder, 'nov.json');
    // On the disk, where the browser finds it by itself; no byte of it is written.
    await writeFile(large, '');
    await truncate(large, 17 * 1024 * 1024);
    portal = await startPortal({ misfit: () => (isAway ? 'away' : undefined) });
    scene = await setScene(portal);
    // As in live: one operator moves no money alone.
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
  /** Sends the form, and waits for what is answered, which may have the same address. */
  const send = (action: string) =>
    Promise.all([
      visitor.page().waitForEvent('load'),
      visitor.page().locator(`form[action$="${action}"] button[type=submit]`).first().click(),
    ]);

  interface Moment {
    as: Onlooker;
    /** Of what is there, in English. */
    sees: string;
    come(): Promise<unknown>;
  }

  const moments: Record<string, Moment> = {
    'a wrong password': {
      as: 'nobody',
      sees: 'The e-mail address or the password is not right.',
      async come() {
        await at('/sign-in');
        await field('email').fill('nobody@duka.example');
        await field('password').fill('not this one');
        await send('/sign-in');
      },
    },
    'a link on its way': {
      as: 'nobody',
      sees: 'Look at your mail',
      async come() {
        await at('/forgot');
        await field('email').fill('nobody@duka.example');
        await send('/forgot');
      },
    },
    'a weak password': {
      as: 'nobody',
      sees: 'Choose a longer or less plain password',
      async come() {
        await at('/reset/:reset');
        await field('password').fill('aaaaaaaaaaaa');
        await send('/reset');
      },
    },
    'nothing at all': { as: 'nobody', sees: 'There is no such page', come: () => at('/nothing') },
    'a service that is away': {
      as: 'nobody',
      sees: 'This does not work at the moment',
      async come() {
        isAway = true;
        await at('/sign-in');
        isAway = false;
      },
    },
    'a form from elsewhere': {
      as: 'owner',
      sees: 'The page was open for too long',
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
      sees: 'Keep these recovery codes',
      async come() {
        await at('/security');
        await send('/security/recovery-codes');
      },
    },
    'a number that was asked for': {
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
    'a further address': {
      as: 'owner',
      sees: 'Your new address is told from now on',
      async come() {
        await portal.test.db('webhook_endpoints').delete();
        await at('/m/:merchant/endpoints');
        await field('url').fill('https://books.example.org/malipo');
        await send('/endpoints');
      },
    },
    'an address that is none': {
      as: 'owner',
      sees: 'There is a problem',
      async come() {
        await at('/m/:merchant/settings');
        await field('returnUrl').fill('ftp://shop.example.com');
        await send('/settings');
      },
    },
    'an address of one’s own network': {
      as: 'owner',
      sees: 'There is a problem',
      async come() {
        await at('/m/:merchant/endpoints');
        await field('url').fill('ftp://books.example.org');
        await send('/endpoints');
      },
    },
    'somebody who is there already': {
      as: 'owner',
      sees: 'There is a problem',
      async come() {
        await at('/m/:merchant/team');
        await field('email').fill('viewer@duka.example');
        await send('/team/invite');
      },
    },
    'something done': {
      as: 'operator',
      sees: 'Done',
      async come() {
        await at('/ops/stops');
        await field('rail').selectOption('loud');
        await field('reason').fill('the provider is down');
        await send('/ops/stops');
      },
    },
    'something only tried': {
      as: 'operator',
      sees: 'What would change',
      async come() {
        await at('/ops/cases/:case');
        await choose('outcome', 'failed');
        await field('note').fill('the statement of the day, line 12');
        await visitor.page().locator('form[action$="/resolve"] button[name=preview]').click();
      },
    },
    'something refused': {
      as: 'operator',
      sees: 'Nothing was done',
      async come() {
        await at('/ops/cases/:case');
        await choose('outcome', 'paid');
        await field('note').fill('the statement of the day, line 12');
        await send('/resolve');
      },
    },
    'something for a second operator': {
      as: 'operator',
      sees: 'A second operator has to approve this',
      async come() {
        await at('/ops/cases/:case');
        await choose('outcome', 'paid');
        await field('amount').fill('90.00');
        await field('note').fill('the statement of the day, line 12');
        await send('/resolve');
      },
    },
    'what waits for a second operator': {
      as: 'operator',
      sees: 'Approvals',
      come: () => at('/ops/approvals'),
    },
    'a stop of everything, before it is one': {
      as: 'operator',
      sees: 'Stop all payouts of everybody?',
      async come() {
        await at('/ops/stops');
        await field('reason').fill('nobody knows what goes out');
        await send('/ops/stops');
      },
    },
    'a member who is to go': {
      as: 'owner',
      sees: 'No, go back',
      async come() {
        await at('/m/:merchant/team');
        await visitor.page().locator('form[action$="/team/remove"] button').last().click();
      },
    },
    'somebody’s sessions': {
      as: 'operator',
      sees: 'End all sessions',
      come: () => at('/ops/people?email=viewer@duka.example'),
    },
    'what is stopped': { as: 'operator', sees: 'Kill switch', come: () => at('/ops/stops') },
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

  // The frame is held to it in all four looks with every page. What a moment adds to it is seen once in each language, size
  // and colours.
  it.each(
    costlyJourneys.flatMap(([name, look]) =>
      Object.entries(moments).map(([what, moment]) => ({ name, look, what, ...moment })),
    ),
  )('can be used by everybody: $what: $name', async ({ name, look, what, as, sees, come }) => {
    await visitor.open(look);
    const token = await scene.tokenOf(as);
    if (token !== undefined) await visitor.signInAs(token);
    await come();
    await visitor.see(sees);
    if (look.id === 'phone-sw') await visitor.page().emulateMedia({ colorScheme: 'dark' });
    await visitor.inspectHere(what, name);
    // A browser tells on its console of a page that says no.
    visitor.complaints().forEach((text) => expect(text).toMatch(/status of (?:422|5\d\d)/));
  });
});
