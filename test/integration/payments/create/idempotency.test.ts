import { randomBytes, randomUUID } from 'node:crypto';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { createPayment, giveUp } from '../../../../src/payments/create/create-payment';
import type { Call, IdempotencyClaim } from '../../../../src/rail-kit/endpoint';
import {
  ClaimLost,
  claimIdempotencyKey,
  isKeyKnown,
  leaseMs,
  letClaimGo,
  letStraysGo,
  releaseClaim,
  storeAnswer,
  type ClaimsOfProcess,
} from '../../../../src/payments/create/idempotency-claims';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { startProcessLease, type ProcessLease } from '../../../../src/payments/recovery/process-lease';
import type { Database } from '../../../../src/store/database';
import { lockRow } from '../../../faults/contract/support/row-lock';
import { insertPayment } from '../../../support/store/rows';
import { expectClean } from '../../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { silentLog } from '../../../support/silent-log';
import { callOf, draft, fakeContext, fakeEngine } from '../../../support/payments/fakes';

const processOf = (processId: string): ClaimsOfProcess => ({ processId, live: new Set() });
const dead = processOf(randomUUID());

describe('an Idempotency-Key', () => {
  let database: TestDatabase;
  let db: Database;
  let call: Call;
  let lease: ProcessLease;
  let claim: IdempotencyClaim;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    call = await callOf(db, (await getPaymentOrThrow(db, await insertPayment(db))).merchant_id);
    lease = await startProcessLease(db, silentLog);
  });
  beforeEach(() => {
    claim = { keyHash: randomBytes(32), bodyHash: randomBytes(32) };
  });
  afterAll(async () => {
    await lease.close();
    await expectClean({ db });
    await database.drop();
  });

  const claimAs = (own: ClaimsOfProcess, what = claim) =>
    claimIdempotencyKey(db, own, call.merchant.merchant_id, what);
  /** A claim with which this request may write. */
  async function holdAs(own: ClaimsOfProcess): Promise<Call> {
    const claimed = await claimAs(own);
    if (claimed.kind !== 'first') throw new Error(`the claim is ${claimed.kind}`);
    return { ...call, idempotency: { ...claim, claimId: claimed.claimId } };
  }
  const accepting = (held: Call, changes: Partial<typeof draft> = {}) =>
    createPayment(
      fakeContext(db),
      fakeEngine(() => Promise.resolve('late')),
      held,
      { ...draft, ...changes },
    );
  const paymentsOfKey = () => db('payments').where({ key_hash: claim.keyHash }).select('payment_id');

  describe('belongs to its request', () => {
    const lastSeen = async (process_id: string) =>
      (await db('processes').where({ process_id }).first())?.seen_at.getTime() ?? 0;

    it('while the process lives', async () => {
      await claimAs(lease);
      const since = await lastSeen(lease.processId);
      const renewed = async () => (await lastSeen(lease.processId)) > since + leaseMs || undefined;
      await waitFor(renewed, { what: 'the lease to be renewed', timeoutMs: 30_000 });
      expect(await claimAs(dead)).toEqual({ kind: 'running' });
    });

    it('until its process was not seen for two seconds: then another continues with it', async () => {
      const died = randomUUID();
      const seen = (seconds: number) =>
        db.raw(
          `INSERT INTO processes (process_id, seen_at) VALUES (:died, UTC_TIMESTAMP(3) + INTERVAL :seconds SECOND)
           ON DUPLICATE KEY UPDATE seen_at = VALUES(seen_at)`,
          { died, seconds },
        );
      await claimAs(processOf(died));
      await seen(60);
      expect(await claimAs(lease)).toEqual({ kind: 'running' });
      await seen(-2);
      expect(await claimAs(lease)).toMatchObject({ kind: 'first' });
    });

    it('until its process has ended normally: another continues with it at once', async () => {
      const other = await startProcessLease(db, silentLog);
      await claimAs(other);
      await other.close();
      expect(await claimAs(lease)).toMatchObject({ kind: 'first' });
    });

    it('for two minutes if a version without leases created it', async () => {
      await claimAs(dead);
      const key = { key_hash: claim.keyHash };
      await db('idempotency_keys').where(key).update({ process_id: null, claim_id: null });
      expect(await claimAs(lease)).toEqual({ kind: 'running' });
      await db('idempotency_keys')
        .where(key)
        .update({ created_at: new Date(Date.now() - 121_000) });
      expect(await claimAs(lease)).toMatchObject({ kind: 'first' });
    });

    it('until no request of the process uses it, whatever was stored about that', async () => {
      const held = await holdAs(lease);
      await letStraysGo(db, lease);
      expect(await claimAs(dead)).toEqual({ kind: 'running' });
      lease.live.delete(held.idempotency?.claimId ?? '');
      const worked = { keyHash: randomBytes(32), bodyHash: randomBytes(32) };
      await claimAs(lease, worked);
      await letStraysGo(db, lease);
      expect(await claimAs(dead)).toMatchObject({ kind: 'first' });
      expect(await claimAs(dead, worked)).toEqual({ kind: 'running' });
    });

    it('even if another process releases its own claims', async () => {
      const beside = await startProcessLease(db, silentLog);
      await claimAs(beside);
      await letStraysGo(db, lease);
      const claimed = await claimAs(dead);
      await beside.close();
      expect(claimed).toEqual({ kind: 'running' });
    });

    it('until it is released', async () => {
      const held = await holdAs(lease);
      expect(await isKeyKnown(db, call.merchant.merchant_id, randomBytes(32))).toBe(false);
      if (held.idempotency) await letClaimGo(db, call.merchant.merchant_id, held.idempotency);
      expect(await isKeyKnown(db, call.merchant.merchant_id, claim.keyHash)).toBe(true);
      expect(await claimAs(lease, { ...claim, bodyHash: randomBytes(32) })).toEqual({
        kind: 'other_body',
      });
      expect(await claimAs(lease)).toMatchObject({ kind: 'first' });
    });
  });

  it('of a dead process is taken over by one of twenty concurrent requests', async () => {
    await claimAs(dead);
    const results = await Promise.all(Array.from({ length: 20 }, () => claimAs(lease)));
    expect(results.filter(({ kind }) => kind === 'first')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'running')).toHaveLength(19);
  });

  it('creates one payment, even if a request waits behind a lock until another has taken its claim over', async () => {
    const slow = await holdAs(dead);
    const float = { process_id: randomUUID() };
    await db('processes').insert({ ...float, seen_at: new Date() });
    const unlock = await lockRow(db, 'processes', float);
    const waits = async (trx: Database) => {
      await trx('processes').where(float).forUpdate().first();
    };
    const slowly = accepting(slow, { check: waits }).catch((error: unknown) => error);
    const winner = await accepting(await holdAs(lease));
    await unlock();
    expect(await slowly).toBeInstanceOf(ClaimLost);
    expect(String(await slowly)).toBe('ClaimLost: the Idempotency-Key was taken over by another request');
    expect(await paymentsOfKey()).toEqual([{ payment_id: winner.payment.payment_id }]);
    await db('idempotency_keys').where({ key_hash: claim.keyHash }).update({ process_id: '' });
    expect(await claimAs(lease)).toMatchObject({
      kind: 'resume',
      paymentId: winner.payment.payment_id,
    });
  });

  it('leads to its payment, even if the process that had taken it over lost it', async () => {
    const first = await accepting(await holdAs(dead));
    const takenOver = await claimAs(lease);
    expect(takenOver).toMatchObject({ kind: 'resume', paymentId: first.payment.payment_id });
    lease.live.clear();
    const freed = async () => {
      const again = await claimAs(dead);
      return again.kind === 'running' ? undefined : again;
    };
    expect(await waitFor(freed, { what: 'the key to be free', timeoutMs: 30_000 })).toMatchObject({
      kind: 'resume',
      paymentId: first.payment.payment_id,
    });
    expect(await paymentsOfKey()).toEqual([{ payment_id: first.payment.payment_id }]);
  });

  it('counts as work of a process from its claim on, and not if the claim failed or came late', async () => {
    const own = processOf(randomUUID());
    const { idempotency } = await holdAs(own);
    expect([...own.live]).toEqual([idempotency?.claimId]);
    own.live.clear();
    await accepting(await holdAs(own));
    const resumed = await claimAs(lease);
    expect(resumed.kind === 'resume' && lease.live.has(resumed.claimId)).toBe(true);
    own.live.clear();
    expect(await claimAs(own)).toEqual({ kind: 'running' });
    expect(own.live.size).toBe(0);
    await expect(claimIdempotencyKey(db, own, 'a name that is too long'.repeat(10), claim)).rejects.toThrow();
    expect(own.live.size).toBe(0);
  });

  it('stores the answer of its holder, and nothing of a request whose claim was taken over', async () => {
    const first = await holdAs(dead);
    const second = await holdAs(lease);
    const { merchant_id: merchantId } = call.merchant;
    if (!first.idempotency || !second.idempotency) throw new Error('unreachable: both are held');
    await storeAnswer(db, merchantId, first.idempotency, { status: 503, body: '{}' });
    await releaseClaim(db, merchantId, first.idempotency);
    expect(await claimAs(dead)).toEqual({ kind: 'running' });
    await storeAnswer(db, merchantId, second.idempotency, { status: 200, body: '{"mine":true}' });
    expect(await claimAs(dead)).toEqual({ kind: 'replay', status: 200, body: '{"mine":true}' });
  });

  it('of a withdrawn payment creates a new one', async () => {
    const engine = fakeEngine(() => Promise.reject(new Error('14 UNAVAILABLE')));
    const taking = createPayment(fakeContext(db), engine, await holdAs(dead), draft);
    await expect(taking).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await accepting(await holdAs(lease));
    expect(await paymentsOfKey()).toHaveLength(2);
  });

  it('is free once it is released, unless a payment exists with it', async () => {
    const { merchant_id: merchantId } = call.merchant;
    const release = async ({ idempotency }: Call) => idempotency && releaseClaim(db, merchantId, idempotency);
    await release(await holdAs(lease));
    expect(await isKeyKnown(db, merchantId, claim.keyHash)).toBe(false);
    const held = await holdAs(lease);
    const { payment } = await accepting(held);
    await release(held);
    expect(await claimAs(lease)).toMatchObject({ kind: 'resume', paymentId: payment.payment_id });
  });

  it('is not free if its payment failed after it was answered as accepted', async () => {
    const held = await holdAs(lease);
    const late = fakeEngine(() => Promise.resolve('late'));
    const { payment } = await createPayment(fakeContext(db), late, held, draft);
    await giveUp(fakeContext(db), payment);
    if (held.idempotency) await releaseClaim(db, call.merchant.merchant_id, held.idempotency);
    expect(await claimAs(lease)).toMatchObject({ kind: 'resume', paymentId: payment.payment_id });
  });

  it('with an empty answer is answered with it again, and a deleted one is waited for', async () => {
    await holdAs(lease);
    const key = { key_hash: claim.keyHash };
    await db('idempotency_keys').where(key).update({ state: 'answered' });
    expect(await claimAs(lease)).toEqual({ kind: 'replay', status: 200, body: '{}' });
    await db('idempotency_keys').where(key).delete();
    const duplicate = Object.assign(new Error('duplicate'), { errno: 1062 });
    const gone = Object.assign(() => ({ insert: () => Promise.reject(duplicate) }), {
      raw: () => Promise.resolve([[]]),
    });
    const late = claimIdempotencyKey(gone as unknown as Database, dead, call.merchant.merchant_id, claim);
    expect(await late).toEqual({ kind: 'running' });
  });
});
