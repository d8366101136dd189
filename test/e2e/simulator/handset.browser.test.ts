import type { Browser, Page } from 'playwright-core';
import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { describeInBrowser, launchBrowser } from '../../support/browser';

const PERSON = '254700000600';

describeInBrowser('the handset page', () => {
  let bench: TestBench;
  let browser: Browser;
  let page: Page;
  let faults: string[];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    bench = await startTestBench();
    page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    faults = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.setDefaultTimeout(20_000);
  });
  afterEach(async () => {
    await page.close();
    await bench.stop();
  });

  const open = () => page.goto(`${bench.daraja.origin}/handset`);
  const card = (reference: string) => page.locator('.phone').filter({ hasText: reference });
  const button = (reference: string, name: string) => card(reference).getByRole('button', { name });

  it('says what to do while nothing waits, and shows a new prompt', async () => {
    await open();
    await page.getByText('Sandbox — no real money').waitFor();
    await page.getByText('No prompt is waiting').waitFor();
    await page.getByText('curl http://127.0.0.1:3000/api/v1/stk_push').waitFor();

    await bench.daraja.prompt(PERSON, { AccountReference: 'INV<b>1' });
    await card('INV<b>1').waitFor();
    await card('KES 1,250.00').waitFor();
    await card('+254 700 000 600').waitFor();
    expect(faults).toEqual([]);
  });

  it('pays, cancels and ignores, newest first', async () => {
    const paid = await bench.daraja.prompt(PERSON, { AccountReference: 'FIRST' });
    const cancelled = await bench.daraja.prompt(PERSON, { AccountReference: 'SECOND' });
    const ignored = await bench.daraja.prompt(PERSON, { AccountReference: 'THIRD' });
    await open();
    expect(await page.locator('.phone dd:first-of-type').allTextContents()).toEqual([
      'THIRD',
      'SECOND',
      'FIRST',
    ]);

    await button('FIRST', 'Enter PIN').click();
    await page.getByText('Paid KES 1,250.00 for FIRST. Receipt').waitFor();
    await button('SECOND', 'Cancel').click();
    await page.getByText('Cancelled KES 1,250.00 for SECOND.').waitFor();
    await button('THIRD', 'Ignore').click();
    await page.getByText('Ignored KES 1,250.00 for THIRD.').waitFor();
    await page.getByText('No prompt is waiting').waitFor();

    expect(await bench.daraja.outcomeOf(paid)).toBe('0');
    expect(await bench.daraja.outcomeOf(cancelled)).toBe('1032');
    expect(await bench.daraja.outcomeOf(ignored)).toBe('open');
    expect(faults).toEqual([]);
  });

  it('can be used with the keyboard only, and keeps the focus when another prompt arrives', async () => {
    await bench.daraja.prompt(PERSON, { AccountReference: 'OLDER' });
    await open();
    const focusedName = () => page.evaluate<string>('document.activeElement.textContent');
    for (let presses = 0; presses < 10 && (await focusedName()) !== 'Cancel'; presses += 1) {
      await page.keyboard.press('Tab');
    }
    expect(await focusedName()).toBe('Cancel');

    await bench.daraja.prompt(PERSON, { AccountReference: 'NEWER' });
    await card('NEWER').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Cancelled KES 1,250.00 for OLDER.').waitFor();
    expect(faults).toEqual([]);
  });

  it('says when a prompt was decided elsewhere', async () => {
    const id = await bench.daraja.prompt(PERSON, { AccountReference: 'RACE' });
    await open();
    await page.route('**/handset/prompts', (route) => route.abort());
    await page.getByText('The simulator does not answer').waitFor();
    await bench.daraja.decide(id, 'cancel');
    await button('RACE', 'Enter PIN').click();
    await page.getByText('is no longer waiting for a user').waitFor();
    await page.unroute('**/handset/prompts');
    await page.getByText('No prompt is waiting').waitFor();
  });

  it('works without its script', async () => {
    const id = await bench.daraja.prompt(PERSON);
    const plain = await browser.newPage({ javaScriptEnabled: false });
    await plain.goto(`${bench.daraja.origin}/handset`);
    await plain.getByRole('button', { name: 'Enter PIN' }).click();
    await plain.getByText('No prompt is waiting').waitFor();
    await plain.close();
    expect(await bench.daraja.outcomeOf(id)).toBe('0');
  });

  it('fits a narrow phone, and the index page lists every test number', async () => {
    const sidewaysScroll = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    await page.setViewportSize({ width: 320, height: 640 });
    await bench.daraja.prompt(PERSON);
    await open();
    await card('INV20410').waitFor();
    expect(await page.evaluate(sidewaysScroll)).toBe(false);

    await page.goto(bench.simulator.url);
    for (const phone of ['254708374149', '254733445566', '254700000706', '254700000711', PERSON]) {
      await page.getByRole('cell', { name: phone, exact: true }).waitFor();
    }
    expect(await page.evaluate(sidewaysScroll)).toBe(false);
    expect(faults).toEqual([]);
  });
});
