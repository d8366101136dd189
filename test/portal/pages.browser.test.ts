/** The pages in a real browser: an invitation, a second factor, a lost phone, and what waits and why; each page held to WCAG. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { invite } from '../../src/people/invite';
import { findSession } from '../../src/people/sessions';
import { setLocale } from '../../src/people/users';
import { inTransaction } from '../../src/store/transaction';
import { aMerchant, codeOf, createPerson, password } from '../people/people-support';
import { deposit, insertPayment, moveAlong, testContext } from '../verify/books-support';
import { sessionOf, startPortal, type TestPortal } from './portal-support';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
/** A browser shares the machine with everything else that runs. */
jest.setTimeout(180_000);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Where pictures of the pages go, for people to look at. */
const pictures = process.env['MALIPO_TEST_PICTURES'];

// Without a browser on the machine nobody looks.
const describeInBrowser = existsSync(executablePath) ? describe : describe.skip;

/** Pages that say no, and how. */
const statuses: Record<string, number> = { '/reset': 410, '/nothing': 404 };
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const looks = {
  'desktop, light, English': { width: 1280, height: 900, scheme: 'light', language: 'en' },
  'desktop, dark, Swahili': { width: 1280, height: 900, scheme: 'dark', language: 'sw' },
  'phone, dark, English': { width: 320, height: 640, scheme: 'dark', language: 'en' },
  'phone, light, Swahili': { width: 320, height: 640, scheme: 'light', language: 'sw' },
} as const;
type Look = (typeof looks)[keyof typeof looks];

describeInBrowser('the portal', () => {
  let portal: TestPortal;
  let browser: Browser;
  let merchantId: string;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
      ],
    });
    portal = await startPortal();
    merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
  });
  afterAll(async () => {
    await browser.close();
    await portal.stop();
  });

  async function open({ width, height, scheme, language }: Look, withScript = true): Promise<void> {
    context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      locale: language,
      javaScriptEnabled: withScript,
    });
    page = await context.newPage();
    page.setDefaultTimeout(40_000);
    // What the policy of the page refuses is told here.
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of (?:4\d\d|410)/.test(message.text()))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  }
  afterEach(async () => {
    await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  const at = (path: string) => page.goto(`${portal.url}${path}`);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const see = (text: string) => page.getByText(text).first().waitFor();
  const sessionOfPage = async () => {
    const kept = await context.cookies();
    return findSession(portal.db, kept.find(({ name }) => name === 'malipo-session')?.value ?? '');
  };

  it('takes in who was invited, sets up a second factor, and lets her in when the phone is lost: without script', async () => {
    await open(looks['desktop, light, English'], false);
    const { token } = await inTransaction(portal.db, (trx) =>
      invite(
        trx,
        { email: 'amina@duka.example', locale: 'en', by: 'test', member: { merchantId, role: 'owner' } },
        () => undefined,
      ),
    );
    await at(`/invitation/${token}`);
    expect(page.url()).toBe(`${portal.url}/invitation`);
    await see('You are invited to work for Duka la Amina here, as amina@duka.example.');
    await page.getByLabel('New password').fill(password);
    await press('Accept');
    await see('Welcome! Sign in to go on.');
    await page.getByLabel('E-mail address').fill('amina@duka.example');
    await page.getByLabel('Password').fill('not this one');
    await press('Sign in');
    await see('The e-mail address or the password is not right.');
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
    await page.waitForURL(`${portal.url}/m/${merchantId}`);

    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('link', { name: 'Set up an app' }).click();
    const secret = (await page.locator('.key').innerText()).replaceAll(' ', '');
    await page.getByLabel('2. Enter the six digits').fill('000000');
    await press('Set up');
    await see('This code is not right');
    expect((await page.locator('.key').innerText()).replaceAll(' ', '')).toBe(secret);
    await page.getByLabel('2. Enter the six digits').fill(codeOf(secret, Date.now()));
    await press('Set up');
    const codes = await page.locator('.codes code').allInnerTexts();
    expect(codes).toHaveLength(10);
    await page.getByRole('link', { name: 'I have kept them' }).click();
    await see('An authenticator app is set up.');

    await press('Sign out');
    await see('You are signed out.');
    await page.getByLabel('E-mail address').fill('amina@duka.example');
    await page.getByLabel('Password').fill(password);
    await press('Sign in');
    await see('Enter the code of your app');
    await at(`/m/${merchantId}/payments`);
    await see('Enter the code of your app');
    await page.getByLabel('Code').fill(codes[0] ?? '');
    await press('Go on');
    await see('No payments yet');
    await at('/security');
    await see('You have 9 recovery codes left.');
    const told = await portal.db('mails').where({ recipient: 'amina@duka.example' }).pluck('body');
    expect(told.join(' ')).toMatch(/an app was added[^]*recovery codes was used/);
  });

  it('says why a payment waits, goes on by itself when it is paid, and keeps nobody signed in by that', async () => {
    await open(looks['desktop, light, English']);
    const owner = await createPerson(portal.db, 'live@duka.example', { merchantId, role: 'finance' });
    await signInAs(await sessionOf(portal, owner));
    const engine = testContext(portal.test.db);
    const paymentId = await deposit(engine, { merchantId, with: customer }, 'initiating', 'pending');
    await at(`/m/${merchantId}/payments`);
    await page.getByLabel('Find a payment').fill('INV-7');
    await press('Show');
    await see('The customer was asked for KES 100.00 and has not decided yet');
    await see('Do not ask the customer to pay again yet.');
    expect(await page.content()).not.toContain('254708374149');
    await moveAlong(engine, paymentId, 'succeeded');
    await see('The customer paid, and the money is booked.');
    await press('Show the number');
    await see('254708374149');
    const [line] = await portal.db('audit_log').where({ action: 'payment.reveal_phone' });
    expect(line).toMatchObject({ acted_by: `user:${owner.userId}`, subject_id: paymentId });
  });

  it('shows a viewer nobody’s number, nor what has it', async () => {
    await open(looks['desktop, light, English']);
    const viewer = await createPerson(portal.db, 'viewer@duka.example', { merchantId, role: 'viewer' });
    await signInAs(await sessionOf(portal, viewer));
    const { payment_id: id } = await insertPayment(portal.db, { merchantId, rail: 'stk', with: customer2 });
    await at(`/m/${merchantId}/payments/${id}`);
    await see('••• 149');
    expect(await page.getByRole('button', { name: 'Show the number' }).count()).toBe(0);
    expect(await page.content()).not.toContain('254708374149');
  });

  it.each(Object.entries(looks))('has pages that everybody can use: %s', async (name, look) => {
    await open(look);
    const owner = await createPerson(portal.db, `${name.replace(/\W+/g, '.')}@duka.example`, {
      merchantId,
      role: 'owner',
    });
    const engine = testContext(portal.test.db);
    const paid = await deposit(engine, { merchantId, rail: 'loud' }, 'initiating', 'pending', 'succeeded');
    for (const path of ['/sign-in', '/forgot', '/reset', '/nothing']) await inspect(path, name);
    await signInAs(await sessionOf(portal, owner));
    await setLocale(portal.db, owner.userId, look.language);
    for (const path of [
      ...['/security', '/security/app', '/confirm?next=/security'],
      `/m/${merchantId}`,
      `/m/${merchantId}?days=7`,
      `/m/${merchantId}/payments`,
      `/m/${merchantId}/payments?state=given_back`,
      `/m/${merchantId}/payments/${paid}`,
      `/m/${merchantId}/team`,
    ])
      await inspect(path, name);
    expect(await page.locator('html').getAttribute('lang')).toBe(look.language);
    // The way of the keyboard: past the frame to the content, and every stop is seen.
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>(`document.activeElement?.getAttribute('href')`)).toBe('#main');
    expect(await sessionOfPage()).toBeDefined();
  });

  const customer = { phone_number: '254708374149', account_reference: 'INV-7' };
  const customer2 = { phone_number: '254708374149', account_reference: 'INV-8' };

  const signInAs = (token: string) =>
    context.addCookies([{ name: 'malipo-session', value: token, url: portal.url }]);

  async function inspect(path: string, name: string): Promise<void> {
    const answer = await at(path);
    expect([path, answer?.status()]).toEqual([path, statuses[path] ?? 200]);
    if (pictures !== undefined) {
      const file = `${path
        .replace(merchantId, 'm')
        .replace(/[\da-f-]{36}/, 'id')
        .replace(/\W+/g, '_')}-${name.replace(/\W+/g, '_')}.png`;
      await page.screenshot({ path: join(pictures, file), fullPage: true });
    }
    const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect([path, Math.max(0, tooWide)]).toEqual([path, 0]);
    await page.evaluate(axeSource);
    const faults = await page.evaluate<string[]>(`axe
      .run({ runOnly: { type: 'tag', values: ${JSON.stringify(tags)} } })
      .then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
    expect([path, faults]).toEqual([path, []]);
  }
});
