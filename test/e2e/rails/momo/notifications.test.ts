import { v4 as randomUuid } from 'uuid';
import { ConfigError } from '../../../../src/config';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { readMomoSettings } from '../../../../src/rails/momo/settings';
import { expectClean } from '../../../support/expect-clean';
import {
  atRest,
  caseOpened,
  creditsOf,
  ended,
  checkedAt,
  openCasesOf,
} from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { signed, startKeyList, type KeyList } from '../../../support/rails/momo/callback-signing';
import {
  accepted,
  callbacksOf,
  floatOf,
  fund,
  paidDeposit,
  shownAs,
  statusOf,
  notifiedOf,
  transferBody,
  walletOf,
} from '../../../support/rails/momo/payments';

/** A notification in the provider's format, with the test's changes. */
function reported(
  idField: 'depositId' | 'payoutId',
  id: string,
  changes: Record<string, unknown> = {},
): string {
  const account = { type: 'MMO', accountDetails: { phoneNumber: '260763000129', provider: 'MTN_MOMO_ZMB' } };
  const money = { amount: '25.5', currency: 'ZMW', country: 'ZMB' };
  const party = idField === 'depositId' ? { payer: account } : { recipient: account };
  return JSON.stringify({ [idField]: id, status: 'COMPLETED', ...money, ...party, ...changes });
}

describe('POST /in/momo, from a provider that signs', () => {
  let keyList: KeyList;
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    keyList = await startKeyList();
    stack = await startStack({ timeScale: 20, envOf: { api: { MOMO_BASE_URL: keyList.url } } });
    keyList.providerUrl = stack.providerUrls.momo;
    merchant = await stack.createMerchant();
    await fund(stack, merchant, 1_000_000n);
  });
  afterAll(async () => {
    // The provider's own books do not have the notifications of the test.
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
    await keyList.close();
  });

  async function notify(body: string): Promise<unknown[]> {
    const sent = signed(body, new URL(stack.apiUrl).host);
    const response = await fetch(`${stack.apiUrl}/in/momo`, { method: 'POST', ...sent });
    return [response.status, await response.json()];
  }
  const taken = [200, { success: true }];
  /** Stays unchanged until a notification ends it. */
  const begin = (operation: 'deposit' | 'payout', as = merchant, lastDigits = '129') =>
    accepted(stack, as, operation, transferBody({ phone_number: `+260763000${lastDigits}` }));

  it('accepts a success as proof: the provider is not queried', async () => {
    const id = await begin('deposit');
    expect(await notify(reported('depositId', id))).toEqual(taken);
    expect(await ended(stack.db, id)).toMatchObject({ state: 'succeeded', confirmed_minor: '2550' });
    const [step] = await stack.db('payment_log').where({ payment_id: id, to_state: 'succeeded' });
    expect(step?.cause).toBe('callback');
  });

  it.each([
    ['a status word nobody has seen', { status: 'SETTLING' }],
    ['an error that is no failure', { status: 'FAILED', failureReason: { failureCode: 'UNKNOWN_ERROR' } }],
  ])('does not use %s for a payout', async (_what, changes) => {
    const id = await begin('payout');
    expect(await notify(reported('payoutId', id, changes))).toEqual(taken);
    await atRest(stack.db, id);
    const rows = await stack.db('inbox').where({ payment_id: id });
    expect(rows.map(({ state }) => state)).toEqual(['ignored']);
    expect((await getPaymentOrThrow(stack.db, id)).is_final).toBe(0);
    expect(callbacksOf(merchant, id)).toEqual([]);
  });

  it('books the confirmed amount when it differs, and opens a case', async () => {
    const id = await begin('deposit');
    await notify(reported('depositId', id, { amount: '20' }));
    const { body } = await notifiedOf(merchant, id, 'Success');
    expect(body).toMatchObject({ requested_amount: '25.50', amount: '20.00' });
    expect(await openCasesOf(stack.db, id)).toEqual(['amount_differs']);
    expect(await creditsOf(stack.db, id)).toEqual([2_000n]);
  });

  it('credits nothing in another currency, and opens a case', async () => {
    const id = await begin('deposit');
    await notify(reported('depositId', id, { currency: 'USD' }));
    expect(await caseOpened(stack.db, id)).toEqual(['currency_differs']);
    expect(await creditsOf(stack.db, id)).toEqual([]);
  });

  it('credits a deposit that succeeds after it was reported as failed, as a correction', async () => {
    const own = await stack.createMerchant();
    const id = await begin('deposit', own, '049');
    await notifiedOf(own, id, 'Failed');
    await notify(reported('depositId', id));
    await notify(reported('depositId', id, { created: '2026-01-05T09:00:01Z' }));
    const { body } = await notifiedOf(own, id, 'Success');
    expect(body).toMatchObject({ correction: true, amount: '25.50', failure_code: null });
    await atRest(stack.db, id);
    expect(await walletOf(stack, own)).toEqual({ free: 2_550n, reserved: 0n });
    await shownAs(stack, own, id, { status: 'COMPLETED', payment_status: 'Success' });
  });

  it('opens a case for a payout that succeeds after it was reported as failed: its reserve is gone', async () => {
    const own = await stack.createMerchant();
    await fund(stack, own, 2_550n);
    const id = await begin('payout', own, '089');
    await notifiedOf(own, id, 'Failed');
    await notify(reported('payoutId', id));
    expect(await caseOpened(stack.db, id)).toEqual(['late_success']);
    expect(await floatOf(stack, own)).toEqual({ free: 2_550n, reserved: 0n });
    expect(callbacksOf(own, id)).toHaveLength(1);
  });

  it('keeps a success when a failure is reported after it, and opens a case', async () => {
    const id = await paidDeposit(stack, merchant);
    await atRest(stack.db, id);
    const failureReason = { failureCode: 'INSUFFICIENT_BALANCE', failureMessage: '' };
    await notify(reported('depositId', id, { status: 'FAILED', failureReason }));
    expect(await caseOpened(stack.db, id)).toEqual(['contradictory_outcome']);
    expect((await statusOf(stack, merchant, id)).body).toMatchObject({ status: 'COMPLETED' });
    expect(await creditsOf(stack.db, id)).toEqual([2_550n]);
  });

  it.each([
    ['an id that is no payment of ours', randomUuid()],
    ['a name that is no id', 'order-7'],
  ])('stores one about %s, and opens a case if no payment matches', async (_what, id) => {
    expect(await notify(reported('depositId', id))).toEqual(taken);
    const row = () => stack.db('inbox').where('body', 'like', `%${id}%`).first();
    const kept = await row();
    expect(kept).toMatchObject({ state: 'parked', payment_id: null });
    // As if it had arrived an hour ago.
    const before = new Date(Date.now() - 3_600_000);
    const inbox_id = kept?.inbox_id ?? '';
    await stack.db('inbox').where({ inbox_id }).update({ received_at: before, processed_at: null });
    await waitFor(async () => (await row())?.state === 'ignored', {
      what: 'the notification to be given up',
      timeoutMs: 30_000,
    });
    const cases = await stack.db('cases').where({ reason: 'unmatched_notification' }).whereNull('closed_at');
    expect(cases).toMatchObject([{ payment_id: null, detail: expect.stringMatching(/of rail momo/) }]);
    await stack
      .db('cases')
      .where({ reason: 'unmatched_notification' })
      .update({ open_key: null, closed_at: new Date() });
  });
});

describe('POST /in/momo, from an account that does not sign', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20, env: { MOMO_SIGNED_CALLBACKS: 'false' } });
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    await provider.notify('account', { signed_callbacks: false });
    merchant = await stack.createMerchant();
    await fund(stack, merchant, 1_000_000n);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const notify = (body: string) => fetch(`${stack.apiUrl}/in/momo`, { method: 'POST', body });
  const asked = async (id: string) =>
    (await provider.exchanges('status')).filter(({ url }) => url.includes(id)).length;

  it('books a success once the provider has confirmed it', async () => {
    const id = await paidDeposit(stack, merchant);
    expect(await asked(id)).toBeGreaterThan(0);
    expect(await creditsOf(stack.db, id)).toEqual([2_550n]);
  });

  it.each(['deposit', 'payout'] as const)(
    'moves no money for a %s that another caller reports as paid',
    async (kind) => {
      const before = await floatOf(stack, merchant);
      const id = await accepted(stack, merchant, kind, transferBody({ phone_number: '+260763000129' }));
      const questions = await asked(id);
      const answer = await notify(reported(`${kind}Id`, id, { providerTransactionId: 'FORGED' }));
      expect(answer.status).toBe(200);
      await waitFor(async () => (await asked(id)) > questions, {
        what: 'the provider to be queried',
        timeoutMs: 30_000,
      });
      await shownAs(stack, merchant, id, {
        is_final: false,
        amount: '0.00',
        provider_transaction_id: '',
      });
      expect(await creditsOf(stack.db, id)).toEqual([]);
      const spent =
        kind === 'payout' ? { free: before.free - 2_550n, reserved: before.reserved + 2_550n } : before;
      expect(await floatOf(stack, merchant)).toEqual(spent);
    },
  );

  it('returns nothing for a payout that another caller reports as failed, and waits for the provider', async () => {
    const own = await stack.createMerchant();
    await fund(stack, own, 2_550n);
    const id = await accepted(stack, own, 'payout', transferBody({ phone_number: '+260763000129' }));
    const failureReason = { failureCode: 'RECIPIENT_NOT_FOUND', failureMessage: '' };
    const answer = await notify(reported('payoutId', id, { status: 'FAILED', failureReason }));
    expect(answer.status).toBe(200);
    const providerEvent = await waitFor(
      () => stack.db('inbox').where({ payment_id: id }).whereNotNull('reason').first(),
      { what: 'the report to be looked at', timeoutMs: 30_000 },
    );
    expect(providerEvent.reason).toBe('an unverified event reported a failure; the provider answered: open');
    expect((await getPaymentOrThrow(stack.db, id)).is_final).toBe(0);
    expect(await floatOf(stack, own)).toEqual({ free: 0n, reserved: 2_550n });
    expect(callbacksOf(own, id)).toEqual([]);
  });

  it('redirects no customer to a page from another caller', async () => {
    const id = await accepted(stack, merchant, 'deposit', transferBody({ phone_number: '+260763000129' }));
    const authorizationUrl = 'https://evil.example/pay';
    for (const status of ['ACCEPTED', 'PROCESSING', 'COMPLETED']) {
      expect((await notify(reported('depositId', id, { status, authorizationUrl }))).status).toBe(200);
    }
    await checkedAt(stack.db, id);
    expect((await getPaymentOrThrow(stack.db, id)).details).not.toHaveProperty('redirect_url');
    expect((await statusOf(stack, merchant, id)).body).not.toHaveProperty('redirect_url');
  });

  it('cannot be configured in live', () => {
    const env = { MOMO_BASE_URL: 'https://api.example', MOMO_TOKEN: 't', MOMO_SIGNED_CALLBACKS: 'false' };
    expect(() => readMomoSettings(env, 'live')).toThrow(ConfigError);
    expect(readMomoSettings(env, 'sandbox').signedCallbacks).toBe(false);
    expect(readMomoSettings({ ...env, MOMO_SIGNED_CALLBACKS: 'true' }, 'live').signedCallbacks).toBe(true);
  });
});
