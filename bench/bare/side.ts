import { Client, Connection } from '@temporalio/client';
import { historiesOf } from '../measures/histories';
import type { Side } from '../measures/side';
import type { BareSide } from './processes';

/** Bare workflows, from the update that starts them to their end. */
export function bareSide(bare: BareSide, address: string, temporalPid: number): Side {
  return {
    name: 'bare workflows',
    closedLoop: (plan) => bare.closedLoop(plan),
    pids: { ...bare.pids, temporal: temporalPid },
    // A workflow that has ended leaves nothing behind.
    quiet: () => Promise.resolve(),
    async histories(ids) {
      const connection = await Connection.connect({ address });
      try {
        return await historiesOf(new Client({ connection }), ids);
      } finally {
        await connection.close();
      }
    },
  };
}
