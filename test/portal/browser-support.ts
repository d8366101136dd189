/** A real browser before the portal: what a person sees of a page, and what WCAG says of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { atFirst, partly, speaking, wholly } from './spoken';
import { describeInBrowser, executablePath } from '../support/browser';

export { describeInBrowser };

/** A browser shares the machine with everything else that runs. */
export const browserPatienceMs = 180_000;
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Where pictures of the pages go, for people to look at. */
const pictures = process.env['MALIPO_TEST_PICTURES'];

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
export const looks = {
  'desktop, light, English': { id: 'desk-en', width: 1280, height: 900, scheme: 'light', language: 'en' },
  'desktop, dark, Swahili': { id: 'desk-sw', width: 1280, height: 900, scheme: 'dark', language: 'sw' },
  'phone, dark, English': { id: 'phone-en', width: 320, height: 640, scheme: 'dark', language: 'en' },
  'phone, light, Swahili': { id: 'phone-sw', width: 320, height: 640, scheme: 'light', language: 'sw' },
} as const;
export type Look = (typeof looks)[keyof typeof looks];
/** Journeys are made in both languages, on a desk and on a phone, each in each. */
export const journeys = Object.entries(looks);
/** Those with the whole product behind them, or many alike, are made once in each language, and once in each size. */
export const costlyJourneys = journeys.filter(([, { id }]) => id === 'desk-en' || id === 'phone-sw');
/** Somebody else's phone, in the language of the first. */
export const phoneOf = ({ language }: Pick<Look, 'language'>): Look =>
  looks[language === 'en' ? 'phone, dark, English' : 'phone, light, Swahili'];

export interface Visitor {
  /** Opens a browser of somebody who was never here. */
  open(look: Look, withScript?: boolean): Promise<void>;
  page(): Page;
  context(): BrowserContext;
  at(path: string): Promise<number | undefined>;
  // Each is named in English, and looked for in the language of the look.
  label(name: string): Locator;
  link(name: string): Locator;
  button(name: string): Locator;
  /** Of a button that says after it what it is about. */
  buttonFor(name: string): Locator;
  press(name: string): Promise<void>;
  see(text: string): Promise<void>;
  says(text: string): string;
  signInAs(token: string): Promise<void>;
  /** Opens a page and holds it to WCAG; with MALIPO_TEST_PICTURES it takes a picture, too. */
  inspect(path: string, name: string, status?: number): Promise<void>;
  /** Of the page that is open. */
  inspectHere(path: string, name: string): Promise<void>;
  /** What the policy of the pages refused, and what broke, since the last time. */
  complaints(): string[];
  leave(): Promise<void>;
}

const launch = () =>
  chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });

/** For all tests of a block: after each it leaves, and nothing may have broken or been refused meanwhile. */
export function useVisitor(url: () => string): Visitor {
  let browser: Browser | undefined;
  let context: BrowserContext | undefined;
  let page: Page | undefined;
  let said = speaking('en');
  let chosen = 'en';
  const complaints: string[] = [];
  const opened = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('no browser is open');
    return one;
  };
  const visitor: Visitor = {
    async open({ width, height, scheme, language }, withScript = true) {
      said = speaking(language);
      chosen = language;
      browser ??= await launch();
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
    },
    page: () => opened(page),
    context: () => opened(context),
    at: async (path) => (await opened(page).goto(`${url()}${path}`))?.status(),
    label: (name) => opened(page).getByLabel(atFirst(said(name))),
    link: (name) => opened(page).getByRole('link', { name: wholly(said(name)) }),
    button: (name) => opened(page).getByRole('button', { name: wholly(said(name)) }),
    buttonFor: (name) => opened(page).getByRole('button', { name: atFirst(said(name)) }),
    press: (name) => visitor.button(name).first().click(),
    see: (text) =>
      opened(page)
        .getByText(partly(said(text)))
        .first()
        .waitFor(),
    says: (text) => said(text)[0] ?? text,
    signInAs: (token) =>
      opened(context).addCookies([
        { name: 'malipo-session', value: token, url: url() },
        // As who has chosen it before: the account may have another.
        { name: 'malipo-language', value: chosen, url: url() },
      ]),
    async inspect(path, name, status = 200) {
      expect([path, await visitor.at(path)]).toEqual([path, status]);
      await visitor.inspectHere(path, name);
    },
    async inspectHere(path, name) {
      const shown = opened(page);
      if (pictures !== undefined) {
        const file = `${path.replace(/[\da-f]{8}-[\da-f-]{27}/g, 'id').replace(/\W+/g, '_')}-${name.replace(/\W+/g, '_')}.png`;
        await shown.screenshot({ path: join(pictures, file), fullPage: true });
      }
      // What is folded away is held to the same.
      await shown.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      const size = shown.viewportSize() ?? { width: 0, height: 0 };
      // 200 % of zoom leaves half of the width.
      const widths = size.width >= 640 ? [size.width / 2, size.width] : [size.width];
      for (const width of widths) {
        await shown.setViewportSize({ ...size, width });
        const tooWide = await shown.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect([path, width, Math.max(0, tooWide)]).toEqual([path, width, 0]);
      }
      await shown.evaluate(axeSource);
      const faults = await shown.evaluate<string[]>(`axe
        .run({ runOnly: { type: 'tag', values: ${JSON.stringify(tags)} } })
        .then(({ violations }) =>
          violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
      expect([path, faults]).toEqual([path, []]);
    },
    complaints: () => complaints.splice(0),
    async leave() {
      await context?.close();
      context = undefined;
      page = undefined;
    },
  };
  afterEach(async () => {
    await visitor.leave();
    expect(visitor.complaints()).toEqual([]);
  });
  afterAll(() => browser?.close());
  return visitor;
}
