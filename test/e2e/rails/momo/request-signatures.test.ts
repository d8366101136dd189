/** An account may require that every submission is signed (RFC 9421): ours are, once a key is configured. */
import { expectClean } from '../../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import {
  simulatorControl,
  type Exchange,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import { pemOf } from '../../../support/rails/momo/callback-signing';
import { examine, key, pem, right } from '../../../support/rails/momo/examine-request';
import {
  accepted,
  floatOf,
  fund,
  idOf,
  submissionsOf,
  paidDeposit,
  post,
  setNetwork,
  shownAs,
  notifiedOf,
  transferBody,
  walletOf,
} from '../../../support/rails/momo/payments';

describe('the requests of an account that must sign', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({
      // A lost request is sent again within two minutes of the sandbox: long enough on a busy machine.
      timeScale: 4,
      env: { MOMO_REQUEST_KEY_ID: 'MALIPO:1', MOMO_REQUEST_KEY: pem.replaceAll('\n', '\\n') },
      envOf: { simulator: { MOMO_SIGNED_REQUESTS_ONLY: '1', MOMO_REQUEST_PUBLIC_KEY: pemOf(key) } },
    });
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    merchant = await stack.createMerchant();
    await fund(stack, merchant, 10_000n);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const examined = ({ headers, body }: Exchange, path: string) =>
    examine(headers, new URL(stack.providerUrls.momo).host, `/v2/${path}`, JSON.stringify(body));

  it('are signed: a deposit, its refund, and a payout are accepted and settle', async () => {
    const depositId = await paidDeposit(stack, merchant);
    const refundId = await accepted(stack, merchant, 'refund', { transaction_id: depositId });
    const payoutId = await accepted(stack, merchant, 'payout', transferBody());
    await notifiedOf(merchant, refundId, 'Success');
    await notifiedOf(merchant, payoutId, 'Success');
    const sent = { deposits: depositId, refunds: refundId, payouts: payoutId };
    for (const [path, id] of Object.entries(sent)) {
      const submissions = await submissionsOf(provider, id);
      expect(submissions.map((each) => examined(each, path))).toEqual([{ ...right, signedAs: ['der'] }]);
    }
  });

  it('are signed when they cancel', async () => {
    await setNetwork(provider, 'ZAMTEL_ZMB', 'PAYOUT', 'DELAYED');
    const body = transferBody({ phone_number: '+260950000789', provider: 'ZAMTEL_ZMB' });
    const id = await accepted(stack, merchant, 'payout', body);
    await shownAs(stack, merchant, id, { status: 'ENQUEUED' });
    expect((await post(stack, merchant, 'cancel_payout', { transaction_id: id })).status).toBe(200);
    const [cancellation] = await provider.exchanges('cancel');
    if (!cancellation) throw new Error('the provider was not asked to cancel');
    expect(examined(cancellation, `payouts/fail-enqueued/${id}`)).toEqual({ ...right, signedAs: ['der'] });
  });

  it('are signed again when they are sent again', async () => {
    await provider.next({ call: 'initiate', behave: 'drop' });
    const id = await paidDeposit(stack, merchant);
    const submissions = await submissionsOf(provider, id);
    expect(submissions.length).toBeGreaterThan(1);
    for (const each of submissions) expect(examined(each, 'deposits')).toMatchObject({ signedAs: ['der'] });
  });
});

describe('the requests of an account that must sign but has no key', () => {
  it('are rejected by the provider: nothing is paid, reserved or credited, and the merchant gets the error', async () => {
    const stack = await startStack({
      envOf: { simulator: { MOMO_SIGNED_REQUESTS_ONLY: '1', MOMO_REQUEST_PUBLIC_KEY: pemOf(key) } },
    });
    const merchant = await stack.createMerchant();
    await fund(stack, merchant, 10_000n);
    for (const path of ['deposit', 'payout'] as const) {
      const answer = await post(stack, merchant, path, transferBody());
      expect([answer.status, answer.body.code]).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      await shownAs(stack, merchant, idOf(answer), { status: 'FAILED', is_final: true, amount: '0.00' });
    }
    expect(await floatOf(stack, merchant)).toEqual({ free: 10_000n, reserved: 0n });
    expect(await walletOf(stack, merchant)).toEqual({ free: 0n, reserved: 0n });
    await expectClean(stack);
    await stack.stop();
  });
});
