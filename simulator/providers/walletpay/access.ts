/** Authentication: a bearer token for the client id and secret. */
import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import { recordOf } from '../../fields';
import type { Tokens } from '../../tokens';
import { isErrorName, isIssue, denial, refusedFor } from './errors';
import { newLongId } from './identifiers';
import type { WalletpaySettings } from './settings';

export const TOKEN_LIFETIME_S = 32_400;

const SCOPE = [
  'https://uri.paypal.com/services/payments/realtimepayment',
  'https://uri.paypal.com/services/payments/payment/authcapture',
  'https://uri.paypal.com/services/payments/refund',
  'https://uri.paypal.com/payments/payouts',
].join(' ');

export function issueToken(request: Request, settings: WalletpaySettings, tokens: Tokens): CallResponse {
  const { clientId, clientSecret } = settings;
  const expected = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  if (clientId === '' || clientSecret === '' || request.get('authorization') !== expected) {
    return oauthError(401, 'invalid_client', 'Client Authentication failed');
  }
  if (recordOf(request.body)['grant_type'] !== 'client_credentials') {
    return oauthError(400, 'unsupported_grant_type', 'Grant Type is NULL');
  }
  return {
    status: 200,
    json: {
      scope: SCOPE,
      access_token: tokens.issue(),
      token_type: 'Bearer',
      app_id: 'APP-80W284485P519543T',
      expires_in: TOKEN_LIFETIME_S,
      nonce: `${new Date().toISOString()}${newLongId()}`,
    },
  };
}

const oauthError = (status: number, error: string, description: string): CallResponse => ({
  status,
  json: { error, error_description: description },
});

export function tokenFault(request: Request, tokens: Tokens): CallResponse | undefined {
  const [, token] = /^Bearer (\S+)$/.exec(request.get('authorization') ?? '') ?? [];
  return token !== undefined && tokens.accepts(token) ? undefined : denial('AUTHENTICATION_FAILURE');
}

export function mediaTypeFault(request: Request): CallResponse | undefined {
  if (request.method !== 'POST' || request.is('json') !== false) return undefined;
  return denial('UNSUPPORTED_MEDIA_TYPE');
}

/** The header by which the provider's sandbox lets an integrator request an error; orders and payments support it. */
export function mockRequested(request: Request): CallResponse | undefined {
  const header = request.get('paypal-mock-response');
  if (header === undefined) return undefined;
  const code = mockCode(header);
  if (isIssue(code)) return refusedFor(code);
  if (isErrorName(code)) return denial(code);
  return denial('INVALID_REQUEST', [
    { field: 'PayPal-Mock-Response', value: header, location: 'header', issue: 'INVALID_PARAMETER_VALUE' },
  ]);
}

function mockCode(header: string): unknown {
  try {
    return recordOf(JSON.parse(header))['mock_application_codes'];
  } catch {
    return undefined;
  }
}
