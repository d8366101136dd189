/**
 * A receiver that keeps the highest `sequence` of each payment is right, in whatever order it is told, how often, and
 * whatever is lost. The engine moves the payments, and what is delivered are the bodies that it wrote.
 */
import fc from 'fast-check';
import { isLater, sequenceOf } from '../../../packages/clients/node/src/sequence';
import type { PaymentState } from '../../../src/domain/payment';
import { nothingBefore, toldBefore } from '../../../src/payments/transition/reported-amounts';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { tellOrder } from '../../../src/rails/walletpay/webhook';
import { orderStatusBody } from '../../../src/rails/walletpay/responses';
import type { PaymentRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { insertPayment, moveAlong, testContext } from '../../support/verify/books-support';
import { newMerchant } from '../../support/webhooks/webhook-support';

const asked = 10_000n;

/** What happens to a payment, one thing after the other; what its state does not allow is left out. */
interface Happening {
  to: 'timed_out' | 'failed' | 'succeeded' | 'reversed' | 'refunded';
  /** Percent of what was asked that goes back. */
  part?: number;
}

const happenings: fc.Arbitrary<Happening[]> = fc
  .tuple(
    fc.constantFrom<Happening[]>(
      [],
      [{ to: 'timed_out' }],
      [{ to: 'failed' }],
      [{ to: 'timed_out' }, { to: 'failed' }],
    ),
    fc.array(
      fc.oneof(
        fc.record({ to: fc.constant('refunded' as const), part: fc.integer({ min: 1, max: 60 }) }),
        fc.constant<Happening>({ to: 'reversed' }),
        fc.constant<Happening>({ to: 'succeeded' }),
      ),
      { maxLength: 6 },
    ),
  )
  .map(([unpaid, later]) => [...unpaid, { to: 'succeeded' }, ...later]);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

function changesOf(payment: PaymentRow, happening: Happening): Partial<PaymentRow> | undefined {
  const given = BigInt(payment.given_back_minor);
  const isAway = payment.state === 'refunded' || payment.state === 'reversed';
  const corrected = payment.is_final;
  if (happening.to === 'refunded' || happening.to === 'reversed') {
    if (payment.state !== 'succeeded' && payment.state !== 'refunded') return undefined;
    const part = happening.to === 'reversed' ? asked - given : (asked * BigInt(happening.part ?? 0)) / 100n;
    const now = given + part;
    if (part === 0n || now > asked) return undefined;
    return { given_back_minor: now.toString(), details: { ...payment.details, ...toldBefore(payment) } };
  }
  if (happening.to !== 'succeeded') return payment.state === 'succeeded' ? undefined : { corrected };
  if (payment.state === 'succeeded') return undefined;
  return isAway
    ? { given_back_minor: '0', corrected: 1, details: { ...payment.details, ...nothingBefore } }
    : { corrected };
}

interface Told {
  id: string;
  paymentId: string;
  body: Record<string, unknown>;
}

const facts = (told: Record<string, unknown>) => ({
  status: told['status'],
  credited_amount: told['credited_amount'],
  refunded_total: told['refunded_total'],
  correction: told['correction'],
  sequence: told['sequence'],
});

it('a receiver that keeps the highest sequence ends right after 10,000 deliveries in any order', async () => {
  const { merchant_id: merchantId } = await newMerchant(test.db);
  const context = testContext(test.db);
  for (const { operations } of context.rails.all) if (operations.deposit) operations.deposit.tell = tellOrder;
  const seed = Math.floor(Math.random() * 2 ** 31);
  const payments: string[] = [];
  for (const story of fc.sample(happenings, { numRuns: 40, seed })) {
    const { payment_id: id } = await insertPayment(test.db, { merchantId, amountMinor: asked });
    payments.push(id);
    for (const to of ['initiating', 'pending'] as PaymentState[]) await moveAlong(context, id, to);
    for (const happening of story) {
      const changes = changesOf(await getPaymentOrThrow(test.db, id), happening);
      if (changes) await moveAlong(context, id, happening.to, { changes });
    }
  }
  const rows = await test.db('outbox').where({ merchant_id: merchantId });
  const all: Told[] = rows.map(({ webhook_id: webhookId, payment_id: paymentId, body }) => ({
    id: webhookId,
    paymentId,
    body: JSON.parse(body) as Record<string, unknown>,
  }));
  expect(all.length).toBeGreaterThan(payments.length);

  const [lostByChance, deliveries] = [
    fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: all.length, seed }),
    fc.sample(fc.nat(all.length - 1), { numRuns: 10_000, seed }),
  ];
  const isLost = (n: number) => (lostByChance[n] ?? 0) < 0.2;
  const kept = new Map<string, Record<string, unknown>>();
  /** What another receiver has, which believes whatever it heard last. */
  const believed = new Map<string, Record<string, unknown>>();
  const hear = (paymentId: string, told: Record<string, unknown>) => {
    const known = kept.get(paymentId);
    if (isLater(told, known && sequenceOf(known))) kept.set(paymentId, told);
  };
  for (const n of deliveries) {
    const told = all[n];
    if (!told || isLost(n)) continue;
    hear(told.paymentId, told.body);
    believed.set(told.paymentId, told.body);
  }

  const differs: string[] = [];
  let wrong = 0;
  for (const id of payments) {
    const { data } = orderStatusBody(await getPaymentOrThrow(test.db, id), [], undefined);
    const status = data as unknown as Record<string, unknown>;
    const highest = all
      .filter(({ paymentId }) => paymentId === id)
      .sort(bySequence)
      .at(-1);
    const heardOfIt = highest && deliveries.some((n) => all[n] === highest && !isLost(n));
    // What is lost for good, whoever asks for the status learns; the number says that it is later.
    if (!heardOfIt) hear(id, status);
    const [has, should] = [kept.get(id), facts(status)];
    if (JSON.stringify(has && facts(has)) !== JSON.stringify(should))
      differs.push(`${id} (seed ${String(seed)}): ${JSON.stringify(has)} and not ${JSON.stringify(should)}`);
    const last = believed.get(id);
    if (!last || JSON.stringify(facts(last)) !== JSON.stringify(should)) wrong += 1;
  }
  expect(differs).toEqual([]);
  // Without the number one is not right.
  expect(wrong).toBeGreaterThan(0);
});

const bySequence = (one: Told, other: Told) => Number(one.body['sequence']) - Number(other.body['sequence']);
