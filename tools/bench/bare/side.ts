import type { TemporalSettings } from '../../../src/process/temporal-connection';
import { historiesOf } from '../measures/histories';
import type { Side } from '../measures/side';
import { withTemporalClient } from '../measures/temporal-client';
import type { BareSide } from './processes';

/**
 * Bare workflows, from the update that starts them to their end.
 * @param serverPids of what Temporal consists of, by name
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
    // A workflow that has ended leaves nothing behind.
    quiet: () => Promise.resolve(),
    histories: (ids) => withTemporalClient(temporal, (client) => historiesOf(client, ids)),
  };
}
