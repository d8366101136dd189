/** Readers for the provider's values. An unexpected shape reads as empty. */

/** The documented maximal length of an account reference. */
export const accountReferenceLength = 12;

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Numbers come as texts, and texts as numbers. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
