/** The merchant's KES wallet (specification, GET /api/v1/query_balance; some of its samples call /merchant/balance). */
import Joi from 'joi';
import { PaymentError, type ErrorCode } from '../domain/errors';
import { amountAsNumber } from '../domain/money';
import { timestamps } from '../domain/time';
import {
  amountNumber,
  body,
  moment,
  success,
  text,
  uuid,
  wallClockText,
  word,
  type TypeOf,
} from '../rail-kit/answer-fields';
import type { Endpoint } from '../rail-kit/endpoint';

const answer = body({
  success,
  merchant_id: uuid('The merchant that owns the wallet'),
  merchant_name: text('The registered business name', 'Duka la Mama'),
  balance: amountNumber('The available balance, without reserved amounts', 52_300.5),
  currency: word(['KES'], 'The currency of the balance'),
  timestamp: wallClockText('When the balance was read'),
  timestamp_utc: moment('The same time'),
});

const paths = [
  {
    path: '/api/v1/query_balance',
    id: 'queryBalance',
    summary: "Get the balance of the merchant's KES wallet",
  },
  {
    path: '/api/v1/merchant/balance',
    id: 'merchantBalance',
    summary: 'Get the balance (alias of query_balance)',
  },
];

/** Specification, Errors, Balance endpoint: every problem with the credentials has one error text. */
const ownWords: Partial<Record<ErrorCode, ErrorCode>> = {
  INVALID_CREDENTIALS: 'INVALID_MERCHANT',
  KEY_OF_OTHER_ENVIRONMENT: 'INVALID_MERCHANT',
  ACCOUNT_INACTIVE: 'MERCHANT_NOT_FOUND',
};

function translateError(error: PaymentError): PaymentError {
  const code = ownWords[error.code];
  if (code === undefined) return error;
  return new PaymentError(code, {
    detail: error.options.detail ?? error.message,
    cause: error.options.cause,
  });
}

export interface BalanceServices {
  /** Minor units available in the merchant's KES wallet. */
  walletBalance(merchantId: string): Promise<bigint>;
  timezone: string;
}

export function balanceEndpoints({ walletBalance, timezone }: BalanceServices): Endpoint[] {
  return paths.map(({ path, ...named }) => ({
    method: 'GET',
    path,
    about: { ...named, answer, errors: [] },
    access: 'headers',
    scope: 'read',
    rateLimit: 'api',
    input: Joi.object({}),
    starts: false,
    translateError,
    async handle({ merchant }) {
      const balanceMinor = await walletBalance(merchant.merchant_id);
      const reported: TypeOf<typeof answer> = {
        success: true,
        merchant_id: merchant.merchant_id,
        merchant_name: merchant.name,
        balance: amountAsNumber(balanceMinor, 'KES'),
        currency: 'KES',
        ...timestamps(new Date(), timezone),
      };
      return { status: 200, body: reported };
    },
  }));
}
