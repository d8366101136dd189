/** The sums that each rule explains are listed. A rule that explains far more than on other days opens a case. */
import { randomUUID } from 'node:crypto';
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import { sumRules, tooMuch, type RuleSum } from '../../../src/reconciliation/rule-sums';
import { openDatabase, type Database } from '../../../src/store/database';
import { inChunks } from '../../../src/store/in-chunks';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, deposit, testContext } from '../../support/verify/books-support';
import {
  file,
  forgetStatements,
  format,
  line,
  period,
  receiptsOnly,
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
  await test.db('rule_alarms').delete();
  await test.db('cases').delete();
});
afterEach(async () => {
  await expectClean({ db: test.db });
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});

const dayMs = 86_400_000;
/** Noon UTC of some days ago. */
const noon = (daysAgo: number) =>
  new Date(Math.floor(Date.now() / dayMs) * dayMs - daysAgo * dayMs + dayMs / 2).toISOString();
const dayOf = (daysAgo: number) => noon(daysAgo).slice(0, 10);
const longAgo = { from: new Date(Date.now() - 60 * dayMs), to: new Date(Date.now() + dayMs) };
const bring = (lines: Written[], of = longAgo) =>
  reconcile(service, format, of, file(lines, `${randomUUID()}.json`));
const cases = () => test.db('cases').where({ reason: 'rule_explains_much' }).orderBy('case_id');
const failed = (at: string, amountMinor: string) =>
  line(randomUUID(), { state: 'failed', at, amountMinor, rule: 'word' });
/** An unexplained line: an open receipt. */
const moved = (at: string, amountMinor: string) => line(randomUUID(), { at, amountMinor });
const alike = (count: number, amountMinor: string) =>
  Array.from({ length: count }, (_, n) => failed(noon(count - n + 1), amountMinor));

describe('the sums by rule', () => {
  it('are listed by rule, day and currency, with the count and the amount', async () => {
    const paid = await deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
    const at = new Date().toISOString();
    const charge = () => line(randomUUID(), { kind: 'fee', amountMinor: '20', at, rule: 'reason_type' });
    await bring(
      [line(`ref-${paid}`, { at }), charge(), charge(), failed(at, '500'), moved(at, '5000')],
      period(),
    );
    const { rules } = await reportOn(service, format, period());
    const day = at.slice(0, 10);
    expect(rules).toEqual([
      { rule: 'agreed:reference', day, currency: 'KES', count: 1, amountMinor: 10_000n },
      { rule: 'fee:reason_type', day, currency: 'KES', count: 2, amountMinor: 40n },
      { rule: 'not_moved:word', day, currency: 'KES', count: 1, amountMinor: 500n },
    ]);
  });
});

describe('a rule that explains lines', () => {
  it('opens a case for a day on which it explains more than twice the median of its earlier days', async () => {
    const days = [...alike(7, '1000'), ...alike(9, '1000').map(({ at }) => moved(at, '100000'))];
    await bring(days);
    expect(await cases()).toEqual([]);
    await bring([failed(noon(1), '2000'), moved(noon(1), '100')]);
    expect(await cases()).toEqual([]);
    await bring([failed(noon(1), '1')]);
    const [opened, ...more] = await cases();
    expect([opened?.detail, more]).toEqual([
      `of rail loud: not_moved:word explained 2 lines of 20.01 KES on ${dayOf(1)} at loudpay: ` +
        'more than 20.00 KES, twice the median of the 7 days before',
      [],
    ]);
  });

  it('opens a case for more than 2 % of the day’s money, while fewer than seven of its days are known', async () => {
    await bring([moved(noon(2), '100000'), failed(noon(2), '2000')]);
    expect(await cases()).toEqual([]);
    await bring([failed(noon(2), '1')]);
    expect((await cases()).map(({ detail }) => detail)).toEqual([
      `of rail loud: not_moved:word explained 2 lines of 20.01 KES on ${dayOf(2)} at loudpay: ` +
        "more than 2 % of the day's 1000.00 KES",
    ]);
  });

  it('opens one case for a day, and another when it explains more later', async () => {
    await bring([failed(noon(2), '100')]);
    await reconcile(service, format, longAgo);
    expect((await cases()).map(({ times }) => times)).toEqual([1]);
    await test.db('cases').update({ closed_at: new Date(), closed_by: 'amina', open_key: null });
    await reconcile(service, format, longAgo);
    expect(await cases()).toHaveLength(1);
    await bring([failed(noon(2), '5')]);
    expect((await cases()).map(({ closed_at: closed }) => closed !== null)).toEqual([true, false]);
  });

  it('opens one case of the rail, which lists as many days as fit and counts all of them', async () => {
    await bring(Array.from({ length: 20 }, (_, n) => failed(noon(20 - n), String(100 * 3 ** n))));
    const [opened, ...more] = await cases();
    expect([Number(opened?.times) > 10, (opened?.detail.length ?? 0) > 800, more]).toEqual([true, true, []]);
  });

  it('is watched when a line matches a payment by phone, amount and time alone', async () => {
    const paid = await deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
    const phone = '254711000123';
    await test
      .db('payments')
      .where({ payment_id: paid })
      .update({ phone_number: phone, provider_receipt: null, provider_reference: null });
    const content = file([line('LIKE-1', { phone, at: new Date().toISOString() })], 'like.json');
    await reconcile(service, receiptsOnly, period(), content);
    expect((await cases())[0]?.detail).toContain('agreed:without_receipt explained 1 line of 100.00 KES');
  });

  it('is watched for repeated lines and fees, and not when an id or an operator proves the match', async () => {
    const at = noon(3);
    const twice = moved(at, '100');
    await bring([twice, twice]);
    expect((await cases())[0]?.detail).toContain(
      'seen_before:twice_in_one_file explained 1 line of 1.00 KES',
    );
    await test.db('cases').delete();
    // An overlapping file repeats a line with a result.
    await bring([twice]);
    const paid = await deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
    await bring([line(`ref-${paid}`, { at: new Date().toISOString() })]);
    expect(await cases()).toEqual([]);
    await bring([
      moved(at, '9900'),
      line(randomUUID(), { kind: 'fee', amountMinor: '250', at, rule: 'reason_type' }),
    ]);
    expect((await cases())[0]?.detail).toContain('fee:reason_type explained 1 line of 2.50 KES');
  });
});

it('the sums are read through an index, however many lines agree', async () => {
  const values = Array.from({ length: 2_000 }, (_, n) => ({
    ...{ subject: `payment:${randomUUID()}`, provider: format.provider, outcome: 'agreed' as const },
    ...{ kind: 'collection' as const, payment_id: randomUUID(), currency: 'KES' as const, amount_minor: '1' },
    ...{ occurred_at: new Date(Date.now() - n * 60_000), note: '', decided_at: new Date() },
    ...{ fee_booked_minor: '0', rule: n < 20 ? 'fee:x' : 'agreed:receipt' },
  }));
  for (const some of inChunks(values)) await test.db('reconciliation_results').insert(some);
  await test.db.raw('ANALYZE TABLE reconciliation_results');
  const asked: { sql: string; bindings: string[] }[] = [];
  const note = (query: { sql: string; bindings: string[] }) => asked.push(query);
  service.on('query', note);
  const days = { from: new Date(Date.now() - 40 * dayMs), to: new Date() };
  expect((await sumRules(service, format.provider, days, 'watched')).map(({ rule }) => rule)).toContain(
    'fee:x',
  );
  service.removeListener('query', note);
  const [{ sql, bindings } = { sql: '', bindings: [] }] = asked.slice(-1);
  const [[step]] = (await test.db.raw(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, bindings)) as unknown as [
    { key: string; rows: string | number }[],
  ];
  expect([step?.key, Number(step?.rows) < 200]).toEqual(['by_rule', true]);
});

it('the median is of the same rule and currency over thirty days', () => {
  const sum = (day: number, amountMinor: bigint, more: Partial<RuleSum> = {}): RuleSum => ({
    ...{ rule: 'fee:x', currency: 'KES', count: 1, amountMinor, ...more },
    day: new Date(Date.UTC(2026, 9, 1) + day * dayMs).toISOString().slice(0, 10),
  });
  const seven = [10n, 90n, 20n, 80n, 30n, 70n, 40n].map((amount, n) => sum(n, amount));
  expect(tooMuch(sum(7, 80n), seven, 0n)).toBeUndefined();
  expect(tooMuch(sum(7, 81n), seven, 0n)).toContain('more than 0.80 KES');
  // Of an even number it is the mean of the two in the middle.
  expect(tooMuch(sum(8, 91n), [...seven, sum(7, 50n)], 0n)).toContain('more than 0.90 KES');
  expect(tooMuch(sum(8, 90n), [...seven, sum(7, 50n)], 0n)).toBeUndefined();
  // Thirty-one days later one of them is too old. Six days are known, so the day’s money counts.
  expect(tooMuch(sum(31, 90n), seven, 4_500n)).toBeUndefined();
  expect(tooMuch(sum(31, 91n), seven, 4_500n)).toContain('more than 2 %');
  const others = seven.map((one) => ({ ...one, currency: 'USD' as const }));
  expect(tooMuch(sum(7, 1n), others, 49n)).toContain('more than 2 %');
});
