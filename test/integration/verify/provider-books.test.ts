import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMerchant } from '../../../src/merchants/merchants';
import { openAccount } from '../../../src/ledger/accounts';
import { postEntry } from '../../../src/ledger/post-entry';
import { byHand, transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { verify } from '../../../src/verify/verify';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import {
  box,
  deposit,
  insertPayment,
  transitionTo,
  payOut,
  testContext,
} from '../../support/verify/books-support';

interface Success {
  kind?: 'payout' | 'return' | 'refund' | 'reversal';
  reference: string;
  amount: string;
  currency: string;
}

let test: TestDatabase;
let simulator: Server;
let successes: Success[] = [];
let status = 200;
let merchantId: string;

beforeAll(async () => {
  simulator = createServer((request, response) => {
    const body = request.url === '/control/books?detail=1' ? { loud: successes } : { loud: totals() };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => simulator.once('listening', resolve));
});
afterAll(() => simulator.close());

beforeEach(async () => {
  successes = [];
  status = 200;
  test = await createTestDatabase();
  ({ merchant_id: merchantId } = await createMerchant(test.db, box, {
    name: 'Duka',
    environment: 'sandbox',
  }));
});
afterEach(() => test.drop());

/** The totals as the simulator reports them: collections, and payouts, refunds and returns by their names. */
function totals(): Record<string, unknown> {
  const totalOf = (kind?: Success['kind']) => {
    const own = successes.filter((success) => success.kind === kind);
    const cents = own.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    return { successes: own.length, amount: (cents / 100).toFixed(2) };
  };
  if (successes.length === 0) return {};
  const reversals = totalOf('reversal');
  const returns = totalOf('return');
  return {
    KES: {
      ...totalOf(),
      payouts: totalOf('payout'),
      refunds: totalOf('refund'),
      ...(reversals.successes > 0 && { reversals }),
      ...(returns.successes > 0 && { returns }),
    },
  };
}

async function violations(): Promise<{ id: string; detail: string }[]> {
  const simulatorUrl = `http://127.0.0.1:${String((simulator.address() as AddressInfo).port)}`;
  const { checks } = await verify(test.db, testContext(test.db).rails, { simulatorUrl });
  const broken = checks.filter((check) => check.violations.length > 0);
  expect(broken.map(({ id }) => id)).toEqual(broken.length === 0 ? [] : ['P11']);
  return broken[0]?.violations ?? [];
}

const succeeds = () => deposit(testContext(test.db), { merchantId }, 'initiating', 'pending', 'succeeded');
const booked = (paymentId: string, amount = '100.00'): Success => ({
  reference: `ref-${paymentId}`,
  amount,
  currency: 'KES',
});

describe("the providers' books and ours (P11)", () => {
  it('agree', async () => {
    expect(await violations()).toEqual([]);
    successes = [booked(await succeeds()), booked(await succeeds())];
    expect(await violations()).toEqual([]);
  });

  it('differ by a success that is unknown to us', async () => {
    successes = [booked(await succeeds()), { reference: 'ws_CO_9', amount: '5.00', currency: 'KES' }];
    expect(await violations()).toEqual([
      { id: 'ws_CO_9', detail: 'the provider booked 5.00 KES under ws_CO_9; no payment has this reference' },
    ]);
  });

  it('differ by the success of a submission with a lost answer, until a case is open', async () => {
    const context = testContext(test.db);
    const lost = await deposit(context, { merchantId }, 'initiating', 'pending', 'timed_out');
    await test.db('payments').where({ payment_id: lost }).update({ provider_reference: null });
    const success = { reference: 'ws_CO_7', amount: '100.00', currency: 'KES' };
    successes = [success];
    expect(await violations()).toMatchObject([{ id: 'ws_CO_7' }]);
    await test
      .db('cases')
      .insert({ payment_id: lost, reason: 'submission_unknown', detail: '', opened_at: new Date() });
    expect(await violations()).toEqual([]);
    // One submission explains one success.
    successes = [success, { ...success, reference: 'ws_CO_8' }];
    expect(await violations()).toMatchObject([{ id: 'ws_CO_8' }]);
  });

  it('differ by a success of a payment that failed with us, until a case is open', async () => {
    const failed = await deposit(testContext(test.db), { merchantId }, 'initiating', 'pending', 'failed');
    successes = [booked(failed)];
    expect(await violations()).toEqual([
      { id: failed, detail: expect.stringContaining('the payment is failed') },
    ]);
    await test
      .db('cases')
      .insert({ payment_id: failed, reason: 'currency_differs', detail: '', opened_at: new Date() });
    expect(await violations()).toEqual([]);
  });

  it('differ by a success that the provider booked twice', async () => {
    const success = booked(await succeeds());
    successes = [success, success];
    expect(await violations()).toEqual([
      { id: success.reference, detail: expect.stringContaining('for the second time') },
    ]);
  });

  describe('for outgoing money', () => {
    const context = () => testContext(test.db);
    const went = (kind: 'payout' | 'return' | 'refund', paymentId: string, amount = '40.00'): Success => ({
      ...booked(paymentId, amount),
      kind,
    });
    let depositId: string;
    let payoutId: string;
    let refundId: string;
    beforeEach(async () => {
      await transferByHand(test.db, {
        from: { class: 'bank', currency: 'KES' },
        to: { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
        amountMinor: 100_000n,
        reason: 'funded',
        whenShort: 'FLOAT_INSUFFICIENT',
      });
      depositId = await succeeds();
      const given = { merchantId, amountMinor: 4_000n };
      const parent = { parent_id: depositId };
      payoutId = await payOut(context(), { ...given, kind: 'payout' }, 'succeeded');
      refundId = await payOut(context(), { ...given, kind: 'refund', with: parent }, 'succeeded');
    });

    it('agree', async () => {
      successes = [booked(depositId), went('payout', payoutId), went('refund', refundId)];
      expect(await violations()).toEqual([]);
    });

    it('differ by a payout that the provider made and we failed', async () => {
      const failed = await payOut(context(), { merchantId, kind: 'payout', amountMinor: 4_000n }, 'failed');
      successes = [booked(depositId), went('payout', payoutId), went('refund', refundId)];
      successes.push(went('payout', failed));
      expect(await violations()).toEqual([
        { id: failed, detail: expect.stringContaining('the payment is failed') },
      ]);
    });

    describe('that was returned', () => {
      const others = () => [booked(depositId), went('refund', refundId)];
      const wentAndBack = (paymentId: string) => [went('payout', paymentId), went('return', paymentId)];

      it('agree', async () => {
        await transitionTo(context(), payoutId, 'returned');
        successes = [...others(), ...wentAndBack(payoutId)];
        expect(await violations()).toEqual([]);
      });

      it('agree when we learnt of the payout only after its return', async () => {
        const failed = await payOut(context(), { merchantId, kind: 'payout', amountMinor: 4_000n }, 'failed');
        successes = [...others(), went('payout', payoutId), ...wentAndBack(failed)];
        expect(await violations()).toEqual([]);
      });

      it('differ by a return that we did not book to the float', async () => {
        successes = [...others(), ...wentAndBack(payoutId)];
        expect(await violations()).toEqual([
          { id: payoutId, detail: 'we booked 40.00 KES; the provider has no success' },
        ]);
      });

      it('differ by a return that we booked and the provider did not make', async () => {
        await transitionTo(context(), payoutId, 'returned');
        successes = [...others(), went('payout', payoutId)];
        expect(await violations()).toEqual([
          { id: payoutId, detail: expect.stringContaining('the payment is returned') },
        ]);
      });
    });

    it('differ by a refund that the provider did not make', async () => {
      successes = [booked(depositId), went('payout', payoutId)];
      expect(await violations()).toEqual([
        { id: refundId, detail: 'we booked 40.00 KES; the provider has no success' },
      ]);
    });

    it('may include a refund whose answer is still to come', async () => {
      const open = await payOut(context(), {
        merchantId,
        kind: 'refund',
        amountMinor: 1_500n,
        with: { parent_id: depositId },
      });
      const answered = [booked(depositId), went('payout', payoutId), went('refund', refundId)];
      successes = [...answered, went('refund', open, '15.00')];
      await test.db('payments').where({ payment_id: open }).update({ provider_reference: null });
      expect(await violations()).toEqual([]);
      // It explains a success of its amount and no other.
      successes = [...answered, went('refund', open, '16.00')];
      expect(await violations()).toEqual([{ id: 'loud', detail: expect.stringContaining('2 and 56.00') }]);
    });

    it('differ by the amount of a payout', async () => {
      successes = [booked(depositId), went('payout', payoutId, '41.00'), went('refund', refundId)];
      expect(await violations()).toEqual([{ id: payoutId, detail: expect.stringContaining('41.00 KES') }]);
    });
  });

  describe('for refunds and reversals by the provider', () => {
    const back = (kind: 'refund' | 'reversal', reference: string, amount: string): Success => ({
      kind,
      reference,
      amount,
      currency: 'KES',
    });
    let depositId: string;
    beforeEach(async () => {
      depositId = await succeeds();
      const changes = { returned_minor: '10000' };
      await transitionTo(testContext(test.db), depositId, 'reversed', { changes });
    });

    it('agree by the sum, although the money was returned in parts', async () => {
      successes = [booked(depositId), back('refund', 'r1', '40.00'), back('reversal', 'r2', '60.00')];
      expect(await violations()).toEqual([]);
    });

    it('differ by an amount that we did not debit', async () => {
      successes = [booked(depositId), back('refund', 'r1', '40.00'), back('reversal', 'r2', '61.00')];
      expect(await violations()).toEqual([{ id: 'loud', detail: expect.stringContaining('101.00') }]);
    });
  });

  it('may include payments that are in flight with us', async () => {
    successes = [booked(await deposit(testContext(test.db), { merchantId }, 'initiating', 'pending'))];
    expect(await violations()).toEqual([]);
  });

  it('differ by a credit that no provider paid', async () => {
    const paymentId = await succeeds();
    expect(await violations()).toEqual([
      { id: paymentId, detail: 'we booked 100.00 KES; the provider has no success' },
    ]);
  });

  it('differ by an amount, even when the sums agree', async () => {
    const [one, other] = [await succeeds(), await succeeds()];
    successes = [booked(one, '250.00')];
    expect((await violations()).map(({ id }) => id).sort()).toEqual([one, other].sort());
  });

  it('differ by postings that belong to no payment', async () => {
    const paymentId = await succeeds();
    successes = [booked(paymentId)];
    const clearing = await openAccount(test.db, { class: 'clearing', rail: 'loud', currency: 'KES' });
    const bank = await openAccount(test.db, { class: 'bank', currency: 'KES' });
    const lines = [
      { account: clearing, amountMinor: -700n },
      { account: bank, amountMinor: 700n },
    ];
    const source = { type: 'transfer', id: 'x', leg: 'move' };
    await test.db.transaction((trx) => byHand(trx, () => postEntry(trx, { source, lines })));
    expect(await violations()).toEqual([
      { id: 'loud', detail: "2 collections and 107.00 KES in our books, 1 and 100.00 in the provider's" },
    ]);
  });

  it('cannot be compared with a simulator that does not answer', async () => {
    await insertPayment(test.db, { merchantId });
    status = 500;
    await expect(violations()).rejects.toThrow('HTTP 500');
  });
});
