import { isCurrency, parseAmount } from '../../../../domain/money';
import type { Finding } from '../../../../domain/outcome';
import type { XbFailure, IntasendSettings } from '../../settings';

/** One collection as the provider shows it, flat in a notification and nested in an answer. */
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

/** Amounts come as texts in some answers and as numbers in others. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** In decimals as the texts are, so that merchants are told one figure in one way. */
function decimalsOf(value: unknown): string {
  return typeof value === 'number' ? value.toFixed(2) : textOf(value);
}

/**
 * The id is called `invoice_id` or `id`: public clients read either, and answers with one alone have been seen.
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

/** What is kept of a notification: what is read here, and when it was said. Nothing else in it is the provider's to tell. */
const fieldsKept = [
  ...['invoice_id', 'id', 'api_ref', 'state', 'value', 'currency', 'charges', 'net_amount'],
  ...['mpesa_reference', 'failed_code', 'failed_reason', 'updated_at'],
];

/**
 * A notification without all that another provider's could be read from: whoever knows this one's secret speaks for this
 * one alone.
 */
export function invoiceOnly(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => fieldsKept.includes(name)));
}

/** What FAILED means, by its code, or else by its reason; the operator's own table comes first. */
const builtInFailures: IntasendSettings['failures'] = [
  { match: /^1032$|cancel/i, means: 'CANCELLED' },
  { match: /validat|invalid|not registered|unregistered/i, means: 'FAILED_VALIDATE' },
  // Insufficient funds, no answer, a wrong PIN: failures as they happen every day.
  { match: /^(?:1|1037|2001)$|insufficient|time(?:d )?-?out|\bpin\b/i, means: 'FAILED' },
];

/** Nobody answered: the customer may have paid all the same. */
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

/** What an operator should hear of: words that the tables here or in the settings do not have, or that want a look. */
export function strangenessOf(invoice: Invoice, failures: IntasendSettings['failures']): string | undefined {
  if (invoice.state === 'PARTIAL') return 'a part was paid; it is followed as under way';
  if (findingOf(invoice, failures).kind === 'unknown') return 'it says nothing that we can act upon';
  if (invoice.state !== 'FAILED' || ruleOf(invoice, failures)) return undefined;
  return 'no rule has this failure; it is taken for FAILED';
}

/** A state we have never seen says nothing. PARTIAL is no payment yet, and RETRY still tries. */
export function findingOf(invoice: Invoice, failures: IntasendSettings['failures']): Finding {
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
        : { kind: 'failed', code, text, providerReference, details: { ...details, failure: means } };
    }
    default:
      return { kind: 'unknown', text: `state ${state}` };
  }
}

/** Without a readable value a success is no success: what we had asked for must not be booked in its place. */
function succeeded(invoice: Invoice, details: Record<string, string>): Finding {
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
