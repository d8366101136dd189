import { cutText } from '../../../../domain/cut-text';
import { exponentOf } from '../../../../domain/money';
import type { SubmissionResult, ProviderResult } from '../../../../domain/outcome';
import { compactWallClock, networkZone } from '../../../../domain/time';
import { submissionLeastMs } from '../../../../payments/submit/write-attempt';
import type { AskableWallets } from '../../../../rail-kit/provider-wallets';
import type { ProviderCheckups } from '../../../../rail-kit/provider-checkups';
import {
  providerHttp,
  type ProviderResponse,
  type ProviderRequest,
} from '../../../../rail-kit/provider-http';
import type { Operation, ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import type { StatementSource } from '../../../../reconciliation/statement-source';
import type { PaymentRow } from '../../../../store/tables';
import type { StkSettings } from '../../settings';
import { darajaToken } from './access-token';
import { darajaWallets } from './account-balance';
import { resultOfCallback, readCallback } from './notification-body';
import { darajaCheckups } from './checkups';
import { pullTransactions } from './pull-transactions';
import {
  resultOfStatus,
  originalIdOf,
  readStatusSubmission,
  readStatusResult,
  statusRequest,
  type Initiator,
} from './transaction-status';
import { readSubmission, readStatus, isTokenError } from './answers';
import { accountReferenceLength } from './wire';

/** The documented maximal length. */
const transactionDescLength = 13;

interface Provider extends Pick<
  Operation,
  'initiate' | 'retrieveStatus' | 'readNotification' | 'requestReceipt'
> {
  checkups(): ProviderCheckups;
  /** Set if the account has an initiator. */
  wallets?: AskableWallets;
  /** Set if the account has Pull Transactions. */
  statementSource?: StatementSource;
}

/** Safaricom Daraja, M-Pesa Express. It has no idempotency key, so a prompt is submitted once and never again. */
export function darajaProvider(stk: StkSettings, settings: RailSettings, callbackBase: string): Provider {
  const http = providerHttp('stk', stk.baseUrl, settings.observe);
  const { initiator, pullNumber, shortcode } = stk;
  const tokens = darajaToken(http, settings.tokens, stk);

  function signed(): Record<string, string> {
    // The provider checks its password against Nairobi time, whatever the service's time zone.
    const timestamp = compactWallClock(new Date(), networkZone);
    const password = Buffer.from(`${stk.shortcode}${stk.passkey}${timestamp}`).toString('base64');
    return { BusinessShortCode: stk.shortcode, Password: password, Timestamp: timestamp };
  }

  /** A rejected token was rejected before any effect, so the call is repeated once with a new token. */
  async function authorised(
    call: string,
    path: string,
    body: () => Record<string, unknown>,
    {
      timeoutMs,
      leastMs = 1,
      ...wanted
    }: { timeoutMs: number; leastMs?: number } & Pick<ProviderRequest, 'answerBytesMax' | 'wantsBody'>,
  ): Promise<ProviderResponse | { kind: 'account_refused'; text: string }> {
    const deadline = Date.now() + timeoutMs;
    for (let repeated = false; ; repeated = true) {
      const token = await tokens.get(Math.max(1, deadline - Date.now()));
      if (token.kind === 'refused') return { kind: 'account_refused', text: token.text };
      if (token.kind === 'unavailable') return { kind: 'not_sent', text: token.text };
      const leftMs = deadline - Date.now();
      if (leftMs < leastMs) return { kind: 'not_sent', text: 'the token arrived too late' };
      const answer = await http.send({
        call,
        method: 'POST',
        path,
        headers: { authorization: `Bearer ${token.token}` },
        body: body(),
        timeoutMs: leftMs,
        ...wanted,
      });
      if (repeated || !isTokenError(answer)) return answer;
      tokens.forget(token.token);
    }
  }

  async function requestReceipt(
    initiator: Initiator,
    payment: PaymentRow,
    token: string,
    { timeoutMs }: ProviderCall,
  ): ReturnType<NonNullable<Operation['requestReceipt']>> {
    if (originalIdOf(payment) === '')
      return { kind: 'not_asked', text: 'the MerchantRequestID of the payment is not known' };
    const urls = {
      result: `${callbackBase}/receipt/${token}`,
      timeout: `${callbackBase}/no-receipt/${token}`,
    };
    const path = '/mpesa/transactionstatus/v1/query';
    const body = statusRequest(payment, stk.shortcode, initiator, urls);
    return readStatusSubmission(await authorised('receipt', path, () => body, { timeoutMs }));
  }

  return {
    async initiate(payment: PaymentRow, { timeoutMs }: ProviderCall): Promise<SubmissionResult> {
      const phone = payment.phone_number ?? '';
      const answer = await authorised(
        'initiate',
        '/mpesa/stkpush/v1/processrequest',
        () => ({
          TransactionType: stk.transactionType,
          Amount: wholeShillings(payment),
          PartyA: phone,
          PartyB: stk.partyB,
          PhoneNumber: phone,
          CallBackURL: `${callbackBase}/${payment.callback_token ?? ''}`,
          AccountReference: cutText(payment.account_reference ?? '', accountReferenceLength),
          TransactionDesc: cutText(payment.details['transaction_desc'] ?? '', transactionDescLength),
          ...signed(),
        }),
        { timeoutMs, leastMs: submissionLeastMs(timeoutMs) },
      );
      return readSubmission(answer);
    },

    async retrieveStatus(payment: PaymentRow, { timeoutMs }: ProviderCall): Promise<ProviderResult> {
      const answer = await authorised(
        'query',
        '/mpesa/stkpushquery/v1/query',
        () => ({ CheckoutRequestID: payment.provider_reference, ...signed() }),
        { timeoutMs },
      );
      return readStatus(answer, payment.provider_reference ?? '');
    },

    readNotification({ body }): ProviderResult {
      const callback = readCallback(body);
      if (callback) return resultOfCallback(callback);
      const result = readStatusResult(body);
      return result ? resultOfStatus(result) : { kind: 'unknown', text: 'not a callback' };
    },

    ...(initiator && {
      requestReceipt: (...asked) => requestReceipt(initiator, ...asked),
      wallets: darajaWallets(authorised, stk, initiator, callbackBase),
    }),

    ...(pullNumber !== undefined && {
      statementSource: pullTransactions(
        ({ path, body, ...options }) => authorised('statement', path, () => body, options),
        { shortcode, nominatedNumber: pullNumber, callbackUrl: `${callbackBase}/pull` },
        settings.timeScale,
      ),
    }),

    checkups: () => ({
      title: 'Safaricom Daraja',
      baseUrl: stk.baseUrl,
      baseUrlSetting: 'STK_BASE_URL',
      documentedUrls: {
        sandbox: 'https://sandbox.safaricom.co.ke',
        live: 'https://api.safaricom.co.ke',
      },
      notificationUrl: `${callbackBase}/…`,
      checkups: darajaCheckups(stk, { environment: settings.environment, callbackBase }, tokens),
    }),
  };
}

function wholeShillings(payment: PaymentRow): number {
  return Number(BigInt(payment.instructed_minor) / 10n ** BigInt(exponentOf(payment.instructed_currency)));
}
