/** Reads what the provider writes. Whatever has another shape than expected reads as nothing. */

/** What the provider documents as the longest account reference it takes. */
export const accountReferenceLength = 12;

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Numbers come as texts, and texts as numbers. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
