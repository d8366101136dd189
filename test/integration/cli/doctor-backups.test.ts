/** Whether `malipo doctor` reports that committed data would be lost with the disk. */
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupCheckups } from '../../../src/cli/doctor/database-checkups';
import type { Patient } from '../../../src/cli/doctor/checkup';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { testConfig } from '../../support/cli/cli-support';

let test: TestDatabase;
let folder: string;
beforeAll(async () => {
  [test, folder] = await Promise.all([createTestDatabase(), mkdtemp(join(tmpdir(), 'malipo-stamp-'))]);
});
afterAll(() => Promise.all([test.drop(), rm(folder, { recursive: true })]));

const hour = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms);

function examine(name: string, environment: 'live' | 'sandbox', backupStamp?: string) {
  const config = { ...testConfig(test.url), environment };
  const patient = { config, db: test.db, backupStamp } as Patient;
  return backupCheckups.find((checkup) => checkup.name === name)?.examine(patient);
}

it('reports in live that no binary log is written; in a sandbox it reports nothing', async () => {
  const [[{ log }]] = (await test.db.raw('SELECT @@log_bin AS log')) as unknown as [
    [{ log: number | string }],
  ];
  const level = Number(log) === 1 ? 'ok' : 'attention';
  expect(await examine('binary log', 'live')).toMatchObject({ level });
  expect(await examine('binary log', 'sandbox')).toMatchObject({ level: 'ok' });
});

it('asks in live where the time of the last backup is recorded', async () => {
  expect(await examine('backup', 'live')).toMatchObject({
    level: 'attention',
    sentence: expect.stringContaining('MALIPO_BACKUP_STAMP') as unknown,
  });
  expect(await examine('backup', 'sandbox')).toMatchObject({ level: 'ok' });
});

it.each([
  ['was written two hours ago', '', 2, 'ok', 'The last backup was 2 h 0 min ago.'],
  ['was written 27 hours ago', '', 27, 'attention', 'The last backup was 1 d 3 h ago.'],
  ['says 27 hours ago', ago(27 * hour).toISOString(), 0, 'attention', 'The last backup was 1 d 3 h ago.'],
  ['contains no time', 'done', 1, 'ok', 'The last backup was 1 h 0 min ago.'],
])('the stamp %s', async (_what, content, hours, level, sentence) => {
  const stamp = join(folder, `${level}-${String(hours)}`);
  await writeFile(stamp, content);
  await utimes(stamp, new Date(), ago(hours * hour));
  expect(await examine('backup', 'live', stamp)).toMatchObject({
    level,
    sentence: expect.stringContaining(sentence) as unknown,
  });
});

it('reports that the stamp cannot be read', async () => {
  expect(await examine('backup', 'live', join(folder, 'nothing'))).toMatchObject({
    level: 'attention',
    sentence: 'The file of MALIPO_BACKUP_STAMP cannot be read.',
  });
});
