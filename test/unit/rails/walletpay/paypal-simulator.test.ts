/** The adapter against the simulated provider over real HTTP: orders, captures, payouts, and their events. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { paypalProvider } from '../../../../src/rails/walletpay/providers/paypal';
import type { PaymentRow } from '../../../../src/store/tables';
import { v4 as uuid } from 'uuid';
import { startTestBench, type TestBench } from '../../../support/simulator/bench';
import { credentials } from '../../../support/simulator/credentials';
import { call, payment, payout, railSettings, walletpaySettings } from './paypal-support';

const hour = 60 * 60_000;
/** By then all delays of minutes are over; on the wall clock, none of them is. */
const laterMs = hour / 4;

let bench: TestBench;
let paypal: ReturnType<typeof paypalProvider>;

// Shared: it creates its certificates with its first event, which takes a while.
beforeAll(async () => {
  bench = await startTestBench({ env: { MALIPO_SIMULATOR_WALLETPAY_DELAY_MS: '60000' } });
  const { origin } = bench.walletpay;
  paypal = paypalProvider(
    walletpaySettings(origin, {
      clientId: credentials.WALLETPAY_CLIENT_ID,
      clientSecret: credentials.WALLETPAY_CLIENT_SECRET,
      webhookId: credentials.WALLETPAY_WEBHOOK_ID,
      certHosts: [new URL(origin).host],
      authority: { url: `${origin}/certs/ca.pem` },
    }),
    railSettings(),
  );
});
afterAll(() => bench.stop());

interface Totals {
  successes: number;
  payouts?: { successes: number };
}
const dollars = async () => ((await bench.walletpay.books()) as { USD?: Totals }).USD;
/** How often the provider has booked money in and out. */
const collections = async () => (await dollars())?.successes ?? 0;
const payouts = async () => (await dollars())?.payouts?.successes ?? 0;

const fresh = { state: 'initiating', provider_reference: null, accepted_at: null } as const;

/** A payment of this many cents with a created order. */
async function ordered(minor = 1_250): Promise<PaymentRow> {
  const amounts = { requested_minor: String(minor), instructed_minor: String(minor) };
  const details = { return_url: 'https://shop.example/ok', cancel_url: 'https://shop.example/no' };
  const row = payment({ ...fresh, payment_id: uuid(), details, ...amounts });
  const submissionResult = await paypal.order.initiate(row, call);
  if (submissionResult.kind !== 'accepted')
    throw new Error(`not accepted: ${JSON.stringify(submissionResult)}`);
  const { providerReference: reference } = submissionResult;
  return {
    ...row,
    state: 'pending',
    provider_reference: reference,
    details: { ...details, ...submissionResult.details },
  };
}

async function approved(minor?: number): Promise<PaymentRow> {
  const row = await ordered(minor);
  await bench.walletpay.decide(row.provider_reference ?? '', 'approve');
  return row;
}

const stateOf = (row: PaymentRow): Promise<ProviderResult> => paypal.order.retrieveStatus(row, call);
const take = (row: PaymentRow, attempt = 1): Promise<ProviderResult> =>
  paypal.order.capture(row, { ...call, key: `${row.payment_id}-${String(attempt)}` });
const idOf = (providerResult: ProviderResult): string =>
  providerResult.kind === 'succeeded' ? (providerResult.details?.['capture_id'] ?? '') : '';

describe('an order', () => {
  it('is created, pending, approved on its page, captured, and paid once', async () => {
    const before = await collections();
    const row = await ordered();
    expect(row.details['approval_url']).toContain(row.provider_reference);
    expect(await stateOf(row)).toMatchObject({ kind: 'open', text: 'PAYER_ACTION_REQUIRED' });
    expect(await take(row)).toMatchObject({
      kind: 'open',
      details: { capture_reason: 'ORDER_NOT_APPROVED' },
    });
    await bench.walletpay.decide(row.provider_reference ?? '', 'approve');
    expect(await stateOf(row)).toMatchObject({ kind: 'open', approved: true });
    const paid = await take(row);
    expect(paid).toMatchObject({ kind: 'succeeded', amountMinor: 1_250n, currency: 'USD' });
    expect(await take(row)).toEqual(paid);
    expect(await stateOf(row)).toEqual(paid);
    expect(await collections()).toBe(before + 1);
  });

  it('is the same when it is created again', async () => {
    const row = await ordered();
    expect(await paypal.order.recover({ ...row, ...fresh }, call)).toMatchObject({
      kind: 'accepted',
      providerReference: row.provider_reference,
    });
  });

  it.each(['act_then_drop', 'act_then_500', 'drop', 'html'])('is created once through %s', async (behave) => {
    await bench.walletpay.next({ call: 'initiate', behave });
    expect((await ordered()).details['approval_url']).toMatch(/^http/);
  });

  it('captured after its key is forgotten is adopted', async () => {
    const row = await approved();
    const paid = await take(row);
    await bench.walletpay.advance(7 * hour);
    expect(await take(row)).toEqual(paid);
  });

  it('captured with a 500 is unknown until it is queried', async () => {
    const row = await approved(1_006);
    expect(await take(row)).toMatchObject({ kind: 'unknown' });
    expect(await stateOf(row)).toMatchObject({ kind: 'succeeded', amountMinor: 1_006n });
  });

  it('whose instrument is declined once is paid by the next attempt, and not by the same', async () => {
    const row = await approved(1_005);
    const declined = { kind: 'open', declined: true, details: { capture_reason: 'INSTRUMENT_DECLINED' } };
    expect(await take(row)).toMatchObject(declined);
    expect(await take(row)).toMatchObject(declined);
    expect(await take(row, 2)).toMatchObject({ kind: 'succeeded' });
  });

  it.each([
    ['declined', 1_001, { kind: 'failed', code: 'CAPTURE_DECLINED' }, undefined],
    [
      'pending, then paid',
      1_003,
      { kind: 'open', details: { capture_reason: 'PENDING_REVIEW' } },
      { kind: 'succeeded' },
    ],
    [
      'pending, then declined',
      1_004,
      { kind: 'open', details: { capture_reason: 'PENDING_REVIEW' } },
      { kind: 'failed' },
    ],
  ])('whose capture is %s has that result', async (_what, minor, first, last) => {
    const row = await approved(minor);
    expect(await take(row)).toMatchObject(first);
    await bench.walletpay.advance(laterMs);
    expect(await stateOf(row)).toMatchObject(last ?? first);
  });

  it('that is not approved in time expires', async () => {
    const row = await ordered();
    await bench.walletpay.advance(4 * hour);
    expect(await stateOf(row)).toMatchObject({ kind: 'failed', code: 'ORDER_EXPIRED', tentative: true });
  });

  it('that is refunded completely is refunded', async () => {
    const row = await approved();
    const captureId = idOf(await take(row));
    await bench.walletpay.giveBack(captureId);
    expect(await stateOf(row)).toMatchObject({
      kind: 'refunded',
      paidMinor: 1_250n,
      returnedMinor: 1_250n,
      currency: 'USD',
      details: { refund_amount: '12.50' },
    });
  });

  it('that is partly refunded is refunded by that amount', async () => {
    const row = await approved();
    const captureId = idOf(await take(row));
    for (const part of ['2.00', '3.50']) await bench.walletpay.giveBack(captureId, part);
    await bench.walletpay.advance(laterMs);
    const reported = bench.receiver.received.filter(
      ({ text }) => text.includes(captureId) && text.includes('PAYMENT.CAPTURE.REFUNDED'),
    );
    const { id } = reported.at(-1)?.body['resource'] as { id: string };
    const known = { ...row, details: { ...row.details, refund_id: id } };
    expect(await stateOf(known)).toMatchObject({ kind: 'refunded', returnedMinor: 550n });
  });

  it('outlives the token of its creation', async () => {
    const row = await ordered();
    await bench.walletpay.next({ call: 'query', behave: 'expired_token' });
    expect(await stateOf(row)).toMatchObject({ kind: 'open' });
  });
});

/** A payout to this receiver that the provider has accepted. */
async function sent(receiver: string, note = 'Order 77'): Promise<PaymentRow> {
  const details = { recipient_email: `${receiver}@example.org`, note };
  const row = payout({ ...fresh, payment_id: uuid(), details });
  const submissionResult = await paypal.payout.initiate(row, call);
  if (submissionResult.kind !== 'accepted')
    throw new Error(`not accepted: ${JSON.stringify(submissionResult)}`);
  return { ...row, state: 'pending', provider_reference: submissionResult.providerReference };
}

const outcomeOf = (row: PaymentRow): Promise<ProviderResult> => paypal.payout.retrieveStatus(row, call);

describe('a payout to', () => {
  it.each([
    ['ok', { kind: 'succeeded', amountMinor: 4_000n, currency: 'USD' }],
    ['failed', { kind: 'failed', code: 'RECEIVER_ACCOUNT_LOCKED' }],
    ['denied', { kind: 'failed', code: 'RISK_DECLINE' }],
    ['blocked', { kind: 'failed', code: 'REGULATORY_BLOCKED' }],
    ['held', { kind: 'open', details: { item_status: 'ONHOLD', failure: 'REGULATORY_PENDING' } }],
    ['unclaimed', { kind: 'open', as: 'queued', details: { failure: 'RECEIVER_UNREGISTERED' } }],
  ])("%s@ is open at first, and then has the provider's result", async (receiver, providerResult) => {
    const row = await sent(receiver);
    expect(await outcomeOf(row)).toMatchObject({ kind: 'open' });
    await bench.walletpay.advance(laterMs);
    expect(await outcomeOf(row)).toMatchObject(providerResult);
  });

  it('lost@ is accepted once, although the answer is lost', async () => {
    const before = await payouts();
    const row = await sent('lost');
    expect(await paypal.payout.recover(row, call)).toMatchObject({
      providerReference: row.provider_reference,
    });
    await bench.walletpay.advance(laterMs);
    expect(await outcomeOf(row)).toMatchObject({ kind: 'succeeded' });
    expect(await payouts()).toBe(before + 1);
  });

  it('unclaimed@ is paid once it is claimed', async () => {
    const row = await sent('unclaimed');
    await bench.walletpay.advance(laterMs);
    await bench.walletpay.decideItem(row.payment_id, 'claim');
    expect(await outcomeOf(row)).toMatchObject({ kind: 'succeeded' });
  });

  it('unclaimed-return@ is returned when it is not claimed', async () => {
    const row = await sent('unclaimed-return');
    await bench.walletpay.advance(31 * 24 * hour);
    expect(await outcomeOf(row)).toMatchObject({ kind: 'returned', code: 'UNCLAIMED_RETURNED' });
  });

  it('unclaimed@ can be cancelled repeatedly; a paid one cannot', async () => {
    const [waiting, done] = [await sent('unclaimed'), await sent('ok')];
    await bench.walletpay.advance(laterMs);
    expect(await paypal.payout.cancel(waiting, call)).toBe('taken');
    expect(await paypal.payout.cancel(waiting, call)).toBe('taken');
    expect(await outcomeOf(waiting)).toMatchObject({ kind: 'returned', code: 'UNCLAIMED_RETURNED' });
    expect(await paypal.payout.cancel(done, call)).toBe('too_late');
  });

  it.each([
    ['ERRPYO001', 'SENDER_RESTRICTED', 'PROVIDER_ACCOUNT_REFUSED'],
    ['ERRPYO002', 'SENDER_EMAIL_UNCONFIRMED', 'PROVIDER_ACCOUNT_REFUSED'],
    ['ERRPYO003', 'AUTHORIZATION_ERROR', 'PROVIDER_ACCOUNT_REFUSED'],
    ['ERRPYO005', 'INSUFFICIENT_FUNDS', 'PROVIDER_ACCOUNT_REFUSED'],
    ['ERRPYO010', 'VALIDATION_ERROR', 'PROVIDER_REJECTED_REQUEST'],
  ])('any receiver with the note %s is rejected with %s', async (note, providerCode, publicCode) => {
    const row = payout({ ...fresh, details: { recipient_email: 'ok@example.org', note } });
    expect(await paypal.payout.initiate(row, call)).toMatchObject({
      kind: 'refused',
      providerCode,
      publicCode,
    });
  });

  it('any receiver with the note ERRPYO006 is unknown', async () => {
    const row = payout({ ...fresh, details: { recipient_email: 'ok@example.org', note: 'ERRPYO006' } });
    expect(await paypal.payout.initiate(row, call)).toMatchObject({ kind: 'unknown' });
  });
});

describe('an event of the simulated provider', () => {
  /** The events of a payment as received; the next of them can be damaged. */
  async function reported(behave?: string) {
    const row = await approved();
    const where = { custom_id: row.payment_id };
    if (behave !== undefined) await bench.walletpay.next({ call: 'callback', behave, where });
    await take(row);
    await bench.walletpay.advance(laterMs);
    const events = bench.receiver.received.filter(({ text }) => text.includes(row.payment_id));
    return Promise.all(events.map(({ headers, text }) => paypal.verifyWebhook(headers, Buffer.from(text))));
  }

  it.each([undefined, 'orphan_cert'])('is authentic with %s', async (behave) => {
    expect(await reported(behave)).toEqual([{ kind: 'genuine' }, { kind: 'genuine' }]);
  });

  const spoilt = 'bad_signature foreign_cert_url expired_cert untrusted_cert changed_body missing_header';
  it.each(spoilt.split(' '))('is rejected with %s', async (behave) => {
    const verdicts = await reported(behave);
    expect(verdicts.filter(({ kind }) => kind === 'forged')).toHaveLength(1);
    expect(verdicts.every(({ kind }) => kind !== 'unknown')).toBe(true);
  });
});
