/**
 * Whether it tells a later change of its payment than the highest `sequence` that you have dealt with: what is not later
 * was overtaken, or is a repeat. What has no sequence tells of no change: a test.
 * @param highest undefined for a payment that you have heard nothing of.
 */
export function isLater(told: object, highest: number | undefined): boolean {
  const sequence = sequenceOf(told);
  return sequence !== undefined && (highest === undefined || sequence > highest);
}

/** Which change of its payment a webhook, an event's data or a status tells. */
export function sequenceOf(told: object): number | undefined {
  const { sequence, data } = told as { sequence?: unknown; data?: { sequence?: unknown } | null };
  const found = sequence ?? data?.sequence;
  return typeof found === 'number' ? found : undefined;
}
