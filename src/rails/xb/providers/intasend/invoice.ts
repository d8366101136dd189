import { isCurrency, parseAmount } from '../../../../domain/money';
import type { ProviderResult } from '../../../../domain/outcome';
import type { XbFailure, IntasendSettings } from '../../settings';

/** One collection in the provider's format, flat in a notification and nested in an answer. */
export interface Invoice {
  invoiceId: string;
  apiRef: string;
  state: string;
  value: string;
  currency: string;
  charges: string;
  netAmount: string;
  reference: string;
  failedCode: string;
  failedReason: string;
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Amounts are texts in some answers and numbers in others. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Decimals in the form of the texts, so that merchants see each amount in one form. */
function decimalsOf(value: unknown): string {
  return typeof value === 'number' ? value.toFixed(2) : textOf(value);
}

/**
 * The id is `invoice_id` or `id`: public clients read either, and answers with only one of them were seen.
 * @returns undefined for anything that is no invoice, such as a refund's or a payout's event.
 */
export function readInvoice(value: unknown): Invoice | undefined {
  const invoice = recordOf(value);
  const invoiceId = textOf(invoice['invoice_id']) || textOf(invoice['id']);
  const state = textOf(invoice['state']);
  if (invoiceId === '' || state === '') return undefined;
  return {
    invoiceId,
    apiRef: textOf(invoice['api_ref']),
    state: state.toUpperCase(),
    value: textOf(invoice['value']),
    currency: textOf(invoice['currency']),
    charges: decimalsOf(invoice['charges']),
    netAmount: decimalsOf(invoice['net_amount']),
    reference: textOf(invoice['mpesa_reference']),
    failedCode: textOf(invoice['failed_code']),
    failedReason: textOf(invoice['failed_reason']),
  };
}

/** The stored fields of a notification: those that are read here, and its time. Nothing else in it is trusted. */
const fieldsKept = [
  ...['invoice_id', 'id', 'api_ref', 'state', 'value', 'currency', 'charges', 'net_amount'],
  ...['mpesa_reference', 'failed_code', 'failed_reason', 'updated_at'],
];

/**
 * A notification without the fields of other providers: a caller that knows this provider's secret must not speak for
 * another one.
 */
export function invoiceOnly(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => fieldsKept.includes(name)));
}

/** The meaning of FAILED, by its code, or else by its reason. The operator's own table has priority. */
const builtInFailures: IntasendSettings['failures'] = [
  { match: /^1032$|cancel/i, means: 'CANCELLED' },
  { match: /validat|invalid|not registered|unregistered/i, means: 'FAILED_VALIDATE' },
  // Insufficient funds, no answer, a wrong PIN: normal failures.
  { match: /^(?:1|1037|2001)$|insufficient|time(?:d )?-?out|\bpin\b/i, means: 'FAILED' },
];

/** The customer did not answer, but may have paid all the same. */
const timedOut = /time(?:d )?-?out|no response/i;

function ruleOf({ failedCode, failedReason }: Invoice, failures: IntasendSettings['failures']) {
  return (
    failures.find(({ match }) => match.test(failedCode) || match.test(failedReason)) ??
    builtInFailures.find(({ match }) => match.test(failedCode)) ??
    builtInFailures.find(({ match }) => match.test(failedReason))
  );
}

function meaningOf(invoice: Invoice, failures: IntasendSettings['failures']): XbFailure {
  return ruleOf(invoice, failures)?.means ?? 'FAILED';
}

/**
 * What an operator should know about: values that are not in the tables here or in the settings, or that need a review.
 */
export function strangenessOf(invoice: Invoice, failures: IntasendSettings['failures']): string | undefined {
  if (invoice.state === 'PARTIAL') return 'a part was paid; the payment stays open';
  if (resultOf(invoice, failures).kind === 'unknown') return 'the invoice has no usable result';
  if (invoice.state !== 'FAILED' || ruleOf(invoice, failures)) return undefined;
  return 'no rule has this failure; it counts as FAILED';
}

/** An unknown state means neither paid nor failed. PARTIAL is not paid yet, and RETRY is still in progress. */
export function resultOf(invoice: Invoice, failures: IntasendSettings['failures']): ProviderResult {
  const { invoiceId: providerReference, state } = invoice;
  const details: Record<string, string> = {};
  if (invoice.charges !== '') details['charges'] = invoice.charges;
  if (invoice.netAmount !== '') details['net_amount'] = invoice.netAmount;
  switch (state) {
    case 'PENDING':
      return { kind: 'open', text: state, providerReference };
    case 'PROCESSING':
    case 'RETRY':
    case 'PARTIAL':
      return { kind: 'open', as: 'processing', text: state, providerReference, details };
    case 'COMPLETE':
    case 'COMPLETED':
      return succeeded(invoice, details);
    case 'CANCELED':
    case 'CANCELLED':
      return {
        kind: 'cancelled',
        code: 'CANCELLED',
        text: invoice.failedReason || 'Cancelled',
        providerReference,
        details,
      };
    case 'FAILED': {
      const means = meaningOf(invoice, failures);
      const text = invoice.failedReason === '' ? 'Failed' : invoice.failedReason;
      const named = means === 'FAILED' && timedOut.test(text) ? 'TIMED_OUT' : means;
      const code = invoice.failedCode === '' ? named : invoice.failedCode;
      return means === 'CANCELLED'
        ? { kind: 'cancelled', code, text, providerReference, details }
        : { kind: 'failed', code, text, providerReference, details: { ...details, failure: named } };
    }
    default:
      return { kind: 'unknown', text: `state ${state}` };
  }
}

/** Without a readable value a success does not count: the requested amount must not be booked in its place. */
function succeeded(invoice: Invoice, details: Record<string, string>): ProviderResult {
  const { currency, value, reference } = invoice;
  const amountMinor = isCurrency(currency) ? parseAmount(value, currency) : undefined;
  if (amountMinor === undefined)
    return { kind: 'unknown', text: `${invoice.state} without a readable value` };
  return {
    kind: 'succeeded',
    code: 'COMPLETE',
    text: 'COMPLETE',
    currency,
    providerReference: invoice.invoiceId,
    details,
    amountMinor,
    ...(reference === '' ? {} : { receipt: reference }),
  };
}
