/** MySQL is killed under load and restarted: a private server, which writes every commit to disk. */
import { call, stkPush, type ApiAnswer } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import { simulatorControl, type SimulatorControl } from '../support/rails/simulator-control';
import { accepted, creditsOf, ended } from '../support/rails/stk/payments';
import { everythingEndsWell, nothingIsOpen } from './support/ending-well';
import { ownMysql } from './support/own-services';
import { inParallel, pushUntilAccepted } from './support/patient-merchant';

describe('kill -9 of MySQL', () => {
  let mysql: Awaited<ReturnType<typeof ownMysql>>;
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    mysql = await ownMysql();
    // A payer's decision must arrive within fifteen seconds, while the server stops on a possibly busy machine.
    stack = await startStack({ timeScale: 4, database: mysql.database });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(async () => {
    await stack.stop();
    await mysql.end();
  });

  const push = (): Promise<ApiAnswer> => call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush());
  const callbackAnswers = async (): Promise<(number | undefined)[]> =>
    (await provider.exchanges('callback')).map(({ answer }) => answer?.status);

  it('answers 503 and Retry-After to merchants and the provider until it is back', async () => {
    const waiting = await accepted(stack, merchant, { phone_number: '254713001600' });
    await mysql.kill();

    const refused = await push();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body).toMatchObject({ success: false, code: 'SERVICE_UNAVAILABLE' });
    const ready = await fetch(`${stack.opsUrl}/readyz`);
    expect(ready.status).toBe(503);

    await provider.decide(waiting.provider_reference ?? '', 'pay');
    await waitFor(async () => (await callbackAnswers()).includes(503), {
      what: 'the callback to be rejected',
      timeoutMs: 20_000,
    });

    await mysql.start();
    // The provider does not repeat it, so our own query finishes the payment.
    await ended(stack.db, waiting.payment_id, ['succeeded']);
    expect(await creditsOf(stack.db, waiting.payment_id)).toEqual([125_000n]);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: [waiting.payment_id] });
  });

  it('loses no payment under load, and creates none partly', async () => {
    const answered: ApiAnswer[] = [];
    const load = inParallel(30, 5, async () => {
      const { paymentId, answers } = await pushUntilAccepted(stack, merchant);
      answered.push(...answers);
      return paymentId;
    });
    for (let kills = 0; kills < 2; kills += 1) {
      const before = answered.length;
      await waitFor(async () => answered.length > before + 4, { what: 'some payments', timeoutMs: 60_000 });
      await mysql.kill();
      await mysql.start();
    }
    const ids = await load;
    await nothingIsOpen(stack.db, 120_000);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: ids });
    expect(new Set(ids).size).toBe(30);

    const errors = answered.filter(({ status }) => status !== 200);
    expect(errors.filter(({ headers }) => !headers.get('retry-after'))).toEqual([]);
    // "Nothing was started" was always true: each request with its key created one payment.
    const began = await stack.db('payments').whereNotIn('payment_id', ids).whereNot({ state: 'failed' });
    expect(began.map(({ phone_number: payer }) => payer)).toEqual(['254713001600']);
  });
});
