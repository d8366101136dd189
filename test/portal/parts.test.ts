/** What the pages are made of: their words in each language, their cookies, and where a form may lead and come from. */
import { cookiesOf } from '../../src/portal/cookies';
import { comesFromUs, originsOf, safeNext } from '../../src/portal/forgery';
import { money, moment } from '../../src/portal/format';
import { readPortalSettings } from '../../src/portal/settings';
import { sandboxTries } from '../../src/portal/sandbox-numbers';
import { scenarios as cardScenarios } from '../../simulator/providers/cardproc/scenarios';
import { scenarios as momoScenarios } from '../../simulator/providers/momo/scenarios';
import { scenarioTable as stkScenarios } from '../../simulator/providers/stk/scenarios';
import { scenarios as orderScenarios } from '../../simulator/providers/walletpay/orders/scenarios';
import { scenarios as payoutScenarios } from '../../simulator/providers/walletpay/payouts/scenarios';
import { scenarioTable as xbScenarios } from '../../simulator/providers/xb/scenarios';
import { catalogues } from '../../src/portal/words';
import { mailWords } from '../../src/portal/words/mails';

describe.each([
  ['pages', catalogues],
  ['mails', mailWords],
])('the words of the %s', (_name, { en, sw }: { en: Record<string, string>; sw: Record<string, string> }) => {
  const blanks = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();

  it('are all there in both languages, and fill in the same', () => {
    expect(Object.keys(sw).sort()).toEqual(Object.keys(en).sort());
    const differing = Object.keys(en).filter((word) => blanks(en[word]).join() !== blanks(sw[word]).join());
    expect([differing, Object.keys(sw).filter((word) => sw[word]?.trim() === '')]).toEqual([[], []]);
  });
});

describe('a cookie', () => {
  it('is bound to the host by https, and goes nowhere else', () => {
    expect(cookiesOf(undefined, true).set('session', 'abc')).toBe(
      '__Host-session=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200',
    );
    expect(cookiesOf('malipo-session=planted; __Host-session=mine', true).get('session')).toBe('mine');
    expect(cookiesOf('__Host-session="x y"', true).get('session')).toBeUndefined();
  });
});

describe('a form', () => {
  it.each([
    ['/m/1/payments?state=waiting', '/m/1/payments?state=waiting'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['/\tx', '/'],
    ['javascript:alert(1)', '/'],
    [null, '/'],
  ])('leads on from %j to %s', (next, to) => {
    expect(safeNext(next)).toBe(to);
  });

  it.each([
    [{ origin: 'https://portal.example' }, true],
    [{ origin: 'https://portal.example.evil' }, false],
    [{ origin: 'http://portal.example' }, false],
    [{ origin: 'null' }, false],
    [{}, false],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
  ])('that says %j counts: %s', (headers, counts) => {
    expect(comesFromUs(headers, originsOf('https://portal.example'))).toBe(counts);
  });
});

it('writes money exactly, with the decimals of its currency', () => {
  expect([money(9007199254740993n, 'KES', 'en'), money('20000', 'UGX', 'sw')]).toEqual([
    'KES 90,071,992,547,409.93',
    'UGX 20,000',
  ]);
});

it('tells the time of the zone', () => {
  const at = new Date('2026-01-31T21:30:00Z');
  expect(moment(at, 'Africa/Nairobi', 'en')).toContain('1 Feb 2026');
  expect(moment(at, 'Africa/Nairobi', 'sw')).toContain('00:30');
});

it.each([
  {},
  { MALIPO_PORTAL_URL: 'http://portal.example' },
  { MALIPO_PORTAL_URL: 'https://x.example/portal' },
])('does not start in live with %j', (env) => {
  expect(() => readPortalSettings(env, 'live')).toThrow('MALIPO_PORTAL_URL');
});

describe('the numbers of the sandbox', () => {
  const simulated: Record<string, readonly string[]> = {
    'stk number': stkScenarios(1).listed.map(({ phone }) => phone),
    'momo number_end': ['789', ...momoScenarios.map(({ suffix }) => suffix)],
    'xb number_end': ['789', ...xbScenarios(1).listed.map(({ suffix }) => suffix)],
    'walletpay amount_end': Object.keys(orderScenarios),
    'walletpay receiver': Object.keys(payoutScenarios),
    'cardproc amount_end': cardScenarios.map(({ cents }) => String(cents).padStart(2, '0')),
  };

  it.each(sandboxTries.map((group) => [`${group.rail} ${group.by}`, group] as const))(
    'of %s are those of the simulator',
    (name, { tries }) => {
      expect(simulated[name]).toEqual(expect.arrayContaining(tries.map(({ value }) => value)));
    },
  );
});
