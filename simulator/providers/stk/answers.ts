/** All Daraja's answers, to the letter. */
import { randomInt } from 'node:crypto';
import type { CallResponse, ErrorAnswers } from '../../calls';
import type { Prompt } from './prompts';
import { results } from './results';

export const TOKEN_LIFETIME_S = 3_599;

function denial(status: number, errorCode: string, errorMessage: string): CallResponse {
  const requestId = `${String(randomInt(1_000, 100_000))}-${String(randomInt(1_000_000, 100_000_000))}-1`;
  return { status, json: { requestId, errorCode, errorMessage } };
}

export const invalidAuthentication = () => denial(400, '400.008.01', 'Invalid Authentication passed');
export const invalidGrantType = () => denial(400, '400.008.02', 'Invalid grant type passed');
export const invalidAccessToken = () => denial(404, '404.001.03', 'Invalid Access Token');
export const badRequest = (what: string) => denial(400, '400.002.02', `Bad Request - Invalid ${what}`);
export const wrongCredentials = () => denial(500, '500.001.1001', 'Wrong credentials');
export const unknownMerchant = () => denial(500, '500.001.1001', 'Merchant does not exist');
export const subscriberLocked = () => denial(500, '500.001.1001', results['1001'].slice(0, -1));
const stillProcessing = () => denial(500, '500.001.1001', 'The transaction is being processed');
export const noSuchResource = () => denial(404, '404.001.01', 'Resource not found');
/** The error lists of several calls (Daraja: Transaction Status, B2C, C2B) have this one for a wrong token. */
const otherTokenError = () => denial(400, '400.003.01', 'Invalid Access Token');
const SPIKE_ARREST = ['500.003.02', 'Error Occurred: Spike Arrest Violation'] as const;

/** The documentation has the spike arrest with status 500; a gateway uses 429. */
export const errors: ErrorAnswers = {
  rateLimited: () => denial(429, ...SPIKE_ARREST),
  expiredToken: invalidAccessToken,
  instead: {
    other_token_error: otherTokenError,
    spike_arrest: () => denial(500, ...SPIKE_ARREST),
    quota: () => denial(500, '500.003.03', 'Error Occurred: Quota Violation'),
  },
  afterwards: { act_then_error: () => denial(500, '500.003.1001', 'Internal Server Error') },
};

/** The lifetime is a text of seconds, like the real one. */
export function tokenIssued(token: string): CallResponse {
  return {
    status: 200,
    json: { access_token: token, expires_in: String(TOKEN_LIFETIME_S) },
    headers: { 'cache-control': 'no-store' },
  };
}

export function accepted({ merchantRequestId, checkoutRequestId }: Prompt): CallResponse {
  return {
    status: 200,
    json: {
      MerchantRequestID: merchantRequestId,
      CheckoutRequestID: checkoutRequestId,
      ResponseCode: '0',
      ResponseDescription: 'Success. Request accepted for processing',
      CustomerMessage: 'Success. Request accepted for processing',
    },
  };
}

export function queried({ merchantRequestId, checkoutRequestId, outcome, openAs }: Prompt): CallResponse {
  if (outcome === undefined && openAs === undefined) return stillProcessing();
  const [code, words] =
    outcome === undefined
      ? [openAs, 'The transaction is still under processing']
      : [outcome, results[outcome]];
  return {
    status: 200,
    json: {
      ResponseCode: '0',
      ResponseDescription: 'The service request has been accepted successsfully',
      MerchantRequestID: merchantRequestId,
      CheckoutRequestID: checkoutRequestId,
      ResultCode: code,
      ResultDesc: words,
    },
  };
}

/** A field, and whether it is valid. */
export type Check = readonly [field: string, isRight: boolean];

/** The error of the first invalid field; undefined if all are valid. */
export function firstFault(checks: readonly Check[]): CallResponse | undefined {
  const wrong = checks.find(([, isRight]) => !isRight);
  return wrong && badRequest(wrong[0]);
}
