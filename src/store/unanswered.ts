/**
 * Statements that nobody answers any more: the server is gone without a word, or what stands between it and us has lost
 * the answer. TCP tells of that after a quarter of an hour, or never. No time limit tells either, since some statements
 * are legally long (a proof of the books, a migration); so we ask the server, over a line of its own, whether it is still
 * at work for us.
 */
import { createConnection, type ConnectionOptions } from 'mysql2/promise';

/** A connection of the driver's, as far as it is of interest here. */
export interface DriverConnection {
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
/** On a busy machine one question alone may come too late. */
const unheardMax = 2;

/** @returns what watches over the statements of a connection. Many that wait are asked about at once. */
export function statementWatch(asking: Asking): (connection: DriverConnection) => void {
  let question: Promise<number> | undefined;
  const longest = (): Promise<number> =>
    (question ??= longestStatementS(asking.connection()).finally(() => {
      question = undefined;
    }));

  return (connection) => {
    const send = connection.query.bind(connection);
    connection.query = (...args) => {
      const done = args.at(-1);
      if (!isCallback(done)) return send(...args);
      const stop = waitFor(connection);
      return send(...args.slice(0, -1), (error: unknown, ...rest: unknown[]) => {
        stop();
        if (error) asking.noteError(error, connection);
        done(error, ...rest);
      });
    };
  };

  /** @returns what is to be called with the answer. */
  function waitFor(connection: DriverConnection): () => void {
    const since = performance.now();
    let isAnswered = false;
    let unheard = 0;
    const again = (): NodeJS.Timeout => setTimeout(() => void look(), asking.everyMs).unref();
    let timer = again();

    async function look(): Promise<void> {
      const isAtWork = await longest().then(
        (seconds) => seconds >= Math.floor((performance.now() - since) / 1_000) - toleranceS,
        (error: unknown) => {
          // Who refuses us, for too many connections perhaps, lives; nothing is known of the statement.
          if (isRefusal(error)) return true;
          unheard += 1;
          return unheard < unheardMax;
        },
      );
      if (isAnswered) return;
      if (isAtWork) timer = again();
      else connection.stream.destroy(new Unanswered());
    }

    return () => {
      isAnswered = true;
      clearTimeout(timer);
    };
  }
}

/** The statement may have been carried out: as after any lost connection, nobody knows. */
class Unanswered extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('a statement was not answered, and the database is not at work on it');
    this.name = 'Unanswered';
  }
}

/** Of what the server does for this account: a proxy may have given us another number than the server's own. */
const longestOfOurs = `
  SELECT COALESCE(MAX(TIME), -1) AS seconds FROM information_schema.PROCESSLIST
   WHERE USER = SUBSTRING_INDEX(USER(), '@', 1) AND COMMAND IN ('Query', 'Execute') AND ID <> CONNECTION_ID()`;

async function longestStatementS(options: ConnectionOptions): Promise<number> {
  const connection = await createConnection(options);
  try {
    const [rows] = await connection.query({ sql: longestOfOurs, timeout: options.connectTimeout ?? 5_000 });
    return Number((rows as { seconds: string | number }[])[0]?.seconds);
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
