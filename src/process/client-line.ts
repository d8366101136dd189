import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionLike,
  type ConnectionOptions,
} from '@temporalio/client';
import type { Log } from '../domain/log';
import {
  temporalOptionsOf,
  type TemporalSettings,
  type TemporalConnectionOptions,
} from './temporal-connection';

/**
 * Opens the client's connection. Temporal may still be down.
 * @throws ConfigError with the setting whose file is unreadable.
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
  // A deadline belongs to the connection where it was set. Calls that began on one connection stay on it.
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

// How a client retries its calls to Temporal: soon, because merchants wait for most of them.

type RetryOptions = ReturnType<typeof defaultGrpcRetryOptions>;

/**
 * The longest delay between two attempts. The SDK's default grows to 5 s: after a restart of two seconds, a caller
 * would wait seven.
 */
const pauseMaxMs = 1_000;
/** About 20 s in total, like the SDK's ten attempts. A call with a deadline ends earlier. */
const triesMax = 25;

/** RESOURCE_EXHAUSTED in gRPC. */
const tooMuch = 8;

const usual = defaultGrpcRetryOptions({ maxAttempts: triesMax });

/** @public Read by a test. */
export const callRetries: RetryOptions = {
  ...usual,
  delayFunction(attempt, status) {
    const pauseMs = usual.delayFunction(attempt, status);
    // An overloaded server must not get more calls.
    const { code }: { code: number } = status;
    return code === tooMuch ? pauseMs : Math.min(pauseMaxMs, pauseMs);
  },
};

/** For the connection itself: gRPC's default grows to two minutes, in which every call fails at once. */
const reconnecting = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': pauseMaxMs,
};

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;
type Status = Parameters<RetryOptions['delayFunction']>[1];

/** CANCELLED in gRPC: it is not retried. */
const cancelled = 1;

/**
 * An attempt on a closed connection throws. If a timer starts the attempt, nothing catches the error, and the process
 * ends for a call that has no caller any more. This interceptor answers such an attempt.
 */
const closedLine: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call;
  } catch (error) {
    const status = { code: cancelled, details: String(error) } as unknown as Status;
    return answeredWith(status) as unknown as Call;
  }
};

function answeredWith(status: Status): Partial<Call> {
  const nothing = (): void => undefined;
  return {
    start(metadata, listener) {
      setImmediate(() => {
        listener?.onReceiveMessage?.(null);
        listener?.onReceiveStatus?.({ ...status, metadata });
      });
    },
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
    getPeer: () => '',
    getAuthContext: () => null,
  };
}

const impatient: Pick<ConnectionOptions, 'interceptors' | 'channelArgs'> = {
  interceptors: [makeGrpcRetryInterceptor(callRetries), closedLine],
  channelArgs: reconnecting,
};

// A process's two connections to Temporal. Certificates and the API key are rotated while the process runs: it reads
// their files at an interval. If the content has changed, a new connection replaces the old one. Calls in progress
// finish on the old one.

/** How soon a changed file is noticed: no rotation needs less. */
const checkEveryMs = 10_000;
/** Longer than any call, including the worker's long polls. */
const retireAfterMs = 120_000;

export interface LineOptions {
  log: Log;
  pollEveryMs?: number;
}

interface Line<T extends { close(): Promise<void> }> {
  current(): T;
  /** Stops reading the files and closes the open connections, the newest last. */
  close(): Promise<void>;
}

interface Renewal<T> {
  settings: TemporalSettings;
  first: { line: T; options: TemporalConnectionOptions };
  /** @throws if the new connection does not work; then the old one stays in use. */
  open(options: TemporalConnectionOptions): Promise<T>;
  /** Called before the old connection is retired. */
  adopt?(line: T): void;
}

/** The old connection is used until a new one works. A new one is tried at each reading of the files. */
export function renewed<T extends { close(): Promise<void> }>(
  { settings, first, open, adopt }: Renewal<T>,
  { log, pollEveryMs: everyMs = checkEveryMs }: LineOptions,
): Line<T> {
  let current = first.line;
  let known = digestOf(first.options);
  const retiring = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  function retire(line: T): void {
    const retired = delay(retireAfterMs, undefined, { signal, ref: false })
      .catch(() => undefined)
      .then(() => closeQuietly(line))
      .then(() => {
        retiring.delete(retired);
      });
    retiring.add(retired);
  }

  async function check(): Promise<void> {
    const options = temporalOptionsOf(settings);
    const digest = digestOf(options);
    if (digest === known) return;
    const line = await open(options);
    if (signal.aborted) return closeQuietly(line);
    try {
      adopt?.(line);
    } catch (error) {
      await closeQuietly(line);
      throw error;
    }
    const before = current;
    current = line;
    known = digest;
    log.info('the connection to Temporal was renewed: its files have changed');
    retire(before);
  }

  const closeQuietly = (line: T): Promise<void> =>
    line.close().catch((error: unknown) => {
      log.warn('a connection to Temporal could not be closed', { error });
    });

  async function watch(): Promise<void> {
    for (;;) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await check().catch((error: unknown) => {
        // The rotation may be incomplete: the key is missing, or the server does not know the certificate yet.
        log.warn('the connection to Temporal could not be renewed; the old one stays in use', { error });
      });
    }
  }

  const watching = hasFiles(settings) ? watch() : Promise.resolve();
  return {
    current: () => current,
    async close() {
      stopping.abort();
      await watching;
      await Promise.all(retiring);
      await closeQuietly(current);
    },
  };
}

function hasFiles({ temporalLine: { caFile, certFile, keyFile, apiKeyFile } }: TemporalSettings): boolean {
  return [caFile, certFile, keyFile, apiKeyFile].some((file) => file !== undefined);
}

/** Of the options as a whole. Of files, only the contents in use count. */
function digestOf(options: TemporalConnectionOptions): string {
  return createHash('sha256').update(JSON.stringify(options)).digest('hex');
}
