import { fieldNamedIn, type WireField } from '../../../../rail-kit/provider-words';
import { recordOf } from './invoice';

interface ErrorBody {
  /** The merchant's field, if the provider names one of the merchant's. */
  field?: string;
  /** The provider's description of the fault, without the body around it. */
  reason?: string;
}

const fields: readonly WireField[] = [
  { match: /phone/i, field: 'phone_number' },
  { match: /amount|value/i, field: 'amount' },
  { match: /currency/i, field: 'currency' },
];

/**
 * The faults in a 4xx: by field name, in a list of errors with the field as `attr`, or in a sentence as `detail`. The
 * phone number has priority, because the merchant can correct it.
 */
export function readErrorBody(json: unknown): ErrorBody {
  const body = recordOf(json);
  const listed = (Array.isArray(body['errors']) ? body['errors'] : [])
    .map(recordOf)
    .map((error) => [textIn(error['attr']), textIn(error['detail'])] as const);
  const named = Object.entries(body)
    .filter(([name]) => name !== 'errors' && name !== 'type')
    .map(([name, value]) => [name, textIn(value)] as const);
  const faults = [...listed, ...named].filter(([, text]) => text !== '');
  const ours = fields.map(({ match }) => faults.find(([name]) => match.test(name)));
  const reported = ours.find((fault) => fault !== undefined) ?? faults[0];
  if (!reported) return {};
  const [name, reason] = reported;
  const byName = fieldNamedIn(name, fields);
  // A sentence without a field may still mention one.
  return { reason, ...(name === 'detail' || name === '' ? fieldNamedIn(reason, fields) : byName) };
}

function textIn(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : '';
}
