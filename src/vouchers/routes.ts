import Joi from 'joi';
import { amountAsNumber, type Currency } from '../domain/money';
import type { VoucherState } from '../domain/voucher';
import { isMailAddress } from '../mail/enqueue-mail';
import {
  amountNumber,
  body,
  currencyCode,
  moment,
  success,
  text,
  uuid,
  word,
  type TypeOf,
} from '../rail-kit/answer-fields';
import type { Endpoint } from '../rail-kit/endpoint';
import { noted } from '../rail-kit/description';
import { amountField, anyCurrencyField, refuse, requiredText } from '../rail-kit/fields';
import type { Database } from '../store/database';
import type { VoucherRow } from '../store/tables';
import { createVoucher, getVoucherOrThrow } from './create-voucher';
import { redeemVoucher } from './end-voucher';

const email = requiredText(254)
  .meta(noted({ format: 'email' }))
  .description("The recipient's e-mail address, to which the code is sent")
  .example('amina@example.com')
  .custom((text: string, helpers) =>
    isMailAddress(text) ? text : refuse(helpers, 'must be a valid e-mail address'),
  );

const createBody = Joi.object({
  email,
  amount: amountField({ currency: { field: 'currency' } }).required(),
  currency: anyCurrencyField().required(),
});
const redeemBody = Joi.object({
  code: requiredText(40).description('The code from the mail').example('7Q2M-K4TX-9WPA-HC3E'),
});

const words = { active: 'Active', redeemed: 'Redeemed', expired: 'Expired' } as const satisfies Record<
  VoucherState,
  string
>;

const answer = body({
  success,
  data: body({
    voucher_id: uuid('The voucher'),
    code_last4: text('The last four characters of the code. The complete code is only in the mail', 'K7QX'),
    email: text("The recipient's e-mail address", 'amina@example.com'),
    amount: amountNumber('The value of the voucher'),
    currency: currencyCode<Currency>('The currency of the value', 'KES'),
    status: word(['Active', 'Redeemed', 'Expired'], 'The state of the voucher'),
    expires_at: moment('When the voucher expires and its money returns to the wallet'),
  }),
});
const problemFields = {
  voucher_id: Joi.string().description('The voucher that this error concerns, if there is one'),
};

function bodyOf(voucher: VoucherRow): TypeOf<typeof answer> {
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
  /** Starts the voucher's workflow, or signals it to check. The sweeper repeats a lost call. */
  signalOrStart(voucher: VoucherRow): Promise<void>;
}

/**
 * Vouchers: money set aside from a merchant's wallet until the mailed code is redeemed.
 * @param timezone of the deployment. The mail uses it if the merchant has no time zone of its own.
 */
export function voucherEndpoints({ db, signalOrStart }: VoucherServices, timezone: string): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/create_voucher',
      access: 'keys',
      scope: 'payout',
      rateLimit: 'api',
      input: createBody,
      about: {
        id: 'createVoucher',
        summary: 'Create a voucher from wallet money and mail its code',
        answer,
        errors: ['BALANCE_INSUFFICIENT'],
        problemFields,
      },
      starts: true,
      async handle(call) {
        const { email: to, amount, currency: code } = call.input;
        const voucher =
          call.resumePaymentId === undefined
            ? await createVoucher(db, call, {
                email: to as string,
                currency: code as Currency,
                amountMinor: amount as bigint,
                timezone,
              })
            : await getVoucherOrThrow(db, call.resumePaymentId);
        await signalOrStart(voucher);
        return { status: 200, body: bodyOf(voucher) };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/redeem_voucher',
      access: 'keys',
      scope: 'collect',
      rateLimit: 'api',
      input: redeemBody,
      about: {
        id: 'redeemVoucher',
        summary: 'Redeem a voucher into the wallet',
        answer,
        errors: ['VOUCHER_NOT_FOUND', 'VOUCHER_NOT_ACTIVE'],
        problemFields,
      },
      starts: true,
      async handle(call) {
        const voucher =
          call.resumePaymentId === undefined
            ? await redeemVoucher(db, call, call.input['code'] as string)
            : await getVoucherOrThrow(db, call.resumePaymentId);
        await signalOrStart(voucher);
        return { status: 200, body: bodyOf(voucher) };
      },
    },
  ];
}
