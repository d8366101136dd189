import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Currency } from '../../../../src/domain/money';
import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { verifySignature } from '../../../support/webhook-receiver';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { atRest, openCasesOf } from '../../../support/payments/timeline';
import {
  callbacksOf,
  floatOf,
  fund,
  idOf,
  submissionsOf,
  notificationsOf,
  post,
  setNetwork,
  shownAs,
  notifiedOf,
  transferBody,
  walletOf,
  type NetworkPlace,
} from '../../../support/rails/momo/payments';
import { scenarios, type Scenario, type Step } from './scenarios';

const timeoutMs = 60_000;
/** The float of every merchant with payouts, in minor units. */
const funded = 10_000_000n;

interface Begun {
  merchant: TestMerchant;
  place: NetworkPlace;
  answer: ApiAnswer;
  /** Resolves when the steps are done and all expected results have arrived. */
  over: Promise<void>;
}

/** All scenarios run concurrently, each with a merchant of its own; each test then checks one. */
describe('mobile money, from the request to the books', () => {
  let stack: Stack;
  let provider: SimulatorControl;
  let begun: Map<Scenario, Begun>;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    for (const network of ['AIRTEL_OAPI_ZMB', 'ZAMTEL_ZMB', 'AIRTEL_OAPI_UGA']) {
      await setNetwork(provider, network, 'PAYOUT', 'DELAYED');
    }
    await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'DEPOSIT', 'DELAYED');
    await provider.notify('wallets', { country: 'MWI', currency: 'MWK', balance: '0.00' });
    begun = new Map(
      await Promise.all(scenarios.map(async (scenario) => [scenario, await begin(scenario)] as const)),
    );
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  async function begin(scenario: Scenario): Promise<Begun> {
    const merchant = await stack.createMerchant();
    const body = transferBody({ ...scenario.body, account_reference: scenario.title });
    const place = { country: String(body['country']), currency: body['currency'] as Currency };
    if (scenario.operation === 'payout') await fund(stack, merchant, funded, place);
    for (const rule of scenario.rules ?? []) await provider.next(rule);
    const answer = await post(stack, merchant, scenario.operation, body);
    const over = end(scenario, merchant, answer);
    // Checked by the tests of the scenario, one after the other.
    over.catch(() => undefined);
    return { merchant, place, answer, over };
  }

  async function end(scenario: Scenario, merchant: TestMerchant, answer: ApiAnswer): Promise<void> {
    if (!scenario.ends) return;
    const id = idOf(answer);
    for (const step of scenario.then ?? []) await take(step, scenario, merchant, id);
    await shownAs(stack, merchant, id, scenario.ends);
    await waitFor(async () => (await takenOf(id)).length >= (scenario.taken ?? 1), {
      what: 'the notifications of the provider',
      timeoutMs,
    });
    await waitFor(async () => callbacksOf(merchant, id).length >= scenario.callbacks.length, {
      what: 'the callbacks to the merchant',
      timeoutMs,
    });
    await atRest(stack.db, id);
  }

  async function take(step: Step, scenario: Scenario, merchant: TestMerchant, id: string): Promise<void> {
    if ('shown' in step) await shownAs(stack, merchant, id, step.shown);
    else if ('network' in step) await setNetwork(provider, step.of, step.operation, step.network);
    else if ('customer' in step) await provider.notify(`authorisations/${id}`, { action: step.customer });
    else if ('cancel' in step) {
      const { status, body } = await post(stack, merchant, 'cancel_payout', { transaction_id: id });
      expect([status, body.code]).toEqual([step.cancel.status, step.cancel.code]);
    } else {
      await shownAs(stack, merchant, id, scenario.ends ?? {});
      const answer = await post(stack, merchant, 'refund', { transaction_id: id, amount: step.refund });
      expect([answer.status, answer.body.code]).toEqual([step.answer.status, step.answer.code]);
      if (step.ends) await notifiedOf(merchant, idOf(answer), step.ends);
    }
  }

  /** Rejected ones are sent again for a quarter of an hour, so only accepted ones can be counted. */
  const takenOf = async (id: string) =>
    (await notificationsOf(provider, id)).filter(({ answer }) => answer?.status === 200);

  async function ended(scenario: Scenario): Promise<Begun> {
    const found = begun.get(scenario);
    if (!found) throw new Error(`scenario ${scenario.number} was not begun`);
    await found.over;
    return found;
  }

  describe.each(
    scenarios.map((scenario) => [scenario.number, scenario.operation, scenario.title, scenario] as const),
  )('%s %s: %s', (_number, operation, _title, scenario) => {
    it('is answered', () => {
      const { answer } = begun.get(scenario) as Begun;
      const expected = scenario.answer ?? { status: 200, body: { success: true, status: 'ACCEPTED' } };
      expect([answer.status, answer.body]).toMatchObject([expected.status, expected.body]);
    });

    it('is notified, once for each step that the merchant needs, and signed', async () => {
      const { merchant, answer } = await ended(scenario);
      const received = scenario.ends ? callbacksOf(merchant, idOf(answer)) : merchant.receiver.received;
      expect(received.map(({ body }) => body['status'])).toEqual(
        scenario.callbacks.map(({ status }) => status),
      );
      received.forEach((callback, index) => {
        expect(callback.body).toMatchObject({
          ...scenario.callbacks[index],
          type: operation,
          account_reference: scenario.title,
        });
        expect(callback.body).not.toHaveProperty('correction');
        expect(callback.headers).toMatchObject({
          'x-callback-type': 'Mobile-Money',
          'content-type': 'application/json',
        });
        verifySignature(callback, merchant.webhookSecret);
      });
    });

    it('is booked', async () => {
      const { merchant, place, answer } = await ended(scenario);
      const { moved = 0n, reserved = 0n } = scenario;
      if (operation === 'deposit') {
        const wallet = await walletOf(stack, merchant, place.currency);
        expect(wallet).toEqual({ free: moved, reserved: 0n });
      } else {
        const float = await floatOf(stack, merchant, place);
        expect(float).toEqual({ free: funded - moved - reserved, reserved });
      }
      if (scenario.ends) {
        expect(await openCasesOf(stack.db, idOf(answer))).toEqual(scenario.cases ?? []);
      }
    });

    it('was notified by the provider as in the scenario', async () => {
      const { answer } = await ended(scenario);
      if (!scenario.ends) {
        expect(answer.body).not.toHaveProperty('payment_id');
        return;
      }
      const sent = await notificationsOf(provider, idOf(answer));
      const refused = sent.filter(({ answer: ours }) => ours?.status === 401);
      expect(await takenOf(idOf(answer))).toHaveLength(scenario.taken ?? 1);
      expect(refused.length > 0).toBe(scenario.refused ?? false);
    });
  });

  const begunAs = (number: string, operation: Scenario['operation']) =>
    ended(
      scenarios.find(
        (scenario) => scenario.number === number && scenario.operation === operation,
      ) as Scenario,
    );

  it('a lost request was sent twice with one id, and made one payment', async () => {
    for (const operation of ['deposit', 'payout'] as const) {
      const { answer } = await begunAs('8', operation);
      const sent = await submissionsOf(provider, idOf(answer));
      expect(sent.map(({ answer: reported }) => reported?.status ?? reported?.ended)).toEqual([
        'dropped',
        200,
      ]);
      expect(sent[0]?.body).toEqual(sent[1]?.body);
    }
  });

  it('a lost answer was looked up: the request was not sent again', async () => {
    for (const number of ['7', '9']) {
      const { answer } = await begunAs(number, 'payout');
      expect(await submissionsOf(provider, idOf(answer))).toHaveLength(1);
    }
  });

  it('none of our requests was rejected for its format', async () => {
    await Promise.all(scenarios.map(ended));
    const { answer } = await begunAs('18', 'deposit');
    const [sent] = await submissionsOf(provider, idOf(answer));
    expect(sent).toMatchObject({
      answer: { status: 200 },
      body: {
        amount: '25.5',
        customerMessage: 'Maria s order 3 tea',
        payer: { accountDetails: { phoneNumber: '260763018001' } },
      },
    });
    const refusedForm = (await provider.exchanges('initiate')).filter(
      ({ answer: reported, fault }) => fault === undefined && reported?.status === 400,
    );
    // The customer sent the wrong pre-authorisation code, not we.
    expect(refusedForm.map(({ body }) => body['preAuthorisationCode'])).toEqual(['000000']);
  });

  it('equal notifications were stored once, and later ones changed nothing', async () => {
    for (const [scenario, kept] of [
      ['three equal callbacks', 1],
      ['callbacks out of order', 2],
    ] as const) {
      const found = scenarios.find(({ title }) => title === scenario) as Scenario;
      const id = idOf((await ended(found)).answer);
      expect(await stack.db('inbox').where({ payment_id: id })).toHaveLength(kept);
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ state: 'succeeded' });
    }
  });
});
