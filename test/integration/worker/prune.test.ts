import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { countPrunable, prune } from '../../../src/worker/prune/prune';
import { claimIdempotencyKey } from '../../../src/payments/create/idempotency-claims';
import type { Database } from '../../../src/store/database';
import { inChunks } from '../../../src/store/in-chunks';
import type { IdempotencyKeyRow, InboxRow, PayoutBatchRow } from '../../../src/store/tables';
import { insertMerchant } from '../../support/store/rows';
import { rowsRead } from '../../support/store/rows-read';
import { recurringJobs, createOldThings, daysAgo, oldNotification, type OldThings } from './prune-support';

let old: OldThings;
beforeAll(async () => {
  old = await createOldThings();
});
afterAll(() => old.drop());

const insertNotifications = async (count: number, changes: Partial<InboxRow>) => {
  const rows = Array.from({ length: count }, () => oldNotification(changes));
  for (const some of inChunks(rows, 1_000)) await old.db('inbox').insert(some);
};

describe('deleting rows', () => {
  it('deletes keys after 30 days, except one whose request runs or whose payment is younger', async () => {
    const merchant_id = uuid();
    const process_id = uuid();
    await old.db('processes').insert({ process_id, seen_at: new Date() });
    const key = async (changes: Partial<IdempotencyKeyRow> = {}) => {
      const key_hash = randomBytes(32);
      const answered = { state: 'answered', http_status: 400, response: '{}' } as const;
      await old.db('idempotency_keys').insert({
        ...{ merchant_id, key_hash, body_hash: key_hash, payment_id: null, ...answered },
        ...{ created_at: daysAgo(31), ...changes },
      });
      return key_hash.toString('hex');
    };
    const running = { state: 'running', http_status: null, response: null } as const;
    await key();
    await key({ payment_id: await old.payment({ created_at: daysAgo(30.5) }) });
    await key({ ...running, process_id: '' });
    await key({ ...running, process_id: uuid() });
    const kept = [
      await key({ created_at: daysAgo(29) }),
      await key({ ...running, process_id }),
      await key({ payment_id: await old.payment({ created_at: daysAgo(29) }) }),
    ];
    expect(await countPrunable(old.service, recurringJobs)).toMatchObject({ 'Idempotency-Keys': 4 });
    expect(await old.prune()).toMatchObject({ 'Idempotency-Keys': 4 });
    const left = await old.db('idempotency_keys').select('key_hash');
    expect(left.map(({ key_hash: hash }) => hash.toString('hex')).sort()).toEqual(kept.sort());
  });

  it('deletes old rates, and never the newest of a pair', async () => {
    const rate = { quote: 'KES', rate: '129.5', source: 'test' } as const;
    const observed = (base: 'USD' | 'ZMW' | 'UGX', days: number) =>
      old.db('fx_rates').insert({ ...rate, base, observed_at: daysAgo(days) });
    for (const days of [40, 35, 29, 1]) await observed('USD', days);
    for (const days of [50, 40]) await observed('ZMW', days);
    await observed('UGX', -1);
    expect(await countPrunable(old.service, recurringJobs)).toMatchObject({ 'exchange rates': 3 });
    expect(await old.prune()).toMatchObject({ 'exchange rates': 3 });
    const left = await old.db('fx_rates').orderBy(['base', 'observed_at']).select('base', 'observed_at');
    const inDays = (at: Date) => Math.round((Date.now() - at.getTime()) / 86_400_000);
    expect(left.map(({ base, observed_at: at }) => `${base} ${String(inDays(at))}`)).toEqual([
      ...['UGX -1', 'USD 29', 'USD 1', 'ZMW 40'],
    ]);
  });

  it('deletes lists of payouts after 30 days, except those that became payouts', async () => {
    const merchant_id = await insertMerchant(old.db);
    const made_by = uuid();
    await old.db('users').insert({
      ...{ user_id: made_by, email: 'x@duka.example', created_by: 'test' },
      created_at: new Date(),
    });
    const list = async (state: PayoutBatchRow['state'], days: number) => {
      const batch_id = uuid();
      await old.db('payout_batches').insert({
        ...{ batch_id, merchant_id, rail: 'momo', name: state, row_count: 1, rows_hash: randomBytes(32) },
        ...{ state, made_by, made_at: daysAgo(days) },
      });
      return batch_id;
    };
    for (const state of ['draft', 'waiting', 'rejected'] as const) await list(state, 31);
    const kept = [await list('sent', 400), await list('draft', 29), await list('rejected', 29)];
    const gone = { 'unsent lists of payouts': 3 };
    expect(await countPrunable(old.service, recurringJobs)).toMatchObject(gone);
    expect(await old.prune()).toMatchObject(gone);
    expect((await old.db('payout_batches').pluck('batch_id')).sort()).toEqual(kept.sort());
  });

  it('deletes counts of provider notifications after 30 days', async () => {
    const source = { rail: 'stk', account: 'stk', kind: 'deposit' } as const;
    const counts = { expected: 1, received: 0, reported_first: 0, lags: '' };
    for (const days of [31, 29]) {
      await old.db('notification_counts').insert({ slot_at: daysAgo(days), ...source, ...counts });
      await old.db('notification_denials').insert({ slot_at: daysAgo(days), rail: 'stk', denied: 1 });
    }
    const gone = { 'counts of provider notifications': 1, 'counts of rejected notifications': 1 };
    expect(await countPrunable(old.service, recurringJobs)).toMatchObject(gone);
    expect(await old.prune()).toMatchObject(gone);
    expect(await old.db('notification_counts')).toHaveLength(1);
  });

  it('deletes the answers of providers about wallets after 30 days', async () => {
    const wallet = { provider: 'pawapay', country: 'KEN', currency: 'KES', verdict: 'agrees' } as const;
    for (const days of [31, 29])
      await old.db('float_checks').insert({ ...wallet, asked_at: daysAgo(days), gap_minor: '0', note: '' });
    expect(await countPrunable(old.service, recurringJobs)).toMatchObject({ 'float checks': 1 });
    expect(await old.prune()).toMatchObject({ 'float checks': 1 });
    expect(await old.db('float_checks')).toHaveLength(1);
  });

  it('shares the work with another prune, and continues where one was stopped', async () => {
    await insertNotifications(1_000, { payment_id: await old.payment() });
    const stopping = new AbortController();
    const before = await old.db('prunings').first();
    const takesOneBatch = recurringJobs.map((job) => ({
      ...job,
      async takeSome(db: Database) {
        const some = await job.takeSome(db);
        if (some.isMore) stopping.abort();
        return some;
      },
    }));
    await expect(prune(old.service, takesOneBatch, { signal: stopping.signal })).rejects.toThrow(/abort/);
    expect(await old.db('prunings').first()).toEqual(before);
    const left = await old.db('inbox').whereNot({ body: '' });
    expect(left.length).toBeGreaterThan(0);
    const both = await Promise.all([old.prune(), old.prune()]);
    const taken = both.map((counts) => counts['bodies of notifications'] ?? 0);
    expect(taken.reduce((sum, n) => sum + n, 0)).toBe(left.length);
    expect(left.length).toBeLessThan(1_000);
    expect(await old.db('inbox').whereNot({ body: '' })).toEqual([]);
  });

  it('deletes keys beside another prune, and beside their users', async () => {
    const merchant_id = uuid();
    const answered = {
      state: 'answered',
      http_status: 200,
      response: '{}',
      created_at: daysAgo(31),
    } as const;
    const hashes = Array.from({ length: 1_000 }, () => randomBytes(32));
    await old.db('idempotency_keys').insert(
      hashes.map((key_hash) => ({
        ...answered,
        merchant_id,
        key_hash,
        body_hash: key_hash,
        payment_id: null,
      })),
    );
    const own = { processId: uuid(), live: new Set<string>() };
    const claims = hashes.slice(0, 100).map(async (keyHash) => {
      const claim = { keyHash, bodyHash: keyHash };
      return (await claimIdempotencyKey(old.service, own, merchant_id, claim)).kind;
    });
    const [first, second, ...kinds] = await Promise.all([old.prune(), old.prune(), ...claims]);
    expect((first['Idempotency-Keys'] ?? 0) + (second['Idempotency-Keys'] ?? 0)).toBe(1_000);
    // A request in between is answered to retry.
    expect(kinds.filter((kind) => !['replay', 'first', 'running'].includes(kind))).toEqual([]);
    const claimed = kinds.filter((kind) => kind === 'first').length;
    expect(await old.db('idempotency_keys').where({ merchant_id })).toHaveLength(claimed);
  });

  it('reads only the old rows among 20,000', async () => {
    await insertNotifications(20_000, { payment_id: await old.payment(), body_since: daysAgo(1) });
    await old.notification({ payment_id: await old.payment() });
    await old.db.raw('ANALYZE TABLE inbox, payments, outbox, cases');
    const read: Record<string, number> = {};
    for (const { what, takeSome } of recurringJobs) {
      read[what] = await rowsRead(old.db, (trx) => takeSome(trx));
    }
    expect(Object.values(read).filter((rows) => rows > 100)).toEqual([]);
    expect(await rowsRead(old.db, (trx) => trx('inbox').where({ source_address: 'x' }))).toBeGreaterThan(
      20_000,
    );
    expect(
      await old.db('inbox').whereNull('body_since').where('body_pruned_at', '>', daysAgo(1)),
    ).toHaveLength(1_001);
  });
});
