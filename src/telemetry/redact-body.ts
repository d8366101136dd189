/** What a provider has sent, as operators may see it: its form, without the secrets and the persons in it. */
import { parse } from 'lossless-json';
import { redactFields, redactText } from './redact';

/** @param body JSON, a form, or any other text. */
export function redactBody(body: string): string {
  const fields = fieldsOf(body);
  return fields ? JSON.stringify(redactFields(fields), null, 2) : redactText(body);
}

function fieldsOf(body: string): Record<string, unknown> | undefined {
  try {
    const read = parse(body);
    return typeof read === 'object' && read !== null ? { ...read } : undefined;
  } catch {
    // A form, as some providers send it: each name of it is known to be one.
    return /^[\w.\-[\]%]+=/.test(body) ? Object.fromEntries(new URLSearchParams(body)) : undefined;
  }
}
