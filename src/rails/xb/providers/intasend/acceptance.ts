import { cutText } from '../../../../domain/cut-text';
import type { Acceptance } from '../../../../domain/outcome';
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import { readInvoice, recordOf, type Invoice } from './invoice';
import { readRefusal } from './refusal';

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

export function accepted({ invoiceId }: Invoice): Acceptance & { kind: 'accepted' } {
  return { kind: 'accepted', providerReference: invoiceId, details: { told_invoice_id: invoiceId } };
}
