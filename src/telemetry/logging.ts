/** One JSON object per line on stdout. Logging never throws, and a log that cannot be written never fails a payment. */
import { Writable } from 'node:stream';
import type { Logger as TemporalLogger, LogLevel, LogMetadata } from '@temporalio/common';
import { createLogger, format, transports } from 'winston';
import { showControls } from '../domain/controls';
import type { Log } from '../domain/log';
import { redactFields, redactText } from './redact';

type Level = keyof Log;

export interface LogOptions {
  /** error, warn, info or debug: the least important level that is written. */
  level: string;
  /** Fields of every line, such as the id of the request being served. */
  context?: () => Record<string, unknown>;
  stream?: Writable;
}

/** What may wait for a reader that has fallen behind; lines beyond it are lost rather than kept in memory. */
const unwrittenBytesMax = 8 * 1024 * 1024;

/** A process may open more than one log on the same stream: one deaf ear is enough for all. */
const deafened = new WeakSet<Writable>();

/**
 * A closed pipe (EPIPE) and a full disk (ENOSPC) reach us as errors of the stream, later, or are thrown at once.
 * Neither is anything a payment should hear of, and there is no other place to complain.
 */
function withoutFailures(stream: Writable): Writable {
  if (!deafened.has(stream)) stream.on('error', () => undefined);
  deafened.add(stream);
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      try {
        // Not waited for: a reader that stops reading must not stop us.
        if (stream.writable && stream.writableLength < unwrittenBytesMax) stream.write(line);
      } catch {
        // The line is lost.
      }
      done();
    },
  });
}

/**
 * Our own fields come last, so that a caller's field cannot stand in for them. What JSON leaves as it is, and a terminal
 * obeys, is written by its number.
 */
const asLine = format.printf(({ level, message, fields }) =>
  showControls(JSON.stringify({ ...(fields as object), level, message, time: new Date().toISOString() })),
);

export function createLog({ level, context = () => ({}), stream = process.stdout }: LogOptions): Log {
  const logger = createLogger({
    level,
    format: asLine,
    transports: [new transports.Stream({ stream: withoutFailures(stream), eol: '\n' })],
  });
  logger.on('error', () => undefined);

  const write =
    (severity: Level) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      try {
        if (!logger.isLevelEnabled(severity)) return;
        const safe = redactFields({ ...context(), ...fields });
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
