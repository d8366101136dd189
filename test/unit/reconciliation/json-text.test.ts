/** The reader of JSON in slices gives the same result as a parser, or fails when the parser fails. */
import fc from 'fast-check';
import { parse as lossless } from 'lossless-json';
import { readJson } from '../../../src/reconciliation/reading/json-text';
import { atOnce } from '../../support/at-once';

const parse = (json: string): unknown => JSON.parse(json);
const read = (text: string) => atOnce(readJson(text, parse));
/** Longer than one slice. */
const filling = JSON.stringify('x'.repeat(70_000));
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `MADE "UP" \\ ${String(n)}`,
    of: [n, { more: [] }],
    is: null,
  }));

it.each<[string, unknown]>([
  ['a list of rows', rows(5_000)],
  [
    'pages of rows',
    [
      { results: rows(3_000), next: null },
      { results: rows(3_000), next: { page: 2 } },
    ],
  ],
  ['rows of an object', { from: '2026-11-01', transactions: rows(4_000), to: { at: [] } }],
  ['rows that are larger than a slice', [{ text: 'y'.repeat(70_000), in: rows(2) }, rows(1)]],
  ['a key that every object inherits', parse(`{"__proto__":{"a":1},"b":${filling}}`)],
])('reads %s unchanged', (_what, value) => {
  const text = JSON.stringify(value);
  expect(text.length).toBeGreaterThan(65_536);
  expect(JSON.stringify(read(text))).toBe(text);
  expect(JSON.stringify(read(JSON.stringify(value, null, 2)))).toBe(text);
});

it('reads any JSON as the parser does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = `[${filling},${JSON.stringify(value)},{"a":${JSON.stringify(value)}}]`;
      expect(read(text)).toEqual(parse(text));
    }),
  );
});

it('fails on broken JSON as the parser does', () => {
  const whole = JSON.stringify([filling, { a: [1, 2], b: { c: '"' } }, [[], {}], { d: 3 }]);
  fc.assert(
    fc.property(
      fc.nat({ max: 60 }),
      fc.constantFrom('', ',', ':', '"', '{', '}', '[', ']', '\\', ',,', '[],[]'),
      (fromEnd, sign) => {
        const at = whole.length - fromEnd;
        const text = `${whole.slice(0, at)}${sign}${whole.slice(sign === '' ? at + 1 : at)}`;
        const attempt = (work: () => unknown) => {
          try {
            return [work()];
          } catch {
            return 'refused';
          }
        };
        expect(attempt(() => read(text))).toEqual(attempt(() => parse(text)));
      },
    ),
    { numRuns: 500 },
  );
});

it('keeps the digits of numbers', () => {
  const text = `[{"a":1.250},${filling},{"b":{"c":20.000}}]`;
  expect(JSON.stringify(atOnce(readJson(text, lossless)))).toBe(JSON.stringify(lossless(text)));
});

it('rejects JSON that is nested too deeply for a statement', () => {
  expect(() => read('['.repeat(100_000))).toThrow('it is nested too deeply for a statement');
  expect(() => read(`[${'0,'.repeat(600_001)}0]`)).toThrow('there are more than 600,000 values in one list');
});
