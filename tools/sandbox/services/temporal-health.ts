import { Connection } from '@temporalio/client';
import type { TemporalConnectionOptions } from '../../../src/process/temporal-connection';
import { searchAttributeTypes } from '../../../src/domain/search-attributes';

/** The numbers of INDEXED_VALUE_TYPE_KEYWORD and _BOOL. */
const numbers = { Keyword: 2, Bool: 5 } as const;

/** True once the frontend answers and the namespace exists. */
export async function isTemporalReady(address: string, namespace = 'default'): Promise<boolean> {
  return withConnection({ address }, async (connection) => {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  });
}

/** Adds missing ones to a server that we did not start. */
export async function ensureSearchAttributes(
  server: TemporalConnectionOptions,
  namespace = 'default',
): Promise<void> {
  await withConnection(server, async (connection) => {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributeTypes.filter(({ name }) => customAttributes[name] === undefined);
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map(({ name, type }) => [name, numbers[type]]));
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
