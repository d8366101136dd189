/** Vouchers whose workflow was lost or never started: the sweeper wakes them, as it wakes payments. */
import { createMerchant, getMerchantOrThrow } from '../../../src/merchants/merchants';
import type { Handover } from '../../../src/mail/transport';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { signalsMax } from '../../../src/payments/recovery/sweeper';
import type { VoucherRow } from '../../../src/store/tables';
import { createVoucher } from '../../../src/vouchers/create-voucher';
import { checkVoucher, redeemVoucher } from '../../../src/vouchers/end-voucher';
import { mailVoucher } from '../../../src/vouchers/mail-voucher';
import { overdueVouchers, createVoucherEngine } from '../../../src/vouchers/voucher-engine';
import { rowsRead } from '../../support/store/rows-read';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { silentLog } from '../../support/silent-log';
import { box } from '../../support/verify/books-support';

const minute = 60_000;
const day = 86_400_000;

describe('a voucher', () => {
  let database: TestDatabase;
  let merchantId: string;
  let signalled: string[];
  /** Whether Temporal can be reached. */
  let isReached: boolean;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { db } = database;
    ({ merchant_id: merchantId } = await createMerchant(db, box, { name: 'Duka', environment: 'sandbox' }));
    await transferByHand(db, {
      from: { class: 'bank', currency: 'KES' },
      to: { class: 'wallet', merchantId, currency: 'KES' },
      amountMinor: 1_000_000n,
      reason: 'funding',
      whenShort: 'BALANCE_INSUFFICIENT',
    });
  });
  beforeEach(() => {
    [signalled, isReached] = [[], true];
  });
  afterEach(() => database.db('vouchers').update({ state: 'expired', next_check_at: null }));
  afterAll(() => database.drop());

  /** The engine of one of several workers. */
  const engine = () =>
    createVoucherEngine(
      {
        withDeadline: (_until: number, act: () => Promise<void>) => act(),
        workflow: {
          signalWithStart(_type: string, { workflowId }: { workflowId: string }) {
            if (!isReached) return Promise.reject(new Error('no connection'));
            signalled.push(workflowId);
            return Promise.resolve();
          },
        },
      } as never,
      { db: database.db, log: silentLog, taskQueue: 'unused', environment: 'sandbox' },
    );
  async function made(): Promise<VoucherRow> {
    const merchant = await getMerchantOrThrow(database.db, merchantId);
    const voucher = {
      email: 'ana@example.org',
      currency: 'KES' as const,
      amountMinor: 1_000n,
      timezone: 'UTC',
    };
    return createVoucher(database.db, { merchant, requestId: 'request-1' }, voucher);
  }
  const mail = ({ voucher_id: id }: VoucherRow, handover: Handover) =>
    mailVoucher(database.db, { handOver: () => Promise.resolve(handover) }, id);
  const rowOf = async ({ voucher_id: id }: VoucherRow) => {
    const row = await database.db('vouchers').where({ voucher_id: id }).first();
    if (!row) throw new Error(`no voucher ${id}`);
    return row;
  };
  /** Simulates that this much time has passed. */
  const later = async (ms: number) => {
    await database.db.raw('UPDATE vouchers SET next_check_at = next_check_at - INTERVAL ? MICROSECOND', [
      ms * 1_000,
    ]);
  };
  const sweep = () => engine().sweep();
  const msUntilCheck = async (voucher: VoucherRow) =>
    ((await rowOf(voucher)).next_check_at?.getTime() ?? NaN) - Date.now();

  it('that was just created is left to its creator, and woken when its mail is not sent within a minute', async () => {
    const voucher = await made();
    expect(await sweep()).toBe(0);
    await later(minute + 1);
    expect(await sweep()).toBe(1);
    expect(signalled).toEqual([voucher.workflow_id]);
  });

  it('that does not react is woken more and more rarely, and then becomes a case for an operator', async () => {
    const voucher = await made();
    await later(minute + 1);
    expect(await sweep()).toBe(1);
    const rests: number[] = [];
    for (let signals = 1; signals < signalsMax; signals += 1) {
      const { next_check_at: next, signalled_at: last } = await rowOf(voucher);
      rests.push(Number(next) - Number(last));
      await later(3_600_000);
      expect(await database.db('cases').where({ reason: 'stands_still' })).toEqual([]);
      expect(await sweep()).toBe(1);
    }
    expect(rests.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(signalled).toHaveLength(signalsMax);
    const [found] = await database.db('cases').where({ reason: 'stands_still' });
    expect(found?.detail).toContain(voucher.voucher_id);
  });

  it('is woken by only one of several workers', async () => {
    const vouchers = await Promise.all(Array.from({ length: 20 }, made));
    await later(minute + 1);
    const counts = await Promise.all([sweep(), sweep(), sweep()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20);
    expect([...signalled].sort()).toEqual(vouchers.map(({ workflow_id: id }) => id).sort());
  });

  it('that could not be woken is due as before', async () => {
    const voucher = await made();
    await later(minute + 1);
    isReached = false;
    await expect(sweep()).rejects.toThrow('no connection');
    expect(await rowOf(voucher)).toMatchObject({ signals: 0, signalled_at: null });
    isReached = true;
    expect(await sweep()).toBe(1);
  });

  it('whose mail is being retried is left to its workflow', async () => {
    const voucher = await made();
    await mail(voucher, { kind: 'not_taken', code: 'ETIMEDOUT', detail: 'silence' });
    await later(2 * minute);
    expect(await sweep()).toBe(0);
    await later(4 * minute);
    expect(await sweep()).toBe(1);
  });

  it('that was mailed is not checked before its last day', async () => {
    const voucher = await made();
    await mail(voucher, { kind: 'taken' });
    expect(await msUntilCheck(voucher)).toBeGreaterThan(90 * day);
    await later(90 * day + minute + 1);
    expect(await sweep()).toBe(1);
    // Its workflow checks, and the voucher has not expired by its own clock.
    expect(await checkVoucher(database.db, { voucherId: voucher.voucher_id, isOver: false })).toBe('active');
    expect(await rowOf(voucher)).toMatchObject({ signals: 0 });
    expect(await msUntilCheck(voucher)).toBeGreaterThan(90 * day - minute);
  });

  it('that was redeemed is woken until its workflow has ended', async () => {
    const voucher = await made();
    const mails = database.db('mails').where({ mail_id: voucher.mail_id });
    const [, code = ''] = /Your code: (\S+)/.exec((await mails.first())?.body ?? '') ?? [];
    await mail(voucher, { kind: 'taken' });
    const merchant = await getMerchantOrThrow(database.db, merchantId);
    await redeemVoucher(database.db, { merchant }, code);
    await later(minute + 1);
    expect(await sweep()).toBe(1);
    expect(await checkVoucher(database.db, { voucherId: voucher.voucher_id, isOver: false })).toBe(
      'redeemed',
    );
    expect(await rowOf(voucher)).toMatchObject({ next_check_at: null, signals: 0 });
  });

  it('that has expired is not checked again', async () => {
    const voucher = await made();
    expect(await checkVoucher(database.db, { voucherId: voucher.voucher_id, isOver: true })).toBe('expired');
    expect(await rowOf(voucher)).toMatchObject({ next_check_at: null });
  });

  it('that is due is found without reading others', async () => {
    const { voucher_id: due } = await made();
    await Promise.all(Array.from({ length: 40 }, made));
    await database
      .db('vouchers')
      .where({ voucher_id: due })
      .update({ next_check_at: new Date(0) });
    const read = await rowsRead(database.db, (trx) => overdueVouchers(trx, new Date(), 100));
    expect(read).toBeLessThan(10);
  });
});
