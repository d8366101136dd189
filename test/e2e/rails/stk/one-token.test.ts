import { basic } from '../../../support/simulator/daraja-client';
import { expectClean } from '../../../support/expect-clean';
import { paymentIdOf } from '../../../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { ended, push } from '../../../support/rails/stk/payments';

/** A new token of the provider ends the previous one: processes with a token each would end each other's. */
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
  /** Attempts of payments that ended with a rejected token. */
  const refused = () => stack.db('attempts').where({ state: 'refused' });
  const errors = async () =>
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

  // On a suspended machine a lease may expire, and a second token be fetched: fewer than one each are few.
  it('fetch fewer tokens than there are workers', async () => {
    await pushMany(24);
    expect(await given()).toBeLessThan(4);
    expect(await refused()).toEqual([]);
  });

  it('fetch few more after another program took it, and no payment is rejected', async () => {
    const before = await given();
    const url = `${stack.providerUrls.stk}/oauth/v1/generate?grant_type=client_credentials`;
    const authorization = basic(stack.env['STK_CONSUMER_SECRET'], stack.env['STK_CONSUMER_KEY']);
    const elsewhere = await fetch(url, { headers: { authorization } });
    expect(elsewhere.status).toBe(200);
    await pushMany(24);
    // The other program's token, and the one that all four share.
    expect(await given()).toBeGreaterThan(before + 1);
    expect(await given()).toBeLessThan(before + 1 + 4);
    expect(await errors()).toBeGreaterThan(0);
    expect(await refused()).toEqual([]);
  });
});
