/**
 * The simulator's own time: as fast as the time scale says, and ahead of the wall clock by what was advanced. It tells
 * what is due and how old something is. What is dated for others has the real time, as they have.
 * It is kept in the journal, so a restart neither turns it back nor stops it.
 */
import type { Journal } from './journal';

export interface Clock {
  readonly scale: number;
  /** Milliseconds since 1970 in virtual time; never goes back. */
  now(): number;
  /** The real time, which whoever calls has, too; never goes back. */
  callersNow(): number;
  /** Moves forward to a moment; a moment already past changes nothing. */
  moveTo(virtualMs: number): void;
  /** How long to wait, on the wall, until the clock shows a moment. */
  wallMsUntil(virtualMs: number): number;
}

/** A moment at which wall time and virtual time are both known; everything later follows from the scale. */
interface Anchor {
  wallMs: number;
  virtualMs: number;
  scale: number;
}

export function openClock(journal: Journal, scale: number, wallNow: () => number = Date.now): Clock {
  const anchors = journal.collection<Anchor>('clock');
  let anchor = anchors.get('anchor') ?? { wallMs: wallNow(), virtualMs: wallNow(), scale };
  let { virtualMs: latest } = anchor;
  let latestOfCallers = 0;

  const now = () => {
    // The wall clock may be set back by its keeper; virtual time then waits until it has caught up.
    latest = Math.max(latest, Math.floor(anchor.virtualMs + (wallNow() - anchor.wallMs) * anchor.scale));
    return latest;
  };
  const anchorAt = (virtualMs: number) => {
    anchor = { wallMs: wallNow(), virtualMs, scale };
    latest = virtualMs;
    anchors.put('anchor', anchor);
  };
  anchorAt(now());

  return {
    scale,
    now,
    callersNow() {
      latestOfCallers = Math.max(latestOfCallers, wallNow());
      return latestOfCallers;
    },
    moveTo(virtualMs) {
      if (virtualMs > now()) anchorAt(virtualMs);
    },
    wallMsUntil: (virtualMs) => Math.max(0, Math.ceil((virtualMs - now()) / scale)),
  };
}
