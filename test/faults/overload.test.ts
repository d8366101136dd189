/** More callers at once than the API has places for. */
import { simulatorControl } from '../support/rails/simulator-control';
import { push } from '../support/rails/stk/payments';
import { paymentIdOf, type ApiAnswer } from '../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { pushUntilAccepted, type Pushed } from './support/patient-merchant';

describe('more payments at once than there are places', () => {
  const places = 4;
  let stack: OwnStack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20, env: { MALIPO_ACCEPTANCES_MAX: String(places) } });
    merchant = await stack.createMerchant();
  });
  afterAll(() => stack.stop());

  it('are rejected with 503 and Retry-After, and accepted ones end well', async () => {
    const provider = simulatorControl(stack.simulatorUrl, 'stk');
    await provider.next({ call: 'initiate', behave: 'delay', ms: 2_000, times: places });
    const answers = await Promise.all(Array.from({ length: 3 * places }, () => push(stack, merchant)));

    const accepted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(accepted).toHaveLength(places);
    for (const { status, headers, body } of refused) {
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'SERVICE_BUSY' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await everythingEndsWell(stack, { merchants: [merchant], accepted: accepted.map(paymentIdOf) });
    expect(await stack.db('payments')).toHaveLength(places);

    const next = await push(stack, merchant);
    expect(next.status).toBe(200);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: [paymentIdOf(next)] });
  });

  it('are answered at once to retry if they would wait too long, and are accepted then', async () => {
    // An API process with production's timeouts, and more places than callers.
    const another = await stack.startAnother('api', {
      MALIPO_ACCEPTANCES_MAX: '200',
      MALIPO_BACKLOG_MAX_MS: '2000',
    });
    const patient = await stack.createMerchant('Patient Shop');
    const api = { apiUrl: another.url };
    // Its connections are open before all callers come at once.
    const first = await pushUntilAccepted(api, patient);
    const callers = 40;
    const provider = simulatorControl(stack.simulatorUrl, 'stk');
    // None of the first ones ends before all have come.
    await provider.next({ call: 'initiate', behave: 'delay', ms: 1_500, times: callers });
    const pushed: Pushed[] = [];
    let turnedAway: ApiAnswer[] = [];
    // If they were admitted too slowly to be many at once, more callers come.
    for (let atOnce = callers; turnedAway.length === 0 && atOnce <= 4 * callers; atOnce += callers) {
      pushed.push(
        ...(await Promise.all(Array.from({ length: atOnce }, () => pushUntilAccepted(api, patient)))),
      );
      turnedAway = pushed
        .flatMap(({ answers }) => answers)
        .filter(({ body }) => body.code === 'SERVICE_BUSY');
    }

    expect(turnedAway.length).toBeGreaterThan(0);
    for (const { status, headers } of turnedAway) {
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const firstTime = pushed.filter(({ answers }) => answers.length === 1);
    expect(firstTime.length).toBeGreaterThan(0);
    const accepted = [first, ...pushed].map(({ paymentId }) => paymentId);
    await everythingEndsWell(stack, { merchants: [patient], accepted });
    // A rejected request has left nothing behind.
    const written = await stack.db('payments').where({ merchant_id: patient.merchantId });
    expect(written).toHaveLength(accepted.length);
  });
});
