/** Checks the form of a client's request, as strictly as the provider: the first error is reported. */
import { isHttpUrl, isRecord, type Fields } from '../../fields';
import { failure, type Failure } from './failures';

export interface FieldCheck {
  field: string;
  isRequired: boolean;
  /** A sentence if the value is wrong; a whole failure if it has its own code. */
  fault(value: unknown): string | Failure | undefined;
}

const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;
/** No leading zeros, no trailing zeros, no sign and no exponent. */
const AMOUNT = /^(0|[1-9]\d{0,17})(\.\d{0,3}[1-9])?$/;
const METADATA_MAX = 10;

export const required = (field: string, fault: FieldCheck['fault']): FieldCheck => ({
  field,
  isRequired: true,
  fault,
});
export const optional = (field: string, fault: FieldCheck['fault']): FieldCheck => ({
  field,
  isRequired: false,
  fault,
});

const matches =
  (pattern: RegExp, expected: string) =>
  (value: unknown): string | undefined =>
    typeof value === 'string' && pattern.test(value) ? undefined : `It must be ${expected}.`;

export const uuidV4 = matches(UUID_V4, 'a UUID of version 4');
export const amount = matches(AMOUNT, 'a decimal string without zeros at its end');
export const currency = matches(/^[A-Z]{3}$/, 'an ISO 4217 code in upper case');
export const customerMessage = matches(/^[A-Za-z0-9 ]{4,22}$/, '4 to 22 letters, digits and spaces');
export const preAuthorisationCode = matches(/^.{1,36}$/, '1 to 36 characters');
export const clientReferenceId = matches(/^.{1,400}$/s, '1 to 400 characters');
export const text = matches(/./s, 'a string');
export const url = (value: unknown) =>
  isHttpUrl(value) ? undefined : 'It must be an http or https address.';

export function metadata(value: unknown): string | Failure | undefined {
  if (!Array.isArray(value) || value.length > METADATA_MAX) {
    return `It must be an array of at most ${String(METADATA_MAX)} objects.`;
  }
  const names: string[] = [];
  for (const entry of value) {
    const own = isRecord(entry) ? Object.keys(entry).filter((name) => name !== 'isPII') : [];
    if (own.length !== 1) return 'Each entry must be an object with one field, and isPII if need be.';
    names.push(...own);
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : failure('DUPLICATE_METADATA_FIELD', twice);
}

/** Checks of an object within the body. Errors name the full path of a field. */
export function shape(path: string, checks: readonly FieldCheck[]) {
  return (value: unknown): string | Failure | undefined =>
    isRecord(value) ? firstFault(value, checks, `${path}.`) : 'It must be an object.';
}

export function firstFault(fields: Fields, checks: readonly FieldCheck[], path = ''): Failure | undefined {
  const unknown = Object.keys(fields).find((name) => !checks.some(({ field }) => field === name));
  if (unknown !== undefined) return failure('UNSUPPORTED_PARAMETER', `${path}${unknown}`);
  for (const { field, isRequired, fault } of checks) {
    const value = fields[field];
    if (value === undefined) {
      if (isRequired) return failure('MISSING_PARAMETER', `${path}${field}`);
      continue;
    }
    const found = fault(value);
    if (found !== undefined) {
      return typeof found === 'string' ? failure('INVALID_PARAMETER', `${path}${field}: ${found}`) : found;
    }
  }
  return undefined;
}
