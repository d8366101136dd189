/** The amount of a deposit that can still be refunded, and the refund request that all rails accept. */
import Joi from 'joi';
import { isLosslessNumber } from 'lossless-json';
import { PaymentError, invalid, type ErrorCode } from '../../domain/errors';
import { formatAmount, parseAmount } from '../../domain/money';
import type { PaymentState } from '../../domain/payment';
import { noted } from '../../rail-kit/description';
import { refuse, requiredText } from '../../rail-kit/fields';
import type { Database, Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { refundsOf } from '../transition/own-refunds';

/** The amount's currency is the deposit's. It is read as text here and parsed once the deposit is known. */
export const refundBody = Joi.object({
  transaction_id: requiredText(36)
    .description('The deposit, from the answer to its request')
    .example('01890a5d-ac96-774b-bcce-b302099a8057'),
  amount: Joi.any()
    .empty(Joi.valid(null, ''))
    .meta(
      noted(
        {
          anyOf: [
            { type: 'number', minimum: 0, maximum: 999_999_999_999_999 },
            { type: 'string', pattern: '^\\d{1,15}(\\.\\d{1,2})?$' },
          ],
        },
        ['INVALID_AMOUNT'],
      ),
    )
    .description(
      'The amount to refund, in units of the paid currency, with at most two decimals. Default: the whole rest',
    )
    .example('10.00')
    .custom((value: unknown, helpers) => {
      const text = typeof value === 'string' || isLosslessNumber(value) ? value.toString() : '';
      return /^\d{1,15}(?:\.\d{1,2})?$/.test(text)
        ? text
        : refuse(helpers, 'must be a plain decimal amount', 'INVALID_AMOUNT');
    }),
});

/** Further refusals of a refund request. */
export const errorCodesOfRefunds = [
  ...(['PAYMENT_NOT_FOUND', 'DEPOSIT_NOT_COMPLETED', 'REFUND_EXCEEDS_REMAINDER'] as const),
  'BALANCE_INSUFFICIENT',
] satisfies ErrorCode[];

/**
 * The amount to refund, in minor units of the currency that was paid: the requested amount, or all that is left.
 * @throws PaymentError INVALID_AMOUNT, REFUND_EXCEEDS_REMAINDER
 */
export async function amountToRefund(
  db: Database,
  deposit: PaymentRow,
  amountText: string | undefined,
): Promise<bigint> {
  const currency = deposit.instructed_currency;
  const amountMinor =
    amountText === undefined ? await leftToRefund(db, deposit) : parseAmount(amountText, currency);
  if (amountMinor === undefined || (amountText !== undefined && amountMinor <= 0n)) {
    const message = `amount must be a plain decimal amount in ${currency}`;
    throw invalid([{ field: 'amount', message }], 'INVALID_AMOUNT');
  }
  if (amountMinor <= 0n) throw new PaymentError('REFUND_EXCEEDS_REMAINDER');
  return amountMinor;
}

/**
 * Checks the remainder under the deposit's lock, in the transaction that writes the refund. Concurrent refunds
 * therefore cannot exceed the deposit together.
 * @param paymentId of the refund itself: an earlier try may have written it and lost the answer
 * @returns the deposit as it is now
 * @throws PaymentError DEPOSIT_NOT_COMPLETED, REFUND_EXCEEDS_REMAINDER
 */
export async function checkRemainder(
  trx: Transaction,
  { payment_id: depositId, instructed_currency: currency }: PaymentRow,
  { amountMinor, paymentId, from }: { amountMinor: bigint; paymentId: string; from: readonly PaymentState[] },
): Promise<PaymentRow> {
  const deposit = await trx('payments').where({ payment_id: depositId }).forUpdate().first();
  if (!deposit || !from.includes(deposit.state)) throw new PaymentError('DEPOSIT_NOT_COMPLETED');
  const left = await leftToRefund(trx, deposit, paymentId);
  if (amountMinor <= left) return deposit;
  const message = `The amount exceeds what is left to refund: ${formatAmount(left, currency)} ${currency}`;
  throw new PaymentError('REFUND_EXCEEDS_REMAINDER', { message });
}

/**
 * Minor units of the paid amount that the provider has not refunded and that no refund other than `exceptId` covers.
 */
export async function leftToRefund(
  db: Database | Transaction,
  { payment_id, confirmed_minor, returned_minor }: PaymentRow,
  exceptId = '',
): Promise<bigint> {
  const { minor } = await refundsOf(db, payment_id, exceptId);
  const left = BigInt(confirmed_minor ?? 0) - BigInt(returned_minor) - minor;
  return left > 0n ? left : 0n;
}
