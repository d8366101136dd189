/** Checks whether the day digests match the booked entries, and each is built on the one before. */
import type { Database, Transaction } from '../store/database';
import type { LedgerLinkRow } from '../store/ledger-tables';
import { headOf, noHead } from './chain';
import { clockOf } from './day-digests';
import { dayAfter, startOf } from './utc-days';

export interface ChainFault {
  day: string;
  detail: string;
}

/** How many links are read at a time. */
const batch = 500;
/** Each day after a rewritten one may differ, too; this many are enough to see where it began. */
const faultsMax = 1_000;

/**
 * Follows the chain from its first link.
 * @param recomputed whether a link's head is computed again from its postings; the steps between links are always
 *   checked.
 * @param seen called with each link.
 */
export async function checkChain(
  db: Database | Transaction,
  recomputed: (link: LedgerLinkRow) => boolean = () => true,
  seen: (link: LedgerLinkRow) => void = () => undefined,
): Promise<ChainFault[]> {
  const now = await clockOf(db);
  const faults: ChainFault[] = [];
  let before: LedgerLinkRow | undefined;
  for (;;) {
    const links = await db('day_digests')
      .where('n', '>', before?.n ?? '-1')
      .orderBy('n')
      .limit(batch);
    for (const link of links) {
      const details = [...stepFaults(before, link), ...timeFaults(link, now)];
      if (recomputed(link)) details.push(...(await headFaults(db, link)));
      faults.push(...details.map((detail) => ({ day: link.day, detail })));
      seen(link);
      before = link;
    }
    if (links.length < batch || faults.length >= faultsMax) return faults.slice(0, faultsMax);
  }
}

function stepFaults(before: LedgerLinkRow | undefined, link: LedgerLinkRow): string[] {
  const expected = {
    n: String(BigInt(before?.n ?? 0) + 1n),
    day: before ? dayAfter(before.day) : link.day,
    after_seq: before?.last_seq ?? '0',
  };
  const details = (['n', 'day', 'after_seq'] as const)
    .filter((name) => link[name] !== expected[name])
    .map((name) => `has ${name} ${link[name]}, but must have ${expected[name]}`);
  const previous = before?.head ?? noHead;
  if (link.previous.equals(previous)) return details;
  return [...details, `follows ${hex(link.previous)}, but the previous head is ${hex(previous)}`];
}

/** A digest before the day's end would put the rest of the day into the next one. */
function timeFaults({ day, digested_at: digestedAt }: LedgerLinkRow, now: Date): string[] {
  if (digestedAt >= startOf(dayAfter(day)) && digestedAt <= now) return [];
  return [`was digested at the wrong time, ${digestedAt.toISOString()}`];
}

async function headFaults(db: Database | Transaction, link: LedgerLinkRow): Promise<string[]> {
  const end = startOf(dayAfter(link.day));
  let youngest = new Date(0);
  const { head, postings } = await headOf(db, link, (at) => {
    // An entry dated after its own day digest came from a wrong clock, and may be anywhere.
    if (at > youngest && at <= link.digested_at) youngest = at;
  });
  const late = youngest >= end ? [`covers a later entry, of ${youngest.toISOString()}`] : [];
  const isSame = head.equals(link.head) && postings === link.postings;
  if (isSame) return late;
  return [
    ...late,
    `has the digest ${hex(link.head)} of ${link.postings} postings, ` +
      `but now they are ${postings} with ${hex(head)}`,
  ];
}

const hex = (head: Buffer) => head.toString('hex');
