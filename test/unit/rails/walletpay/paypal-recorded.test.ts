/** Recorded payloads of PayPal, read by the adapter: none may lead to a wrong result. */
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher, type Dispatcher } from 'undici';
import { unverifiedOf, readEvent } from '../../../../src/rails/walletpay/events';
import { paypalProvider } from '../../../../src/rails/walletpay/providers/paypal';
import { meaningOfIssue } from '../../../../src/rails/walletpay/providers/paypal/capture-issues';
import { notAccepted, payoutErrorCodes } from '../../../../src/rails/walletpay/providers/paypal/error-codes';
import { readError } from '../../../../src/rails/walletpay/providers/paypal/wire';
import { recorded, recordedAnswer, recordedPath, unsourced } from '../../../support/recorded';
import { railSettings, walletpaySettings } from './paypal-support';

const webhookId = '0FV983392A0531201';

it('every payload has its source', () => {
  expect(unsourced('paypal')).toEqual([]);
});

describe('an event that PayPal has signed', () => {
  const headers = JSON.parse(recorded('paypal', 'signed-event-headers.json').toString()) as Record<
    string,
    string
  >;
  const body = recorded('paypal', 'signed-event.json');
  const sentAt = Date.parse(headers['paypal-transmission-time'] ?? '');
  let before: Dispatcher;
  let network: MockAgent;

  beforeEach(() => {
    before = getGlobalDispatcher();
    network = new MockAgent();
    network.disableNetConnect();
    setGlobalDispatcher(network);
    const { origin, pathname } = new URL(headers['paypal-cert-url'] ?? '');
    const certificate = recorded('paypal', 'signed-event-certificate.pem');
    network.get(origin).intercept({ path: pathname }).reply(200, certificate);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    setGlobalDispatcher(before);
    await network.close();
  });

  /** In live, with the built-in authorities and the root of that time, and without a query. */
  function verdictAt(time: number, changes: { webhookId?: string; body?: Buffer } = {}) {
    jest.spyOn(Date, 'now').mockReturnValue(time);
    const settings = walletpaySettings('http://127.0.0.1:9', {
      webhookId: changes.webhookId ?? webhookId,
      authority: { file: recordedPath('paypal', 'signed-event-root.pem') },
    });
    const { verifyWebhook } = paypalProvider(settings, railSettings({ environment: 'live' }));
    return verifyWebhook(headers, changes.body ?? body);
  }

  it('is authentic at its time, with only the certificate that PayPal served', async () => {
    expect(await verdictAt(sentAt + 1_000)).toEqual({ kind: 'genuine' });
  });

  it('is rejected for another webhook', async () => {
    expect(await verdictAt(sentAt, { webhookId: 'WH-OTHER' })).toMatchObject({ kind: 'forged' });
  });

  it('is rejected with one more byte', async () => {
    const longer = Buffer.concat([body, Buffer.from(' ')]);
    expect(await verdictAt(sentAt, { body: longer })).toEqual({
      kind: 'forged',
      why: 'the signature is wrong',
    });
  });

  it('is an old copy today, and nothing is downloaded for it', async () => {
    expect(await verdictAt(Date.parse('2026-01-01'))).toMatchObject({ kind: 'forged' });
    expect(network.pendingInterceptors()).toHaveLength(1);
  });
});

describe('an event', () => {
  const text = (name: string) => recorded('paypal', name).toString('utf8');

  it.each([
    [
      'capture-completed.json',
      { reference: '1W5313654M9708630', captureId: '02335565G34798738' },
      ['29b0b044-fbfe-4325-952e-20000d4a6caf'],
    ],
    ['capture-completed-card.json', { reference: '89T257400V0473133', captureId: '29Y24445UY2083144' }, []],
  ])('%s concerns the payment in it, and triggers a query', (name, names, ownIds) => {
    expect(readEvent(text(name))?.subject).toEqual({ kind: 'deposit', ...names, ownIds });
    expect(unverifiedOf(text(name))).toMatchObject({
      kind: 'unverified',
      providerReference: names.reference,
    });
  });

  it.each([
    ['capture-pending.json', { reference: '8PR65097T8571330M', captureId: '02T21492PP3782704', ownIds: [] }],
    [
      'capture-declined.json',
      {
        reference: '48R416400V564864N',
        captureId: '7U133281TB3277326',
        ownIds: ['CUSTOMID-1001', 'ARG0-2022-12-08T21:00:21.564Z-435'],
      },
    ],
    ['approval-reversed.json', { reference: '5O190127TN364715T' }],
    [
      'capture-refunded.json',
      { captureId: '0JF852973C016714D', details: { refund_id: '1Y107995YT783435V' } },
    ],
    [
      'capture-reversed.json',
      {
        captureId: '4L335234718889942',
        details: { capture_event: 'PAYMENT.CAPTURE.REVERSED' },
        warning: { warns: 'reversal_reported', mayTake: { amountMinor: 251n, currency: 'USD' } },
      },
    ],
    [
      'dispute-created.json',
      {
        captureId: '00D00000AA000000A',
        warning: {
          warns: 'disputed',
          notes: { dispute_status: 'OPEN', dispute_amount: '3.00 USD' },
          mayTake: { amountMinor: 300n, currency: 'USD' },
          dispute: { id: 'PP-000-042-663-135', reportedAt: '2018-06-21T13:35:44.000Z', isWon: false },
        },
      },
    ],
  ])('%s concerns the payment in it, in any field', (name, subject) => {
    expect(readEvent(text(name))?.subject).toMatchObject({ kind: 'deposit', ...subject });
    expect(unverifiedOf(text(name)).kind).toBe('unverified');
  });

  it.each(['signed-event.json', 'authorization-created.json'])('%s does not matter', (name) => {
    expect(readEvent(text(name))).toMatchObject({ id: expect.stringMatching(/^WH-/) as unknown });
    expect(unverifiedOf(text(name))).toEqual({ kind: 'unknown', text: 'not an event of ours' });
  });
});

describe('a rejection', () => {
  it.each([
    ['instrument-declined.json', 'INSTRUMENT_DECLINED'],
    ['payment-denied.json', 'PAYMENT_DENIED'],
  ])('%s of a capture leaves the order open: nothing was captured, and it may still be', (name, issue) => {
    expect(readError(recordedAnswer('paypal', name, 422))).toMatchObject({ issue });
    expect(meaningOfIssue(issue)).toBe('declined');
  });

  it.each([
    ['payout-insufficient-funds.json', 422, { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED' }],
    [
      'payout-invalid-receiver.json',
      400,
      { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST', field: 'recipient_email' },
    ],
    ['payout-duplicate-batch.json', 400, { kind: 'unknown' }],
    ['payout-internal-error.json', 500, { kind: 'unknown' }],
  ])('%s of a payout (%s) proves only its result', (name, status, means) => {
    expect(notAccepted(recordedAnswer('paypal', name, status), payoutErrorCodes)).toMatchObject(means);
  });
});
