/** The claim that a request makes by its Idempotency-Key, and how it ends, without a server. */
import Joi from 'joi';
import { parse } from 'lossless-json';
import { PaymentError } from '../../../src/domain/errors';
import { answerOnce, claimOf, type Claimant, type IdempotencyStore } from '../../../src/api/idempotency';
import { amountField, metadataField, validateInput } from '../../../src/rail-kit/fields';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { CommitUnknown } from '../../../src/store/transaction';
import { silentLog } from '../../support/api/serve';

const call = { call: 'POST /api/v1/echo', isProven: true };
const fields = Joi.object({
  ...Object.fromEntries(['a', 'b'].map((name) => [name, Joi.any()])),
  amount: amountField({ currency: 'KES' }),
  metadata: metadataField(),
});
const claimed = (body: string, header = 'k1', by: Partial<typeof call> = {}) => {
  const sent = parse(body) as Record<string, unknown>;
  const claim = claimOf(header, { ...call, ...by }, { input: validateInput(fields, sent), sent });
  if (!claim) throw new Error('no claim');
  return claim;
};

describe('the claim of a request', () => {
  const bodyOf = (body: string) => claimed(body).bodyHash.toString('hex');

  it('does not exist without a key', () => {
    expect(claimOf(undefined, call, { input: {}, sent: {} })).toBeUndefined();
  });

  it('is rejected with two keys', () => {
    expect(() => claimOf(['k1', 'k1'], call, { input: {}, sent: {} })).toThrow(PaymentError);
  });

  it.each([
    ['another order of fields', '{"b":{"d":1,"c":[2]},"a":null}', '{"a":null,"b":{"c":[2],"d":1}}'],
    ['another order within a list', '{"a":[{"b":1,"c":2}]}', '{"a":[{"c":2,"b":1}]}'],
    ['another text of the same amount', '{"amount":78}', '{"amount":"78.00"}'],
    [
      'another order within metadata',
      '{"metadata":{"x":1,"y":{"b":2,"a":3}}}',
      '{"metadata":{"y":{"a":3,"b":2},"x":1}}',
    ],
    ['a field that the endpoint ignores', '{"a":1}', '{"a":1,"colour":"red"}'],
    ['an empty amount', '{"a":1}', '{"a":1,"amount":null}'],
    ['its credentials', '{"a":1}', '{"api_key":"k","a":1,"api_secret":"s"}'],
  ])('is the same with %s', (_what, one, other) => {
    expect(bodyOf(one)).toBe(bodyOf(other));
  });

  it.each([
    ['another order of a list', '{"a":[1,2]}', '{"a":[2,1]}'],
    ['another amount', '{"amount":78}', '{"amount":780}'],
    ['another number within metadata', '{"metadata":{"x":1}}', '{"metadata":{"x":1.0}}'],
    ['an object for a list', '{"a":[1]}', '{"a":{"0":1}}'],
    ['an object for a number', '{"a":1}', '{"a":{"isLosslessNumber":true,"value":"1"}}'],
    ['a text for nothing', '{"a":null}', '{"a":"null"}'],
    ['the credentials of somebody else within', '{"a":{"api_key":"k"}}', '{"a":{}}'],
  ])('differs with %s', (_what, one, other) => {
    expect(bodyOf(one)).not.toBe(bodyOf(other));
  });

  it('differs for a caller who only names the merchant, whatever the key', () => {
    const keyOf = (header: string, isProven: boolean) =>
      claimed('{}', header, { isProven }).keyHash.toString('hex');
    const keys = ['k1', 'k2'].flatMap((header) => [true, false].map((isProven) => keyOf(header, isProven)));
    expect(new Set(keys).size).toBe(4);
    expect(keyOf('k1', false)).toBe(keyOf('k1', false));
  });
});

describe('the end of a claim', () => {
  const reported: [string, object][] = [];
  const ends: string[] = [];
  let failures = 0;
  const write = (end: string) => {
    ends.push(end);
    failures -= 1;
    return failures >= 0 ? Promise.reject(new Error('gone')) : Promise.resolve();
  };
  const store: IdempotencyStore = {
    claim: () => Promise.resolve({ kind: 'first', claimId: 'c1' }),
    isKnown: () => Promise.resolve(false),
    storeAnswer: (_merchant, _claim, { status }) => write(`answered ${String(status)}`),
    release: () => write('released'),
    letGo: () => write('let go'),
    end: ({ claimId }) => void ends.push(`${claimId} ended`),
  };
  const note = (message: string, fields: object = {}) => void reported.push([message, fields]);
  const claimant: Claimant = {
    idempotency: store,
    config: { timezone: 'Africa/Nairobi' },
    log: { ...silentLog, warn: note, error: note },
  };
  beforeEach(() => {
    for (const list of [reported, ends]) list.length = 0;
    failures = 0;
  });
  const answer = (work: () => Promise<never>, by = claimant) => answerOnce(by, 'm1', claimed('{}'), work);
  const ending = async (error: Error) => {
    await expect(answer(() => Promise.reject(error))).rejects.toBeDefined();
    return ends[0];
  };

  it.each([
    ['a refusal is kept', new PaymentError('FLOAT_INSUFFICIENT'), 'answered 400'],
    ['one that is not decided yet is not', new PaymentError('CANCELLATION_IN_PROGRESS'), 'let go'],
    ['nothing was started', new PaymentError('PROVIDER_UNAVAILABLE'), 'released'],
    ['the provider took nothing', new PaymentError('PROVIDER_ACCOUNT_REFUSED'), 'released'],
    ['something may have been', new PaymentError('ACCEPTANCE_UNKNOWN'), 'let go'],
    ['a fault of ours', new PaymentError('INTERNAL_ERROR'), 'let go'],
    ['a surprise', new Error('surprise'), 'let go'],
    ['a database that was lost', Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }), 'released'],
    ['a transaction that may be committed', new CommitUnknown(undefined), 'let go'],
  ])('%s', async (_what, error, end) => {
    expect(await ending(error)).toBe(end);
    expect(ends).toEqual([end, 'c1 ended']);
  });

  it("logs the database's error", async () => {
    const lost = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    const unknown = new CommitUnknown(lost);
    await expect(answer(() => Promise.reject(lost))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: lost,
    });
    await expect(answer(() => Promise.reject(unknown))).rejects.toMatchObject({
      code: 'ACCEPTANCE_UNKNOWN',
      cause: unknown,
      options: { extra: {}, retryAfterSeconds: 5 },
    });
  });

  it('is logged, retried and then written, if the write fails', async () => {
    failures = 2;
    await ending(new PaymentError('PROVIDER_UNAVAILABLE'));
    expect(ends).toEqual(['released']);
    await waitFor(async () => ends.includes('c1 ended') || undefined, {
      what: 'the claim to end',
      timeoutMs: 10_000,
    });
    expect(ends).toEqual(['released', 'released', 'released', 'c1 ended']);
    const about = { merchant_id: 'm1', claim_id: 'c1', end: 'released' };
    expect(reported).toEqual([
      [
        'the end of an Idempotency-Key claim was not written; the write is retried',
        { ...about, error: new Error('gone') },
      ],
    ]);
  });

  it('is logged once more if it is never written', async () => {
    failures = 100;
    const surprise = answer(() => Promise.reject(new Error('surprise')), { ...claimant, persistenceMs: 1 });
    await expect(surprise).rejects.toThrow('surprise');
    await waitFor(async () => reported.length > 1 || undefined, {
      what: 'the claim to end',
      timeoutMs: 10_000,
    });
    const about = { merchant_id: 'm1', claim_id: 'c1', end: 'left to a repeat' };
    expect(reported[1]).toEqual([
      'the end of an Idempotency-Key claim was not written; retries ended',
      about,
    ]);
    expect(ends).toEqual(['let go', 'let go', 'c1 ended']);
  });
});
