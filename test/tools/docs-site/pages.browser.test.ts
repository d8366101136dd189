/** The documentation in a browser, with its content security policy: on desktop and phone, light and dark. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createOpsApp } from '../../../src/api/health';
import { listen, type Listening } from '../../../src/api/listen';
import { createMetrics } from '../../../src/telemetry/metrics';
import { describeInBrowser, checks, useVisitor } from '../../support/portal/browser-support';
import { silentLog } from '../../support/silent-log';

const siteFolder = join(__dirname, '..', '..', '..', 'dist', 'site');
const pages = readdirSync(siteFolder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.html') && !name.startsWith('reference'),
);

describeInBrowser('the documentation', () => {
  let ops: Listening;
  let url: string;
  beforeAll(async () => {
    const app = createOpsApp({ readiness: [], metrics: createMetrics(), log: silentLog, siteFolder });
    ops = await listen(app, { host: '127.0.0.1', port: 0, drainIdleMs: 0 });
    url = `http://127.0.0.1:${String(ops.port)}`;
  });
  afterAll(() => ops.close());
  const visitor = useVisitor(() => url);

  it.each(['desktop, light, English', 'phone, dark, English'] as const)(
    'is readable for everyone: %s',
    async (check) => {
      await visitor.open(checks[check]);
      for (const page of pages) await visitor.inspect(`/docs/${page}`, check);
    },
  );

  it.each(['desktop, light, English', 'phone, dark, English'] as const)(
    'has a reference drawn by its own script, without other requests: %s',
    async (check) => {
      await visitor.open(checks[check]);
      const asked: string[] = [];
      visitor.page().on('request', (request) => asked.push(request.url()));
      expect(await visitor.at('/docs/reference/#operation/stkPush')).toBe(200);
      await visitor.page().locator('[id="operation/stkPush"]').first().waitFor();
      const tooWide = await visitor
        .page()
        .evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(Math.max(0, tooWide)).toBe(0);
      expect(asked.filter((one) => !one.startsWith(url) && !one.startsWith('data:'))).toEqual([]);
    },
  );

  it.each(['desktop, light, English', 'phone, dark, English'] as const)(
    'finds a word, by keyboard alone: %s',
    async (check) => {
      await visitor.open(checks[check]);
      // On a deep page, so that the paths of the results are right in every folder.
      await visitor.at('/docs/guides/first-payment.html');
      const field = visitor.page().getByRole('searchbox', { name: 'Search the documentation' });
      await field.focus();
      await visitor.page().keyboard.type('refund');
      const results = visitor.page().locator('#search-results a');
      await results.first().waitFor();
      expect(await results.count()).toBeGreaterThan(5);
      expect(await visitor.page().getByRole('status').textContent()).toMatch(/^\d+ results$/);
      await visitor.inspectHere('the results of a search', check);
      await visitor.page().keyboard.press('ArrowDown');
      await visitor.page().keyboard.press('ArrowDown');
      const focused = await visitor.page().evaluate<string>('document.activeElement.href');
      expect(focused).toBe(await results.nth(1).getAttribute('href'));
      await visitor.page().keyboard.press('Escape');
      expect([await results.count(), await field.and(visitor.page().locator(':focus')).count()]).toEqual([
        0, 1,
      ]);
      await visitor.page().keyboard.press('Enter');
      await visitor.page().waitForURL('**/guides/refunds.html');
      expect(await visitor.page().locator('h1').textContent()).toBe('Refunds');
    },
  );

  it('says that it found nothing, and finds an operation of the reference', async () => {
    await visitor.open(checks['desktop, light, English']);
    await visitor.at('/docs/');
    const field = visitor.page().getByRole('searchbox');
    await field.fill('xyzzy');
    await visitor.page().getByRole('status').getByText('No results').waitFor();
    await field.fill('capture the money');
    await visitor.page().getByRole('link', { name: 'Capture the money of an approved order, once' }).click();
    await visitor.page().locator('[id="operation/walletpayCapture"]').first().waitFor();
    expect(visitor.page().url()).toContain('/docs/reference/');
  });

  it('copies a sample as it is written', async () => {
    await visitor.open(checks['desktop, light, English']);
    await visitor.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    await visitor.at('/docs/guides/first-payment.html');
    const samples = visitor.page().locator('main pre');
    const buttons = visitor.page().getByRole('button', { name: 'Copy' });
    expect(await buttons.count()).toBe(await samples.count());
    await buttons.nth(1).press('Enter');
    await visitor.page().getByRole('status').getByText('Copied').waitFor();
    const copied = await visitor.page().evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(await samples.nth(1).textContent());
    expect(copied).toContain('-H "X-API-Secret: $MALIPO_API_SECRET"');
  });

  it('copies without https, where a browser has no clipboard for scripts', async () => {
    await visitor.open(checks['desktop, light, English']);
    await visitor.context().grantPermissions(['clipboard-read'], { origin: url });
    const clipboard = 'Object.defineProperty(Navigator.prototype, "clipboard", { get: () => undefined })';
    const own = 'Object.getOwnPropertyDescriptor(Navigator.prototype, "clipboard").get.call(navigator)';
    await visitor.context().addInitScript(`window.kept = ${own}; ${clipboard}`);
    await visitor.at('/docs/guides/first-payment.html');
    await visitor.page().getByRole('button', { name: 'Copy' }).first().click();
    await visitor.page().getByRole('status').getByText('Copied').waitFor();
    const copied = await visitor.page().evaluate<string>('window.kept.readText()');
    expect(copied.trim()).toBe((await visitor.page().locator('main pre').first().textContent())?.trim());
  });

  it('has neither a search field nor buttons without a script', async () => {
    await visitor.open(checks['phone, dark, English'], false);
    await visitor.at('/docs/guides/first-payment.html');
    expect(await visitor.page().locator('input, button').count()).toBe(0);
    await visitor.see('Your first payment in five minutes');
  });

  it('shows on a phone that a wide table can be scrolled', async () => {
    await visitor.open(checks['phone, dark, English']);
    await visitor.at('/docs/guides/sandbox.html');
    const table = visitor.page().locator('.scroll').first();
    await table.scrollIntoViewIfNeeded();
    const inTable = <T>(code: string) =>
      visitor.page().evaluate<T>(`((one) => ${code})(document.querySelector('.scroll'))`);
    const isWide = () => inTable<boolean>('one.scrollWidth > one.clientWidth');
    /** Whether the shadow changes the picture. */
    const isShaded = async () => {
      const shaded = await table.screenshot();
      await inTable('one.style.setProperty("background-image", "none")');
      const plain = await table.screenshot();
      await inTable('one.style.removeProperty("background-image")');
      return !shaded.equals(plain);
    };
    expect([await isWide(), await isShaded()]).toEqual([true, true]);
    await visitor.page().setViewportSize({ width: 2_400, height: 900 });
    await inTable('one.style.setProperty("width", "100rem")');
    expect([await isWide(), await isShaded()]).toEqual([false, false]);
  });

  it('has a reference without a script, too', async () => {
    await visitor.open(checks['phone, dark, English'], false);
    expect(await visitor.at('/docs/reference/')).toBe(200);
    await visitor.see('POST /api/v1/stk_push');
  });
});
