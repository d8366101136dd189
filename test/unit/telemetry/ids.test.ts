import fc from 'fast-check';
import { readTraceparent, rootOf, writeTraceparent } from '../../../src/telemetry/tracing/scope';

describe("a payment's trace", () => {
  it('has the ids of every earlier version: two of them may write to it', () => {
    expect(rootOf('01a2079f-0354-774a-9804-756f152b9332')).toEqual({
      traceId: '0bcd8f2100952269791f6e2ecfe61e12',
      spanId: '56a91df3217c61f9',
    });
  });

  it('is its own', () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => rootOf(`payment ${String(n)}`).traceId);
    expect(new Set(ids).size).toBe(1_000);
  });
});

describe('a traceparent', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spanId = 'b7ad6b7169203331';

  it('is read in its form, and in those of later versions', () => {
    for (const isSampled of [true, false]) {
      expect(readTraceparent(writeTraceparent({ traceId, spanId }, isSampled))).toEqual({ traceId, spanId });
    }
    expect(readTraceparent(`cc-${traceId}-${spanId}-01-what-comes`)).toEqual({ traceId, spanId });
  });

  it.each([
    ['nothing', undefined],
    ['a list', [`00-${traceId}-${spanId}-01`]],
    ['capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a version that never exists', `ff-${traceId}-${spanId}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['more text without a dash', `00-${traceId}-${spanId}-01x`],
  ])('is invalid if it has %s', (_what, header) => {
    expect(readTraceparent(header)).toBeUndefined();
  });

  it('is invalid, whatever else it has', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readTraceparent(text)).toBeUndefined();
      }),
    );
  });
});
