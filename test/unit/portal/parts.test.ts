/** Parts of the pages: the words of each language, cookies, form origins and redirects, and sandbox numbers. */
import { cookiesOf } from '../../../src/portal/visit';
import { comesFromUs, originsOf, safeNext } from '../../../src/portal/forms';
import { money, moment } from '../../../src/portal/format';
import { readPortalSettings } from '../../../src/portal/settings';
import { railDefinitions } from '../../../src/rails';
import { scenarios as cardScenarios } from '../../../simulator/providers/cardproc/scenarios';
import { scenarios as momoScenarios } from '../../../simulator/providers/momo/scenarios';
import { scenarioTable as stkScenarios } from '../../../simulator/providers/stk/scenarios';
import { scenarios as orderScenarios } from '../../../simulator/providers/walletpay/orders/scenarios';
import { scenarios as payoutScenarios } from '../../../simulator/providers/walletpay/payouts/scenarios';
import { scenarioTable as xbScenarios } from '../../../simulator/providers/xb/scenarios';
import { PaymentError } from '../../../src/domain/errors';
import { merchantColumns } from '../../../src/merchants/merchant-input';
import { specifiedRails } from '../../support/specified-endpoints';
import { faultsText } from '../../../src/portal/pages/parts';
import { catalogues, translator } from '../../../src/portal/words';
import { mailWords } from '../../../src/portal/words/mails';

/** Words with the same name in Swahili. */
const sameInBoth = ['webhook.id', 'change.of.passkeys'];

describe.each([
  ['pages', catalogues],
  ['mails', mailWords],
  [
    'rails',
    {
      en: Object.fromEntries(railDefinitions.map(({ name, portalName }) => [name, portalName.en])),
      sw: Object.fromEntries(railDefinitions.map(({ name, portalName }) => [name, portalName.sw])),
    },
  ],
])('the words of the %s', (_name, { en, sw }: { en: Record<string, string>; sw: Record<string, string> }) => {
  const blanks = (text = '') => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();

  it('exist in both languages, with the same placeholders', () => {
    expect(Object.keys(sw).sort()).toEqual(Object.keys(en).sort());
    const differing = Object.keys(en).filter((word) => blanks(en[word]).join() !== blanks(sw[word]).join());
    expect([differing, Object.keys(sw).filter((word) => sw[word]?.trim() === '')]).toEqual([[], []]);
  });

  it('are Swahili in the Swahili catalogue: no English words, and only names are the same', () => {
    const copied = Object.keys(en).filter((word) => sw[word] === en[word] && !sameInBoth.includes(word));
    const english = /\b(?:the|of|and|is|are|you|your|this|that|with|was|not|from|nothing)\b/i;
    expect([copied, Object.keys(sw).filter((word) => english.test(sw[word] ?? ''))]).toEqual([[], []]);
  });
});

describe('the faults of an input', () => {
  const typed: Record<string, unknown>[] = [
    ...[
      'ftp://x.example',
      'http://x.example',
      'https://a:b@x.example',
      'https://x.example:22',
      'https://10.0.0.1',
    ]
      .concat('https://127.1', 'https://localhost', `https://x.example/${'a'.repeat(2000)}`)
      .map((webhookUrl) => ({ webhookUrl })),
    ...[{ name: '' }, { name: 'x'.repeat(300) }, { name: 'a\u0007' }, { name: '4111 1111 1111 1111' }],
    ...[{ walletCurrency: 'XYZ' }, { timeZone: 'Nairobi' }, { ipAllow: ['x'] }, { ipAllow: ['::1', '::1'] }],
    ...[{ checkoutHosts: ['https://x.example/'] }],
    { ipAllow: Array.from({ length: 101 }, (_, n) => `10.0.0.${String(n)}`) },
  ];

  it.each(typed)('are shown in the language of the page: %j', (input) => {
    const faults = refusedBy(() => merchantColumns(input, 'live')).options.details ?? [];
    expect(faults.length).toBeGreaterThan(0);
    const t = translator('sw');
    const reported = faultsText({ t }, faults);
    for (const { message } of faults) expect(reported).not.toContain(message);
    expect(reported).not.toMatch(/\b(?:must|is|the|allowed)\b/);
  });

  it('name the line', () => {
    const faults = refusedBy(() => merchantColumns({ ipAllow: ['10.0.0.1', 'x'] }, 'live')).options.details;
    expect(faultsText({ t: translator('en') }, faults)).toMatch(
      /^Allowed addresses, line 2: write an IP address/,
    );
  });

  function refusedBy(act: () => unknown): PaymentError {
    try {
      act();
    } catch (error) {
      if (error instanceof PaymentError) return error;
    }
    throw new Error('it was taken');
  }
});

describe('a cookie', () => {
  it('is bound to its host over https', () => {
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
  ])('with next=%j redirects to %s', (next, to) => {
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
  ])('with the headers %j is accepted: %s', (headers, counts) => {
    expect(comesFromUs(headers, originsOf('https://portal.example'))).toBe(counts);
  });
});

it('writes money exactly, with the decimals of its currency', () => {
  expect([money(9007199254740993n, 'KES', 'en'), money('20000', 'UGX', 'sw')]).toEqual([
    'KES 90,071,992,547,409.93',
    'UGX 20,000',
  ]);
});

it('formats times in the time zone', () => {
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

describe('the sandbox numbers', () => {
  const simulated: Record<string, readonly string[]> = {
    'stk number': stkScenarios(1).listed.map(({ phone }) => phone),
    'momo number_end': ['789', ...momoScenarios.map(({ suffix }) => suffix)],
    'xb number_end': ['789', ...xbScenarios(1).listed.map(({ suffix }) => suffix)],
    'walletpay amount_end': Object.keys(orderScenarios),
    'walletpay receiver': Object.keys(payoutScenarios),
    'cardproc amount_end': cardScenarios.map(({ cents }) => String(cents).padStart(2, '0')),
  };

  const reported = railDefinitions.flatMap(({ name, sandboxTries }) =>
    sandboxTries.map((group) => [`${name} ${group.by}`, group] as const),
  );

  it('are compared for every specified rail', () => {
    expect(reported.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(simulated)));
  });

  // A new rail compares its own numbers.
  it.each(reported.filter(([name]) => specifiedRails.includes(name.split(' ')[0] ?? '')))(
    'of %s equal those of the simulator',
    (name, { tries }) => {
      expect(simulated[name]).toEqual(expect.arrayContaining(tries.map(({ value }) => value)));
    },
  );
});
