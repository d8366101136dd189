/**
 * The two lines to Temporal that a process holds. Certificates and the API key are rotated while it runs: their files are
 * looked at again and again, and where they say something else a new line takes the place of the old one. What is under
 * way on the old one ends there.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../domain/log';
import {
  temporalOptionsOf,
  type TemporalConnectionOptions,
  type TemporalSettings,
} from './temporal-connection';

/** How soon a changed file is seen: no rotation is in a greater hurry. */
const lookEveryMs = 10_000;
/** Longer than any call waits, the long polls of the worker among them. */
const retireAfterMs = 120_000;

export interface LineOptions {
  log: Log;
  lookEveryMs?: number;
}

export interface Line<T extends { close(): Promise<void> }> {
  current(): T;
  /** Ends the looking and closes what is open, the newest last. */
  close(): Promise<void>;
}

export interface Renewal<T> {
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
