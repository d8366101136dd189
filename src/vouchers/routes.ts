import Joi from 'joi';
import { amountAsNumber, type Currency } from '../domain/money';
import type { VoucherState } from '../domain/voucher';
import { isMailAddress } from '../mail/address';
import type { Endpoint } from '../payments/rail/endpoint';
import { amountField, anyCurrencyField, refuse, requiredText } from '../payments/rail/fields';
import type { Database } from '../store/database';
import type { VoucherRow } from '../store/tables';
import { createVoucher, getVoucherOrThrow } from './create-voucher';
import { redeemVoucher } from './end-voucher';

const email = requiredText(254).custom((text: string, helpers) =>
  isMailAddress(text) ? text : refuse(helpers, 'must be a valid e-mail address'),
);

const createBody = Joi.object({
  email,
  amount: amountField({ currency: { field: 'currency' } }).required(),
  currency: anyCurrencyField().required(),
});
const redeemBody = Joi.object({ code: requiredText(40) });

const words: Record<VoucherState, string> = { active: 'Active', redeemed: 'Redeemed', expired: 'Expired' };

function bodyOf(voucher: VoucherRow): Record<string, unknown> {
  return {
    success: true,
    data: {
      voucher_id: voucher.voucher_id,
      code_last4: voucher.code_last4,
      email: voucher.email,
      amount: amountAsNumber(BigInt(voucher.amount_minor), voucher.currency),
      currency: voucher.currency,
      status: words[voucher.state],
      expires_at: voucher.expires_at.toISOString(),
    },
  };
}

export interface VoucherServices {
  db: Database;
  /** Starts the voucher's workflow, or makes it look. A lost call is repeated by the sweeper. */
  wake(voucher: VoucherRow): Promise<void>;
}

/** Vouchers: money set aside out of a merchant's wallet until somebody presents the code that was mailed. */
export function voucherEndpoints({ db, wake }: VoucherServices): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/create_voucher',
      access: 'keys',
      rateLimit: 'api',
      input: createBody,
      starts: true,
      async handle(call) {
        const { email: to, amount, currency: code } = call.input;
        const voucher =
          call.resumePaymentId === undefined
            ? await createVoucher(db, call, {
                email: to as string,
                currency: code as Currency,
                amountMinor: amount as bigint,
              })
            : await getVoucherOrThrow(db, call.resumePaymentId);
        await wake(voucher);
        return { status: 200, body: bodyOf(voucher) };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/redeem_voucher',
      access: 'keys',
      rateLimit: 'api',
      input: redeemBody,
      starts: true,
      async handle(call) {
        const voucher =
          call.resumePaymentId === undefined
            ? await redeemVoucher(db, call, call.input['code'] as string)
            : await getVoucherOrThrow(db, call.resumePaymentId);
        await wake(voucher);
        return { status: 200, body: bodyOf(voucher) };
      },
    },
  ];
}
