/** Temporal as the benchmark reaches it: in the way of the product's own processes, whatever protects the line. */
import { Client, Connection } from '@temporalio/client';
import { temporalOptionsOf, type TemporalSettings } from '../../../src/process/temporal-connection';

/** A development server's: its usual namespace, and nothing to protect. */
export function plainTemporal(temporalAddress: string): TemporalSettings {
  return { temporalAddress, temporalNamespace: 'default', temporalLine: { tls: false } };
}

export async function openTemporalClient(settings: TemporalSettings): Promise<Client> {
  const connection = await Connection.connect(temporalOptionsOf(settings));
  return new Client({ connection, namespace: settings.temporalNamespace });
}

export async function withTemporalClient<T>(
  settings: TemporalSettings,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await openTemporalClient(settings);
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}
