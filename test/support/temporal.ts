/** The Temporal server of test/support/global-setup.ts, for tests. */
import { Client, Connection } from '@temporalio/client';
import { readTemporalLine } from '../../src/config';
import { temporalOptionsOf, type TemporalConnectionOptions } from '../../src/process/temporal-connection';
import { named } from './named';

export function testTemporalAddress(): string {
  return named('MALIPO_TEST_TEMPORAL_ADDRESS');
}

/** The settings with which a process reaches that Temporal, including its address. */
export function testTemporalSettings(): Record<string, string> {
  const settings = process.env.MALIPO_TEST_TEMPORAL_SETTINGS ?? '{}';
  return { ...(JSON.parse(settings) as Record<string, string>), TEMPORAL_ADDRESS: testTemporalAddress() };
}

/** The same for a connection of the test itself. */
export function testTemporal(): { options: TemporalConnectionOptions; namespace: string } {
  const settings = testTemporalSettings();
  const namespace = settings.TEMPORAL_NAMESPACE ?? 'default';
  const options = temporalOptionsOf({
    temporalAddress: testTemporalAddress(),
    temporalNamespace: namespace,
    temporalLine: readTemporalLine(settings),
  });
  return { options, namespace };
}

/** Deletes the schedules of a stopped deployment: Temporal would start their workflows without a worker. */
export async function dropSchedules(taskQueue: string): Promise<void> {
  const { options, namespace } = testTemporal();
  const connection = await Connection.connect(options);
  try {
    const { schedule } = new Client({ connection, namespace });
    for await (const { scheduleId } of schedule.list())
      if (scheduleId.split('/')[1] === taskQueue) await schedule.getHandle(scheduleId).delete();
  } finally {
    await connection.close();
  }
}
