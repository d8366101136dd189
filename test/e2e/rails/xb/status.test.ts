import { invoiceIdOf } from '../../../../src/rails/xb/responses';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { atRest, ended, webhooksOf } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { simulatorControl } from '../../../support/rails/simulator-control';
import {
  accepted,
  path as pushPath,
  paymentOf,
  push,
  type WebhookBody,
} from '../../../support/rails/xb/payments';

describe('GET /api/v1/xb/stk_push/status', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let other: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    [merchant, other] = await Promise.all([stack.createMerchant(), stack.createMerchant()]);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const path = `${pushPath}/status`;
  const ask = (query: Record<string, string>, as: TestMerchant = merchant): Promise<ApiAnswer> =>
    call(stack, as, 'GET', `${path}?${new URLSearchParams(query).toString()}`);
  const byInvoice = (payment: PaymentRow, as?: TestMerchant) => ask({ invoice_id: invoiceIdOf(payment) }, as);
  async function pay(phone_number: string, changes: Record<string, unknown> = {}): Promise<PaymentRow> {
    const { payment_id: id } = await accepted(stack, merchant, { phone_number, ...changes });
    const payment = await ended(stack.db, id);
    await atRest(stack.db, id);
    return payment;
  }

  describe('200', () => {
    it('shows an open payment: nothing is decided and nothing is paid', async () => {
      const payment = await accepted(stack, merchant, { phone_number: '256703000129', api_ref: 'OPEN-1' });
      await ended(stack.db, payment.payment_id, ['processing']);
      const answer = await byInvoice(payment);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        data: {
          id: payment.payment_id,
          invoice: {
            invoice_id: invoiceIdOf(payment),
            state: 'PROCESSING',
            value: '20000',
            api_ref: 'OPEN-1',
            currency: 'UGX',
            mm_reference: '',
            charges: '0.00',
            net_amount: '20000.00',
          },
          is_final: false,
          next_step: expect.objectContaining({ code: 'wait' }),
          sequence: expect.any(Number) as number,
          correction: false,
          failure_reason: null,
          phone_number: '256703000129',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          updated_at: expect.stringMatching(/Z$/),
        },
      });
    });

    it.each([
      ['COMPLETE', '256703001789', null],
      ['FAILED', '256703001049', 'insufficient balance'],
      ['CANCELLED', '256703001032', 'Request cancelled by user'],
      ['FAILED_VALIDATE', '256703001029', 'account validation failed'],
    ])('shows a payment that ended as %s', async (state, phone, failure_reason) => {
      const { body } = await byInvoice(await pay(phone));
      expect(body.data).toMatchObject({ invoice: { state, value: '20000' }, is_final: true, failure_reason });
    });

    it('has the same content as the webhook', async () => {
      const payment = await pay('255703002789', { currency: 'TZS', amount: '500.00' });
      const { body } = await byInvoice(payment);
      const reported = await webhooksOf<WebhookBody>(stack.db, payment.payment_id);
      expect(body.data?.invoice).toEqual(reported.at(-1)?.invoice);
      expect(body.data).toMatchObject({
        id: reported.at(-1)?.id,
        invoice: { value: '500', currency: 'TZS' },
      });
    });

    it('finds a payment by its api_ref, whoever created that', async () => {
      const [named, unnamed] = [
        await push(stack, merchant, { phone_number: '256703003789', api_ref: 'Oda ya 7/ñ' }),
        await push(stack, merchant, { phone_number: '256703004789', api_ref: null }),
      ];
      for (const answer of [named, unnamed]) {
        const { payment_id: id } = await paymentOf(stack.db, answer);
        expect((await ask({ api_ref: String(answer.body.data?.api_ref) })).body.data?.id).toBe(id);
      }
    });

    it('shows the newest for a repeated api_ref, and the older by its invoice_id', async () => {
      const changes = { phone_number: '256703005789', api_ref: 'AGAIN' };
      const [first, second] = [await push(stack, merchant, changes), await push(stack, merchant, changes)];
      const invoiceOf = ({ body }: ApiAnswer) => String(body.data?.invoice_id);
      const shown = async (query: Record<string, string>) =>
        ((await ask(query)).body.data?.invoice as Record<string, unknown>)['invoice_id'];
      expect(await shown({ api_ref: 'AGAIN' })).toBe(invoiceOf(second));
      expect(await shown({ invoice_id: invoiceOf(first) })).toBe(invoiceOf(first));
      expect(await shown({ invoice_id: invoiceOf(first), api_ref: 'AGAIN' })).toBe(invoiceOf(first));
      expect((await ask({ invoice_id: invoiceOf(first), api_ref: 'ANOTHER' })).status).toBe(404);
    });

    it("finds a payment without an answer by the id that the merchant got, and by the provider's", async () => {
      const phone_number = '256703006705';
      const provider = simulatorControl(stack.simulatorUrl, 'xb');
      await provider.next({ call: 'lookup', behave: '503', times: 9, where: { phone_number } });
      const answer = await push(stack, merchant, { phone_number });
      const { payment_id: id } = await paymentOf(stack.db, answer);
      const { provider_reference: theirs } = await ended(stack.db, id, ['succeeded']);
      const given = String(answer.body.data?.invoice_id);
      expect(theirs).not.toBe(given);
      for (const invoice_id of [given, theirs ?? '']) {
        expect((await ask({ invoice_id })).body.data).toMatchObject({ id, invoice: { invoice_id: given } });
      }
    });

    it('finds a payment by the payment_id in an error', async () => {
      const [payment, another] = [
        await accepted(stack, merchant, { phone_number: '256703008789' }),
        await accepted(stack, merchant, { phone_number: '256703009789' }),
      ];
      const { payment_id } = payment;
      expect((await ask({ payment_id })).body.data?.id).toBe(payment_id);
      expect((await ask({ payment_id, api_ref: payment.account_reference ?? '' })).status).toBe(200);
      expect((await ask({ payment_id, api_ref: another.account_reference ?? '' })).status).toBe(404);
      expect((await ask({ payment_id }, other)).status).toBe(404);
      for (const unknown of ['ñ', 'x'.repeat(36), '0b9a2c61-5f44-4a3e-9c1d-7d2e8f60a111']) {
        expect((await ask({ payment_id: unknown })).status).toBe(404);
      }
    });

    it('changes nothing, however often it is called', async () => {
      const payment = await pay('256703007789');
      const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => byInvoice(payment)));
      for (const answer of others) expect(answer.body).toEqual(first?.body);
    });
  });

  describe('400', () => {
    it.each(['', '?invoice_id=', '?invoice_id=&api_ref=', `?invoice_id=${'A'.repeat(41)}`])(
      'with no usable name in %j',
      async (query) => {
        expect((await call(stack, merchant, 'GET', `${path}${query}`)).status).toBe(400);
      },
    );

    it('names the parameters of which one is required', async () => {
      const required = 'invoice_id or api_ref or payment_id is required';
      const { body } = await call(stack, merchant, 'GET', path);
      expect([body.code, body.message]).toEqual(['VALIDATION_FAILED', required]);
      expect(body.details).toEqual([
        { field: 'invoice_id', message: required },
        { field: 'api_ref', message: required },
        { field: 'payment_id', message: required },
      ]);
    });

    it('with a repeated name, even the same', async () => {
      const answer = await call(stack, merchant, 'GET', `${path}?invoice_id=AAAAAAA&invoice_id=AAAAAAA`);
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_QUERY']);
    });
  });

  it('401: without credentials, or with them in the query', async () => {
    const inQuery = `${path}?invoice_id=A&api_key=${merchant.apiKey}&api_secret=${merchant.apiSecret}`;
    for (const url of [`${path}?invoice_id=A`, inQuery]) {
      expect((await call(stack, undefined, 'GET', url)).body.error).toBe('API credentials required');
    }
  });

  describe('404', () => {
    const withoutIds = ({ body }: ApiAnswer) => ({
      ...body,
      request_id: '',
      timestamp: '',
      timestamp_utc: '',
    });

    it("answers exactly the same for another merchant's payment as for an unknown one", async () => {
      const payment = await accepted(stack, merchant, { phone_number: '256703008789' });
      const [theirs, none] = [await byInvoice(payment, other), await ask({ invoice_id: 'ZZZZZZZ' }, other)];
      expect([theirs.status, none.status]).toEqual([404, 404]);
      expect(withoutIds(theirs)).toEqual(withoutIds(none));
      expect(theirs.body).toMatchObject({ error: 'Payment not found', code: 'PAYMENT_NOT_FOUND' });
      expect((await ask({ api_ref: payment.account_reference ?? '' }, other)).status).toBe(404);
    });

    it.each(['%', '_______', 'country', 'UG', '"', '\\', "' OR '1'='1", '../../etc/passwd', '支払い', '💸'])(
      'to %j, which is no existing invoice',
      async (invoice_id) => {
        expect((await ask({ invoice_id })).status).toBe(404);
      },
    );

    it('does not find a payment by another of its ids, or by one in another letter case', async () => {
      const payment = await accepted(stack, merchant, { phone_number: '256703009789', api_ref: 'Case-1' });
      for (const id of [payment.payment_id, payment.callback_token ?? '', payment.phone_number ?? '']) {
        expect((await ask({ invoice_id: id })).status).toBe(404);
      }
      expect((await ask({ api_ref: 'case-1' })).status).toBe(404);
      expect((await ask({ api_ref: 'Case-1 ' })).status).toBe(404);
    });
  });

  it('405: rejects POST, which other endpoints of the specification use', async () => {
    const answer = await call(stack, merchant, 'POST', path, {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });
});
