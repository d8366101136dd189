/** How long after the end of a fault merchants could continue. Other faults may have occurred meanwhile. */
import type { Struck } from './havoc';

export interface Recovery {
  kind: string;
  /** Until the next accepted request, and until the next final payment, in milliseconds; undefined for never. */
  acceptedMs?: number | undefined;
  endedMs?: number | undefined;
}

const after = (times: readonly number[], at: number): number | undefined => {
  const later = times.filter((time) => time >= at).map((time) => time - at);
  return later.length > 0 ? Math.min(...later) : undefined;
};

/** @param accepted and @param ended times by `performance.now()`. */
export function recoveriesOf(
  struck: readonly Struck[],
  { accepted, ended }: { accepted: readonly number[]; ended: readonly number[] },
): Recovery[] {
  return struck.flatMap(({ kind, overAt }) =>
    overAt === undefined
      ? []
      : [{ kind, acceptedMs: after(accepted, overAt), endedMs: after(ended, overAt) }],
  );
}
