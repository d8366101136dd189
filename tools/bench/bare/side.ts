import type { TemporalSettings } from '../../../src/process/temporal-connection';
import { historiesOf } from '../measures/histories';
import type { Side } from '../measures/side';
import { withTemporalClient } from '../measures/temporal-client';
import type { BareSide } from './processes';

/**
 * Bare workflows, from the update that starts them to their end.
 * @param serverPids of Temporal's processes, by name
 */
export function bareSide(
  bare: BareSide,
  temporal: TemporalSettings,
  serverPids: Readonly<Record<string, number>>,
): Side {
  return {
    name: 'bare workflows',
    closedLoop: (plan) => bare.closedLoop(plan),
    pids: { ...bare.pids, ...serverPids },
    // A finished workflow has no later work.
    quiet: () => Promise.resolve(),
    histories: (ids) => withTemporalClient(temporal, (client) => historiesOf(client, ids)),
  };
}
