/** A merchant's payments on all rails, in one shape. */
import Joi from 'joi';
import { invalid } from '../domain/errors';
import { parseAmount, type Currency } from '../domain/money';
import { paymentStates, type PaymentKind } from '../domain/payment';
import { startOfDay } from '../domain/time';
import { isDay } from '../ledger/utc-days';
import {
  amountText,
  body,
  currencyCode,
  flag,
  listOf,
  maybe,
  moment,
  orNull,
  success,
  text,
  uuid,
  word,
  type TypeOf,
} from '../rail-kit/answer-fields';
import type { Endpoint } from '../rail-kit/endpoint';
import type { Rail } from '../rail-kit/rail';
import { noted } from '../rail-kit/description';
import { anyCurrencyField, optionalText, refuse, requiredText, sequenceField } from '../rail-kit/fields';
import { listPayments } from '../payments/read/list-payments';
import { shownPayment, shownState, shownStates, shownHistory } from '../payments/read/merchant-view';
import { nextStepAmong, nextStepFields } from '../payments/read/next-step';
import { feeInWords, feeInWordsFields } from '../payments/transition/fees';
import { heldFields } from '../payments/read/on-hold';
import { getOwnPaymentOrThrow } from '../payments/read/payments';
import type { Database } from '../store/database';
import type { PaymentRow } from '../store/tables';
import { isStorable, listCursorOf, type ListCursor } from '../store/list-cursor';
import { limitField, listCursorField, nextCursorField } from './fields';

const limits = { min: 1, max: 100, unlessReported: 50 };

const momentField = optionalText(40)
  .example('2026-01-31T08:00:00Z')
  .custom((text: string, helpers) => {
    const isMoment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
    return isMoment && isDay(text.slice(0, 10)) && isStorable(new Date(text))
      ? text
      : refuse(helpers, 'must be a day or a time, such as 2026-01-31 or 2026-01-31T08:00:00Z');
  });

const kinds = ['deposit', 'payout', 'refund'] as const;

const query = Joi.object({
  rail: optionalText(24)
    .pattern(/^[a-z0-9]+$/)
    .description('Only this rail')
    .example('momo'),
  type: optionalText(16)
    .valid(...kinds)
    .description('Only this type')
    .example('deposit'),
  state: optionalText(16)
    .valid(...shownStates)
    .description('Only this state')
    .example('succeeded'),
  created_from: momentField.description(
    'Created at or after this time. A day in your time zone, or a time with its zone',
  ),
  created_before: momentField.description(
    'Created before this time. A day in your time zone, or a time with its zone',
  ),
  currency: anyCurrencyField(),
  amount: optionalText(20)
    .meta(noted({ pattern: '^\\d+(\\.\\d{1,3})?$' }, ['INVALID_AMOUNT']))
    .description('The exact requested amount, in units of `currency`. Requires `currency`')
    .example('1250.00'),
  reference: optionalText(1_000, 'known').description('Your complete order_id or reference').example('INV-1'),
  phone_ends: optionalText(12)
    .pattern(/^\d{3,12}$/, 'the last 3 to 12 digits')
    .description("The last 3 to 12 digits of the customer's number")
    .example('4149'),
  limit: limitField(limits).description('Payments per page, 1 to 100. Default: 50').example('50'),
  cursor: listCursorField,
});

const fields = {
  payment_id: uuid('The payment'),
  rail: text("The payment's rail", 'stk'),
  type: word(kinds, 'The type of the payment'),
  state: word(shownStates, 'The state of the payment', { example: 'succeeded' }),
  is_final: flag('Whether the payment has ended. A late success may still follow a failure'),
  ...nextStepFields,
  ...heldFields,
  amount: amountText('The requested amount, in `currency`'),
  currency: currencyCode<Currency>('The currency of the requested amount', 'KES'),
  confirmed_amount: orNull(amountText('The amount that the provider confirmed')),
  confirmed_currency: orNull(currencyCode<Currency>('The currency of the confirmed amount', 'KES')),
  ...feeInWordsFields,
  order_id: orNull(text('Your order_id', 'ORDER-1')),
  reference: orNull(text('Your reference', 'INV-1')),
  phone_number: orNull(text("The customer's phone number", '254708374149')),
  provider: text('The provider or network that moves the money', 'daraja'),
  provider_reference: orNull(text("The provider's id of the payment", 'ws_CO_050120260900000000')),
  receipt: orNull(text("The provider's receipt", 'TKL7SE91QF')),
  deposit_id: orNull(text('The deposit of a refund', '01890a5d-ac96-774b-bcce-b302099a8057')),
  failure_code: orNull(text('The failure code', '1032')),
  failure_message: orNull(text('The failure reason as a text', 'Request cancelled by user')),
  correction: flag('Whether the payment succeeded after it was reported as failed', { example: false }),
  possible_duplicate_of: maybe(
    text('Your name of the earlier payment for the same reference, which may be paid twice', 'INV-1'),
  ),
  ...sequenceField,
  created_at: moment('When the payment was created'),
  updated_at: moment('When the payment last changed'),
  finished_at: orNull(moment('When the payment ended')),
};

const listAnswer = body({
  success,
  payments: listOf(body(fields), 'Newest first', limits.max),
  next_cursor: nextCursorField,
});

const step = { state: fields.state };
const oneAnswer = body({
  success,
  payment: body({
    ...fields,
    timeline: listOf(
      body({ ...step, at: moment('When the payment entered the state') }),
      'Each state that the payment entered',
    ),
    refunds: listOf(
      body({ payment_id: uuid('The refund'), ...step }),
      'The refunds of a deposit, oldest first',
    ),
  }),
});

interface Asked {
  rail?: string;
  type?: PaymentKind;
  state?: string;
  created_from?: string;
  created_before?: string;
  currency?: Currency;
  amount?: string;
  reference?: string;
  phone_ends?: string;
  limit?: number;
  cursor?: ListCursor;
}

const own = { access: 'headers', scope: 'read', rateLimit: 'api', starts: false } as const;

/** A day starts in the merchant's time zone. */
const momentOf = (text: string | undefined, zone: string): Date | undefined =>
  text === undefined ? undefined : isDay(text) ? startOfDay(text, zone) : new Date(text);

export interface PaymentsServices {
  db: Database;
  rails: readonly Pick<Rail, 'name' | 'nextStep'>[];
  /** The time zone of merchants who have set none. */
  timezone: string;
}

export function paymentsEndpoints({ db, rails, timezone }: PaymentsServices): Endpoint[] {
  const reported = (payment: PaymentRow) => ({
    ...shownPayment(payment),
    ...feeInWords(payment),
    ...nextStepAmong(rails, payment),
  });
  return [
    {
      ...own,
      method: 'GET',
      path: '/api/v1/payments',
      about: {
        id: 'listPayments',
        summary: "List the merchant's payments on all rails, newest first",
        details:
          'The service scans at most 2,000 payments for a page. If a filter matches few payments, a page may be short or empty',
        answer: listAnswer,
        errors: [],
      },
      input: query,
      async handle({ merchant, input }) {
        const asked = input as Asked;
        const zone = merchant.time_zone ?? timezone;
        const { payments, next } = await listPayments(
          db,
          merchant.merchant_id,
          {
            rail: asked.rail,
            kind: asked.type,
            states:
              asked.state === undefined
                ? undefined
                : paymentStates.filter((state) => shownState(state) === asked.state),
            createdFrom: momentOf(asked.created_from, zone),
            createdBefore: momentOf(asked.created_before, zone),
            currency: asked.currency,
            amountMinor: amountOf(asked),
            reference: asked.reference,
            phoneEnds: asked.phone_ends,
          },
          { before: asked.cursor, limit: asked.limit ?? limits.unlessReported },
        );
        const next_cursor = next ? listCursorOf(next) : null;
        const listed: TypeOf<typeof listAnswer> = {
          success: true,
          payments: payments.map(reported),
          next_cursor,
        };
        return { status: 200, body: listed };
      },
    },
    {
      ...own,
      method: 'GET',
      path: '/api/v1/payments/:payment_id',
      about: {
        id: 'payment',
        summary: 'Get a payment with its history',
        answer: oneAnswer,
        errors: ['PAYMENT_NOT_FOUND'],
      },
      input: Joi.object({
        payment_id: requiredText(36)
          .description('The payment')
          .example('01890a5d-ac96-774b-bcce-b302099a8057'),
      }),
      async handle({ merchant, input }) {
        const payment = await getOwnPaymentOrThrow(db, merchant.merchant_id, String(input['payment_id']));
        const history = await shownHistory(db, payment);
        const shown: TypeOf<typeof oneAnswer> = {
          success: true,
          payment: { ...reported(payment), ...history },
        };
        return { status: 200, body: shown };
      },
    },
  ];
}

function amountOf({ amount, currency }: Asked): bigint | undefined {
  if (amount === undefined) return undefined;
  const fault = (message: string) => invalid([{ field: 'amount', message }], 'INVALID_AMOUNT');
  if (currency === undefined) throw fault('amount needs a currency');
  const minor = parseAmount(amount, currency);
  if (minor === undefined) throw fault('amount is not a valid amount of this currency');
  return minor;
}
