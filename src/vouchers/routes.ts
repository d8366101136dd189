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
  .description('Where the code is mailed to')
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
  code: requiredText(40).description('As it was mailed').example('7Q2M-K4TX-9WPA-HC3E'),
});

const words = { active: 'Active', redeemed: 'Redeemed', expired: 'Expired' } as const satisfies Record<
  VoucherState,
  string
>;

const answer = body({
  success,
  data: body({
    voucher_id: uuid('The voucher'),
    code_last4: text('The last four characters of its code, which is mailed and told nowhere else', 'K7QX'),
    email: text('Where the code went', 'amina@example.com'),
    amount: amountNumber('What it is worth'),
    currency: currencyCode<Currency>('Of the amount', 'KES'),
    status: word(['Active', 'Redeemed', 'Expired'], 'How it stands'),
    expires_at: moment('When it expires, and its money goes back to the wallet'),
  }),
});
const refusalFields = {
  voucher_id: Joi.string().description('The voucher that the refusal is about, where there is one'),
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
  /** Starts the voucher's workflow, or makes it look. A lost call is repeated by the sweeper. */
  wake(voucher: VoucherRow): Promise<void>;
}

/**
 * Vouchers: money set aside out of a merchant's wallet until somebody presents the code that was mailed.
 * @param timezone of the deployment: the day in the mail is of this zone where the merchant has none of its own
 */
export function voucherEndpoints({ db, wake }: VoucherServices, timezone: string): Endpoint[] {
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
        summary: 'Sets wallet money aside and mails a code for it',
        answer,
        refusals: ['BALANCE_INSUFFICIENT'],
        refusalFields,
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
        await wake(voucher);
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
        summary: "Brings a voucher's money back to the wallet, once",
        answer,
        refusals: ['VOUCHER_NOT_FOUND', 'VOUCHER_NOT_ACTIVE'],
        refusalFields,
      },
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
