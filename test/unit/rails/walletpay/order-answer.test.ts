import { orderBody } from '../../../../src/rails/walletpay/responses';
import type { PaymentRow } from '../../../../src/store/tables';

const row = (fields: Partial<PaymentRow>): PaymentRow =>
  ({
    ...{ payment_id: '01890a5d-ac96-774b-bcce-b302099a8057', order_id: 'INV-7', provider_reference: null },
    ...{ requested_minor: '1250', currency: 'USD', details: {}, is_final: 0 },
    ...fields,
  }) as PaymentRow;

describe('the answer to an order request', () => {
  it('has the approval page', () => {
    const details = { approval_url: 'https://pay.example/approve/1' };
    expect(orderBody(row({ details })).data).toMatchObject({ ...details, order_id: 'INV-7', amount: 12.5 });
  });

  it('is 504 with the payment while the page is unknown: nobody could be sent to an empty address', () => {
    const open = row({});
    let error: unknown;
    try {
      orderBody(open);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({
      ...{ code: 'ACCEPTANCE_UNKNOWN', status: 504 },
      options: { extra: { payment_id: open.payment_id }, retryAfterSeconds: 5 },
    });
  });

  it('is the first one for an order that has ended', () => {
    expect(orderBody(row({ is_final: 1 })).data).toMatchObject({ status: 'Pending', approval_url: '' });
  });
});
