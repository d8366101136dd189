/**
 * Whether it reports a later change of its payment than the highest `sequence` that you have processed. Otherwise it is
 * outdated or a repeat. A test webhook has no sequence, and is never later.
 * @param highest undefined for a payment without any processed change.
 */
export function isLater(told: object, highest: number | undefined): boolean {
  const sequence = sequenceOf(told);
  return sequence !== undefined && (highest === undefined || sequence > highest);
}

/** The number of the payment's change in a webhook, an event's data or a status. */
export function sequenceOf(told: object): number | undefined {
  const { sequence, data } = told as { sequence?: unknown; data?: { sequence?: unknown } | null };
  const found = sequence ?? data?.sequence;
  return typeof found === 'number' ? found : undefined;
}
