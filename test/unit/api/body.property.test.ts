import fc from 'fast-check';
import { isLosslessNumber } from 'lossless-json';
import { parseJsonObject } from '../../../src/api/body';

function read(text: string): { value: Record<string, unknown> } | 'refused' {
  try {
    return { value: parseJsonObject(Buffer.from(text)) };
  } catch {
    return 'refused';
  }
}

/** The value with plain numbers, as `JSON.parse` would return it. */
function plain(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

const harmlessKey = fc.string().filter((key) => !['__proto__', 'constructor', 'prototype'].includes(key));
const bodies = fc.dictionary(harmlessKey, fc.jsonValue({ maxDepth: 5 }), { maxKeys: 8 });
const isHarmless = (text: string) => !/__proto__|constructor|prototype/.test(text);

describe('parsing a body', () => {
  it('accepts everything that JSON.stringify writes and reads the same value', () => {
    fc.assert(
      fc.property(bodies, fc.nat(3), (body, indent) => {
        const text = JSON.stringify(body, null, indent);
        fc.pre(isHarmless(text));
        expect(read(text)).not.toBe('refused');
        const { value } = read(text) as { value: Record<string, unknown> };
        // Compared as text, since `-0` is written as `0`.
        expect(JSON.stringify(plain(value))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('never accepts what JSON.parse rejects, and never reads another value', () => {
    const damage = fc.record({
      at: fc.nat(),
      cut: fc.nat(2),
      paste: fc.oneof(
        fc.constantFrom(
          '"',
          '\\',
          '{',
          '}',
          '[',
          ']',
          ':',
          ',',
          '0',
          '-',
          '.',
          'e',
          ' ',
          '\n',
          '\u0000',
          'null',
          'NaN',
        ),
        fc.string({ maxLength: 3 }),
      ),
    });
    fc.assert(
      fc.property(bodies, fc.array(damage, { minLength: 1, maxLength: 3 }), (body, damages) => {
        const text = damages.reduce((damaged, { at, cut, paste }) => {
          const start = at % (damaged.length + 1);
          return damaged.slice(0, start) + paste + damaged.slice(start + cut);
        }, JSON.stringify(body));
        const result = read(text);
        if (result === 'refused') return;
        // The parser gets bytes, not characters: half a surrogate pair arrives as the replacement character.
        const arrived = Buffer.from(text).toString();
        expect(JSON.stringify(plain(result.value))).toBe(JSON.stringify(JSON.parse(arrived)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('rejects an object with a repeated key at any depth', () => {
    fc.assert(
      fc.property(
        bodies,
        harmlessKey,
        fc.jsonValue({ maxDepth: 2 }),
        fc.nat(10),
        (body, key, member, depth) => {
          const twice = `{${JSON.stringify(key)}:${JSON.stringify(member)},${JSON.stringify(key)}:1}`;
          const nested = `${'[{"x":'.repeat(depth % 8)}${twice}${'}]'.repeat(depth % 8)}`;
          expect(read(`{"first":${JSON.stringify(body)},"second":${nested}}`)).toBe('refused');
        },
      ),
      { numRuns: 300 },
    );
  });
});
