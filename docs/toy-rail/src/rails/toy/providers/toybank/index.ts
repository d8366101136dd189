import { formatAmount, parseAmount } from '../../../../domain/money';
import type { ProviderResult, SubmissionResult } from '../../../../domain/outcome';
import { providerHttp, type ProviderResponse } from '../../../../rail-kit/provider-http';
import type { Operation, RailSettings } from '../../../../rail-kit/rail';
import type { ToySettings } from '../../settings';

type Actions = Required<Pick<Operation, 'initiate' | 'recover' | 'retrieveStatus'>>;

/** Our payment id is the bank's idempotency key: the bank makes one payment for each key, and finds the payment by it. */
export function toybankProvider({ TOY_BASE_URL, TOY_TOKEN }: ToySettings, rail: RailSettings): Actions {
  const http = providerHttp('toy', TOY_BASE_URL, rail.observe);
  const headers = { authorization: `Bearer ${TOY_TOKEN}` };
  return {
    async initiate(payment, { timeoutMs }) {
      const body = {
        key: payment.payment_id,
        amount: formatAmount(BigInt(payment.instructed_minor), payment.instructed_currency),
        phone: payment.phone_number,
      };
      const path = '/payments';
      return readSubmission(
        await http.send({ call: 'initiate', method: 'POST', path, headers, body, timeoutMs }),
      );
    },
    async recover(payment, { timeoutMs }) {
      const path = `/payments?key=${payment.payment_id}`;
      const found = readSubmission(
        await http.send({ call: 'lookup', method: 'GET', path, headers, timeoutMs }),
      );
      // The bank may list it later. So a missing payment proves nothing.
      return found.kind === 'accepted' ? found : { kind: 'unknown', text: 'the bank does not list it' };
    },
    async retrieveStatus({ provider_reference: id }, { timeoutMs }) {
      const path = `/payments/${encodeURIComponent(id ?? '')}`;
      return readResult(await http.send({ call: 'status', method: 'GET', path, headers, timeoutMs }));
    },
  };
}

const fieldsOf = (json: unknown) => (json ?? {}) as Record<string, unknown>;

/** Only a 4xx is a definite refusal. After an unreadable answer the bank may have accepted the payment. */
function readSubmission(answer: ProviderResponse): SubmissionResult {
  if (answer.kind !== 'answered') return answer;
  const { status, json, text } = answer;
  if (status === 429) return { kind: 'not_sent', text: 'too many requests' };
  if (status >= 400 && status < 500) {
    return { kind: 'refused', publicCode: 'PROVIDER_REJECTED_REQUEST', providerCode: String(status), text };
  }
  const { id } = fieldsOf(json);
  return status < 300 && typeof id === 'string'
    ? { kind: 'accepted', providerReference: id }
    : { kind: 'unknown', text };
}

/** An unknown status is neither paid nor failed. */
function readResult(answer: ProviderResponse): ProviderResult {
  if (answer.kind !== 'answered' || answer.status !== 200) return { kind: 'unknown', text: answer.text };
  const { status, amount } = fieldsOf(answer.json);
  if (status === 'open') return { kind: 'open' };
  if (status === 'declined') return { kind: 'failed', code: 'DECLINED', text: 'The customer declined' };
  const amountMinor = parseAmount(String(amount), 'KES');
  return status === 'paid' && amountMinor !== undefined
    ? { kind: 'succeeded', code: 'PAID', text: 'Paid', amountMinor, currency: 'KES' }
    : { kind: 'unknown', text: answer.text };
}
