import { setTimeout as delay } from 'node:timers/promises';
import { cutText } from '../../../../domain/cut-text';
import { exponentOf } from '../../../../domain/money';
import type { Finding, Recovery, Acceptance } from '../../../../domain/outcome';
import type { ProviderCheckups } from '../../../../rail-kit/provider-checkups';
import { providerHttp, type ProviderAnswer } from '../../../../rail-kit/provider-http';
import type { AskableWallets } from '../../../../rail-kit/provider-wallets';
import type { Operation, RailSettings } from '../../../../rail-kit/rail';
import { statementRequestMs } from '../../../../rail-kit/statement-calls';
import type { StatementSource } from '../../../../reconciliation/statement-source';
import type { PaymentRow } from '../../../../store/tables';
import type { IntasendSettings } from '../../settings';
import { intasendCheckups } from './checkups';
import { findingOf, readInvoice, recordOf, strangenessOf, type Invoice } from './invoice';
import { invoicePages } from './invoice-pages';
import { readRefusal } from './refusal';
import { intasendWallets } from './wallets';

type Provider = Pick<Operation, 'initiate' | 'retrieveStatus' | 'readNotification'> &
  Required<Pick<Operation, 'recover'>> & {
    checkups(notificationUrl: string): ProviderCheckups;
    wallets: AskableWallets;
    statementSource: StatementSource;
  };

/**
 * The push across borders, as techliana/intasend-sdk-golang has it (`SendIntaSendXBPush`: UGX and TZS), whose tests hold
 * a paid invoice of it in UGX. `mpesa-stk-push` of the provider's own clients asks in KES alone.
 */
const pushPath = '/api/v1/payment/intasend-xb-push/';
/** Leaves time to look up an instruction whose answer was lost. */
const instructionMs = 10_000;
/** The provider may need a moment to list what it has just taken. */
const lookAfterMs = [0, 1_000];
const lookUpMs = 2_000;
/** Of invoices, however many of them the provider puts on a page. */
const pageBytesMax = 8 * 1024 * 1024;

/**
 * IntaSend payment collection. No idempotency key is documented: an instruction is sent once and never again. One whose
 * answer was lost is looked up by our own name for it.
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

  /** What the list does not show may still have been taken: that is unknown, and never refused. */
  async function recover({ callback_token: apiRef }: PaymentRow, timeoutMs: number): Promise<Recovery> {
    const found = await list.find(apiRef ?? '', timeoutMs);
    return 'lost' in found ? { kind: 'unknown', text: found.lost } : accepted(found);
  }

  function told(invoice: Invoice): Finding {
    const strange = strangenessOf(invoice, xb.failures);
    if (strange !== undefined) {
      const { invoiceId, state, failedCode, failedReason } = invoice;
      settings.log.warn(`the cross-border provider said something unusual: ${strange}`, {
        invoice_id: invoiceId,
        state,
        failed_code: failedCode,
        failed_reason: failedReason,
      });
    }
    return findingOf(invoice, xb.failures);
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
        Math.min(timeoutMs, instructionMs),
      );
      const acceptance = readAcceptance(answer);
      if (acceptance.kind !== 'unknown') return acceptance;
      for (const afterMs of lookAfterMs) {
        await delay(afterMs);
        const found = await recover(payment, Math.min(lookUpMs, Math.max(1, deadline - Date.now())));
        if (found.kind === 'accepted') return found;
      }
      return acceptance;
    },

    recover: (payment, { timeoutMs }) => recover(payment, timeoutMs),

    async retrieveStatus(payment, { timeoutMs }): Promise<Finding> {
      const invoiceId = payment.provider_reference;
      if (invoiceId === null) {
        const found = await list.find(payment.callback_token ?? '', timeoutMs);
        return 'lost' in found ? { kind: 'unknown', text: found.lost } : told(found);
      }
      const answer = await post('query', '/api/v1/payment/status/', { invoice_id: invoiceId }, timeoutMs);
      if (answer.kind !== 'answered' || answer.status !== 200) return { kind: 'unknown', text: answer.text };
      const invoice = readInvoice(recordOf(answer.json)['invoice']);
      if (!invoice) return { kind: 'unknown', text: 'not an invoice' };
      // An answer about another collection says nothing about this one.
      const isOurs = invoice.invoiceId === invoiceId && invoice.apiRef === payment.callback_token;
      return isOurs ? told(invoice) : { kind: 'unknown', text: 'another invoice' };
    },

    readNotification({ body, inbox_id, follow_at: followAt }) {
      // Nothing vouches for it: it is only followed.
      if (followAt !== null) return { kind: 'hint', text: 'a notification that nothing proves' };
      const invoice = readInvoice(JSON.parse(body));
      if (!invoice) return { kind: 'unknown', text: 'not an invoice' };
      const strange = strangenessOf(invoice, xb.failures);
      // Its own words stay in the inbox: whoever knows the challenge can write them.
      if (strange !== undefined) {
        settings.log.warn(`a cross-border notification is unusual: ${strange}`, { inbox_id });
      }
      return findingOf(invoice, xb.failures);
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

/** 4xx is a definite refusal; 429 created nothing; anything else that is unreadable may have been accepted. */
export function readAcceptance(answer: ProviderAnswer): Acceptance {
  if (answer.kind !== 'answered') return answer;
  const { status, json, text } = answer;
  if (status === 429) return { kind: 'not_sent', text: 'too many requests' };
  if (status === 401 || status === 403) {
    return { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED', providerCode: String(status), text };
  }
  if (status >= 400 && status < 500) {
    const { field, reason } = readRefusal(json);
    const publicCode = field === 'phone_number' ? 'INVALID_PHONE_NUMBER' : 'PROVIDER_REJECTED_REQUEST';
    const about = field === undefined ? {} : { field };
    return { kind: 'refused', publicCode, providerCode: String(status), text: reason ?? text, ...about };
  }
  const invoice = status === 200 || status === 201 ? readInvoice(recordOf(json)['invoice']) : undefined;
  return invoice ? accepted(invoice) : { kind: 'unknown', text: cutText(`${String(status)} ${text}`, 500) };
}

function accepted({ invoiceId }: Invoice): Acceptance & { kind: 'accepted' } {
  return { kind: 'accepted', providerReference: invoiceId, details: { told_invoice_id: invoiceId } };
}

// Looks up a collection by the name that we gave it. The provider documents no such call, and one of its public clients
// makes it: so it is used where it answers, and left alone for an hour where it says that there is none.

const missingForMs = 60 * 60_000;

type Found = Invoice | { lost: string };

export function invoiceList(get: (path: string, timeoutMs: number) => Promise<ProviderAnswer>) {
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
      if (!ours) return { lost: 'the provider lists no invoice under our name' };
      return others.length === 0 ? ours : { lost: 'the provider lists several invoices under our name' };
    },
  };
}

/** A page of results, or the bare list. */
function invoicesIn(json: unknown): Invoice[] {
  const { results } = recordOf(json);
  const list = Array.isArray(json) ? json : Array.isArray(results) ? results : [];
  return list.flatMap((each: unknown) => readInvoice(recordOf(each)['invoice'] ?? each) ?? []);
}
