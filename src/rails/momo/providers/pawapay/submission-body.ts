import { formatAmount } from '../../../../domain/money';
import { plainDecimal } from '../../../../fx/decimal';
import type { PaymentRow } from '../../../../store/tables';
import type { NetworkOperation } from '../../network';

/** The provider's limits for a message on the handset. */
const messageLength = { min: 4, max: 22 };

/** The body of a submission. The provider rejects unknown fields, and amounts with trailing zeros. */
export function submissionBody(operation: NetworkOperation, payment: PaymentRow): Record<string, unknown> {
  const amount = providerAmount(BigInt(payment.instructed_minor), payment);
  const { currency, details } = payment;
  const remarks = remarksOf(payment);
  if (operation === 'refund') {
    return { refundId: payment.payment_id, depositId: payment.parent_id, amount, currency, ...remarks };
  }
  const account = {
    type: 'MMO',
    accountDetails: { phoneNumber: (payment.phone_number ?? '').slice(1), provider: payment.provider },
  };
  const message = handsetMessage(details['customer_message']);
  const common = {
    amount,
    currency,
    ...(message === undefined ? {} : { customerMessage: message }),
    ...remarks,
  };
  if (operation === 'payout') return { payoutId: payment.payment_id, recipient: account, ...common };
  return {
    depositId: payment.payment_id,
    payer: account,
    ...common,
    ...(details['preauth_code'] === undefined ? {} : { preAuthorisationCode: details['preauth_code'] }),
    ...(details['successful_url'] === undefined
      ? {}
      : { successfulUrl: details['successful_url'], failedUrl: details['failed_url'] }),
  };
}

/**
 * Values that the provider stores with a payment and shows in its dashboard, statements and status calls (Merchant API
 * v2, `clientReferenceId` and `metadata`, a list of single fields). They contain only our ids, and no text of a
 * merchant or a customer.
 */
function remarksOf({ payment_id: paymentId, merchant_id: merchantId }: PaymentRow) {
  return { clientReferenceId: paymentId, metadata: [{ merchant_id: merchantId }] };
}

/** `15.00` is sent as `15`, `15.50` as `15.5`: trailing zeros are rejected. */
function providerAmount(minor: bigint, { currency }: Pick<PaymentRow, 'currency'>): string {
  return plainDecimal(formatAmount(minor, currency));
}

/** Letters, digits and spaces, 4 to 22 of them; left out when too little remains. */
function handsetMessage(text: string | undefined): string | undefined {
  const plain = (text ?? '')
    .replace(/[^A-Za-z0-9 ]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, messageLength.max)
    .trim();
  return plain.length < messageLength.min ? undefined : plain;
}
