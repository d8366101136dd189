/**
 * Statements that nobody answers any more: the server is gone without a word, or what stands between it and us has lost
 * the answer. TCP tells of that after a quarter of an hour, or never. No time limit tells either, since some statements
 * are legally long (a proof of the books, a migration); so we ask the server, over a line of its own, whether it is still
 * at work for us.
 */
import { createConnection, type ConnectionOptions } from 'mysql2/promise';

/** A connection of the driver's, as far as it is of interest here. */
export interface DriverConnection {
  /** The number that the server, or a proxy, has greeted it with. */
  threadId?: number;
  stream: { destroy(error: Error): void };
  query(...args: unknown[]): unknown;
  destroy(): void;
}

export interface Asking {
  /** After how long without an answer it is asked first, and then again and again, in milliseconds. */
  everyMs: number;
  /** How a new connection is made. */
  connection(): ConnectionOptions;
  /** Told of each statement that failed, and of the connection that it was sent on. */
  noteError(error: unknown, on: DriverConnection): void;
}

/** The driver's clock and the server's, which counts whole seconds. */
const toleranceS = 2;
/** One question alone may come too late on a busy machine, or be answered faster than the statement. */
const doubtsMax = 2;
/** Between the first time that the server is not at work on a statement and the second, in milliseconds. */
const soonMs = 1_000;

/** @returns what watches over the statements of a connection. Many that wait are asked about at once. */
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
    // The driver sends one when the one before was answered: until then, nobody can be at work on it.
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
    const lookIn = (ms: number): void => {
      timer = setTimeout(() => void look(), ms).unref();
    };

    async function look(): Promise<void> {
      const found = await ask().then(
        (work) => (isAtWork(work, connection.threadId, since ?? 0) ? 'at work' : 'idle'),
        // Who refuses us, for too many connections perhaps, lives; nothing is known of the statement.
        (error: unknown) => (isRefusal(error) ? 'at work' : 'unheard'),
      );
      if (isAnswered) return;
      doubts = found === 'at work' ? 0 : doubts + 1;
      if (doubts < doubtsMax) lookIn(pauseMs[found]);
      else connection.stream.destroy(new Unanswered());
    }

    return {
      begin() {
        if (since !== undefined) return;
        since = performance.now();
        // A process that stands still just now sends it only when it goes on.
        setImmediate(() => {
          since = performance.now();
        });
        lookIn(asking.everyMs);
      },
      end() {
        isAnswered = true;
        clearTimeout(timer);
      },
    };
  }
}

interface Watched {
  /** It is the next that is sent. Called again, it does nothing. */
  begin(): void;
  end(): void;
}

/** The statement may have been carried out: as after any lost connection, nobody knows. */
class Unanswered extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('a statement was not answered, and the database is not at work on it');
    this.name = 'Unanswered';
  }
}

/** What the server is at work on for this account. */
interface ServersWork {
  /** When the question began, by our clock: what the server says is of then, or later. */
  askedAt: number;
  /** How long it has been at work, in seconds, by the number of the connection. */
  seconds: Map<number, number>;
  /** Whether the server knows connections by the numbers that we have for them; a proxy may give us its own. */
  sameNumbers: boolean;
}

/** Where numbers say nothing, anything of this account that has lasted as long may be the statement. */
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

/** The server's own errors have positive numbers, those of the network negative ones. */
function isRefusal(error: unknown): boolean {
  const { errno } = (error ?? {}) as { errno?: unknown };
  return typeof errno === 'number' && errno > 0;
}

function isCallback(value: unknown): value is (...args: unknown[]) => void {
  return typeof value === 'function';
}
