import { postOpeningAdjustment } from '../../../src/floats/opening-adjustment';
import { insertMerchant } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { deposit, insertPayment, payOut } from '../../support/verify/books-support';
import {
  bookedByStatement,
  fund,
  isSent,
  nextFloatStage,
  nothingIsYoung,
  reportedOf,
  type FloatStage,
} from '../payments/float-stage';

let test: TestDatabase;
let merchantId: string;
let stage: FloatStage;
const kenya = { details: JSON.stringify({ country: 'KEN' }) as never };
const collects = (amountMinor: bigint) =>
  deposit(stage.context, { merchantId, amountMinor, with: kenya }, 'initiating', 'pending', 'succeeded');
const pays = (amountMinor: bigint, ending?: 'succeeded' | 'failed') =>
  payOut(stage.context, { merchantId, kind: 'payout', amountMinor }, ending);
beforeAll(async () => {
  test = await createTestDatabase();
  merchantId = await insertMerchant(test.db);
  await fund(test.db, merchantId);
});
afterAll(() => test.drop());
beforeEach(async () => {
  stage = await nextFloatStage(test.db);
});

describe('a wallet', () => {
  it('agrees while it changes with our books, whatever it held at the start', async () => {
    stage.holds(500_000n);
    expect(await stage.prove()).toMatchObject({
      verdict: 'agrees',
      offset_lo: expect.any(String) as unknown,
    });
    await collects(10_000n);
    await pays(3_000n, 'succeeded');
    await pays(1_000n, 'failed');
    stage.holds(507_000n);
    expect(await stage.prove()).toMatchObject({ verdict: 'agrees', in_a_row: 2, gap_minor: '0' });
    expect(await stage.cases()).toEqual([]);
    const proofs = await test.db('float_checks').where({ provider: stage.wallets.provider });
    expect(
      proofs.map(({ balance_minor, least_minor, most_minor }) => [balance_minor, least_minor, most_minor]),
    ).toEqual([
      ['500000', '500000', '500000'],
      ['507000', '507000', '507000'],
    ]);
  });

  it('agrees with and without payments in flight', async () => {
    stage.holds(100_000n);
    await stage.prove();
    await isSent(test.db, await pays(4_000n));
    const { payment_id: coming } = await insertPayment(test.db, {
      merchantId,
      amountMinor: 700n,
      with: { ...kenya, state: 'pending' },
    });
    await isSent(test.db, coming);
    for (const balance of [100_000n, 96_000n, 100_700n, 96_700n]) {
      stage.holds(balance);
      expect(await stage.prove()).toMatchObject({ verdict: 'agrees' });
    }
    stage.holds(95_999n);
    expect(await stage.prove()).toMatchObject({ verdict: 'short', gap_minor: '1' });
    stage.holds(100_701n);
    expect(await stage.prove()).toMatchObject({ verdict: 'over', gap_minor: '1' });
  });

  it('does not count a payout that was never sent', async () => {
    stage.holds(100_000n);
    await stage.prove();
    await pays(4_000n);
    stage.holds(99_999n);
    expect(await stage.prove()).toMatchObject({ verdict: 'short', gap_minor: '1' });
  });

  it('may show a recent booking late, within the delay of its provider', async () => {
    stage.holds(0n);
    await stage.prove();
    await collects(9_000n);
    stage.wallets.behindMs = 3_600_000;
    expect(await stage.prove()).toMatchObject({ verdict: 'agrees' });
    stage.wallets.behindMs = nothingIsYoung;
    expect(await stage.prove()).toMatchObject({ verdict: 'short', gap_minor: '9000' });
  });

  it('has the smallest range of opening balances that all checks allow', async () => {
    const out = await pays(5_000n);
    await isSent(test.db, out);
    stage.holds(50_000n);
    await stage.prove();
    // The payout may have left before or after this balance, so the opening balance is a range.
    const learnt = (row: Awaited<ReturnType<FloatStage['row']>>) =>
      BigInt(row?.offset_hi ?? 0) - BigInt(row?.offset_lo ?? 0);
    expect(learnt(await stage.row())).toBe(5_000n);
    await test.db('payments').where({ payment_id: out }).update({ is_final: 1, state: 'timed_out' });
    await test.db.raw("UPDATE payments SET changed_at = '2020-01-01' WHERE payment_id = ?", [out]);
    expect(learnt(await stage.prove())).toBe(0n);
  });

  it('may lack the provider’s own fee, and no more', async () => {
    stage.holds(0n);
    await stage.prove(20);
    await collects(100_000n);
    stage.holds(98_000n);
    expect(await stage.prove(20)).toMatchObject({ verdict: 'agrees' });
    stage.holds(97_999n);
    expect(await stage.prove(20)).toMatchObject({ verdict: 'short', gap_minor: '1' });
  });

  it.each([
    ['live', 'http://127.0.0.1:1', 'agrees'],
    ['the sandbox of a provider', 'https://api-m.sandbox.paypal.com', 'agrees'],
    ['a simulator', 'http://127.0.0.1:1', 'short'],
    ['a simulator by name', 'http://localhost:1', 'short'],
  ] as const)('may lack a fee in %s', async (where, baseUrl, verdict) => {
    stage.wallets.baseUrl = baseUrl;
    const environment = where === 'live' ? 'live' : 'sandbox';
    stage.holds(0n);
    await stage.prove(20, environment);
    await collects(100_000n);
    stage.holds(98_000n);
    expect(await stage.prove(20, environment)).toMatchObject({ verdict });
  });
});

describe('a booking from a statement', () => {
  it.each([['unmatched', -7_000n] as const, ['provider_fee', 7_000n] as const])(
    'with source %s may be older or newer than the first check, until an opening adjustment',
    async (sourceType, amountMinor) => {
      stage.holds(100_000n);
      await stage.prove();
      await bookedByStatement(test.db, stage, sourceType, amountMinor);
      for (const balance of [100_000n, 107_000n, 93_000n]) {
        stage.holds(balance);
        expect(await stage.prove()).toMatchObject({ verdict: 'agrees' });
      }
      stage.holds(92_999n);
      expect(await stage.prove()).toMatchObject({ verdict: 'short', gap_minor: '1' });
      stage.holds(100_000n);
      await stage.prove();
      const key = { provider: stage.wallets.provider, country: 'KEN', currency: 'KES' } as const;
      const record = () => Promise.resolve();
      await postOpeningAdjustment(test.db, key, { by: 'amina', record, feePerMille: undefined });
      // The adjustment leaves a range as wide as the booking. The next check makes it exact.
      const row = await stage.prove();
      expect([row?.verdict, row?.offset_lo]).toEqual(['agrees', row?.offset_hi]);
    },
  );
});

it('a wallet with more than our books say opens a case, and pauses nothing', async () => {
  stage.holds(100_000n);
  await stage.prove();
  stage.holds(100_001n);
  await stage.prove();
  await stage.prove();
  expect(await stage.cases()).toEqual([expect.stringMatching(/^float_over: .* 0.01 too much$/)]);
  expect(await stage.stops()).toEqual([]);
  stage.holds(99_000n);
  await stage.prove();
  await stage.prove();
  expect(await stage.cases()).toEqual([expect.stringMatching(/^float_short: /)]);
});

describe('without a usable balance', () => {
  it.each([
    ['an unknown answer', { kind: 'unknown', text: 'HTTP 429' }, 'HTTP 429'],
    [
      'a wallet left out',
      reportedOf({ country: 'UGA', currency: 'UGX', balanceMinor: 5n }),
      'did not report it',
    ],
    [
      'an unreadable balance',
      reportedOf({ country: 'KEN', currency: 'KES', unreadable: '"1,200.00" is not a balance' }),
      '"1,200.00" is not a balance',
    ],
  ] as const)('%s is no difference, and the earlier verdict stays', async (_what, answer, note) => {
    stage.holds(100_000n);
    await stage.prove();
    stage.answers(answer);
    for (let more = 0; more < 3; more += 1) await stage.prove();
    const row = await stage.row();
    expect(row).toMatchObject({ verdict: 'agrees', in_a_row: 1, balance_minor: '100000' });
    expect(row?.note).toContain(note);
    expect(row?.asked_at?.getTime()).toBeGreaterThan(row?.reported_at?.getTime() ?? Infinity);
    expect([await stage.cases(), await stage.stops()]).toEqual([[], []]);
  });

  it('a query that throws is a failed query', async () => {
    await stage.prove();
    stage.answers(() => Promise.reject(new Error('no such host')));
    expect(await stage.prove()).toMatchObject({ verdict: 'agrees', note: 'the query failed' });
  });

  it('a booking that fits several wallets makes these uncertain, and no other', async () => {
    const two = (ken: bigint, uga: bigint) =>
      reportedOf(
        { country: 'KEN', currency: 'KES', balanceMinor: ken },
        { country: 'UGA', currency: 'KES', balanceMinor: uga },
      );
    stage.answers(two(1_000n, 1_000n));
    await stage.prove();
    await deposit(stage.context, { merchantId, amountMinor: 300n }, 'initiating', 'pending', 'succeeded');
    await collects(50n);
    for (const reported of [two(1_350n, 1_000n), two(1_050n, 1_300n)]) {
      stage.answers(reported);
      expect(await stage.prove()).toMatchObject({ verdict: 'agrees' });
    }
    stage.answers(two(1_351n, 1_000n));
    expect(await stage.prove()).toMatchObject({ verdict: 'over', gap_minor: '1' });
  });
});
