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

// How a client's calls to Temporal are tried again: soon, since a merchant waits for most of them.

type RetryOptions = ReturnType<typeof defaultGrpcRetryOptions>;

/**
 * The most between two tries. The SDK's own pauses grow to 5 s, so that whoever comes while a service is restarted within
 * two seconds waits for seven.
 */
const pauseMaxMs = 1_000;
/** As long, all together, as the SDK's ten tries, some 20 s; who has a deadline stops there. */
const triesMax = 25;

/** RESOURCE_EXHAUSTED, as gRPC numbers it. */
const tooMuch = 8;

const usual = defaultGrpcRetryOptions({ maxAttempts: triesMax });

/** @public Looked at by a test. */
export const callRetries: RetryOptions = {
  ...usual,
  delayFunction(attempt, status) {
    const pauseMs = usual.delayFunction(attempt, status);
    // A server that says it has too much to do is not to be asked more often.
    const { code }: { code: number } = status;
    return code === tooMuch ? pauseMs : Math.min(pauseMaxMs, pauseMs);
  },
};

/** Of the connection below the calls: gRPC's own pauses grow to two minutes, in which every call fails at once. */
const reconnecting = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': pauseMaxMs,
};

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;
type Status = Parameters<RetryOptions['delayFunction']>[1];

/** CANCELLED, as gRPC numbers it: nothing that is tried again. */
const cancelled = 1;

/**
 * A try on a line that was closed meanwhile throws, and the try that a timer makes does so where nobody catches it: the
 * process would end for a call that nobody waits for any more. Such a try is answered here instead.
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

// The two lines to Temporal that a process holds. Certificates and the API key are rotated while it runs: their files are
// looked at again and again, and where they say something else a new line takes the place of the old one. What is under
// way on the old one ends there.

/** How soon a changed file is seen: no rotation is in a greater hurry. */
const lookEveryMs = 10_000;
/** Longer than any call waits, the long polls of the worker among them. */
const retireAfterMs = 120_000;

export interface LineOptions {
  log: Log;
  lookEveryMs?: number;
}

interface Line<T extends { close(): Promise<void> }> {
  current(): T;
  /** Ends the looking and closes what is open, the newest last. */
  close(): Promise<void>;
}

interface Renewal<T> {
  settings: TemporalSettings;
  first: { line: T; options: TemporalConnectionOptions };
  /** @throws where the new line does not work; then the old one stays. */
  open(options: TemporalConnectionOptions): Promise<T>;
  /** Called before the old line is retired. */
  adopt?(line: T): void;
}

/** The old line serves until a new one works, which is tried again at every look. */
export function renewed<T extends { close(): Promise<void> }>(
  { settings, first, open, adopt }: Renewal<T>,
  { log, lookEveryMs: everyMs = lookEveryMs }: LineOptions,
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

  async function look(): Promise<void> {
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
    log.info('the line to Temporal was renewed: its files have changed');
    retire(before);
  }

  const closeQuietly = (line: T): Promise<void> =>
    line.close().catch((error: unknown) => {
      log.warn('a line to Temporal could not be closed', { error });
    });

  async function watch(): Promise<void> {
    for (;;) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await look().catch((error: unknown) => {
        // Half of a rotation, perhaps: the certificate is there and its key is not, or the server does not know it yet.
        log.warn('the line to Temporal could not be renewed; the one before serves on', { error });
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

/** Of the options as a whole: of the files, only contents that are used count. */
function digestOf(options: TemporalConnectionOptions): string {
  return createHash('sha256').update(JSON.stringify(options)).digest('hex');
}
