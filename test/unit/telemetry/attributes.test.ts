import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  allowed,
  attributeTable,
  type AttributeName,
  type Attributes,
} from '../../../src/telemetry/tracing/exporter';

const names = Object.keys(attributeTable) as AttributeName[];
const id = '01a2079f-0354-774a-9804-756f152b9332';

it('exports the attributes of the table', () => {
  const reported = {
    'malipo.payment.id': id,
    'malipo.rail': 'stk',
    'malipo.provider': 'MTN_MOMO_ZMB',
    'malipo.state': 'succeeded',
    'malipo.attempt': 2,
    'malipo.error.code': 'PROVIDER_UNAVAILABLE',
    'http.route': '/api/v1/momo/deposit',
    'http.response.status_code': 200,
  };
  expect(allowed(reported)).toEqual(reported);
});

it('exports no attribute outside the table', () => {
  const more = { 'malipo.phone': 'x', constructor: 'x', 'malipo.rail': 'momo' } as Attributes;
  expect(allowed(more)).toEqual({ 'malipo.rail': 'momo' });
});

it.each([
  ['a telephone number', '254708374149'],
  ['one in groups', '+254 708 374 149'],
  ['an address of mail', 'jane@example.org'],
  ['a name', 'Jane Wanjiku'],
  ['a URL', 'https://shop.example/hook?token=s3cr3t'],
  ['a path with a token', '/in/stk/0f8fad5bd9cb469fa16570867728950e?x=1'],
  ['a key', 'sk_test_4eC39HqLyjWDarjtT1zdp7dc'],
  ['a receipt', 'TKL7SE91QF'],
  ['a long text', 'x'.repeat(1_000)],
  ['what hides behind a line', 'stk\n254708374149'],
])('has no attribute for %s', (_what, value) => {
  for (const name of names) expect(allowed({ [name]: value })).toEqual({});
});

it('has no attribute for an amount, or for a number as a number', () => {
  for (const name of names) {
    expect(allowed({ [name]: 254_708_374_149 })).toEqual({});
    expect(allowed({ [name]: 1250.5 })).toEqual({});
  }
});

it('exports no digits in words', () => {
  const digits = fc.stringMatching(/^[\w +@.-]*\d{5}[\w +@.-]*$/);
  fc.assert(
    fc.property(digits, fc.constantFrom(...names), (value, name) => {
      expect(allowed({ [name]: value })).toEqual({});
    }),
  );
});

it('is named in docs/tracing.md, and no other', () => {
  const docs = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'tracing.md'), 'utf8');
  expect([...docs.matchAll(/`((?:malipo|http)\.[a-z_.]+)`/g)].map(([, name]) => name)).toEqual(names);
});
