/** The benchmark's connection to Temporal: like that of our processes, with the same protection. */
import { Client, Connection } from '@temporalio/client';
import { temporalOptionsOf, type TemporalSettings } from '../../../src/process/temporal-connection';

/** For a development server: the default namespace, and no protection. */
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
