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
import { box, deposit, testContext } from '../../support/verify/books-support';
import {
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
const feesBooked = async (): Promise<bigint> => {
  const [row] = await test
    .db('ledger_postings as p')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .where('a.code', 'provider_fees:loudpay:KES')
    .sum<{ sum: string | null }[]>({ sum: 'p.amount' });
  return BigInt(row?.sum ?? 0);
};

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
