import { setTimeout as delay } from 'node:timers/promises';
import { cutText } from '../../../../domain/cut-text';
import { exponentOf } from '../../../../domain/money';
import type { ProviderResult, Recovery, SubmissionResult } from '../../../../domain/outcome';
import type { ProviderCheckups } from '../../../../rail-kit/provider-checkups';
import {
  isRejectedByProvider,
  providerHttp,
  type ProviderResponse,
} from '../../../../rail-kit/provider-http';
import type { AskableWallets } from '../../../../rail-kit/provider-wallets';
import type { Operation, RailSettings } from '../../../../rail-kit/rail';
import { statementRequestMs } from '../../../../rail-kit/statement-calls';
import type { StatementSource } from '../../../../reconciliation/statement-source';
import type { PaymentRow } from '../../../../store/tables';
import type { IntasendSettings } from '../../settings';
import { intasendCheckups } from './checkups';
import { resultOf, readInvoice, recordOf, strangenessOf, type Invoice } from './invoice';
import { invoicePages } from './invoice-pages';
import { readErrorBody } from './error-body';
import { intasendWallets } from './wallets';
import { wireJson } from '../../../../rail-kit/wire-json';

type Provider = Pick<Operation, 'initiate' | 'retrieveStatus' | 'readNotification'> &
  Required<Pick<Operation, 'recover'>> & {
    checkups(notificationUrl: string): ProviderCheckups;
    wallets: AskableWallets;
    statementSource: StatementSource;
  };

/**
 * The cross-border push, as in techliana/intasend-sdk-golang (`SendIntaSendXBPush`: UGX and TZS), whose tests contain a
 * paid invoice of it in UGX. `mpesa-stk-push` of the provider's own clients supports only KES.
 */
const pushPath = '/api/v1/payment/intasend-xb-push/';
/** Leaves time to look up a submission whose answer was lost. */
const submissionMs = 10_000;
/** The provider may need a moment to list a new invoice. */
const checkAfterMs = [0, 1_000];
const queryMs = 2_000;
/** The limit for a page of invoices, however many the provider puts on it. */
const pageBytesMax = 8 * 1024 * 1024;

/**
 * IntaSend payment collection. No idempotency key is documented, so a prompt is submitted once and never again. A
 * submission whose answer was lost is looked up by our own reference.
 */
export function intasendProvider(xb: IntasendSettings, settings: RailSettings): Provider {
  const http = providerHttp('xb', xb.baseUrl, settings.observe);
  const headers = {
    authorization: `Bearer ${xb.secretKey}`,
    INTASEND_PUBLIC_API_KEY: xb.publishableKey,
  };
  const post = (call: string, path: string, body: Record<string, unknown>, timeoutMs: number) =>
    http.send({
      call,
      method: 'POST',
      path,
      headers,
      body: { public_key: xb.publishableKey, ...body },
      timeoutMs,
    });

  const get = (call: string) => (path: string, timeoutMs: number) =>
    http.send({ call, method: 'GET', path, headers, timeoutMs });

  const list = invoiceList(get('lookup'));

  /** A submission that the list does not show may have been accepted: it is unknown, and never failed. */
  async function recover({ callback_token: apiRef }: PaymentRow, timeoutMs: number): Promise<Recovery> {
    const found = await list.find(apiRef ?? '', timeoutMs);
    return 'lost' in found ? { kind: 'unknown', text: found.lost } : accepted(found);
  }

  function reported(invoice: Invoice): ProviderResult {
    const strange = strangenessOf(invoice, xb.failures);
    if (strange !== undefined) {
      const { invoiceId, state, failedCode, failedReason } = invoice;
      settings.log.warn(`the cross-border provider returned an unusual invoice: ${strange}`, {
        invoice_id: invoiceId,
        state,
        failed_code: failedCode,
        failed_reason: failedReason,
      });
    }
    return resultOf(invoice, xb.failures);
  }

  return {
    async initiate(payment, { timeoutMs }) {
      const deadline = Date.now() + timeoutMs;
      const answer = await post(
        'initiate',
        pushPath,
        {
          currency: payment.currency,
          amount: wholeUnits(payment),
          phone_number: payment.phone_number,
          api_ref: payment.callback_token,
        },
        Math.min(timeoutMs, submissionMs),
      );
      const submissionResult = readSubmission(answer);
      if (submissionResult.kind !== 'unknown') return submissionResult;
      for (const afterMs of checkAfterMs) {
        await delay(afterMs);
        const found = await recover(payment, Math.min(queryMs, Math.max(1, deadline - Date.now())));
        if (found.kind === 'accepted') return found;
      }
      return submissionResult;
    },

    recover: (payment, { timeoutMs }) => recover(payment, timeoutMs),

    async retrieveStatus(payment, { timeoutMs }): Promise<ProviderResult> {
      const invoiceId = payment.provider_reference;
      if (invoiceId === null) {
        const found = await list.find(payment.callback_token ?? '', timeoutMs);
        return 'lost' in found ? { kind: 'unknown', text: found.lost } : reported(found);
      }
      const answer = await post('query', '/api/v1/payment/status/', { invoice_id: invoiceId }, timeoutMs);
      if (answer.kind !== 'answered' || answer.status !== 200) return { kind: 'unknown', text: answer.text };
      const invoice = readInvoice(recordOf(answer.json)['invoice']);
      if (!invoice) return { kind: 'unknown', text: 'not an invoice' };
      // An answer about another collection says nothing about this one.
      const isOurs = invoice.invoiceId === invoiceId && invoice.apiRef === payment.callback_token;
      return isOurs ? reported(invoice) : { kind: 'unknown', text: 'another invoice' };
    },

    readNotification({ body, inbox_id, follow_at: followAt }) {
      // Without a proof, the notification only causes a status query.
      if (followAt !== null) return { kind: 'unverified', text: 'the notification has no proof' };
      const invoice = readInvoice(recordOf(wireJson(body)));
      if (!invoice) return { kind: 'unknown', text: 'not an invoice' };
      const strange = strangenessOf(invoice, xb.failures);
      // The provider's text stays in the inbox: anyone who knows the challenge can write it.
      if (strange !== undefined) {
        settings.log.warn(`a cross-border notification is unusual: ${strange}`, { inbox_id });
      }
      return resultOf(invoice, xb.failures);
    },

    statementSource: invoicePages(
      (path) =>
        http.send({
          call: 'statement',
          method: 'GET',
          path,
          headers,
          timeoutMs: statementRequestMs,
          answerBytesMax: pageBytesMax,
          wantsBody: true,
        }),
      settings.timeScale,
    ),

    checkups: (notificationUrl) =>
      intasendCheckups(xb, { environment: settings.environment, notificationUrl }, get('checkup')),

    wallets: intasendWallets(get('balances'), xb.baseUrl),
  };
}

function wholeUnits(payment: PaymentRow): number {
  return Number(BigInt(payment.instructed_minor) / 10n ** BigInt(exponentOf(payment.instructed_currency)));
}

/** 429 created nothing. Any answer that is no rejection of the provider's may mean that the prompt was accepted. */
export function readSubmission(answer: ProviderResponse): SubmissionResult {
  if (answer.kind !== 'answered') return answer;
  const { status, json, text } = answer;
  if (status === 429) return { kind: 'not_sent', text: 'too many requests' };
  const isRejected = isRejectedByProvider(answer);
  if (isRejected && (status === 401 || status === 403)) {
    return { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED', providerCode: String(status), text };
  }
  if (isRejected) {
    const { field, reason } = readErrorBody(json);
    const publicCode = field === 'phone_number' ? 'INVALID_PHONE_NUMBER' : 'PROVIDER_REJECTED_REQUEST';
    const about = field === undefined ? {} : { field };
    return { kind: 'refused', publicCode, providerCode: String(status), text: reason ?? text, ...about };
  }
  const invoice = status === 200 || status === 201 ? readInvoice(recordOf(json)['invoice']) : undefined;
  return invoice ? accepted(invoice) : { kind: 'unknown', text: cutText(`${String(status)} ${text}`, 500) };
}

function accepted({ invoiceId }: Invoice): SubmissionResult & { kind: 'accepted' } {
  return { kind: 'accepted', providerReference: invoiceId };
}

// Looks up a collection by our reference. The provider does not document this call, but one of its public clients makes
// it. So it is used if it works, and paused for an hour if the provider says that it does not exist.

const missingForMs = 60 * 60_000;

type Found = Invoice | { lost: string };

export function invoiceList(get: (path: string, timeoutMs: number) => Promise<ProviderResponse>) {
  let missingUntil = 0;
  return {
    async find(apiRef: string, timeoutMs: number): Promise<Found> {
      if (performance.now() < missingUntil) return { lost: 'the provider has no list of invoices' };
      const path = `/api/v1/invoices/?api_ref=${encodeURIComponent(apiRef)}`;
      const answer = await get(path, timeoutMs);
      if (answer.kind !== 'answered') return { lost: answer.text };
      if (answer.status === 404 || answer.status === 405) missingUntil = performance.now() + missingForMs;
      if (answer.status !== 200) return { lost: `${String(answer.status)} ${answer.text}` };
      const [ours, ...others] = invoicesIn(answer.json).filter((invoice) => invoice.apiRef === apiRef);
      if (!ours) return { lost: 'the provider lists no invoice with our reference' };
      return others.length === 0 ? ours : { lost: 'the provider lists several invoices with our reference' };
    },
  };
}

/** A page of results, or the bare list. */
function invoicesIn(json: unknown): Invoice[] {
  const { results } = recordOf(json);
  const list = Array.isArray(json) ? json : Array.isArray(results) ? results : [];
  return list.flatMap((each: unknown) => readInvoice(recordOf(each)['invoice'] ?? each) ?? []);
}
