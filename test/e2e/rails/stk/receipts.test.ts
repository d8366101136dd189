import { randomBytes } from 'node:crypto';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { call } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, ended, openCasesOf, webhooksOf } from '../../../support/rails/stk/payments';

/** Its callback is lost, and the query says that it was paid. */
const lostCallback = '254700000701';

/** A success from a query has no receipt; with an initiator, the provider is queried for it. */
describe('the receipt of a success from a query', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({
      timeScale: 60,
      env: { STK_INITIATOR: 'tester', STK_SECURITY_CREDENTIAL: randomBytes(32).toString('base64') },
    });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const asked = async ({ details }: PaymentRow) =>
    (await provider.exchanges('receipt')).filter(
      ({ body }) => body['OriginalConversationID'] === details['merchant_request_id'],
    );
  const paidUnseen = async () => {
    const { payment_id: id } = await accepted(stack, merchant, { phone_number: lostCallback });
    const payment = await ended(stack.db, id, ['succeeded']);
    expect(payment.provider_receipt).toBeNull();
    return payment;
  };
  const reportedReceipt = ({ payment_id: id }: PaymentRow) =>
    waitFor(async () => (await getPaymentOrThrow(stack.db, id)).provider_receipt ?? undefined, {
      what: 'the receipt',
      timeoutMs: 60_000,
    });
  const addressOf = ({ payment_id: id }: PaymentRow) =>
    waitFor(async () => (await stack.db('missing_receipts').where({ payment_id: id }).first())?.token, {
      what: 'the address for its receipt',
      timeoutMs: 30_000,
    });
  const post = async (path: string, body: unknown) =>
    (
      await fetch(`${stack.apiUrl}/in/stk/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status;
  const result = (original: string | undefined, amount: number) => ({
    Result: {
      ResultCode: 0,
      ResultDesc: 'The service request is processed successfully.',
      ResultParameters: {
        ResultParameter: [
          { Key: 'OriginatorConversationID', Value: original },
          { Key: 'TransactionStatus', Value: 'Completed' },
          { Key: 'Amount', Value: amount },
          { Key: 'ReceiptNo', Value: 'FORGED0000' },
        ],
      },
    },
  });

  it('is requested, and added without another webhook', async () => {
    const payment = await paidUnseen();
    const receipt = await reportedReceipt(payment);
    expect(await provider.successes()).toContainEqual(
      expect.objectContaining({ reference: payment.provider_reference, receipt }),
    );
    expect((await asked(payment))[0]).toMatchObject({
      body: { CommandID: 'TransactionStatusQuery', Initiator: 'tester', IdentifierType: '4' },
    });
    const path = `/api/v1/stk_push/status?payment_id=${payment.payment_id}`;
    const { body } = await call(stack, merchant, 'GET', path);
    expect(body.data).toMatchObject({ status: 'Success', mm_receipt_number: receipt });
    expect(await webhooksOf(stack.db, payment.payment_id)).toHaveLength(1);
    expect(await openCasesOf(stack.db, payment.payment_id)).toEqual([]);
    await waitFor(
      async () =>
        (await stack.db('missing_receipts').where({ payment_id: payment.payment_id })).length === 0 ||
        undefined,
      { what: 'the end of asking', timeoutMs: 60_000 },
    );
  });

  it('is requested again if the request was not accepted', async () => {
    await provider.next({ call: 'receipt', behave: '429' });
    const payment = await paidUnseen();
    await reportedReceipt(payment);
    expect((await asked(payment)).map(({ answer }) => answer?.status)).toEqual([429, 200]);
  });

  it('is not accepted from another caller', async () => {
    await provider.next({ call: 'receipt', behave: '429', times: 9 });
    const payment = await paidUnseen();
    const original = payment.details['merchant_request_id'];
    const address = await addressOf(payment);
    const refused = [
      await post(`receipt/${randomBytes(16).toString('hex')}`, result(original, 1250)),
      await post(`receipt/${address}`, result('1-2-3', 1250)),
      await post(`receipt/${address}`, { Result: {} }),
      await post(`receipt/${String(payment.callback_token)}`, result(original, 1250)),
    ];
    expect(refused).toEqual([404, 400, 400, 404]);
    // A caller who knows the address and names the payment causes a case, and nothing else.
    expect(await post(`receipt/${address}`, result(undefined, 1250))).toBe(200);
    expect(await post(`receipt/${address}`, result(original, 150_000))).toBe(200);
    await waitFor(async () => (await openCasesOf(stack.db, payment.payment_id))[0], {
      what: 'a case',
      timeoutMs: 30_000,
    });
    const now = await getPaymentOrThrow(stack.db, payment.payment_id);
    expect([now.provider_receipt, now.confirmed_minor]).toEqual([null, payment.confirmed_minor]);
    expect(await openCasesOf(stack.db, payment.payment_id)).toEqual(['amount_differs']);
    expect(await post(`no-receipt/${address}`, {})).toBe(200);
  });
});
