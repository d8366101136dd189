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
import { shownPayment, shownState, shownStates, shownStory } from '../payments/read/merchant-view';
import { nextStepAmong, nextStepFields } from '../payments/read/next-step';
import { feeInWords, feeInWordsFields } from '../payments/transition/fees';
import { heldFields } from '../payments/read/on-hold';
import { getOwnPaymentOrThrow } from '../payments/read/payments';
import type { Database } from '../store/database';
import type { PaymentRow } from '../store/tables';
import { isStorable, listCursorOf, type ListPlace } from '../store/list-place';
import { limitField, listCursorField, nextCursorTold } from './fields';

const limits = { min: 1, max: 100, unlessTold: 50 };

const momentField = optionalText(40)
  .example('2026-01-31T08:00:00Z')
  .custom((text: string, helpers) => {
    const isMoment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text);
    return isMoment && isStorable(new Date(text))
      ? text
      : refuse(helpers, 'must be a day or a moment, such as 2026-01-31 or 2026-01-31T08:00:00Z');
  });

const kinds = ['deposit', 'payout', 'refund'] as const;

const query = Joi.object({
  rail: optionalText(24)
    .pattern(/^[a-z0-9]+$/)
    .description('One rail alone')
    .example('momo'),
  type: optionalText(16)
    .valid(...kinds)
    .description('One type alone')
    .example('deposit'),
  state: optionalText(16)
    .valid(...shownStates)
    .description('One state alone')
    .example('succeeded'),
  created_from: momentField.description(
    'Taken on then or later. A day of your time zone, or a moment with its zone',
  ),
  created_before: momentField.description(
    'Taken on before then. A day of your time zone, or a moment with its zone',
  ),
  currency: anyCurrencyField(),
  amount: optionalText(20)
    .meta(noted({ pattern: '^\\d+(\\.\\d{1,3})?$' }, ['INVALID_AMOUNT']))
    .description('Exactly what was asked for, in units of `currency`, which it needs')
    .example('1250.00'),
  reference: optionalText(1_000, 'known').description('Your order_id or reference, whole').example('INV-1'),
  phone_ends: optionalText(12)
    .pattern(/^\d{3,12}$/, 'the last 3 to 12 digits')
    .description("The last 3 to 12 digits of the customer's number")
    .example('4149'),
  limit: limitField(limits).description('Payments on a page, 1 to 100; 50 unless told').example('50'),
  cursor: listCursorField,
});

const fields = {
  payment_id: uuid('The payment'),
  rail: text('Its rail', 'stk'),
  type: word(kinds, 'What it is'),
  state: word(shownStates, 'Where it stands', { example: 'succeeded' }),
  is_final: flag('It has ended; a late success may still follow a failure'),
  ...nextStepFields,
  ...heldFields,
  amount: amountText('What was asked for, in `currency`'),
  currency: currencyCode<Currency>('Of the amount', 'KES'),
  confirmed_amount: orNull(amountText('What the provider confirmed')),
  confirmed_currency: orNull(currencyCode<Currency>('Of what it confirmed', 'KES')),
  ...feeInWordsFields,
  order_id: orNull(text('Your order_id', 'ORDER-1')),
  reference: orNull(text('Your reference', 'INV-1')),
  phone_number: orNull(text("The customer's number", '254708374149')),
  provider: text('Who moves the money', 'daraja'),
  provider_reference: orNull(text("The provider's id of it", 'ws_CO_050120260900000000')),
  receipt: orNull(text("The provider's receipt", 'TKL7SE91QF')),
  deposit_id: orNull(text('Of a refund: the deposit', '01890a5d-ac96-774b-bcce-b302099a8057')),
  failure_code: orNull(text('Why it failed', '1032')),
  failure_message: orNull(text('The same in words', 'Request cancelled by user')),
  correction: flag('It succeeded after it had been told as failed', { example: false }),
  possible_duplicate_of: maybe(text('What you call the payment that had paid the same before', 'INV-1')),
  ...sequenceField,
  created_at: moment('When it was taken on'),
  updated_at: moment('When it changed last'),
  finished_at: orNull(moment('When it ended')),
};

const listAnswer = body({
  success,
  payments: listOf(body(fields), 'The newest first', limits.max),
  next_cursor: nextCursorTold,
});

const step = { state: fields.state };
const oneAnswer = body({
  success,
  payment: body({
    ...fields,
    timeline: listOf(body({ ...step, at: moment('When it was entered') }), 'Each state that it entered'),
    refunds: listOf(body({ payment_id: uuid('The refund'), ...step }), 'Of a deposit, the oldest first'),
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
  cursor?: ListPlace;
}

const own = { access: 'headers', scope: 'read', rateLimit: 'api', starts: false } as const;

/** A day begins by the zone. */
const momentOf = (text: string | undefined, zone: string): Date | undefined =>
  text === undefined ? undefined : isDay(text) ? startOfDay(text, zone) : new Date(text);

export interface PaymentsServices {
  db: Database;
  rails: readonly Pick<Rail, 'name' | 'nextStep'>[];
  /** Of merchants who have set none. */
  timezone: string;
}

export function paymentsEndpoints({ db, rails, timezone }: PaymentsServices): Endpoint[] {
  const told = (payment: PaymentRow) => ({
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
        summary: "The merchant's payments on all rails, newest first",
        details:
          'A page looks at 2,000 payments at most: where a filter matches few, it may be short, or empty',
        answer: listAnswer,
        refusals: [],
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
          { before: asked.cursor, limit: asked.limit ?? limits.unlessTold },
        );
        const next_cursor = next ? listCursorOf(next) : null;
        const listed: TypeOf<typeof listAnswer> = {
          success: true,
          payments: payments.map(told),
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
        summary: 'One payment with its story',
        answer: oneAnswer,
        refusals: ['PAYMENT_NOT_FOUND'],
      },
      input: Joi.object({
        payment_id: requiredText(36)
          .description('The payment')
          .example('01890a5d-ac96-774b-bcce-b302099a8057'),
      }),
      async handle({ merchant, input }) {
        const payment = await getOwnPaymentOrThrow(db, merchant.merchant_id, String(input['payment_id']));
        const story = await shownStory(db, payment);
        const shown: TypeOf<typeof oneAnswer> = {
          success: true,
          payment: { ...told(payment), ...story },
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
  if (minor === undefined) throw fault('amount is no amount of this currency');
  return minor;
}
