/**
 * A receiver that keeps the highest `sequence` of each payment is correct with any order, repeats and losses. The
 * engine changes the payments, and the delivered bodies are its own.
 */
import fc from 'fast-check';
import { isLater, sequenceOf } from '../../../packages/clients/node/src/sequence';
import type { PaymentState } from '../../../src/domain/payment';
import { nothingBefore, reportedBefore } from '../../../src/payments/transition/reported-amounts';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { orderWebhook } from '../../../src/rails/walletpay/webhook';
import { orderStatusBody } from '../../../src/rails/walletpay/responses';
import type { PaymentRow } from '../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { insertPayment, transitionTo, testContext } from '../../support/verify/books-support';
import { newMerchant } from '../../support/webhooks/webhook-support';

const asked = 10_000n;

/** A payment's events, one after the other; events that its state does not allow are left out. */
interface Happening {
  to: 'timed_out' | 'failed' | 'succeeded' | 'reversed' | 'refunded';
  /** Percent of the requested amount that is returned. */
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
  const given = BigInt(payment.returned_minor);
  const isAway = payment.state === 'refunded' || payment.state === 'reversed';
  const corrected = payment.is_final;
  if (happening.to === 'refunded' || happening.to === 'reversed') {
    if (payment.state !== 'succeeded' && payment.state !== 'refunded') return undefined;
    const part = happening.to === 'reversed' ? asked - given : (asked * BigInt(happening.part ?? 0)) / 100n;
    const now = given + part;
    if (part === 0n || now > asked) return undefined;
    return { returned_minor: now.toString(), details: { ...payment.details, ...reportedBefore(payment) } };
  }
  if (happening.to !== 'succeeded') return payment.state === 'succeeded' ? undefined : { corrected };
  if (payment.state === 'succeeded') return undefined;
  return isAway
    ? { returned_minor: '0', corrected: 1, details: { ...payment.details, ...nothingBefore } }
    : { corrected };
}

interface Reported {
  id: string;
  paymentId: string;
  body: Record<string, unknown>;
}

const facts = (reported: Record<string, unknown>) => ({
  status: reported['status'],
  credited_amount: reported['credited_amount'],
  refunded_total: reported['refunded_total'],
  correction: reported['correction'],
  sequence: reported['sequence'],
});

it('a receiver that keeps the highest sequence is correct after 10,000 deliveries in any order', async () => {
  const { merchant_id: merchantId } = await newMerchant(test.db);
  const context = testContext(test.db);
  for (const { operations } of context.rails.all)
    if (operations.deposit) operations.deposit.webhookOf = orderWebhook;
  const seed = Math.floor(Math.random() * 2 ** 31);
  const payments: string[] = [];
  for (const history of fc.sample(happenings, { numRuns: 40, seed })) {
    const { payment_id: id } = await insertPayment(test.db, { merchantId, amountMinor: asked });
    payments.push(id);
    for (const to of ['initiating', 'pending'] as PaymentState[]) await transitionTo(context, id, to);
    for (const happening of history) {
      const changes = changesOf(await getPaymentOrThrow(test.db, id), happening);
      if (changes) await transitionTo(context, id, happening.to, { changes });
    }
  }
  const rows = await test.db('outbox').where({ merchant_id: merchantId });
  const all: Reported[] = rows.map(({ webhook_id: webhookId, payment_id: paymentId, body }) => ({
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
  /** Another receiver, which uses whatever it got last. */
  const trusted = new Map<string, Record<string, unknown>>();
  const hear = (paymentId: string, reported: Record<string, unknown>) => {
    const known = kept.get(paymentId);
    if (isLater(reported, known && sequenceOf(known))) kept.set(paymentId, reported);
  };
  for (const n of deliveries) {
    const reported = all[n];
    if (!reported || isLost(n)) continue;
    hear(reported.paymentId, reported.body);
    trusted.set(reported.paymentId, reported.body);
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
    // A status query shows a lost change; the number shows that it is later.
    if (!heardOfIt) hear(id, status);
    const [has, should] = [kept.get(id), facts(status)];
    if (JSON.stringify(has && facts(has)) !== JSON.stringify(should))
      differs.push(`${id} (seed ${String(seed)}): ${JSON.stringify(has)} and not ${JSON.stringify(should)}`);
    const last = trusted.get(id);
    if (!last || JSON.stringify(facts(last)) !== JSON.stringify(should)) wrong += 1;
  }
  expect(differs).toEqual([]);
  // Without the number the result is wrong.
  expect(wrong).toBeGreaterThan(0);
});

const bySequence = (one: Reported, other: Reported) =>
  Number(one.body['sequence']) - Number(other.body['sequence']);
