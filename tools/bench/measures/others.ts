/** Other load on the machine during a measurement: it affects the results. */
import { cpus } from 'node:os';
import { cpuMeter } from './cpu';
import { rounded, sum } from './statistics';

/** @returns a function that returns how many processors all other processes have kept busy since. */
export async function othersMeter(
  pids: Readonly<Record<string, number>>,
  forking: readonly string[],
): Promise<() => Promise<number>> {
  const ours = await cpuMeter(pids, forking);
  const [beganAt, busyBefore] = [performance.now(), busyMs()];
  return async () => {
    const used = sum(Object.values((await ours?.()) ?? {}));
    return rounded(Math.max(0, busyMs() - busyBefore - used) / (performance.now() - beganAt));
  };
}

/** Of all processors, since the start of the machine. */
function busyMs(): number {
  return sum(cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq));
}
