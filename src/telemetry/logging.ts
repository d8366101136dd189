/**
 * Logs one JSON object per line on stdout. Logging never throws, and a log that cannot be written never fails a
 * payment.
 */
import { Writable } from 'node:stream';
import type { Logger as TemporalLogger, LogLevel, LogMetadata } from '@temporalio/common';
import { createLogger, format, transports } from 'winston';
import { showControls } from '../domain/controls';
import type { Log } from '../domain/log';
import { redactFields, redactText } from './redact';

type Level = keyof Log;

export interface LogOptions {
  /** error, warn, info or debug: the lowest level that is written. */
  level: string;
  /** Our own fields of every line, such as the name of the process. They are written as they are. */
  origin?: Readonly<Record<string, string | undefined>>;
  /** Further fields of every line, such as the id of the request in progress. */
  context?: () => Record<string, unknown>;
  stream?: Writable;
}

/** How much output may wait for a slow reader. Beyond it, lines are lost, so that memory stays bounded. */
const unwrittenBytesMax = 8 * 1024 * 1024;

/** A process may open several logs on one stream. One error listener is enough. */
const deafened = new WeakSet<Writable>();

/**
 * A closed pipe (EPIPE) or a full disk (ENOSPC) reaches us as a later error of the stream, or is thrown at once. No
 * payment may fail because of it, and we have no other output to report it.
 */
function withoutFailures(stream: Writable): Writable {
  if (!deafened.has(stream)) stream.on('error', () => undefined);
  deafened.add(stream);
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      try {
        // Not awaited: a reader that stops reading must not stop the process.
        if (stream.writable && stream.writableLength < unwrittenBytesMax) stream.write(line);
      } catch {
        // The line is lost.
      }
      done();
    },
  });
}

/**
 * Our own fields come last, so that a caller's field cannot replace them. Control characters that JSON leaves
 * unescaped, and a terminal obeys, are escaped.
 */
const linesOf = (origin: LogOptions['origin']) =>
  format.printf(({ level, message, fields }) =>
    showControls(
      JSON.stringify({ ...(fields as object), ...origin, level, message, time: new Date().toISOString() }),
    ),
  );

export function createLog({
  level,
  origin = {},
  context = () => ({}),
  stream = process.stdout,
}: LogOptions): Log {
  const logger = createLogger({
    level,
    format: linesOf(origin),
    transports: [new transports.Stream({ stream: withoutFailures(stream), eol: '\n' })],
  });
  logger.on('error', () => undefined);

  const write =
    (severity: Level) =>
    (message: string, fields: Record<string, unknown> = {}, areFieldsSafe?: 'safe'): void => {
      try {
        if (!logger.isLevelEnabled(severity)) return;
        const all = { ...context(), ...fields };
        const safe = areFieldsSafe ? all : redactFields(all);
        logger.log({ level: severity, message: redactText(message), fields: safe });
      } catch {
        logger.log({ level: severity, message: 'a log line could not be rendered', fields: {} });
      }
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const levelOfTemporal = {
  TRACE: 'debug',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, Level>;

/** Lets Temporal's runtime and its workflows write to our log, for `Runtime.install({ logger })`. */
export function temporalLogger(log: Log): TemporalLogger {
  const write = (level: LogLevel, message: string, meta?: LogMetadata): void => {
    log[levelOfTemporal[level]](message, meta);
  };
  return {
    log: write,
    trace: (message, meta) => {
      write('TRACE', message, meta);
    },
    debug: (message, meta) => {
      write('DEBUG', message, meta);
    },
    info: (message, meta) => {
      write('INFO', message, meta);
    },
    warn: (message, meta) => {
      write('WARN', message, meta);
    },
    error: (message, meta) => {
      write('ERROR', message, meta);
    },
  };
}
