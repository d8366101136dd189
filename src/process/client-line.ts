import { AsyncLocalStorage } from 'node:async_hooks';
import { Connection, type ConnectionLike } from '@temporalio/client';
import { impatient } from './call-retries';
import { renewed, type LineOptions } from './renewed-line';
import { temporalOptionsOf, type TemporalSettings } from './temporal-connection';

/**
 * The line of the client. It may be opened before Temporal is up.
 * @throws ConfigError naming the setting whose file cannot be read.
 */
export function openClientLine(settings: TemporalSettings, options: LineOptions): ConnectionLike {
  const first = temporalOptionsOf(settings);
  const line = renewed<Connection>(
    {
      settings,
      first: { line: Connection.lazy({ ...first, ...impatient }), options: first },
      async open(changed) {
        const next = Connection.lazy({ ...changed, ...impatient });
        try {
          await next.ensureConnected();
        } catch (error) {
          await next.close();
          throw error;
        }
        return next;
      },
    },
    options,
  );
  // A deadline is known to the connection that it was set on: what began on one stays on it.
  const scope = new AsyncLocalStorage<Connection>();
  const serving = (): Connection => scope.getStore() ?? line.current();
  const within = <R>(run: (connection: Connection) => Promise<R>): Promise<R> => {
    const connection = serving();
    return scope.run(connection, () => run(connection));
  };
  return {
    get workflowService() {
      return serving().workflowService;
    },
    get operatorService() {
      return serving().operatorService;
    },
    get plugins() {
      return serving().plugins;
    },
    ensureConnected: () => serving().ensureConnected(),
    withDeadline: (deadline, fn) => within((connection) => connection.withDeadline(deadline, fn)),
    withMetadata: (metadata, fn) => within((connection) => connection.withMetadata(metadata, fn)),
    withAbortSignal: (signal, fn) => within((connection) => connection.withAbortSignal(signal, fn)),
    close: () => line.close(),
  };
}
