import { PaymentError } from '../../../src/domain/errors';
import { createAddressLimiter } from '../../../src/api/limits/unauthenticated';
import { guardAuthentication, type Authenticate } from '../../../src/merchants/authenticate';
import { merchant } from '../../support/api/serve';

/** In the format of real keys: other texts are not looked up. */
const keyOf = (n: number) => `pk_test_${String(n).padStart(24, '0')}`;
const right = { apiKey: keyOf(0), apiSecret: 'right' };
const wrongFor = (apiKey: string) => ({ apiKey, apiSecret: 'wrong' });

/** The only existing key, and its merchant. */
function guarded({ perAddress = 3, ofAll = 1_000 } = {}) {
  let at = 0;
  const asked = { known: 0, unknown: 0, find: 0 };
  const check =
    (who: 'known' | 'unknown'): Authenticate =>
    ({ apiKey, apiSecret }) => {
      asked[who] += 1;
      return apiKey === right.apiKey && apiSecret === right.apiSecret
        ? Promise.resolve(merchant)
        : Promise.reject(new PaymentError('INVALID_CREDENTIALS'));
    };
  const limiter = (burst: number) => createAddressLimiter({ ratePerMinute: 1, burst }, { now: () => at });
  const authenticate = guardAuthentication({
    known: check('known'),
    unknown: check('unknown'),
    failures: limiter(perAddress),
    keyFailures: limiter(perAddress),
    allFailures: limiter(ofAll),
    findKeys: (keys) => {
      asked.find += 1;
      return Promise.resolve(keys.filter((key) => key === right.apiKey));
    },
  });
  const codeOf = (credentials: typeof right, address = '10.0.0.1') =>
    authenticate(credentials, address).then(
      () => 'known',
      (error: unknown) => (error as PaymentError).code,
    );
  return { asked, codeOf, pass: (ms: number) => (at += ms) };
}

async function failTimes(
  codeOf: (credentials: typeof right) => Promise<string>,
  times: number,
): Promise<void> {
  for (let n = 0; n < times; n += 1) await codeOf(wrongFor(keyOf(n + 1)));
}

describe('wrong credentials', () => {
  it('of one address are rejected above its limit without a check', async () => {
    const { asked, codeOf } = guarded();
    await failTimes(codeOf, 3);
    expect(await codeOf(wrongFor(keyOf(999)))).toBe('RATE_LIMITED');
    expect(asked).toMatchObject({ unknown: 3 });
    expect(await codeOf(wrongFor(keyOf(999)), '10.0.0.2')).toBe('INVALID_CREDENTIALS');
  });

  it('that arrive together are looked up in one query', async () => {
    const { asked, codeOf } = guarded();
    await failTimes(codeOf, 3);
    const flood = Array.from({ length: 200 }, (_, n) => codeOf(wrongFor(keyOf(n + 10))));
    expect(await codeOf(right)).toBe('known');
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['RATE_LIMITED']));
    expect(asked).toEqual({ known: 0, unknown: 4, find: 1 });
  });

  it('count for the whole /64 of an IPv6 address', async () => {
    const { codeOf } = guarded();
    for (const last of ['1', '2', '3']) await codeOf(wrongFor(keyOf(999)), `2001:db8:0:1::${last}`);
    expect(await codeOf(wrongFor(keyOf(999)), '2001:db8:0:1:ffff::9')).toBe('RATE_LIMITED');
    expect(await codeOf(wrongFor(keyOf(999)), '2001:db8:0:2::1')).toBe('INVALID_CREDENTIALS');
  });

  it('never lock out a merchant with the same address, known to this process or not', async () => {
    const { asked, codeOf } = guarded();
    await failTimes(codeOf, 10);
    expect(await codeOf(right)).toBe('known');
    await failTimes(codeOf, 10);
    expect(await codeOf(right)).toBe('known');
    expect(asked).toMatchObject({ known: 1, unknown: 4 });
  });

  it('of all callers are checked at a limited rate, and a merchant never notices', async () => {
    const { asked, codeOf } = guarded({ perAddress: 1_000, ofAll: 5 });
    for (let n = 0; n < 20; n += 1) await codeOf(wrongFor(keyOf(n + 1)), `10.0.1.${n}`);
    expect(asked.unknown).toBe(5);
    expect(await codeOf(right, '10.0.2.1')).toBe('known');
  });

  it('for an existing key are rejected only from their own address', async () => {
    const { codeOf } = guarded();
    for (let n = 0; n < 5; n += 1) await codeOf(wrongFor(right.apiKey));
    expect(await codeOf(wrongFor(right.apiKey))).toBe('RATE_LIMITED');
    expect(await codeOf(right, '10.0.0.9')).toBe('known');
  });

  it('are checked again when their time is over', async () => {
    const { codeOf, pass } = guarded();
    await failTimes(codeOf, 4);
    pass(61_000);
    expect(await codeOf(wrongFor(keyOf(999)))).toBe('INVALID_CREDENTIALS');
  });
});

describe('the memory of credentials', () => {
  const allowed = { allowed: true } as const;
  const refusedFor = (retryAfterSeconds: number) => ({ allowed: false, retryAfterSeconds }) as const;

  /** Every caller is authentic; each limiter records its calls, and answers as scripted. */
  function watched({
    ofAddress = true,
    ofKey = true,
    ofAll = true,
    findKeys = (keys: string[]) => keys,
  } = {}) {
    const checked: string[] = [];
    const taken: string[] = [];
    const answeredBy: string[] = [];
    let fault: PaymentError | undefined;
    const limiter = (isFree: boolean, seconds: number) => ({
      take: (name: string) => (taken.push(name), allowed),
      check: (name: string) => (checked.push(name), isFree ? allowed : refusedFor(seconds)),
    });
    const by =
      (who: string): Authenticate =>
      async () => {
        answeredBy.push(who);
        if (fault) throw fault;
        return merchant;
      };
    const authenticate = guardAuthentication({
      known: by('known'),
      unknown: by('unknown'),
      failures: limiter(ofAddress, 7),
      keyFailures: limiter(ofKey, 60),
      allFailures: limiter(ofAll, 9),
      findKeys: (keys) => Promise.resolve(findKeys(keys)),
    });
    const sign = (apiKey: string, apiSecret = 's') => authenticate({ apiKey, apiSecret }, '10.0.0.1');
    return { sign, checked, taken, answeredBy, failWith: (error?: PaymentError) => (fault = error) };
  }

  it('contains valid ones, until they fail once', async () => {
    const { sign, answeredBy, checked, taken, failWith } = watched();
    for (const secret of ['a', 'a', 'b']) await sign(keyOf(1), secret);
    expect(answeredBy).toEqual(['unknown', 'known', 'unknown']);
    expect(checked).toEqual(['10.0.0.1', '', '10.0.0.1', '']);
    failWith(new PaymentError('ACCOUNT_SUSPENDED'));
    await expect(sign(keyOf(1), 'a')).rejects.toThrow('Account suspended');
    expect(taken).toEqual([]);
    failWith(new PaymentError('INVALID_CREDENTIALS'));
    await expect(sign(keyOf(1), 'a')).rejects.toThrow('Invalid API credentials');
    failWith();
    await sign(keyOf(1), 'a');
    expect(answeredBy.slice(3)).toEqual(['known', 'known', 'unknown']);
  });

  it('contains the ten thousand most recent valid ones', async () => {
    const { sign, answeredBy } = watched();
    for (let n = 0; n < 10_000; n += 1) await sign(keyOf(n));
    await sign(keyOf(0));
    await sign(keyOf(10_000));
    answeredBy.length = 0;
    for (const n of [0, 2, 10_000, 1]) await sign(keyOf(n));
    expect(answeredBy).toEqual(['known', 'known', 'known', 'unknown']);
  });

  it('is short, however long a key is', async () => {
    const { sign, checked, taken, failWith } = watched({ ofAddress: false });
    const long = `pk_test_${'x'.repeat(100)}`;
    await expect(sign(long)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      options: { retryAfterSeconds: 7, detail: 'too many wrong credentials' },
    });
    expect(checked).toEqual(['10.0.0.1', '', `10.0.0.1 ${long.slice(0, 40)}`]);
    failWith(new PaymentError('INVALID_CREDENTIALS'));
    await expect(sign(keyOf(1))).rejects.toThrow();
    expect(taken).toEqual(['10.0.0.1', `10.0.0.1 ${keyOf(1)}`, '']);
  });

  it('is not used for a key that failed too often from this address, even if it exists', async () => {
    const { sign, answeredBy } = watched({ ofAddress: false, ofKey: false });
    await expect(sign(keyOf(1))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(answeredBy).toEqual([]);
  });

  it.each([
    { ofAddress: false, ofAll: true, seconds: 7 },
    { ofAddress: true, ofAll: false, seconds: 9 },
    { ofAddress: false, ofAll: false, seconds: 9 },
  ])('rejects for $seconds seconds: address $ofAddress, all $ofAll', async ({ seconds, ...free }) => {
    const { sign } = watched({ ...free, ofKey: false });
    await expect(sign(keyOf(1))).rejects.toMatchObject({ options: { retryAfterSeconds: seconds } });
  });

  it('is queried for at most a thousand keys at once', async () => {
    const asked: number[] = [];
    const findKeys = (keys: string[]) => (asked.push(keys.length), keys);
    const { sign } = watched({ ofAddress: false, findKeys });
    const all = await Promise.allSettled(Array.from({ length: 1_001 }, (_, n) => sign(keyOf(n))));
    expect(asked).toEqual([1_000]);
    expect(all.map(({ status }) => status).lastIndexOf('fulfilled')).toBe(999);
    await sign(keyOf(2_000));
    expect(asked).toEqual([1_000, 1]);
  });
});
