import { v7 as uuid } from 'uuid';
import type { Currency } from '../../../src/domain/money';
import { convertMinor } from '../../../src/fx/convert';
import { recordQuote, findQuote, newestRates, rateMaxAgeMs } from '../../../src/fx/rates';
import { duplicateKeyOf, inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
const now = new Date('2026-01-31T12:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

beforeAll(async () => {
  test = await createTestDatabase();
});
beforeEach(() => test.db('fx_rates').delete());
afterAll(() => test.drop());

async function observe(
  base: Currency,
  quote: Currency,
  rate: string,
  at: Date,
  source = 'test',
): Promise<void> {
  await test.db('fx_rates').insert({ base, quote, rate, source, observed_at: at });
}

describe('the quote of a pair', () => {
  it('is its newest rate, with the source and time of the observation', async () => {
    await observe('USD', 'KES', '128.00', minutesAgo(30));
    await observe('USD', 'KES', '129.50', minutesAgo(10));
    await observe('USD', 'TZS', '2650.00', minutesAgo(1));
    expect(await findQuote(test.db, 'USD', 'KES', now)).toEqual({
      base: 'USD',
      quote: 'KES',
      rate: '129.5',
      source: 'test',
      observedAt: minutesAgo(10),
    });
  });

  it('is one divided by the rate of the inverse pair when only that was observed', async () => {
    await observe('USD', 'KES', '129.50', minutesAgo(10));
    const quote = await findQuote(test.db, 'KES', 'USD', now);
    expect(quote).toMatchObject({
      base: 'KES',
      quote: 'USD',
      rate: '0.0077220077220077220077220077220077220078',
      observedAt: minutesAgo(10),
    });
    expect(quote && convertMinor(12_950n, quote)).toBe(100n);
  });

  it('uses the inverse pair when that was observed later', async () => {
    await observe('USD', 'KES', '128.00', minutesAgo(30));
    await observe('KES', 'USD', '0.0078125', minutesAgo(10));
    expect(await findQuote(test.db, 'USD', 'KES', now)).toMatchObject({ rate: '128' });
    expect((await findQuote(test.db, 'USD', 'KES', now))?.observedAt).toEqual(minutesAgo(10));
  });

  it('uses the pair itself when both were observed at the same time', async () => {
    await observe('USD', 'KES', '129.50', minutesAgo(10));
    await observe('KES', 'USD', '0.0078', minutesAgo(10));
    expect(await findQuote(test.db, 'USD', 'KES', now)).toMatchObject({ rate: '129.5' });
    expect(await findQuote(test.db, 'KES', 'USD', now)).toMatchObject({ rate: '0.0078' });
  });

  it('is valid for six hours and no longer', async () => {
    await observe('USD', 'KES', '129.50', new Date(now.getTime() - rateMaxAgeMs));
    expect(await findQuote(test.db, 'USD', 'KES', now)).toMatchObject({ rate: '129.5' });
    expect(await findQuote(test.db, 'USD', 'KES', new Date(now.getTime() + 1))).toBeUndefined();
    expect(await findQuote(test.db, 'KES', 'USD', new Date(now.getTime() + 1))).toBeUndefined();
  });

  it('is never from the future', async () => {
    await observe('USD', 'KES', '999.00', new Date(now.getTime() + 1));
    expect(await findQuote(test.db, 'USD', 'KES', now)).toBeUndefined();
    await observe('USD', 'KES', '129.50', minutesAgo(10));
    expect(await findQuote(test.db, 'USD', 'KES', now)).toMatchObject({ rate: '129.5' });
  });

  it('is not derived through a third currency', async () => {
    await observe('USD', 'KES', '129.50', minutesAgo(10));
    await observe('USD', 'TZS', '2650.00', minutesAgo(10));
    expect(await findQuote(test.db, 'KES', 'TZS', now)).toBeUndefined();
  });
});

it('the newest rates are listed once per pair, also old ones, and none from the future', async () => {
  await observe('USD', 'KES', '128.00', minutesAgo(30));
  await observe('USD', 'KES', '129.50', minutesAgo(10), 'one');
  await observe('USD', 'KES', '129.60', minutesAgo(10), 'two');
  await observe('USD', 'KES', '140.00', minutesAgo(-10));
  await observe('USD', 'TZS', '2650.00', minutesAgo(10_000));
  expect(await newestRates(test.db, now)).toMatchObject([
    { base: 'USD', quote: 'KES', rate: '129.6000000000', source: 'two' },
    { base: 'USD', quote: 'TZS', rate: '2650.0000000000', observed_at: minutesAgo(10_000) },
  ]);
});

describe('the quote of a payment', () => {
  it('is stored with all digits and both amounts', async () => {
    await observe('USD', 'KES', '129.50', minutesAgo(10), 'file:rates.json');
    const quote = await findQuote(test.db, 'KES', 'USD', now);
    if (!quote) throw new Error('no quote');
    const paymentId = uuid();
    const [fromMinor, toMinor] = [125_000n, convertMinor(125_000n, quote)];
    await inTransaction(test.db, (trx) =>
      recordQuote(trx, { paymentId, purpose: 'instruct', quote, fromMinor, toMinor }),
    );
    expect(await test.db('fx_quotes').where({ payment_id: paymentId })).toMatchObject([
      {
        purpose: 'instruct',
        base: 'KES',
        quote: 'USD',
        rate: '0.0077220077220077220077220077220077220078',
        source: 'file:rates.json',
        observed_at: minutesAgo(10),
        from_minor: '125000',
        to_minor: '965',
      },
    ]);
  });

  it('is one per purpose, so an amount is not converted twice', async () => {
    const quote = { base: 'USD', quote: 'KES', rate: '129.5', source: 'test', observedAt: now } as const;
    const used = { paymentId: uuid(), quote, fromMinor: 1_000n, toMinor: 129_500n };
    await inTransaction(test.db, (trx) => recordQuote(trx, { ...used, purpose: 'instruct' }));
    await inTransaction(test.db, (trx) => recordQuote(trx, { ...used, purpose: 'credit' }));
    const again = inTransaction(test.db, (trx) => recordQuote(trx, { ...used, purpose: 'credit' }));
    expect(duplicateKeyOf(await again.catch((error: unknown) => error))).toBe('PRIMARY');
  });
});
