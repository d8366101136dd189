/** A statement cannot explain more money than it contains: two lines are not one, and a fee is no reversal. */
import { randomUUID } from 'node:crypto';
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { keepStatement } from '../../../src/reconciliation/keep-statement';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import { openDatabase, type Database } from '../../../src/store/database';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, deposit, testContext, transitionTo } from '../../support/verify/books-support';
import {
  bookedOn,
  file,
  forgetStatements,
  format,
  hourMs,
  line,
  period,
  type Written,
} from '../../support/reconciliation/statement-support';

let test: TestDatabase;
let context: PaymentsContext;
/** With the database account of the service, so a missing privilege fails a test. */
let service: Database;
let merchantId: string;
beforeAll(async () => {
  test = await createTestDatabase();
  context = testContext(test.db);
  service = openDatabase(test.url, { poolMax: 8 });
  ({ merchant_id: merchantId } = await createMerchant(test.db, box, {
    name: 'Duka',
    environment: 'sandbox',
  }));
});
beforeEach(async () => {
  await forgetStatements(test.db);
});
afterEach(async () => {
  await expectClean({ db: test.db });
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});

const run = (lines: Written[]) => reconcile(service, format, period(), file(lines, `${randomUUID()}.json`));
const report = () => reportOn(service, format, period());
/** Payments of other tests have no line here. */
const reported = async () =>
  (await report()).items.flatMap(({ result, line: of }) =>
    of ? [[result.outcome, of.provider_reference, result.note]] : [],
  );
const paid = () => deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
const before = (ms: number) => new Date(Date.now() - ms).toISOString();
const feesBooked = () => bookedOn(test.db, 'provider_fees:loudpay:KES');

describe('a line with the id of another line', () => {
  it.each([
    ['time', { at: before(hourMs) }, /^the earlier line \d+ has another time, \d{4}-/],
    ['reference', { ourReference: 'ORDER-2' }, /^the earlier line \d+ has another reference, ORDER-1$/],
    ['amount', { amountMinor: '9999' }, /^the earlier line \d+ has 100\.00 KES$/],
    ['original transaction', { originalReference: 'T-2' }, /another transaction, T-1$/],
    ['fee', { feeMinor: '4' }, /another fee, 0\.03 KES$/],
  ])('and another %s is not a repetition', async (_what, changes, note) => {
    const first = line('6.37724', { ourReference: 'ORDER-1', originalReference: 'T-1', feeMinor: '3' });
    await run([first]);
    await run([{ ...first, ...changes }]);
    expect(await reported()).toContainEqual(['amount_differs', '6.37724', expect.stringMatching(note)]);
    expect((await reported()).map(([outcome]) => outcome)).not.toContain('seen_before');
    expect((await report()).isExplained).toBe(false);
  });

  it('does not settle the payment of its own reference', async () => {
    const [one, other] = [await paid(), await paid()];
    await run([
      line('6.37724', { ourReference: one, at: before(2 * hourMs) }),
      line('6.37724', { ourReference: other }),
    ]);
    expect(await reported()).toEqual([['amount_differs', '6.37724', expect.stringMatching(/another time/)]]);
    const mine = await test.db('reconciliation_results').where({ payment_id: other });
    expect(mine.filter(({ outcome }) => outcome !== 'ours_only')).toEqual([]);
  });

  it('with another description is no repetition in the same file, but is one in another file', async () => {
    const settled = line('6.37724', { kind: 'other', description: 'Settlement' });
    const refund = { ...settled, description: 'Refund' };
    await run([settled, refund]);
    expect(await reported()).toEqual(
      expect.arrayContaining([
        ['theirs_only', '6.37724', expect.anything()],
        ['amount_differs', '6.37724', expect.stringMatching(/another transaction, Settlement$/)],
      ]),
    );
    await run([{ ...settled, description: 'Settled' }]);
    expect((await reported()).map(([outcome]) => outcome)).toContain('seen_before');
  });

  it('is a repetition when a spreadsheet cut off the seconds', async () => {
    const at = new Date(Date.now() - hourMs);
    const minute = new Date(Math.floor(at.getTime() / 60_000) * 60_000);
    const id = await paid();
    await run([line(`ref-${id}`, { at: new Date(minute.getTime() + 30_000).toISOString() })]);
    await run([line(`ref-${id}`, { at: minute.toISOString() })]);
    expect((await reported()).map(([outcome]) => outcome)).toEqual(['seen_before']);
  });
});

describe('a line that failed after it was completed', () => {
  it('is unexplained, because our books have its money', async () => {
    const id = await paid();
    await run([line(`ref-${id}`)]);
    const [first] = await test.db('reconciliation_results').where({ payment_id: id }).pluck('line_id');
    await run([line(`ref-${id}`, { state: 'failed' })]);
    expect(await reported()).toEqual([
      ['amount_differs', `ref-${id}`, `line ${String(first)} was completed; this one failed`],
    ]);
    expect((await report()).isExplained).toBe(false);
    // The first line still is the payment's own.
    expect(await test.db('reconciliation_results').where({ payment_id: id }).pluck('outcome')).toEqual([
      'agreed',
    ]);
  });

  it('is explained if it failed before, or if the later line is an older one that was pending', async () => {
    const id = await paid();
    await run([line(`ref-${id}`, { state: 'failed' }), line(`ref-${id}`)]);
    await run([line(`ref-${id}`, { state: 'pending' })]);
    expect((await reported()).map(([outcome]) => outcome)).toEqual(['not_moved', 'not_moved']);
  });
});

describe('a line of an unknown type', () => {
  const other = (reference: string, more: Partial<Written> = {}) =>
    line(reference, { kind: 'other', ...more });
  const inSuspense = () => bookedOn(test.db, 'suspense:loudpay:KES');
  const receipts = () => test.db('unmatched_receipts').orderBy('receipt_id').pluck('state');
  const isTwice = (id: string, amount = '100.00') =>
    `payment ${id} has this id or reference; the line is read as other, ${amount} KES`;
  const reversed = (id: string) =>
    transitionTo(context, id, 'reversed', { changes: { returned_minor: '10000' } });

  it.each([
    ['in the same file', false],
    ['in another file', true],
  ])('with the id of a settled payment is not booked again, %s', async (_where, isLater) => {
    const id = await paid();
    const [own, again] = [line(`ref-${id}`), other(`ref-${id}`)];
    if (isLater) await run([own]);
    await run(isLater ? [again] : [again, own]);
    expect(await reported()).toEqual([['amount_differs', `ref-${id}`, isTwice(id)]]);
    expect([await receipts(), await inSuspense(), (await report()).isExplained]).toEqual([[], 0n, false]);
    // The payment still has its line.
    expect(await test.db('reconciliation_results').where({ outcome: 'ours_only', payment_id: id })).toEqual(
      [],
    );
  });

  it.each([
    ['id', (id: string) => [`ref-${id}`, {}] as const],
    ['original id', (id: string) => ['BACK-1', { originalReference: `ref-${id}` }] as const],
    ['reference', (id: string) => ['BACK-2', { ourReference: id }] as const],
  ])('with the %s of a reversed payment is not booked again when it takes money', async (_what, naming) => {
    const id = await paid();
    await reversed(id);
    const [reference, more] = naming(id);
    await run([line(`ref-${id}`), other(reference, { ...more, amountMinor: '-10000' })]);
    expect(await reported()).toEqual([['amount_differs', reference, isTwice(id, '-100.00')]]);
    expect([await receipts(), await inSuspense()]).toEqual([[], 0n]);
  });

  it('leaves suspense when our books have what it took', async () => {
    const id = await paid();
    await run([line(`ref-${id}`), other(`ref-${id}`, { amountMinor: '-10000' })]);
    expect(await reported()).toEqual([['theirs_only', `ref-${id}`, 'our payment is succeeded']]);
    expect([await receipts(), await inSuspense()]).toEqual([['open'], -10_000n]);
    await reversed(id);
    await reconcile(service, format, period());
    expect(await reported()).toEqual([['amount_differs', `ref-${id}`, isTwice(id, '-100.00')]]);
    expect([await receipts(), await inSuspense()]).toEqual([['explained'], 0n]);
  });

  it('with the reference of a payment without an id is not booked again', async () => {
    const id = await paid();
    await test.db('payments').where({ payment_id: id }).update({ provider_reference: null });
    await run([other('R-1', { ourReference: id })]);
    expect(await reported()).toEqual([['amount_differs', 'R-1', isTwice(id)]]);
  });

  it('waits while the payment with its id is undecided, and is in suspense once that has failed', async () => {
    const id = await deposit(context, { merchantId }, 'initiating', 'pending');
    await run([other(`ref-${id}`)]);
    expect(await reported()).toEqual([['amount_differs', `ref-${id}`, isTwice(id)]]);
    expect(await receipts()).toEqual([]);
    await transitionTo(context, id, 'failed');
    await reconcile(service, format, period());
    expect(await reported()).toEqual([['theirs_only', `ref-${id}`, 'our payment is failed']]);
    expect([await receipts(), await inSuspense()]).toEqual([['open'], 10_000n]);
  });

  it('can be assigned if it is further money, or a charge', async () => {
    const id = await paid();
    await run([
      line(`ref-${id}`),
      other('SECOND', { ourReference: id }),
      other(`ref-${id}`, { amountMinor: '-1500' }),
    ]);
    expect(await reported()).toEqual([
      ['theirs_only', 'SECOND', 'no payment has this id'],
      ['theirs_only', `ref-${id}`, 'our payment is succeeded'],
    ]);
    expect(await receipts()).toEqual(['open', 'open']);
  });

  it('with the id of a line that agrees is not booked again', async () => {
    const id = await paid();
    await test.db('payments').where({ payment_id: id }).update({ provider_reference: null });
    await run([line('R-2', { ourReference: id })]);
    const [first] = await test.db('reconciliation_results').where({ payment_id: id }).pluck('line_id');
    await run([other('R-2')]);
    expect(await reported()).toEqual([
      ['amount_differs', 'R-2', `line ${String(first)} has this id; the line is read as other, 100.00 KES`],
    ]);
    expect([await receipts(), await inSuspense()]).toEqual([[], 0n]);
  });

  it.each([
    ['collection', 'other', '10000'],
    ['other', 'collection', '10000'],
    ['fee', 'other', '-30'],
    ['other', 'fee', '-30'],
  ] as const)('is in suspense once if one file reads it as %s and another as %s', async (one, two, minor) => {
    const read = (kind: Written['kind']) =>
      line('T-9', { kind, amountMinor: kind === 'fee' ? minor.slice(1) : minor });
    const [booked, day] = [await feesBooked(), line(`ref-${await paid()}`)];
    await run([day, read(one)]);
    await run([read(two)]);
    expect((await reported()).at(-1)).toEqual([
      ...['amount_differs', 'T-9'],
      expect.stringMatching(new RegExp(`^line \\d+ has this id; the line is read as ${two}, `)),
    ]);
    const isFee = one === 'fee';
    expect(await inSuspense()).toBe(isFee ? 0n : BigInt(minor));
    expect((await feesBooked()) - booked).toBe(isFee ? BigInt(minor) : 0n);
  });
});

describe('a file that an operator uploads', () => {
  const latest = () => new Date(Date.now() + 24 * hourMs);
  const bring = (at: string, isFetched?: true) =>
    keepStatement(service, format, {
      ...{ ...file([line('T-1'), line(`T${at}`, { at })], `${randomUUID()}.json`), ...period() },
      ...{ latest: latest(), ...(isFetched && { isFetched }) },
    });

  it('is rejected for a line of more than a day in the future; a fetched statement is not', async () => {
    const [soon, later] = [23, 25].map((hours) => new Date(Date.now() + hours * hourMs).toISOString()) as [
      string,
      string,
    ];
    await expect(bring(later)).rejects.toThrow(`line 2: its time ${later} is in the future`);
    expect(await test.db('statement_lines').where({ provider_reference: 'T-1' })).toEqual([]);
    expect((await bring(soon)).lines).toBe(2);
    expect((await bring(later, true)).isKnown).toBe(false);
  });
});

describe('a fee in a statement', () => {
  const fee = (reference: string, amountMinor: string, more: Partial<Written> = {}) =>
    line(reference, { kind: 'fee', amountMinor, ...more });

  it('is unexplained when it is incoming, or more than a third of its payment', async () => {
    const booked = await feesBooked();
    const [one, two, three] = [await paid(), await paid(), await paid()];
    await run([
      line(`ref-${one}`, { feeMinor: '-5' }),
      line(`ref-${two}`, { feeMinor: '3334' }),
      line(`ref-${three}`, { feeMinor: '3333' }),
    ]);
    expect(await reported()).toEqual(
      expect.arrayContaining([
        ['amount_differs', `ref-${one}`, 'incoming money is not a fee'],
        ['amount_differs', `ref-${two}`, expect.stringMatching(/is more than a third of its payment$/)],
      ]),
    );
    expect((await feesBooked()) - booked).toBe(-3_333n);
  });

  it('is unexplained when it is at least as large as its payment', async () => {
    const booked = await feesBooked();
    const [one, two, three] = [await paid(), await paid(), await paid()];
    const ref = (id: string) => `ref-${id}`;
    const many = Array.from({ length: 8 }, () => line(`T${randomUUID()}`, { amountMinor: '100000' }));
    await run([
      ...many,
      ...[one, two, three].map((id) => line(ref(id))),
      fee(ref(one), '10000'),
      fee(ref(two), '6000'),
      fee(ref(two), '5000'),
      fee(ref(three), '150'),
    ]);
    const ofFees = (await reported()).filter(([, reference]) => String(reference).startsWith('ref-'));
    expect(ofFees.map(([outcome, reference]) => [outcome, reference])).toEqual([
      ['theirs_only', ref(one)],
      ['theirs_only', ref(two)],
      ['theirs_only', ref(two)],
      ['fee', ref(three)],
    ]);
    expect(ofFees[0]?.[2]).toBe('the fees of 100.00 KES are as large as their payment of 100.00 KES');
    expect(await feesBooked()).toBe(booked - 150n);
    expect((await report()).isExplained).toBe(false);
  });

  it('is unexplained when it is more than a fifth of the day’s payments, until more payments are known', async () => {
    const booked = await feesBooked();
    const id = await paid();
    await run([line(`ref-${id}`), fee('SUPPOSED', '2001')]);
    expect(await reported()).toEqual([
      ['theirs_only', 'SUPPOSED', 'the day has fees of 20.01 KES, with payments of 100.00 KES'],
    ]);
    expect(
      await test.db('unmatched_receipts').where({ provider_reference: 'SUPPOSED' }).pluck('state'),
    ).toEqual(['open']);
    const another = await paid();
    await run([line(`ref-${another}`)]);
    expect(await reported()).toEqual([['fee', 'SUPPOSED', '']]);
    expect(
      await test.db('unmatched_receipts').where({ provider_reference: 'SUPPOSED' }).pluck('state'),
    ).toEqual(['explained']);
    expect(await feesBooked()).toBe(booked - 2_001n);
  });

  it('is unexplained when it is incoming', async () => {
    await run([line(`ref-${await paid()}`), fee('BACK', '-150')]);
    expect(await reported()).toEqual([['theirs_only', 'BACK', 'incoming money is not a fee']]);
  });

  it('in the line of its payment is unexplained when it is the whole amount', async () => {
    const booked = await feesBooked();
    const id = await paid();
    await run([line(`ref-${id}`, { feeMinor: '10000' }), line('STRANGER', { feeMinor: '20000' })]);
    expect(await reported()).toEqual([
      ['amount_differs', `ref-${id}`, expect.stringMatching(/^a fee of 100\.00 KES is more than a third of/)],
      ['theirs_only', 'STRANGER', 'no payment has this id'],
    ]);
    expect(await feesBooked()).toBe(booked);
  });

  it('in the line of its payment counts for the share of the day', async () => {
    const booked = await feesBooked();
    const [one, two] = [await paid(), await paid()];
    const kept = [line(`ref-${one}`, { feeMinor: '2001' }), line(`ref-${two}`, { feeMinor: '2002' })];
    const note = 'the day has fees of 40.03 KES, with payments of 200.00 KES';
    await run(kept);
    expect(await reported()).toEqual([
      ['amount_differs', `ref-${one}`, note],
      ['amount_differs', `ref-${two}`, note],
    ]);
    expect((await report()).isExplained).toBe(false);
    expect(await feesBooked()).toBe(booked);
    // The same lines in another statement do not add money.
    await run(kept.map((each) => ({ ...each, description: 'again' })));
    expect(new Set((await reported()).map(([, , of]) => of))).toContain(note);
    // A statement of other hours adds payments to the day.
    const later = { from: new Date(Date.now() + hourMs), to: new Date(Date.now() + 2 * hourMs) };
    await reconcile(service, format, later, file([line(`ref-${await paid()}`)], `${randomUUID()}.json`));
    expect((await reported()).filter(([outcome]) => outcome === 'amount_differs')).toEqual([]);
    expect(await feesBooked()).toBe(booked - 4_003n);
  });

  it('of the smallest order is explained, although it is more than a third', async () => {
    const booked = await feesBooked();
    const smallest = await deposit(
      context,
      { merchantId, amountMinor: 100n },
      'initiating',
      'pending',
      'succeeded',
    );
    await run([line(`ref-${smallest}`, { amountMinor: '100', feeMinor: '34' })]);
    expect([await reported(), await feesBooked()]).toEqual([[], booked - 34n]);
  });

  it('of a small order is unexplained when it is the whole amount, or when such fees are many', async () => {
    const booked = await feesBooked();
    const small = () =>
      deposit(context, { merchantId, amountMinor: 100n }, 'initiating', 'pending', 'succeeded');
    const whole = `ref-${await small()}`;
    await run([line(whole, { amountMinor: '100', feeMinor: '100' })]);
    expect(await reported()).toEqual([
      ['amount_differs', whole, 'a fee of 1.00 KES is more than a third of its payment'],
    ]);
    const many = await Promise.all(Array.from({ length: 11 }, small));
    await run(many.map((id) => line(`ref-${id}`, { amountMinor: '100', feeMinor: '50' })));
    expect((await reported()).map(([outcome]) => outcome)).toEqual(Array(12).fill('amount_differs'));
    expect(await feesBooked()).toBe(booked);
  });

  it('that the provider returns on its own line is booked back, if it names its payment and is no larger than a fee', async () => {
    const booked = await feesBooked();
    const [one, two] = [await paid(), await paid()];
    const back = (reference: string, minor: string, of: string) =>
      fee(reference, minor, { originalReference: `ref-${of}`, rule: 'fee_returned' });
    await run([line(`ref-${one}`, { feeMinor: '300' }), line(`ref-${two}`), back('BACK-3', '-300', one)]);
    expect([await reported(), await feesBooked()]).toEqual([[['fee', 'BACK-3', '']], booked]);
    await run([back('BACK-4', '-3334', two), fee('BACK-5', '-300', { rule: 'fee_returned' })]);
    expect(await reported()).toEqual(
      expect.arrayContaining([
        ['theirs_only', 'BACK-4', 'a returned fee of 33.34 KES is more than a third of its payment'],
        ['theirs_only', 'BACK-5', 'incoming money is not a fee'],
      ]),
    );
  });

  it('on its own line is unexplained when the fees of payments use up most of the share', async () => {
    const booked = await feesBooked();
    await run([line(`ref-${await paid()}`, { feeMinor: '1500' }), fee('BESIDE', '501')]);
    expect(await reported()).toEqual([
      ['theirs_only', 'BESIDE', 'the day has fees of 20.01 KES, with payments of 100.00 KES'],
    ]);
    expect(await feesBooked()).toBe(booked - 1_500n);
  });

  it('is explained when the fees are within the share', async () => {
    const booked = await feesBooked();
    await run([line(`ref-${await paid()}`, { feeMinor: '2000' })]);
    expect([await reported(), await feesBooked()]).toEqual([[], booked - 2_000n]);
  });
});
