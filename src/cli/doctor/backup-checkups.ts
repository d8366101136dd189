/** Whether what is committed outlives the database's disk; see docs/restore.md. */
import { readFile, stat } from 'node:fs/promises';
import { attention, ok, type Diagnosis } from '../../domain/diagnosis';
import { ageText } from '../wall-clock';
import type { Checkup, Patient } from './checkup';

/** One each night, and two hours for it. */
const backupAgeMaxMs = 26 * 3_600_000;

export const backupCheckups: Checkup[] = [
  { name: 'binary log', examine: examineBinaryLog },
  { name: 'backup', examine: examineBackup },
];

async function examineBinaryLog({ config, db }: Patient): Promise<Diagnosis> {
  const [[row]] = (await db.raw('SELECT @@log_bin AS is_on')) as unknown as [[{ is_on: number | string }]];
  if (Number(row.is_on) === 1) return ok('What was committed after a backup is in the binary log.');
  if (config.environment !== 'live') return ok('No binary log is written, which a sandbox does not need.');
  return attention(
    'No binary log is written: with the disk, all that came after the last backup is lost, unless the storage below keeps it.',
  );
}

async function examineBackup({ config, backupStamp }: Patient): Promise<Diagnosis> {
  if (backupStamp === undefined) {
    return config.environment === 'live'
      ? attention(
          'Nobody says when the last backup was: have each one write a file, and name it in MALIPO_BACKUP_STAMP.',
        )
      : ok('A sandbox needs no backup.');
  }
  const at = await momentOf(backupStamp).catch(() => undefined);
  if (at === undefined) return attention('The file that MALIPO_BACKUP_STAMP names cannot be read.');
  const ageMs = Date.now() - at.getTime();
  const sentence = `The last backup was ${ageText(ageMs)} ago.`;
  return ageMs > backupAgeMaxMs
    ? attention(`${sentence} One is due each night: see why none succeeds.`)
    : ok(sentence);
}

/** The moment that is written in it, or when it was written. */
async function momentOf(file: string): Promise<Date> {
  const text = (await readFile(file, 'utf8')).trim();
  const told = /^\d{4}-\d{2}-\d{2}T/.test(text) ? new Date(text) : undefined;
  return told && !Number.isNaN(told.getTime()) ? told : (await stat(file)).mtime;
}
