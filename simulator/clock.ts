/**
 * The simulator's own time: as fast as the time scale says, and ahead of the wall clock by what was advanced.
 * It is kept in the journal, so a restart neither turns it back nor stops it.
 */
import type { Journal } from './journal';

export interface Clock {
  readonly scale: number;
  /** Milliseconds since 1970 in virtual time; never goes back. */
  now(): number;
  /** The same by the clock of whoever calls, who knows of no scale: the wall's, ahead by what was advanced. */
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
  /** What was advanced until then; journals of before do not tell it. */
  advancedMs?: number;
}

export function openClock(journal: Journal, scale: number, wallNow: () => number = Date.now): Clock {
  const anchors = journal.collection<Anchor>('clock');
  let anchor = anchors.get('anchor') ?? { wallMs: wallNow(), virtualMs: wallNow(), scale };
  let { virtualMs: latest, advancedMs = 0 } = anchor;
  let latestOfCallers = 0;

  const now = () => {
    // The wall clock may be set back by its keeper; virtual time then waits until it has caught up.
    latest = Math.max(latest, Math.floor(anchor.virtualMs + (wallNow() - anchor.wallMs) * anchor.scale));
    return latest;
  };
  const anchorAt = (virtualMs: number) => {
    anchor = { wallMs: wallNow(), virtualMs, scale, advancedMs };
    latest = virtualMs;
    anchors.put('anchor', anchor);
  };
  anchorAt(now());

  return {
    scale,
    now,
    callersNow() {
      latestOfCallers = Math.max(latestOfCallers, wallNow() + advancedMs);
      return latestOfCallers;
    },
    moveTo(virtualMs) {
      const jumpMs = virtualMs - now();
      if (jumpMs <= 0) return;
      advancedMs += jumpMs;
      anchorAt(virtualMs);
    },
    wallMsUntil: (virtualMs) => Math.max(0, Math.ceil((virtualMs - now()) / scale)),
  };
}
