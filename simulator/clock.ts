/**
 * The simulator's virtual time: it runs by the time scale, ahead of the wall clock by what was advanced. It decides
 * what is due and how old something is. Dates that callers see are real times, because callers use them too. The
 * journal stores it, so a restart neither sets it back nor stops it.
 */
import type { Journal } from './journal';

export interface Clock {
  readonly scale: number;
  /** Milliseconds since 1970 in virtual time; it never goes back. */
  now(): number;
  /** The real time, which callers have too; it never goes back. */
  callersNow(): number;
  /** Moves forward to a time; a past time changes nothing. */
  moveTo(virtualMs: number): void;
  /** How long to wait in real time until the clock shows a time. */
  wallMsUntil(virtualMs: number): number;
}

/** A known pair of real and virtual time. Later times follow from the scale. */
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
    // The wall clock may be set back; then virtual time waits until it has caught up.
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
