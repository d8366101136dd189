import { fieldNamedIn, type WireField } from '../../../../rail-kit/provider-words';
import { recordOf } from './invoice';

interface Refusal {
  /** The merchant's field, where the provider names one that is the merchant's. */
  field?: string;
  /** Its words for what is wrong, without the body around them. */
  reason?: string;
}

const fields: readonly WireField[] = [
  { match: /phone/i, field: 'phone_number' },
  { match: /amount|value/i, field: 'amount' },
  { match: /currency/i, field: 'currency' },
];

/**
 * What a 4xx says: faults under the names of their fields, a list of errors that name theirs as `attr`, or a sentence
 * as `detail`. The phone number comes first, because that is what a merchant can have corrected.
 */
export function readRefusal(json: unknown): Refusal {
  const body = recordOf(json);
  const listed = (Array.isArray(body['errors']) ? body['errors'] : [])
    .map(recordOf)
    .map((error) => [textIn(error['attr']), textIn(error['detail'])] as const);
  const named = Object.entries(body)
    .filter(([name]) => name !== 'errors' && name !== 'type')
    .map(([name, value]) => [name, textIn(value)] as const);
  const faults = [...listed, ...named].filter(([, text]) => text !== '');
  const ours = fields.map(({ match }) => faults.find(([name]) => match.test(name)));
  const told = ours.find((fault) => fault !== undefined) ?? faults[0];
  if (!told) return {};
  const [name, reason] = told;
  const byName = fieldNamedIn(name, fields);
  // A sentence that is about no field may still name one.
  return { reason, ...(name === 'detail' || name === '' ? fieldNamedIn(reason, fields) : byName) };
}

function textIn(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : '';
}
