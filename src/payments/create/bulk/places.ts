import { PaymentError, type FieldFault } from '../../../domain/errors';

/** A row's place in the list, as the fields of a request are named: `payouts.3`. */
export const placeOf = (n: number) => `payouts.${String(n)}`;

/** The faults of a row's refusal under the names that they have in the whole. */
export function faultsAt(n: number, { message, options: { details } }: PaymentError): FieldFault[] {
  const place = placeOf(n);
  return (details ?? [{ field: '', message: `: ${message}` }]).map(({ field, message: text }) => {
    const named = field === '' ? place : `${place}.${field}`;
    return { field: named, message: text.startsWith(field) ? `${named}${text.slice(field.length)}` : text };
  });
}

export function atPlace(n: number, refusal: PaymentError): PaymentError {
  const details = faultsAt(n, refusal);
  const message = details[0]?.message ?? refusal.message;
  return new PaymentError(refusal.code, { ...refusal.options, details, message });
}
