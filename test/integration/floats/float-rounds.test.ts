import { openAccount } from '../../../src/ledger/accounts';
import { checkFloats, checkAllFloats, takeLease } from '../../../src/floats/check-run';
import { railsOf } from '../../../src/rail-kit/context';
import type { WalletsAnswer } from '../../../src/rail-kit/provider-wallets';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { insertMerchant } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createFloatStage, reportedOf } from '../payments/float-stage';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const inKenya = (balanceMinor: bigint) => reportedOf({ country: 'KEN', currency: 'KES', balanceMinor });
const options = { environment: 'sandbox' } as const;

it('one of several workers queries the providers, and the others skip the run', async () => {
  const stage = createFloatStage(test.db, 'many');
  let answer: (reported: WalletsAnswer) => void = () => undefined;
  let asked = 0;
  stage.answers(() => {
    asked += 1;
    return new Promise((resolve) => (answer = resolve));
  });
  const all = Promise.all(Array.from({ length: 5 }, () => checkAllFloats(stage.context, options)));
  await waitFor(() => Promise.resolve(asked > 0), { what: 'the first query', timeoutMs: 30_000 });
  expect(await checkAllFloats(stage.context, options)).toBeUndefined();
  answer(inKenya(5n));
  expect([(await all).filter(Boolean).length, asked]).toEqual([1, 1]);
  expect(await test.db('float_check_runs').first()).toMatchObject({
    leased_by: null,
    leased_until: null,
    finished_at: expect.any(Date) as unknown,
  });
});

it('a check returns the differences, and whether a second check must confirm them', async () => {
  const stage = createFloatStage(test.db, 'differing');
  stage.holds(500n);
  const balance = { provider: 'differing', country: 'KEN', currency: 'KES' };
  const check = () => checkFloats(stage.context, options);
  expect(await check()).toMatchObject({ isDoubted: false, balances: [{ ...balance, verdict: 'agrees' }] });
  stage.holds(400n);
  const short = { ...balance, verdict: 'short', differsByMinor: '100' };
  expect(await check()).toEqual({ isDoubted: true, balances: [short] });
  expect(await check()).toEqual({ isDoubted: false, balances: [short] });
});

it('a slow provider does not delay another one', async () => {
  const [slow, quick] = [createFloatStage(test.db, 'slow'), createFloatStage(test.db, 'quick', 'quiet')];
  let answer: (reported: WalletsAnswer) => void = () => undefined;
  slow.answers(() => new Promise((resolve) => (answer = resolve)));
  quick.holds(7n);
  const rails = slow.context.rails.all.map((rail) =>
    rail.name === 'quiet' ? quick.context.rails.get('quiet') : rail,
  );
  const proving = checkAllFloats({ ...slow.context, rails: railsOf(rails) }, options);
  await waitFor(async () => (await quick.row())?.verdict === 'agrees', {
    what: 'the quick provider',
    timeoutMs: 30_000,
  });
  expect(await slow.row()).toBeUndefined();
  answer({ kind: 'unknown', text: 'too late' });
  expect(await proving).toHaveLength(1);
});

it('after a worker died, another one waits for the end of its lease', async () => {
  const stage = createFloatStage(test.db, 'after-a-death');
  expect(await takeLease(test.db)).toBeDefined();
  expect(await checkAllFloats(stage.context, options)).toBeUndefined();
  await test.db.raw('UPDATE float_check_runs SET leased_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND');
  expect(await checkAllFloats(stage.context, options)).toHaveLength(1);
});

it('a worker that lost its lease writes nothing', async () => {
  const stage = createFloatStage(test.db, 'overtaken');
  await stage.prove();
  stage.answers(async () => {
    await test.db('float_check_runs').update({ leased_by: 'another' });
    return inKenya(-5n);
  });
  expect(await stage.prove()).toMatchObject({ verdict: 'agrees', in_a_row: 1, balance_minor: '0' });
  expect(await test.db('float_check_runs').first()).toMatchObject({ leased_by: 'another' });
  await test.db('float_check_runs').update({ leased_by: null, leased_until: null });
});

/** A deposit that was booked some hours ago. */
async function bookedLongAgo(id: string, amountMinor: bigint, hours = 2): Promise<void> {
  const merchantId = await insertMerchant(test.db);
  const clearing = await openAccount(test.db, { class: 'clearing', rail: 'loud', currency: 'KES' });
  const wallet = await openAccount(test.db, { class: 'wallet', merchantId, currency: 'KES' });
  const at = new Date(Date.now() - hours * 3_600_000);
  const [entryId] = await test
    .db('ledger_entries')
    .insert({ source_type: 'test', source_id: id, leg: 'one', at });
  const line = (accountId: string, amount: bigint) => ({
    entry_id: String(entryId),
    account_id: accountId,
    currency: 'KES' as const,
    amount: amount.toString(),
  });
  await test
    .db('ledger_postings')
    .insert([line(clearing.accountId, -amountMinor), line(wallet.accountId, amountMinor)]);
}

it('old bookings are summed once, and again only for a provider whose account is new', async () => {
  const stage = createFloatStage(test.db, 'counting');
  stage.holds(100n);
  await stage.prove();
  await bookedLongAgo('first', 40n);
  stage.holds(140n);
  expect(await stage.prove()).toMatchObject({ verdict: 'agrees', counted_minor: '40', turnover_minor: '40' });
  await bookedLongAgo('second', 2n);
  await bookedLongAgo('third', 5n, 0);
  const others = createFloatStage(test.db, 'others');
  await others.prove();
  const { counted_seq: counted } = (await test.db('float_check_runs').first()) ?? {};
  expect(await stage.row()).toMatchObject({ counted_minor: '40' });
  expect(await others.row()).toMatchObject({ counted_seq: counted, counted_minor: '0' });
  stage.holds(147n);
  await checkAllFloats(stage.context, { ...options, countAtOnce: 1n });
  expect(await stage.row()).toMatchObject({ verdict: 'agrees', counted_seq: counted, counted_minor: '42' });
  expect(await stage.prove()).toMatchObject({ verdict: 'agrees', counted_seq: counted, counted_minor: '42' });
  expect(await others.row()).toMatchObject({ counted_minor: '0' });
});

it('a stopping worker waits for no provider, and releases its lease', async () => {
  const stage = createFloatStage(test.db, 'silent');
  const asked = new Promise<void>((resolve) => {
    stage.answers(() => {
      resolve();
      return new Promise(() => undefined);
    });
  });
  const stopping = new AbortController();
  const proving = checkAllFloats(stage.context, { ...options, signal: stopping.signal });
  await asked;
  stopping.abort();
  expect(await proving).toBeUndefined();
  expect(await test.db('float_check_runs').first()).toMatchObject({ leased_by: null });
  expect(await stage.row()).toBeUndefined();
  stage.holds(5n);
  expect(await checkAllFloats(stage.context, options)).toHaveLength(1);
});

it('an old balance may lack the bookings since', async () => {
  const stage = createFloatStage(test.db, 'answers-later');
  stage.holds(0n);
  await stage.prove();
  await bookedLongAgo('since', 9_000n, 0);
  // On this stage every booking is due at once, unless the balance is some hours old.
  const reported = (hoursAgo: number) => ({
    ...{
      kind: 'reported' as const,
      wallets: [{ country: 'KEN', currency: 'KES' as const, balanceMinor: 0n }],
    },
    asOf: new Date(Date.now() - hoursAgo * 3_600_000),
  });
  stage.answers(reported(3));
  expect(await stage.prove()).toMatchObject({ verdict: 'agrees' });
  stage.answers(reported(0));
  expect(await stage.prove()).toMatchObject({ verdict: 'short', gap_minor: '9000' });
});
