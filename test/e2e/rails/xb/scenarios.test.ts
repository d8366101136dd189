import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { atRest, caseOpened, creditsOf, ended, openCasesOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { verifySignature } from '../../../support/webhook-receiver';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import {
  simulatorControl,
  type Exchange,
  type SimulatorControl,
} from '../../../support/rails/simulator-control';
import { paymentOf, push, notifiedOf, type WebhookBody } from '../../../support/rails/xb/payments';
import { scenarios, type Scenario } from './scenarios';
import { fieldsOfEveryWebhook } from '../../../support/webhook-fields';

interface Begun {
  merchant: TestMerchant;
  answer: ApiAnswer;
  payment: PaymentRow;
}

/** A payer takes this long by the provider's clock, and is in progress from a third of it on. */
const payerMs = 30_000;

/** All scenarios run concurrently, each with a merchant of its own, while the test moves both clocks step by step. */
describe('a cross-border push, from the request to the books', () => {
  let stack: Stack;
  let provider: SimulatorControl;
  let engine: TestEngine;
  const begun = new Map<Scenario, Begun>();
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1, env: { MALIPO_SIMULATOR_XB_DELAY_MS: String(payerMs) } });
    provider = simulatorControl(stack.simulatorUrl, 'xb');
    engine = await connectEngine(stack);
    await Promise.all(scenarios.map(async (scenario) => begun.set(scenario, await begin(scenario))));
    await goThroughAll();
  });
  afterAll(async () => {
    await engine.close();
    await expectClean(stack);
    await stack.stop();
  });

  async function begin({ phone, currency, rules = [] }: Scenario): Promise<Begun> {
    const merchant = await stack.createMerchant();
    for (const rule of rules) await provider.next(rule);
    const api_ref = `order of ${phone}`;
    const answer = await push(stack, merchant, { phone_number: phone, currency: currency ?? 'UGX', api_ref });
    return { merchant, answer, payment: await paymentOf(stack.db, answer) };
  }

  function begunOf(scenario: Scenario | undefined): Begun {
    const found = scenario && begun.get(scenario);
    if (!found) throw new Error('the scenario was not begun');
    return found;
  }

  async function goThroughAll(): Promise<void> {
    await provider.advance(payerMs / 3);
    await forAll(
      ({ webhooks, isQuiet }) => webhooks.includes('PROCESSING') && !isQuiet,
      ({ payment_id: id }) =>
        waitFor(async () => (await notifiedOf(stack.db, id)).includes('PROCESSING') || undefined, {
          what: `${id} to be told as PROCESSING`,
          timeoutMs: 20_000,
        }),
    );
    await provider.advance(payerMs);
    await forAll(
      ({ ourClockMs, phone }) => ourClockMs === undefined && !phone.endsWith('037'),
      ({ payment_id: id }) => ended(stack.db, id),
    );
    await forAll(
      ({ ourClockMs }) => ourClockMs !== undefined,
      async (payment, { ourClockMs, cases }) => {
        await engine.advance(payment, ourClockMs ?? 0);
        await (cases ? caseOpened(stack.db, payment.payment_id) : ended(stack.db, payment.payment_id));
      },
    );
    await provider.advance(payerMs);
    await forAll(
      ({ phone }) => phone.endsWith('037'),
      ({ payment_id: id }) => ended(stack.db, id),
    );
    await forAll(
      () => true,
      ({ payment_id: id }) => atRest(stack.db, id),
    );
  }

  async function forAll(
    which: (scenario: Scenario) => boolean,
    work: (payment: PaymentRow, scenario: Scenario) => Promise<unknown>,
  ): Promise<void> {
    const some = scenarios.filter(which);
    expect(some).not.toEqual([]);
    await Promise.all(some.map((scenario) => work(begunOf(scenario).payment, scenario)));
  }

  /** Events of another kind name no payment, and are not included. */
  async function notificationsAbout({ callback_token: name }: PaymentRow): Promise<Exchange[]> {
    return (await provider.exchanges('callback')).filter(({ body }) => body['api_ref'] === name);
  }

  describe.each(scenarios.map((scenario) => [scenario.number, scenario.title, scenario] as const))(
    '%s %s',
    (_number, _title, scenario) => {
      it('is answered', () => {
        const { answer } = begunOf(scenario);
        expect([answer.status, answer.body.code]).toEqual([
          scenario.answer?.status ?? 200,
          scenario.answer?.code,
        ]);
        if (answer.status === 200) expect(answer.body.data).toMatchObject({ state: 'PENDING' });
      });

      it("is notified with the merchant's own references, and signed", () => {
        const { merchant, answer, payment } = begunOf(scenario);
        const reported = merchant.receiver.received.map(({ body }) => body as unknown as WebhookBody);
        const states = reported.map(({ invoice }) => invoice['state']);
        const heard = scenario.isQuiet ? states.filter((state) => state !== 'PROCESSING') : states;
        expect(heard).toEqual(scenario.webhooks);
        for (const { id, invoice, correction } of reported) {
          expect([id, invoice['api_ref'], correction]).toEqual([
            payment.payment_id,
            `order of ${scenario.phone}`,
            undefined,
          ]);
          if (answer.status === 200) expect(invoice['invoice_id']).toBe(answer.body.data?.invoice_id);
        }
        for (const webhook of merchant.receiver.received) {
          verifySignature(webhook, merchant.webhookSecret);
          expect(webhook.headers).toMatchObject({
            'x-callback-type': 'Cross-Border',
            'content-type': 'application/json',
          });
        }
      });

      it('is booked', async () => {
        const { payment_id: id } = begunOf(scenario).payment;
        const { credited } = scenario;
        expect(await creditsOf(stack.db, id)).toEqual(credited === undefined ? [] : [credited]);
        expect(await openCasesOf(stack.db, id)).toEqual(scenario.cases ?? []);
      });

      it("answers the provider's webhooks correctly", async () => {
        const sent = await notificationsAbout(begunOf(scenario).payment);
        if (scenario.answers) expect(sent.map(({ answer }) => answer?.status)).toEqual(scenario.answers);
        else expect(sent.filter(({ answer }) => answer?.status !== 200)).toEqual([]);
      });
    },
  );

  it('a webhook has exactly the fields of the specification', () => {
    const { merchant, answer } = begunOf(scenarios[0]);
    expect(merchant.receiver.received.at(-1)?.body).toEqual({
      ...fieldsOfEveryWebhook,
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      invoice: {
        invoice_id: answer.body.data?.invoice_id,
        state: 'COMPLETE',
        value: '20000',
        api_ref: 'order of 256705001789',
        currency: 'UGX',
        mm_reference: expect.stringMatching(/^UG\d{11}$/),
        charges: '600.00',
        net_amount: '19400.00',
      },
    });
  });

  it('another value is reported as paid', () => {
    const { merchant } = begunOf(scenarios.find(({ title }) => title === 'different value'));
    expect(merchant.receiver.received.at(-1)?.body).toMatchObject({
      invoice: { state: 'COMPLETE', value: '19999', net_amount: '19399.03' },
    });
  });

  it('each payer got one prompt, whatever happened to the answer', async () => {
    const heard = (await provider.exchanges('initiate')).filter(({ answer }) => answer?.status !== 429);
    const phones = heard.map(({ body }) => body['phone_number']);
    expect(phones.sort()).toEqual([...new Set(phones)]);
    expect(phones).toHaveLength(scenarios.length - 1);
  });

  it('events of another kind were answered, and not stored', async () => {
    const sent = await provider.exchanges('callback');
    const others = sent.filter(({ fault }) => fault === 'other_event');
    expect(others.map(({ answer }) => answer?.status)).toEqual([200, 200, 200]);
    expect(await stack.db('inbox').where('body', 'like', '%chargeback%')).toEqual([]);
  });

  it('a lost answer without any later report is our own failure, and may be corrected', () => {
    const { payment } = begunOf(scenarios.find(({ title }) => title === '500, and not accepted'));
    return expect(ended(stack.db, payment.payment_id)).resolves.toMatchObject({
      state: 'timed_out',
      failure_code: 'OUTCOME_UNKNOWN',
    });
  });
});
