/** A real browser for the portal: what a user sees of a page, and WCAG checks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { atFirst, partly, speaking, wholly } from './spoken';
import { describeInBrowser, launchBrowser } from '../browser';

export { describeInBrowser };

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** The folder for screenshots of the pages. */
const pictures = process.env['MALIPO_TEST_PICTURES'];

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
export const checks = {
  'desktop, light, English': { id: 'desk-en', width: 1280, height: 900, scheme: 'light', language: 'en' },
  'desktop, dark, Swahili': { id: 'desk-sw', width: 1280, height: 900, scheme: 'dark', language: 'sw' },
  'phone, dark, English': { id: 'phone-en', width: 320, height: 640, scheme: 'dark', language: 'en' },
  'phone, light, Swahili': { id: 'phone-sw', width: 320, height: 640, scheme: 'light', language: 'sw' },
} as const;
export type PageView = (typeof checks)[keyof typeof checks];
/** Journeys run in both languages, each on a desktop and on a phone. */
export const journeys = Object.entries(checks);
/** Costly journeys run once in each language and once in each size. */
export const costlyJourneys = journeys.filter(([, { id }]) => id === 'desk-en' || id === 'phone-sw');
/** Another user's phone, in the same language. */
export const phoneOf = ({ language }: Pick<PageView, 'language'>): PageView =>
  checks[language === 'en' ? 'phone, dark, English' : 'phone, light, Swahili'];

export interface Visitor {
  /** Opens a new browser context. */
  open(check: PageView, withScript?: boolean): Promise<void>;
  page(): Page;
  context(): BrowserContext;
  at(path: string): Promise<number | undefined>;
  // Names are English; the search uses the language of the check.
  label(name: string): Locator;
  link(name: string): Locator;
  button(name: string): Locator;
  /** For a button whose label continues with its object. */
  buttonFor(name: string): Locator;
  press(name: string): Promise<void>;
  see(text: string): Promise<void>;
  says(text: string): string;
  signInAs(token: string): Promise<void>;
  /** Opens a page and checks it against WCAG; with MALIPO_TEST_PICTURES it takes a screenshot too. */
  inspect(path: string, name: string, status?: number): Promise<void>;
  /** The same for the open page. */
  inspectHere(path: string, name: string): Promise<void>;
  /** Checks a page again in the other size and colours, for the rules that depend on them. */
  inspectTurned(path: string): Promise<void>;
  /** Violations of the content security policy and script errors since the last call. */
  complaints(): string[];
  leave(): Promise<void>;
}

/** The rules that depend on the width and the colours. */
const turnedRules = ['color-contrast', 'target-size', 'scrollable-region-focusable'];
const otherSizes = { desk: { width: 320, height: 640 }, phone: { width: 1280, height: 900 } };
const otherSchemes = { light: 'dark', dark: 'light' } as const;

/**
 * For all tests of a block. After each test it closes the context and expects no complaints.
 * @param options.stays keeps the browser open without its cookies for the next test of the same kind, because a new one
 * takes a second of processor time.
 */
export function useVisitor(url: () => string, { stays = false } = {}): Visitor {
  let browser: Browser | undefined;
  let check: PageView | undefined;
  let context: BrowserContext | undefined;
  let page: Page | undefined;
  let translate = speaking('en');
  let chosen = 'en';
  const complaints: string[] = [];
  const opened = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('no browser is open');
    return one;
  };
  async function close() {
    await context?.close();
    context = undefined;
    page = undefined;
  }
  /** @returns the violated rules with their elements. */
  const broken = (only: { type: 'tag' | 'rule'; values: string[] }): Promise<string[]> =>
    opened(page).evaluate<string[]>(`axe
      .run({ runOnly: ${JSON.stringify(only)} })
      .then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
  const expectNoneTooWide = async (path: string, width: number) => {
    const tooWide = await opened(page).evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect([path, width, Math.max(0, tooWide)]).toEqual([path, width, 0]);
  };
  const visitor: Visitor = {
    async open(wanted, withScript = true) {
      const { width, height, scheme, language } = wanted;
      if (stays && check === wanted) {
        await opened(page).setViewportSize({ width, height });
        await opened(page).emulateMedia({ colorScheme: scheme });
        return;
      }
      await close();
      translate = speaking(language);
      chosen = language;
      check = wanted;
      browser ??= await launchBrowser();
      context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        locale: language,
        javaScriptEnabled: withScript,
      });
      page = await context.newPage();
      // The browser shares a busy machine.
      page.setDefaultTimeout(120_000);
      // The browser reports violations of the content security policy here.
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of (?:4\d\d|410)/.test(message.text()))
          complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
    },
    page: () => opened(page),
    context: () => opened(context),
    at: async (path) => (await opened(page).goto(`${url()}${path}`))?.status(),
    label: (name) => opened(page).getByLabel(atFirst(translate(name))),
    link: (name) => opened(page).getByRole('link', { name: wholly(translate(name)) }),
    button: (name) => opened(page).getByRole('button', { name: wholly(translate(name)) }),
    buttonFor: (name) => opened(page).getByRole('button', { name: atFirst(translate(name)) }),
    press: (name) => visitor.button(name).first().click(),
    see: (text) =>
      opened(page)
        .getByText(partly(translate(text)))
        .first()
        .waitFor(),
    says: (text) => translate(text)[0] ?? text,
    signInAs: (token) =>
      opened(context).addCookies([
        { name: 'malipo-session', value: token, url: url() },
        // The language as an earlier choice in this browser; the account may have another.
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
      // Closed details must pass the same checks.
      await shown.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      const size = shown.viewportSize() ?? { width: 0, height: 0 };
      // A zoom of 200 % leaves half of the width.
      const widths = size.width >= 640 ? [size.width / 2, size.width] : [size.width];
      for (const width of widths) {
        await shown.setViewportSize({ ...size, width });
        await expectNoneTooWide(path, width);
      }
      await shown.evaluate(axeSource);
      expect([path, await broken({ type: 'tag', values: tags })]).toEqual([path, []]);
    },
    async inspectTurned(path) {
      if (check === undefined) throw new Error('no browser is open');
      const { width, height, scheme } = check;
      const shown = opened(page);
      const turned = otherSizes[width >= 640 ? 'desk' : 'phone'];
      await shown.setViewportSize(turned);
      await shown.emulateMedia({ colorScheme: otherSchemes[scheme] });
      await expectNoneTooWide(path, turned.width);
      expect([path, await broken({ type: 'rule', values: turnedRules })]).toEqual([path, []]);
      await shown.setViewportSize({ width, height });
      await shown.emulateMedia({ colorScheme: scheme });
    },
    complaints: () => complaints.splice(0),
    async leave() {
      if (stays) await context?.clearCookies();
      else await close();
    },
  };
  afterEach(async () => {
    await visitor.leave();
    expect(visitor.complaints()).toEqual([]);
  });
  afterAll(() => browser?.close());
  return visitor;
}
