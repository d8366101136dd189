/**
 * The simulator's storage: an append-only file of JSON lines. The last record of a (collection, id) wins.
 *
 * Each change is one write() before the caller continues, so it survives kill -9. It is not synced to the disk: after a
 * power loss, a sandbox may lose its last moments.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Collection<T> {
  readonly size: number;
  get(id: string): T | undefined;
  /** Stores the current value. A later change of the object is not stored until the next `put`. */
  put(id: string, value: T): void;
  delete(id: string): void;
  values(): IterableIterator<T>;
}

export interface Journal {
  /** The same name always gives the same collection. The caller knows its type. */
  collection<T>(name: string): Collection<T>;
  close(): void;
}

/** A record without a value deletes the id. */
interface JournalRecord {
  collection: string;
  id: string;
  value?: unknown;
}

type Contents = Map<string, Map<string, unknown>>;

class JournalError extends Error {}

export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'journal.jsonl');
  const contents = load(path);
  compact(path, contents);
  let file: number | undefined = openSync(path, 'a', 0o600);

  const append = (record: JournalRecord) => {
    if (file === undefined) throw new JournalError('the journal is closed');
    writeLine(file, record);
  };
  return {
    collection<T>(name: string): Collection<T> {
      const records = recordsOf(contents, name) as Map<string, T>;
      return {
        get size() {
          return records.size;
        },
        get: (id) => records.get(id),
        put(id, value) {
          append({ collection: name, id, value });
          records.set(id, value);
        },
        delete(id) {
          if (!records.has(id)) return;
          append({ collection: name, id });
          records.delete(id);
        },
        values: () => records.values(),
      };
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function recordsOf(contents: Contents, collection: string): Map<string, unknown> {
  const known = contents.get(collection);
  if (known) return known;
  const records = new Map<string, unknown>();
  contents.set(collection, records);
  return records;
}

function load(path: string): Contents {
  const contents: Contents = new Map();
  const lines = linesOf(path);
  for (const [index, line] of lines.entries()) {
    const record = parse(line);
    if (record) {
      const records = recordsOf(contents, record.collection);
      if ('value' in record) records.set(record.id, record.value);
      else records.delete(record.id);
      continue;
    }
    // Only the last line can be incomplete. Damage anywhere else is an error.
    if (index < lines.length - 1) throw new JournalError(`${path} is damaged at line ${String(index + 1)}`);
  }
  return contents;
}

function parse(line: Buffer): JournalRecord | undefined {
  try {
    return JSON.parse(line.toString('utf8')) as JournalRecord;
  } catch {
    return undefined;
  }
}

/** Splits bytes, not text, because the file of a long run exceeds the longest string. */
function linesOf(path: string): Buffer[] {
  const bytes = readIfPresent(path);
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end > start) lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

function readIfPresent(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Writes the current values to a new file, which replaces the old one atomically. */
function compact(path: string, contents: Contents): void {
  const file = openSync(`${path}.new`, 'w', 0o600);
  for (const [collection, records] of contents) {
    for (const [id, value] of records) writeLine(file, { collection, id, value });
  }
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

function writeLine(file: number, record: JournalRecord): void {
  writeSync(file, `${JSON.stringify(record)}\n`);
}
