import { startTestBench, type TestBench } from '../../support/simulator/bench';
import {
  depositFields,
  payoutFields,
  redirectFields,
  refundFields,
  type MomoClient,
} from '../../support/simulator/momo-client';

const number = (suffix: string) => `260763000${suffix}`;
const SUCCESS = number('789');
const DAY = 24 * 3_600_000;

let bench: TestBench;
let momo: MomoClient;
beforeEach(async () => {
  bench = await startTestBench();
  momo = bench.momo;
});
afterEach(() => bench.stop());

const callbacks = () => bench.receiver.received.map(({ body }) => body);
const reported = () => callbacks().map(({ status }) => status);
const failureCode = ({ failureReason }: Record<string, unknown> = {}) =>
  (failureReason as { failureCode?: unknown } | undefined)?.failureCode;

describe('row 1: success', () => {
  it('ACCEPTED, PROCESSING, and after 2 s COMPLETED by notification and by status', async () => {
    const id = await momo.deposit(SUCCESS);
    expect(await momo.stateOf('deposits', id)).toBe('ACCEPTED');
    await momo.advance(1_200);
    expect(await momo.stateOf('deposits', id)).toBe('PROCESSING');
    expect(reported()).toEqual([]);
    await momo.advance(1_000);
    const data = await momo.dataOf('deposits', id);
    expect(data).toMatchObject({
      status: 'COMPLETED',
      providerTransactionId: expect.stringMatching(/^\d{10}$/),
    });
    expect(callbacks()).toEqual([data]);
    expect(await momo.books()).toEqual({ ZMW: { successes: 1, amount: '25.50' } });
  });

  it('applies to payouts, and to numbers that are not listed', async () => {
    await momo.deposit('260971234567', depositFields('260971234567', 'AIRTEL_OAPI_ZMB'));
    await momo.payout(SUCCESS);
    await momo.advance(3_000);
    expect(reported()).toEqual(['COMPLETED', 'COMPLETED']);
    expect(bench.receiver.received.map(({ path }) => path)).toEqual([
      '/in/momo/deposits',
      '/in/momo/payouts',
    ]);
    expect(await momo.books()).toEqual({
      ZMW: { successes: 1, amount: '25.50', payouts: { successes: 1, amount: '100.00' } },
    });
  });
});

describe('rows 2 and 3, and the other documented failures', () => {
  it.each([
    ['deposits', '049', 'INSUFFICIENT_BALANCE'],
    ['deposits', '039', 'PAYMENT_NOT_APPROVED'],
    ['deposits', '019', 'PAYER_LIMIT_REACHED'],
    ['deposits', '029', 'PAYER_NOT_FOUND'],
    ['deposits', '059', 'PAYMENT_IN_PROGRESS'],
    ['deposits', '069', 'UNSPECIFIED_FAILURE'],
    ['payouts', '089', 'RECIPIENT_NOT_FOUND'],
    ['payouts', '099', 'WALLET_LIMIT_REACHED'],
    ['payouts', '109', 'RECIPIENT_LIMIT_REACHED'],
    ['payouts', '119', 'UNSPECIFIED_FAILURE'],
  ] as const)('%s …%s: FAILED with %s', async (kind, suffix, code) => {
    const fields = kind === 'deposits' ? depositFields(number(suffix)) : payoutFields(number(suffix));
    const id = await momo.accepted(kind, fields);
    await momo.advance(3_000);
    const data = await momo.dataOf(kind, id);
    expect([data['status'], failureCode(data)]).toEqual(['FAILED', code]);
    expect(callbacks()).toEqual([data]);
    expect(data).not.toHaveProperty('providerTransactionId');
    expect(await momo.books()).toEqual({});
  });

  it('keeps the documented numbers of Benin and Burkina Faso', async () => {
    const xof = { currency: 'XOF', amount: '500' };
    const benin = await momo.deposit('22951345029', {
      ...depositFields('22951345029', 'MTN_MOMO_BEN'),
      ...xof,
    });
    const burkina = await momo.deposit('22602345048', {
      ...depositFields('22602345048', 'MOOV_BFA'),
      ...xof,
    });
    await momo.advance(3_000);
    expect(failureCode(await momo.dataOf('deposits', benin))).toBe('PAYER_NOT_FOUND');
    expect(failureCode(await momo.dataOf('deposits', burkina))).toBe('INSUFFICIENT_BALANCE');
  });

  it('a number that fails deposits accepts payouts', async () => {
    const id = await momo.payout(number('049'));
    await momo.advance(3_000);
    expect(await momo.stateOf('payouts', id)).toBe('COMPLETED');
  });
});

describe('rows 4 to 6: notifications that are missing or unusual', () => {
  it.each(['129', '138'])('row 4, …%s: PROCESSING forever, and no notification', async (suffix) => {
    const id = await momo.deposit(number(suffix));
    await momo.advance(3 * DAY);
    expect(await momo.stateOf('deposits', id)).toBe('PROCESSING');
    expect(reported()).toEqual([]);
  });

  it('row 5, …777: only the status call shows the result', async () => {
    const id = await momo.deposit(number('777'));
    await momo.advance(DAY);
    expect(await momo.stateOf('deposits', id)).toBe('COMPLETED');
    expect(reported()).toEqual([]);
    expect(await momo.successes()).toHaveLength(1);
  });

  it('row 6, …711: the notification arrives after 60 s', async () => {
    const id = await momo.deposit(number('711'));
    await momo.advance(50_000);
    expect(await momo.stateOf('deposits', id)).toBe('COMPLETED');
    expect(reported()).toEqual([]);
    await momo.advance(11_000);
    expect(reported()).toEqual(['COMPLETED']);
  });

  it('row 6, …722: three identical notifications', async () => {
    await momo.deposit(number('722'));
    await momo.advance(3_000);
    expect(reported()).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    expect(new Set(bench.receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(await momo.successes()).toHaveLength(1);
  });

  it('row 6, …733: COMPLETED, then PROCESSING', async () => {
    const id = await momo.deposit(number('733'));
    await momo.advance(5_000);
    expect(reported()).toEqual(['COMPLETED', 'PROCESSING']);
    expect(await momo.stateOf('deposits', id)).toBe('COMPLETED');
  });
});

describe('rows 7 to 9: requests whose answer does not show the result', () => {
  it('row 7, …755: 500 UNKNOWN_ERROR, but the id is found and completes', async () => {
    const fields = depositFields(number('755'));
    const { status, body } = await momo.send('deposits', fields);
    expect([status, failureCode(body)]).toEqual([500, 'UNKNOWN_ERROR']);
    const id = fields['depositId'] as string;
    expect((await momo.status('deposits', id)).body.status).toBe('FOUND');
    expect((await momo.send('deposits', fields)).body['status']).toBe('DUPLICATE_IGNORED');
    await momo.advance(3_000);
    expect(await momo.stateOf('deposits', id)).toBe('COMPLETED');
    expect(await momo.successes()).toHaveLength(1);
  });

  it('row 8, …756: dropped and not received, and the second request is accepted', async () => {
    const fields = payoutFields(number('756'));
    await expect(momo.send('payouts', fields)).rejects.toThrow('fetch failed');
    const id = fields['payoutId'] as string;
    expect((await momo.status('payouts', id)).body).toEqual({ status: 'NOT_FOUND' });
    expect((await momo.send('payouts', fields)).body['status']).toBe('ACCEPTED');
    await momo.advance(3_000);
    expect(await momo.successes()).toHaveLength(1);
  });

  it('row 9: the same id twice has one effect', async () => {
    const fields = depositFields(SUCCESS);
    const first = await momo.send('deposits', fields);
    const second = await momo.send('deposits', { ...fields, amount: '99' });
    const { depositId } = fields;
    expect(second.body).toEqual({ depositId, status: 'DUPLICATE_IGNORED', created: first.body['created'] });
    await momo.advance(3_000);
    expect(await momo.books()).toEqual({ ZMW: { successes: 1, amount: '25.50' } });
  });

  it('an id that was refused can be used again, and a deposit and a payout do not share ids', async () => {
    const fields = depositFields(SUCCESS);
    expect((await momo.send('deposits', { ...fields, amount: '900000' })).body['status']).toBe('REJECTED');
    await momo.accepted('deposits', fields);
    await momo.accepted('payouts', { ...payoutFields(SUCCESS), payoutId: fields['depositId'] });
  });
});

describe('row 10: redirect', () => {
  const start = () => momo.send('deposits', redirectFields(bench.receiver.url));

  it('gives the address after 2 s, by status and by a PROCESSING notification', async () => {
    const { body } = await start();
    expect(body).toMatchObject({ status: 'ACCEPTED', nextStep: 'GET_AUTH_URL' });
    const id = body['depositId'] as string;
    const before = await momo.dataOf('deposits', id);
    expect(before).toMatchObject({ status: 'ACCEPTED', nextStep: 'GET_AUTH_URL' });
    expect(before).not.toHaveProperty('authorizationUrl');

    await momo.advance(2_500);
    const data = await momo.dataOf('deposits', id);
    expect(data).toMatchObject({
      status: 'PROCESSING',
      nextStep: 'REDIRECT_TO_AUTH_URL',
      authorizationUrl: `${bench.momo.origin}/authorise/${id}`,
    });
    expect(callbacks()).toEqual([data]);
  });

  it.each([
    ['pay', 'COMPLETED', undefined],
    ['decline', 'FAILED', 'PAYMENT_NOT_APPROVED'],
  ])('%s: %s', async (action, status, code) => {
    const id = (await start()).body['depositId'] as string;
    await momo.advance(2_500);
    expect((await momo.decide(id, action)).body).toEqual({ success: true, deposit_id: id, action });
    const data = await momo.dataOf('deposits', id);
    expect([data['status'], failureCode(data)]).toEqual([status, code]);
    await momo.advance(DAY);
    expect(callbacks().at(-1)).toEqual(data);
    expect(reported()).toEqual(['PROCESSING', status]);
  });

  it('fails without an action half an hour after the page opened', async () => {
    const id = (await start()).body['depositId'] as string;
    await momo.advance(29 * 60_000);
    expect(await momo.stateOf('deposits', id)).toBe('PROCESSING');
    await momo.advance(2 * 60_000);
    expect(failureCode(await momo.dataOf('deposits', id))).toBe('PAYMENT_NOT_APPROVED');
    expect((await momo.decide(id, 'pay')).status).toBe(409);
  });
});

describe('row 11: pre-authorisation', () => {
  const orange = (changes: object) => ({
    ...depositFields('22607123789', 'ORANGE_BFA'),
    amount: '500',
    currency: 'XOF',
    ...changes,
  });

  it.each([
    ['without a code', {}, 'MISSING_PARAMETER'],
    ['with 000000', { preAuthorisationCode: '000000' }, 'INVALID_PARAMETER'],
  ])('is refused %s', async (_what, changes, code) => {
    const { status, body } = await momo.send('deposits', orange(changes));
    expect([status, body['status'], failureCode(body)]).toEqual([400, 'REJECTED', code]);
  });

  it('succeeds with any other code', async () => {
    await momo.accepted('deposits', orange({ preAuthorisationCode: '367025' }));
    await momo.advance(3_000);
    expect(reported()).toEqual(['COMPLETED']);
  });
});

describe('rows 12 and 13: a provider with delays', () => {
  const delay = (operation = 'PAYOUT') => momo.switchProvider('MTN_MOMO_ZMB', operation, 'DELAYED');
  const recover = () => momo.switchProvider('MTN_MOMO_ZMB', 'PAYOUT', 'OPERATIONAL');

  it('enqueues payouts, which continue once it is operational', async () => {
    await delay();
    const fields = payoutFields(SUCCESS);
    const id = String(fields['payoutId']);
    expect((await momo.send('payouts', fields)).body).toMatchObject({ payoutId: id, status: 'ENQUEUED' });
    expect(await momo.stateOf('payouts', id)).toBe('ENQUEUED');
    await momo.advance(3 * DAY);
    expect(await momo.stateOf('payouts', id)).toBe('ENQUEUED');
    await recover();
    expect(await momo.stateOf('payouts', id)).toBe('PROCESSING');
    await momo.advance(3_000);
    expect(reported()).toEqual(['COMPLETED']);
  });

  it('refuses deposits meanwhile, and does not affect other providers and operations', async () => {
    await delay('DEPOSIT');
    const { status, body } = await momo.send('deposits', depositFields(SUCCESS));
    expect([status, failureCode(body)]).toEqual([200, 'PROVIDER_TEMPORARILY_UNAVAILABLE']);
    await momo.accepted('deposits', depositFields('260971234567', 'AIRTEL_OAPI_ZMB'));
    expect(await momo.stateOf('payouts', await momo.payout(SUCCESS))).toBe('ACCEPTED');
  });

  it('refuses everything while it is closed', async () => {
    await momo.switchProvider('MTN_MOMO_ZMB', 'PAYOUT', 'CLOSED');
    const { body } = await momo.send('payouts', payoutFields(SUCCESS));
    expect(failureCode(body)).toBe('PROVIDER_TEMPORARILY_UNAVAILABLE');
  });

  it('enqueues refunds too', async () => {
    const deposit = await momo.deposit(SUCCESS);
    await momo.advance(3_000);
    await delay('REFUND');
    const refund = await momo.refund(deposit);
    expect(await momo.stateOf('refunds', refund)).toBe('ENQUEUED');
    expect((await momo.failEnqueued('refunds', refund)).body).toEqual({
      refundId: refund,
      status: 'ACCEPTED',
    });
    await momo.advance(2_000);
    expect(failureCode(await momo.dataOf('refunds', refund))).toBe('MANUALLY_CANCELLED');
  });

  it('row 13: fails an enqueued payout shortly after the request, whatever the state of the provider', async () => {
    await delay();
    const id = await momo.payout(SUCCESS);
    const accepted = { payoutId: id, status: 'ACCEPTED' };
    expect((await momo.failEnqueued('payouts', id)).body).toEqual(accepted);
    expect(await momo.stateOf('payouts', id)).toBe('ENQUEUED');
    expect((await momo.failEnqueued('payouts', id)).body).toEqual(accepted);
    await recover();
    await momo.advance(DAY);
    const data = await momo.dataOf('payouts', id);
    expect([data['status'], failureCode(data)]).toEqual(['FAILED', 'MANUALLY_CANCELLED']);
    expect(callbacks()).toEqual([data]);
    expect(await momo.books()).toEqual({});
  });

  it('row 13: refuses once processing has begun, and refuses an unknown id', async () => {
    await delay();
    const id = await momo.payout(SUCCESS);
    await recover();
    const late = await momo.failEnqueued('payouts', id);
    expect([late.status, late.body['status'], failureCode(late.body)]).toEqual([
      200,
      'REJECTED',
      'INVALID_STATE',
    ]);
    const unknown = await momo.failEnqueued('payouts', '0c3b7d4e-7b43-4f4e-9a50-6f3f0f6c1a22');
    expect(failureCode(unknown.body)).toBe('NOT_FOUND');
  });
});

describe('row 14: the merchant’s own money', () => {
  const balance = async () => {
    const { body } = await momo.get<{ balances: { balance: string }[] }>('wallet-balances?country=ZMB');
    return body.balances[0]?.balance;
  };
  const hold = (amount: string) =>
    momo.control('wallets', { country: 'ZMB', currency: 'ZMW', balance: amount });

  it('refuses a payout above the balance', async () => {
    await hold('99.99');
    const { status, body } = await momo.send('payouts', payoutFields(SUCCESS));
    expect([status, body['status'], failureCode(body)]).toEqual([
      200,
      'REJECTED',
      'PAWAPAY_WALLET_OUT_OF_FUNDS',
    ]);
    expect(await balance()).toBe('99.99');
  });

  it('reserves at once, returns the amount of a failed payout, and grows by deposits', async () => {
    await hold('250.00');
    await momo.payout(SUCCESS);
    await momo.payout(number('089'));
    expect(await balance()).toBe('50.00');
    expect(failureCode((await momo.send('payouts', payoutFields(SUCCESS))).body)).toBe(
      'PAWAPAY_WALLET_OUT_OF_FUNDS',
    );
    await momo.advance(3_000);
    expect(await balance()).toBe('150.00');
    await momo.deposit(SUCCESS);
    await momo.advance(3_000);
    expect(await balance()).toBe('175.50');
  });

  it('…744: the balance runs out during processing', async () => {
    const id = await momo.payout(number('744'));
    await momo.advance(3_000);
    expect(failureCode(await momo.dataOf('payouts', id))).toBe('PAWAPAY_WALLET_OUT_OF_FUNDS');
    expect(reported()).toEqual(['FAILED']);
  });
});

describe('row 15: refunds', () => {
  const completedDeposit = async (amount = '100') => {
    const id = await momo.deposit(SUCCESS, { amount });
    await momo.advance(3_000);
    return id;
  };
  const denial = async (depositId: string, changes = {}) =>
    failureCode((await momo.send('refunds', refundFields(depositId, changes))).body);

  it('PROCESSING, and COMPLETED after 5 s, to the number that paid', async () => {
    const refund = await momo.refund(await completedDeposit());
    await momo.advance(4_000);
    expect(await momo.stateOf('refunds', refund)).toBe('PROCESSING');
    await momo.advance(2_000);
    const data = await momo.dataOf('refunds', refund);
    expect(data).toMatchObject({
      refundId: refund,
      status: 'COMPLETED',
      amount: '100',
      recipient: { accountDetails: { phoneNumber: SUCCESS, provider: 'MTN_MOMO_ZMB' } },
    });
    expect(callbacks().at(-1)).toEqual(data);
    expect(await momo.books()).toEqual({
      ZMW: { successes: 1, amount: '100.00', refunds: { successes: 1, amount: '100.00' } },
    });
  });

  it('can be split until nothing is left', async () => {
    const deposit = await completedDeposit();
    await momo.refund(deposit, { amount: '60.5', currency: 'ZMW' });
    expect(await denial(deposit, { amount: '1', currency: 'ZMW' })).toBe('REFUND_IN_PROGRESS');
    await momo.advance(6_000);
    expect(await denial(deposit, { amount: '39.51', currency: 'ZMW' })).toBe('AMOUNT_TOO_LARGE');
    const rest = await momo.refund(deposit);
    expect((await momo.dataOf('refunds', rest))['amount']).toBe('39.5');
    await momo.advance(6_000);
    expect(await denial(deposit)).toBe('DEPOSIT_ALREADY_REFUNDED');
  });

  it('can be retried after it failed', async () => {
    const deposit = await momo.deposit(number('119'));
    await momo.advance(3_000);
    const failed = await momo.refund(deposit);
    await momo.advance(6_000);
    expect(failureCode(await momo.dataOf('refunds', failed))).toBe('UNSPECIFIED_FAILURE');
    await momo.refund(deposit);
  });

  it('needs a known and completed deposit, and its currency', async () => {
    expect(await denial('0c3b7d4e-7b43-4f4e-9a50-6f3f0f6c1a22')).toBe('NOT_FOUND');
    expect(await denial(await momo.deposit(number('129')))).toBe('INVALID_STATE');
    const deposit = await completedDeposit();
    expect(await denial(deposit, { amount: '1' })).toBe('MISSING_PARAMETER');
    expect(await denial(deposit, { amount: '1', currency: 'KES' })).toBe('INVALID_CURRENCY');
    expect(await denial(deposit, { amount: '1.005', currency: 'ZMW' })).toBe('INVALID_AMOUNT');
    expect(await denial(deposit, { amount: '0', currency: 'ZMW' })).toBe('AMOUNT_OUT_OF_BOUNDS');
  });
});

it('row 16, …766: IN_RECONCILIATION for 30 s, then COMPLETED', async () => {
  const id = await momo.payout(number('766'));
  await momo.advance(3_000);
  expect(await momo.stateOf('payouts', id)).toBe('IN_RECONCILIATION');
  expect(reported()).toEqual([]);
  await momo.advance(30_000);
  expect(await momo.stateOf('payouts', id)).toBe('COMPLETED');
  expect(reported()).toEqual(['COMPLETED']);
});

it('…799: ENQUEUED for 15 minutes, then COMPLETED', async () => {
  const id = await momo.payout(number('799'));
  await momo.advance(14 * 60_000);
  expect(await momo.stateOf('payouts', id)).toBe('ENQUEUED');
  await momo.advance(2 * 60_000);
  expect(await momo.stateOf('payouts', id)).toBe('COMPLETED');
  expect(reported()).toEqual(['COMPLETED']);
});

describe('a notification that is not acknowledged', () => {
  it('is retried for about a quarter of an hour, and then on request only', async () => {
    bench.receiver.answerWith(500);
    const id = await momo.deposit(SUCCESS);
    await momo.advance(16 * 60_000);
    expect(reported()).toEqual(Array<string>(7).fill('COMPLETED'));
    await momo.advance(DAY);
    expect(reported()).toHaveLength(7);

    bench.receiver.answerWith(200);
    expect((await momo.resendCallback('deposits', id)).body).toEqual({ depositId: id, status: 'ACCEPTED' });
    await momo.advance(DAY);
    expect(reported()).toHaveLength(8);
  });

  it('cannot be requested before the end, nor for an unknown payment', async () => {
    const id = await momo.payout(number('129'));
    expect(failureCode((await momo.resendCallback('payouts', id)).body)).toBe('INVALID_STATE');
    expect(failureCode((await momo.resendCallback('deposits', id)).body)).toBe('NOT_FOUND');
  });
});
