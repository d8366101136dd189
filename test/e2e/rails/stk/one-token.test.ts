import { basic } from '../../../support/simulator/daraja-client';
import { expectClean } from '../../../support/expect-clean';
import { paymentIdOf } from '../../../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { ended, push } from '../../../support/rails/stk/payment-story';

/** The provider ends the life of a token with the next one it gives: processes with a token each would fight. */
describe('four workers with one account at the provider', () => {
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack();
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
    for (let n = 1; n < 4; n += 1) await stack.startAnother('worker');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const given = async () => (await provider.exchanges('token')).length;
  /** Attempts of payments that were told of a refusal. */
  const refused = () => stack.db('attempts').where({ state: 'refused' });
  const refusals = async () =>
    [...(await provider.exchanges('initiate')), ...(await provider.exchanges('query'))].filter(
      ({ answer }) => answer?.status === 404,
    ).length;
  let phones = 254740100000;
  const pushMany = async (count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () => push(stack, merchant, { phone_number: String((phones += 1)) })),
    );
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [200, undefined]),
    );
    for (const answer of answers) await ended(stack.db, paymentIdOf(answer));
  };

  // A machine that stands still may let a lease be over, and a second token be asked for: fewer than one each are few.
  it('ask for fewer tokens than they are', async () => {
    await pushMany(24);
    expect(await given()).toBeLessThan(4);
    expect(await refused()).toEqual([]);
  });

  it('ask for few more when it was taken from them, and no refusal reaches a payment', async () => {
    const before = await given();
    const url = `${stack.providerUrls.stk}/oauth/v1/generate?grant_type=client_credentials`;
    const authorization = basic(stack.env['STK_CONSUMER_SECRET'], stack.env['STK_CONSUMER_KEY']);
    const elsewhere = await fetch(url, { headers: { authorization } });
    expect(elsewhere.status).toBe(200);
    await pushMany(24);
    // The stranger's, and what all four of them share.
    expect(await given()).toBeGreaterThan(before + 1);
    expect(await given()).toBeLessThan(before + 1 + 4);
    expect(await refusals()).toBeGreaterThan(0);
    expect(await refused()).toEqual([]);
  });
});
