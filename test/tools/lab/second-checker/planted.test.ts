/** The second checker agrees with `malipo verify` on clean books, and on each planted corruption that it can see. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { disarm, withDisputed, writeBooks, type Books } from '../../../support/verify/books';
import { corruptions } from '../../../support/verify/corruptions';
import {
  describeWithPython,
  exportTables,
  secondChecker,
} from '../../../../tools/lab/second-checker/export-tables';

/**
 * Checks outside the history of a payment or a voucher: digests and audit log, limits and pauses, the clock, duplicate
 * payments, statements, and the places of endpoints.
 */
const beyond = new Set([
  'L9',
  'A1',
  'A2',
  'A3',
  'C1',
  'C2',
  'C3',
  'S1',
  'V1',
  'P9',
  'P17',
  'O2',
  'D1',
  'N4',
  'N5',
  'R1',
  'R2',
  'R3',
  'R4',
  'R5',
]);
const beyondToo = new Set([
  'an unprocessed notification',
  'a reported success without a decision or a case',
  'a parked notification without a case',
  'a payout that was accepted without the current fee',
]);

class Undo extends Error {}

describeWithPython('the second checker', () => {
  let test: TestDatabase;
  let books: Books;
  let folder: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    books = await withDisputed(await writeBooks(test.db));
    await disarm(test.db);
    folder = await mkdtemp(join(tmpdir(), 'malipo-second-'));
  });
  afterAll(async () => {
    await test.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('finds nothing in clean books, and something for each planted corruption of a history', async () => {
    const files = [join(folder, 'clean')];
    await exportTables(test.db, join(folder, 'clean'));
    for (const [n, { plant }] of corruptions.entries()) {
      const file = join(folder, String(n));
      const planting = test.db.transaction(async (trx) => {
        await plant(trx, books);
        await exportTables(trx, file);
        throw new Undo();
      });
      await expect(planting).rejects.toThrow(Undo);
      files.push(file);
    }
    await writeFile(join(folder, 'files'), files.join('\n'));
    const { lines } = await secondChecker('--many', '--silent', 'quiet,cardproc', join(folder, 'files'));
    const [clean, ...planted] = lines.map((line) => JSON.parse(line) as string[]);
    expect(clean).toEqual([]);
    const seen = corruptions.filter((_, n) => (planted[n]?.length ?? 0) > 0).map(({ what }) => what);
    const meant = corruptions.filter(
      ({ what, seenBy }) => !beyondToo.has(what) && seenBy.some((id) => !beyond.has(id)),
    );
    expect(seen).toEqual(meant.map(({ what }) => what));
  });
});
