/**
 * Detects statements without an answer: the server vanished, or a proxy lost the answer. TCP reports that after a
 * quarter of an hour, or never. No time limit detects it either, because some statements are rightly long (a full
 * verification, a migration). So a separate connection queries the server whether it is still working on the statement.
 */
import { createConnection, type ConnectionOptions } from 'mysql2/promise';

/** The part of the driver's connection that we use. */
export interface DriverConnection {
  /** The connection's number in the greeting of the server or proxy. */
  threadId?: number;
  stream: { destroy(error: Error): void };
  query(...args: unknown[]): unknown;
  destroy(): void;
}

export interface Asking {
  /** After how many milliseconds without an answer the watch queries, first and repeatedly. */
  everyMs: number;
  /** The options of a new connection. */
  connection(): ConnectionOptions;
  /** Called with each failed statement's error, and its connection. */
  noteError(error: unknown, on: DriverConnection): void;
}

/** The difference between the driver's clock and the server's, which counts whole seconds. */
const toleranceS = 2;
/** A single query may come too late on a busy machine, or be answered before the statement. */
const doubtsMax = 2;
/** Milliseconds between the first and second time that the server is not working on a statement. */
const soonMs = 1_000;

/** @returns a function that watches a connection's statements. One query covers all that wait. */
export function statementWatch(asking: Asking): (connection: DriverConnection) => void {
  const pauseMs = {
    'at work': asking.everyMs,
    idle: Math.min(soonMs, asking.everyMs),
    unheard: asking.everyMs,
  };
  let question: Promise<ServersWork> | undefined;
  const ask = (): Promise<ServersWork> =>
    (question ??= askForWork(asking.connection()).finally(() => {
      question = undefined;
    }));

  return (connection) => {
    const send = connection.query.bind(connection);
    // The driver sends a statement when the one before is answered: until then, the server cannot work on it.
    const queue: Watched[] = [];
    connection.query = (...args) => {
      const done = args.at(-1);
      if (!isCallback(done)) return send(...args);
      const statement = watch(connection);
      queue.push(statement);
      queue[0]?.begin();
      return send(...args.slice(0, -1), (error: unknown, ...rest: unknown[]) => {
        statement.end();
        queue.splice(queue.indexOf(statement), 1);
        queue[0]?.begin();
        if (error) asking.noteError(error, connection);
        done(error, ...rest);
      });
    };
  };

  function watch(connection: DriverConnection): Watched {
    let since: number | undefined;
    let isAnswered = false;
    let doubts = 0;
    let timer: NodeJS.Timeout | undefined;
    const checkIn = (ms: number): void => {
      timer = setTimeout(() => void check(), ms).unref();
    };

    async function check(): Promise<void> {
      const found = await ask().then(
        (work) => (isAtWork(work, connection.threadId, since ?? 0) ? 'at work' : 'idle'),
        // A server that rejects our query, perhaps for too many connections, is alive. The statement's state stays
        // unknown.
        (error: unknown) => (isDenied(error) ? 'at work' : 'unheard'),
      );
      if (isAnswered) return;
      doubts = found === 'at work' ? 0 : doubts + 1;
      if (doubts < doubtsMax) checkIn(pauseMs[found]);
      else connection.stream.destroy(new Unanswered());
    }

    return {
      begin() {
        if (since !== undefined) return;
        since = performance.now();
        // A process that is frozen now sends it only after it continues.
        setImmediate(() => {
          since = performance.now();
        });
        checkIn(asking.everyMs);
      },
      end() {
        isAnswered = true;
        clearTimeout(timer);
      },
    };
  }
}

interface Watched {
  /** Called when it is the next statement to send. Further calls do nothing. */
  begin(): void;
  end(): void;
}

/** The statement may have run: as after any lost connection, the result is unknown. */
class Unanswered extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('a statement got no answer, and the database is not working on it');
    this.name = 'Unanswered';
  }
}

/** The statements that the server is working on for this account. */
interface ServersWork {
  /** When the query began, by our clock: the server's answer is from then, or later. */
  askedAt: number;
  /** How many seconds the server has worked, by connection number. */
  seconds: Map<number, number>;
  /** Whether the server uses the numbers that we have; a proxy may assign its own. */
  sameNumbers: boolean;
}

/** Without comparable numbers, any statement of this account with the same duration may be the one. */
function isAtWork(
  { askedAt, seconds, sameNumbers }: ServersWork,
  threadId: number | undefined,
  since: number,
): boolean {
  if (sameNumbers && threadId !== undefined) return seconds.has(threadId);
  return Math.max(-1, ...seconds.values()) >= Math.floor((askedAt - since) / 1_000) - toleranceS;
}

const workOfAccount = `
  SELECT CONNECTION_ID() AS own, ID AS id, TIME AS seconds FROM information_schema.PROCESSLIST
   WHERE USER = SUBSTRING_INDEX(USER(), '@', 1) AND COMMAND IN ('Query', 'Execute')`;

async function askForWork(options: ConnectionOptions): Promise<ServersWork> {
  const askedAt = performance.now();
  const connection = await createConnection(options);
  try {
    const timeout = options.connectTimeout ?? 5_000;
    const [rows] = await connection.query({ sql: workOfAccount, timeout });
    const all = rows as Record<'own' | 'id' | 'seconds', string | number>[];
    const others = all.filter(({ own, id }) => String(id) !== String(own));
    return {
      askedAt,
      seconds: new Map(others.map(({ id, seconds }) => [Number(id), Number(seconds)])),
      sameNumbers: all.some(({ own }) => Number(own) === connection.threadId),
    };
  } finally {
    connection.destroy();
  }
}

/** The server's own errors have positive numbers, network errors negative ones. */
function isDenied(error: unknown): boolean {
  const { errno } = (error ?? {}) as { errno?: unknown };
  return typeof errno === 'number' && errno > 0;
}

function isCallback(value: unknown): value is (...args: unknown[]) => void {
  return typeof value === 'function';
}
