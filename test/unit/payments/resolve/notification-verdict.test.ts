import fc from 'fast-check';
import {
  noLags,
  quantileOf,
  readLags,
  textOfLags,
  withLag,
} from '../../../../src/payments/resolve/notifications/counts';
import {
  backAfterCome,
  follow,
  judge,
  stoppedAfterMissed,
  type CallbackVerdict,
  type Run,
} from '../../../../src/payments/resolve/notifications/health';

const begin: Run = { missedInARow: 0, comeInARow: 0, isStopped: false };
const day = 86_400_000;
const lagsOf = (...seconds: number[]) => seconds.reduce((lags, s) => withLag(lags, s * 1_000), noLags);

describe('notifications have stopped', () => {
  const histories = fc.array(fc.boolean(), { maxLength: 60 });

  it('only after so many in a row, and resumed only after so many', () => {
    fc.assert(
      fc.property(histories, (history) => {
        let run = begin;
        history.forEach((hasCome, at) => {
          const before = run;
          run = follow(run, hasCome);
          const lastOnes = (n: number) => history.slice(Math.max(0, at + 1 - n), at + 1);
          const isRowOf = (n: number, what: boolean) =>
            lastOnes(n).length === n && lastOnes(n).every((each) => each === what);
          if (!before.isStopped && run.isStopped) expect(isRowOf(stoppedAfterMissed, false)).toBe(true);
          if (before.isStopped && !run.isStopped) expect(isRowOf(backAfterCome, true)).toBe(true);
          if (isRowOf(stoppedAfterMissed, false)) expect(run.isStopped).toBe(true);
          if (isRowOf(backAfterCome, true)) expect(run.isStopped).toBe(false);
        });
      }),
    );
  });

  it('whatever the half hour before says, until no payment has ended for a day', () => {
    const words = fc.constantFrom<CallbackVerdict>('unknown', 'healthy', 'late', 'stopped');
    fc.assert(
      fc.property(words, fc.nat(100), fc.nat(2 * day), (before, n, quietMs) => {
        const recent = { expected: n, received: n, lags: noLags };
        const verdict = judge({ before, run: { ...begin, isStopped: true }, recent, quietMs });
        expect(verdict).toBe(quietMs < day ? 'stopped' : 'unknown');
      }),
    );
  });
});

describe('notifications that arrive', () => {
  const reported = (
    before: CallbackVerdict,
    recent: { expected: number; received: number; lags: readonly number[] },
  ) => judge({ before, run: begin, recent, quietMs: 0 });

  it.each<[string, CallbackVerdict, CallbackVerdict, number, number[]]>([
    ['too few to tell', 'healthy', 'unknown', 4, [1, 1, 1, 1]],
    ['at once', 'unknown', 'healthy', 5, [0, 0, 0, 0, 1]],
    ['half of them late', 'healthy', 'late', 5, [0, 0, 50, 50, 50]],
    ['some of them missing', 'healthy', 'late', 10, [0, 0, 0, 0, 0, 0, 0, 0]],
    ['one of ten missing, as before', 'healthy', 'healthy', 10, [0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['one of ten missing, and more before', 'late', 'late', 10, [0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['a little late, and later before', 'late', 'late', 5, [15, 15, 15, 15, 15]],
    ['soon again', 'late', 'healthy', 5, [5, 5, 5, 5, 5]],
  ])('%s: %s becomes %s', (_what, before, after, expected, seconds) => {
    expect(reported(before, { expected, received: seconds.length, lags: lagsOf(...seconds) })).toBe(after);
  });

  it('have never stopped because of their lateness alone', () => {
    const lags = fc.array(fc.nat(300), { maxLength: 50 });
    fc.assert(
      fc.property(lags, fc.nat(50), (seconds, missing) => {
        const recent = {
          expected: seconds.length + missing,
          received: seconds.length,
          lags: lagsOf(...seconds),
        };
        expect(reported('healthy', recent)).not.toBe('stopped');
      }),
    );
  });
});

describe('the lateness of many notifications', () => {
  it('is the upper limit of the step that so many have reached', () => {
    const lags = lagsOf(...Array<number>(98).fill(0), 7, 90);
    expect([0.5, 0.98, 0.99, 1].map((share) => quantileOf(lags, share))).toEqual([0, 0, 10, 120]);
    expect(quantileOf(noLags, 0.5)).toBeUndefined();
  });

  it('is stored as counted, and unreadable data counts as zero', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000)), (seconds) => {
        expect(readLags(textOfLags(lagsOf(...seconds)))).toEqual(lagsOf(...seconds));
      }),
    );
    for (const text of ['', '1,2', 'a,b,c,d,e,f,g,h,i,j', '-1,0,0,0,0,0,0,0,0,0'])
      expect(readLags(text)).toEqual(noLags);
  });
});
