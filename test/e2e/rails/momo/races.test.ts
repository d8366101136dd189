/** Two concurrent requests for the same money or the same payout. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  callbacksOf,
  floatOf,
  fund,
  idOf,
  paidDeposit,
  post,
  setNetwork,
  transferBody,
  walletOf,
  type MomoPath,
} from '../../../support/rails/momo/payments';

const hundred = Array.from({ length: 100 }, (_, n) => n);

function count(answers: ApiAnswer[], code: string): number {
  return answers.filter(({ body }) => body.code === code).length;
}

describe('a hundred at once', () => {
  let stack: Stack;
  let provider: SimulatorControl;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({
      timeScale: 50,
      env: { MALIPO_ACCEPTANCES_MAX: '200', MALIPO_BACKLOG_MAX_MS: '600000' },
    });
    provider = simulatorControl(stack.simulatorUrl, 'momo');
  });
  beforeEach(async () => {
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  /** A busy machine rejects some of a hundred with a retry time; they repeat with the same key. */
  async function asReported(path: MomoPath, body: unknown): Promise<ApiAnswer> {
    const key = randomUUID();
    for (;;) {
      const answer = await post(stack, merchant, path, body, { 'Idempotency-Key': key });
      const againAfterS = Number(answer.headers.get('retry-after'));
      if (answer.status !== 503 || againAfterS === 0) return answer;
      await delay(againAfterS * 1_000);
    }
  }

  /** Every payment of the merchant has ended, and its last callback has arrived. */
  async function allReported(ids: string[]): Promise<Map<string, string[]>> {
    const reported = () =>
      new Map(
        ids.map((id) => [
          id,
          callbacksOf(merchant, id)
            .map(({ body }) => [body['status'], body['failure_code']].filter(Boolean).join(' '))
            .filter((status) => status !== 'Processing'),
        ]),
      );
    await waitFor(async () => [...reported().values()].every((statuses) => statuses.length > 0), {
      what: `the endings of ${String(ids.length)} payments`,
      timeoutMs: 120_000,
    });
    return reported();
  }

  it('payouts from a float for ten: ten are sent, ninety are rejected before anything reaches the provider', async () => {
    await fund(stack, merchant, 25_500n);
    const answers = await Promise.all(
      hundred.map(() => asReported('payout', transferBody({ amount: '25.50' }))),
    );
    const taken = answers.filter(({ status }) => status === 200).map(idOf);
    expect(taken).toHaveLength(10);
    expect(count(answers, 'FLOAT_INSUFFICIENT')).toBe(90);
    await allReported(taken);
    expect(await floatOf(stack, merchant)).toEqual({ free: 0n, reserved: 0n });
    expect(await stack.db('payments').where({ merchant_id: merchant.merchantId })).toHaveLength(10);
  });

  it('refunds of one deposit: never more than was paid', async () => {
    const deposit = await paidDeposit(stack, merchant, { amount: '50.00' });
    const answers = await Promise.all(
      hundred.map(() => asReported('refund', { transaction_id: deposit, amount: '5.00' })),
    );
    const taken = answers.filter(({ status }) => status === 200).map(idOf);
    expect(taken).toHaveLength(10);
    expect(count(answers, 'REFUND_EXCEEDS_REMAINDER')).toBe(90);
    const endings = await allReported(taken);
    expect([...endings.values()].flat()).toEqual(taken.map(() => 'Success'));
    expect(await walletOf(stack, merchant)).toEqual({ free: 0n, reserved: 0n });
  });

  it('cancellations while the network recovers: each payout is either paid or returned, never both', async () => {
    await setNetwork(provider, 'MTN_MOMO_ZMB', 'PAYOUT', 'DELAYED');
    await fund(stack, merchant, 100_000n);
    const begun = await Promise.all(
      hundred.map(() => asReported('payout', transferBody({ amount: '10.00' }))),
    );
    const ids = begun.map(idOf);
    const [answers] = await Promise.all([
      Promise.all(ids.map((id) => asReported('cancel_payout', { transaction_id: id }))),
      setNetwork(provider, 'MTN_MOMO_ZMB', 'PAYOUT', 'OPERATIONAL'),
    ]);
    const endings = await allReported(ids);
    for (const [id, statuses] of endings) {
      expect([id, statuses]).toEqual([id, [expect.stringMatching(/^(?:Success|Cancelled)$/)]]);
    }
    const paid = [...endings.values()].filter(([status]) => status === 'Success').length;
    const cancelled = ids.filter((_, n) => answers[n]?.status === 200);
    for (const id of cancelled) expect(endings.get(id)).toEqual(['Cancelled']);
    for (const { status, body } of answers) {
      expect(`${String(status)} ${body.code ?? ''}`).toMatch(/^(?:200|409) /);
      if (status === 409) expect(['PAYOUT_NOT_CANCELLABLE', 'CANCELLATION_IN_PROGRESS']).toContain(body.code);
    }
    const left = 100_000n - BigInt(paid) * 1_000n;
    expect(await floatOf(stack, merchant)).toEqual({ free: left, reserved: 0n });
  });
});
