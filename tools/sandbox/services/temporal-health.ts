import { Connection } from '@temporalio/client';
import type { TemporalConnectionOptions } from '../../../src/process/temporal-connection';
import { searchAttributeNames } from '../../../src/domain/search-attributes';

const keyword = 2;

/** True once the frontend answers and the namespace exists. */
export async function isTemporalReady(address: string, namespace = 'default'): Promise<boolean> {
  return withConnection({ address }, async (connection) => {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  });
}

/** Adds what is missing to a server that we did not start. */
export async function ensureSearchAttributes(
  server: TemporalConnectionOptions,
  namespace = 'default',
): Promise<void> {
  await withConnection(server, async (connection) => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributeNames.filter((name) => customAttributes[name] === undefined);
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  });
}

async function withConnection<T>(
  server: TemporalConnectionOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ ...server, connectTimeout: 2_000 });
  try {
    return await connection.withDeadline(Date.now() + 5_000, () => work(connection));
  } finally {
    await connection.close();
  }
}
