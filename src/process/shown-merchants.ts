import { cutText } from '../domain/cut-text';
import type { Database } from '../store/database';
import { redactText } from '../telemetry/redact';

/** A merchant's new name appears in Temporal after this time. */
const knownForMs = 600_000;
const knownMax = 10_000;
const lengthMax = 60;

/**
 * Merchants' names for Temporal, which we cannot prune: shortened, and without anything that looks like a phone number,
 * an address or a key.
 * @returns undefined where the database does not answer: a payment never waits for a name, and shows the id instead.
 */
export function shownMerchants(db: Database): (merchantId: string) => Promise<string | undefined> {
  const known = new Map<string, { at: number; name: Promise<string | undefined> }>();

  async function read(merchantId: string): Promise<string | undefined> {
    try {
      const row = await db('merchants').where({ merchant_id: merchantId }).first('name');
      // No character of it is Markdown, or starts another line.
      return (
        row &&
        cutText(
          redactText(row.name)
            .replace(/[^\p{L}\p{N}\p{M} .,&'/()-]/gu, ' ')
            .trim(),
          lengthMax,
        )
      );
    } catch {
      known.delete(merchantId);
      return undefined;
    }
  }

  return (merchantId) => {
    const found = known.get(merchantId);
    if (found && performance.now() - found.at < knownForMs) return found.name;
    if (known.size >= knownMax) known.clear();
    const name = read(merchantId);
    known.set(merchantId, { at: performance.now(), name });
    return name;
  };
}
