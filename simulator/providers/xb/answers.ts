/** All the provider's answers, to the letter. */
import type { CallResponse, ErrorAnswers } from '../../calls';
import { decimalOf } from '../../books';
import { currencies } from './currencies';
import { nairobiTime } from './identifiers';
import type { Invoice } from './invoices';

const detail = (status: number, text: string): CallResponse => ({ status, json: { detail: text } });

export const notAuthenticated = () => detail(401, 'Authentication credentials were not provided.');
export const invalidToken = () => detail(401, 'Invalid token.');
export const unreadable = () => detail(400, 'JSON parse error');
export const notFound = () => detail(404, 'Not found.');
export const unknownInvoice = () => detail(404, 'Invoice with specified id does not exist');
export const serverError = () => detail(500, 'A server error occurred.');

export const errorAnswers: ErrorAnswers = {
  expiredToken: invalidToken,
  rateLimited: () => detail(429, 'Request was throttled. Expected available in 30 seconds.'),
  unavailable: () => detail(503, 'Service temporarily unavailable, try again later.'),
};

export function fieldErrors(errors: Record<string, string[]>): CallResponse {
  return { status: 400, json: errors };
}

export function started(invoice: Invoice): CallResponse {
  return {
    status: 200,
    json: {
      id: invoice.id,
      invoice: answeredInvoice(invoice),
      ...metaOf(invoice),
      payment_link: null,
      customer_comment: null,
      refundable: false,
      ...timesOf(invoice),
    },
  };
}

export function statusOf(invoice: Invoice): CallResponse {
  return {
    status: 200,
    json: {
      invoice: answeredInvoice(invoice),
      meta: { id: invoice.id, ...metaOf(invoice), ...timesOf(invoice) },
    },
  };
}

/** A page of invoices, in the list format of the provider's framework. */
export function listed(found: Invoice[]): CallResponse {
  const results = found.map(answeredInvoice);
  return { status: 200, json: { count: results.length, next: null, previous: null, results } };
}

/**
 * Answers have the value and charges as numbers and the rest as a text, where webhooks have texts: as observed in
 * ronslink/payKey and techliana/intasend-sdk-golang, in KES and across borders.
 */
function answeredInvoice(invoice: Invoice) {
  const { invoice_id: id, ...fields } = wireInvoice(invoice);
  const { namedBy } = invoice;
  return {
    ...(namedBy !== 'invoice_id' && { id }),
    ...(namedBy !== 'id' && { invoice_id: id }),
    ...fields,
    charges: invoice.chargesCents / 100,
    value: invoice.valueCents / 100,
  };
}

/** The fields that the answers and the webhook share. */
export function wireInvoice(invoice: Invoice) {
  return {
    invoice_id: invoice.invoiceId,
    state: invoice.state,
    provider: currencies[invoice.currency].provider,
    charges: decimalOf(BigInt(invoice.chargesCents)),
    net_amount: decimalOf(BigInt(invoice.netCents)),
    currency: invoice.currency,
    value: decimalOf(BigInt(invoice.valueCents)),
    account: invoice.phone,
    api_ref: invoice.apiRef ?? null,
    mpesa_reference: invoice.receipt ?? null,
    host: invoice.host ?? null,
    card_info: { bin_country: null, card_type: null },
    retry_count: invoice.retryCount,
    failed_reason: invoice.failedReason ?? null,
    failed_code: invoice.failedCode ?? null,
    failed_code_link: null,
    ...timesOf(invoice),
  };
}

function metaOf({ customerId, phone, email, name, createdAt, updatedAt }: Invoice) {
  const [firstName, ...otherNames] = name?.split(' ') ?? [];
  return {
    customer: {
      customer_id: customerId,
      phone_number: phone,
      email: email ?? null,
      first_name: firstName ?? null,
      last_name: otherNames.length > 0 ? otherNames.join(' ') : null,
      ...timesOf({ createdAt, updatedAt }),
    },
  };
}

function timesOf({ createdAt, updatedAt }: Pick<Invoice, 'createdAt' | 'updatedAt'>) {
  return { created_at: nairobiTime(createdAt), updated_at: nairobiTime(updatedAt) };
}
