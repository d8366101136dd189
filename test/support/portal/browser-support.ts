/** A real browser before the portal: what a person sees of a page, and what WCAG says of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { atFirst, partly, speaking, wholly } from './spoken';
import { describeInBrowser, launchBrowser } from '../browser';

export { describeInBrowser };

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
  /** Of a page that was just held to WCAG: what may be otherwise in the other size and colours. */
  inspectTurned(path: string): Promise<void>;
  /** What the policy of the pages refused, and what broke, since the last time. */
  complaints(): string[];
  leave(): Promise<void>;
}

/** What depends on how wide a page is, and on its colours. */
const turnedRules = ['color-contrast', 'target-size', 'scrollable-region-focusable'];
const otherSizes = { desk: { width: 320, height: 640 }, phone: { width: 1280, height: 900 } };
const otherSchemes = { light: 'dark', dark: 'light' } as const;

/**
 * For all tests of a block: after each it leaves, and nothing may have broken or been refused meanwhile.
 * @param options.stays it leaves its browser open for who comes next in the same look, and nothing in it: a browser anew
 * takes a second of processor.
 */
export function useVisitor(url: () => string, { stays = false } = {}): Visitor {
  let browser: Browser | undefined;
  let look: Look | undefined;
  let context: BrowserContext | undefined;
  let page: Page | undefined;
  let said = speaking('en');
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
  /** @returns the rules that are broken, and where. */
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
      if (stays && look === wanted) {
        await opened(page).setViewportSize({ width, height });
        await opened(page).emulateMedia({ colorScheme: scheme });
        return;
      }
      await close();
      said = speaking(language);
      chosen = language;
      look = wanted;
      browser ??= await launchBrowser();
      context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        locale: language,
        javaScriptEnabled: withScript,
      });
      page = await context.newPage();
      // A browser shares the machine with everything else that runs.
      page.setDefaultTimeout(120_000);
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
        await expectNoneTooWide(path, width);
      }
      await shown.evaluate(axeSource);
      expect([path, await broken({ type: 'tag', values: tags })]).toEqual([path, []]);
    },
    async inspectTurned(path) {
      if (look === undefined) throw new Error('no browser is open');
      const { width, height, scheme } = look;
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
