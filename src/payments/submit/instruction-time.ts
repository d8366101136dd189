/** What a provider usually needs to answer an instruction, and more. */
const enoughMs = 5_000;

/**
 * The milliseconds that must be left of a call when its instruction is sent. One that is cut short may have had its
 * effect, and left no reference to ask by; one that is not sent can be sent again.
 * @param timeoutMs of the whole call, a token and whatever else goes before the instruction.
 */
export function instructionLeastMs(timeoutMs: number): number {
  return Math.min(enoughMs, timeoutMs / 3);
}
