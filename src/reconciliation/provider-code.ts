/**
 * What a provider's query calls a payment and its statement a line, where that is no receipt: a network's own code, which a
 * code of another network may be like. It tells one of several that are like a line, and it contradicts; it finds nothing.
 */
import type { PaymentRow, StatementLineRow } from '../store/tables';
import { lineKindOf, type StatementFormat } from './statement';

type Coded = Pick<PaymentRow, 'kind' | 'details'>;

/** Whether line and payment have one code; undefined where either has none. */
export function isSameCode(
  format: StatementFormat,
  { kind, provider_reference: theirs }: StatementLineRow,
  payment: Coded,
): boolean | undefined {
  const ours = codeOf(format, payment);
  if (ours === undefined || theirs === '' || lineKindOf[payment.kind] !== kind) return undefined;
  return ours.toLowerCase() === theirs.toLowerCase();
}

export function codeOf({ codeIn }: StatementFormat, { details }: Coded): string | undefined {
  const code = codeIn === undefined ? '' : (details[codeIn]?.trim() ?? '');
  return code === '' ? undefined : code;
}
