/** What was told of a payment, with all but the last digits of its customer's number covered wherever they stand in it. */
import { maskedPhone } from './payment-words';

/** Fields that name a person, whichever way a rail spells them. */
const personal = /phone|msisdn|email/i;
/** What is left of a number without the country's code, or with a 0 in its place. */
const nationalDigits = 9;

export function maskedIn(text: string, phone: string | null): string {
  const ending = (phone ?? '').replace(/\D/g, '').slice(-nationalDigits);
  if (ending.length < nationalDigits) return text;
  return text.replace(/\d+/g, (digits) => (digits.endsWith(ending) ? maskedPhone(digits) : digits));
}

/** Of a body as JSON, indented. */
export function maskedBody(body: string, phone: string | null): string {
  const covered: unknown = JSON.parse(body, (name, value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const told = String(value);
    if (personal.test(name) && told !== '') return maskedPhone(told);
    const masked = maskedIn(told, phone);
    return masked === told ? value : masked;
  });
  return JSON.stringify(covered, null, 2);
}
