/** Everything that Daraja answers, word by word. */
import { randomInt } from 'node:crypto';
import type { Answer, Refusals } from '../../calls';
import type { Prompt } from './prompts';
import { results } from './results';

export const TOKEN_LIFETIME_S = 3_599;

function refusal(status: number, errorCode: string, errorMessage: string): Answer {
  const requestId = `${String(randomInt(1_000, 100_000))}-${String(randomInt(1_000_000, 100_000_000))}-1`;
  return { status, json: { requestId, errorCode, errorMessage } };
}

export const invalidAuthentication = () => refusal(400, '400.008.01', 'Invalid Authentication passed');
export const invalidGrantType = () => refusal(400, '400.008.02', 'Invalid grant type passed');
export const invalidAccessToken = () => refusal(404, '404.001.03', 'Invalid Access Token');
export const badRequest = (what: string) => refusal(400, '400.002.02', `Bad Request - Invalid ${what}`);
export const wrongCredentials = () => refusal(500, '500.001.1001', 'Wrong credentials');
export const unknownMerchant = () => refusal(500, '500.001.1001', 'Merchant does not exist');
export const subscriberLocked = () => refusal(500, '500.001.1001', results['1001'].slice(0, -1));
const stillProcessing = () => refusal(500, '500.001.1001', 'The transaction is being processed');
export const noSuchResource = () => refusal(404, '404.001.01', 'Resource not found');
const spikeArrest = () => refusal(429, '500.003.02', 'Error Occurred: Spike Arrest Violation');

export const refusals: Refusals = { rateLimited: spikeArrest, expiredToken: invalidAccessToken };

/** The lifetime is a text of seconds, as the real one is. */
export function tokenIssued(token: string): Answer {
  return {
    status: 200,
    json: { access_token: token, expires_in: String(TOKEN_LIFETIME_S) },
    headers: { 'cache-control': 'no-store' },
  };
}

export function accepted({ merchantRequestId, checkoutRequestId }: Prompt): Answer {
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

export function queried({ merchantRequestId, checkoutRequestId, outcome }: Prompt): Answer {
  if (outcome === undefined) return stillProcessing();
  return {
    status: 200,
    json: {
      ResponseCode: '0',
      ResponseDescription: 'The service request has been accepted successsfully',
      MerchantRequestID: merchantRequestId,
      CheckoutRequestID: checkoutRequestId,
      ResultCode: outcome,
      ResultDesc: results[outcome],
    },
  };
}
