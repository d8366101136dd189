import { createMetrics } from '../../../src/telemetry/metrics';
import { attentionCheckups } from '../../../src/cli/doctor/attention-checkups';
import type { Patient } from '../../../src/cli/doctor/checkup';
import { findVerdict, noteVerdict, verifyTonight } from '../../../src/verify/verdict';
import { verifyAll, verifyChanges, type VerifyRunReport } from '../../../src/verify/run-checks';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openDatabase, type Database } from '../../../src/store/database';
import { silentLog } from '../../support/silent-log';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { withoutTrigger } from '../ledger/digested-days';
import { writeBooks, type Books } from '../../support/verify/books';

const timeoutMs = 60_000;

describe('the nightly verification of the books', () => {
  let test: TestDatabase;
  let books: Books;
  /** With the database account of the service, which a worker uses. */
  let service: Database;
  beforeAll(async () => {
    test = await createTestDatabase();
    books = await writeBooks(test.db);
    service = openDatabase(test.url);
  });
  afterAll(async () => {
    await service.destroy();
    await test.drop();
  });

  const logged: [string, unknown][] = [];
  const log = { ...silentLog, error: (text: string, fields?: unknown) => logged.push([text, fields]) };
  const tonight = () => verifyTonight(service, books.context.rails, log);
  const bookkeeper = () =>
    attentionCheckups.find(({ name }) => name === 'books')?.examine({ db: service } as unknown as Patient);
  const shown = async () => {
    const metrics = createMetrics();
    const { violationCount, checkedAt } = await findVerdict(service);
    metrics.verdict(violationCount, checkedAt);
    return metrics.expose();
  };

  it('has no result before the first night', async () => {
    expect(await findVerdict(service)).toEqual({ violationCount: 0 });
    expect(await shown()).toMatch(/^malipo_verify_timestamp_seconds 0$/m);
    expect(await bookkeeper()).toMatchObject({
      level: 'ok',
      sentence: 'The books have not been verified yet.',
    });
  });

  it('reports nothing when every check passes', async () => {
    expect(await tonight()).toMatchObject({ broken: [] });
    expect(await findVerdict(service)).toMatchObject({
      violationCount: 0,
      checkedAt: expect.any(Date) as Date,
    });
    expect(await bookkeeper()).toMatchObject({ level: 'ok' });
    expect(logged).toEqual([]);
  });

  it('reports violations in the log, in the metrics and in malipo doctor', async () => {
    await test.db.raw('UPDATE ledger_accounts SET balance = balance + 1 WHERE balance > 0 LIMIT 1');
    expect((await tonight()).broken).toContainEqual({ check: 'L3', violations: 1 });
    expect((await findVerdict(service)).violationCount).toBeGreaterThan(0);
    expect(logged).toEqual([
      [
        'CHECKS OF THE BOOKS FAILED: see malipo verify',
        expect.objectContaining({ broken: expect.arrayContaining([{ id: 'L3', violations: 1 }]) as unknown }),
      ],
    ]);
    expect(await shown()).toMatch(/^malipo_verify_violations [1-9]/m);
    expect(await bookkeeper()).toMatchObject({
      level: 'fault',
      sentence: expect.stringMatching(/FAILED/) as string,
    });
    await test.db.raw('UPDATE ledger_accounts SET balance = balance - 1 WHERE balance > 0 LIMIT 1');
    // The run continues from the same verified state, and has checked all of it again.
    await tonight();
    expect(await shown()).toMatch(/^malipo_verify_violations 0$/m);
    expect(await shown()).toMatch(/^malipo_verify_timestamp_seconds 1[0-9.]+/m);
  });

  describe('does not clear', () => {
    const wrong = (report: VerifyRunReport): VerifyRunReport => ({
      ...report,
      checks: [
        { id: 'P2', promise: 'x', violations: [{ id: books.succeeded, detail: 'is wrong' }], took_ms: 1 },
      ],
    });
    /** Continues from a stored verified state. */
    const checked = async () => {
      await tonight();
      const report = await verifyChanges(service, books.context.rails);
      if (!report.changes) throw new Error('it looked at everything');
      return { ...report, changes: report.changes };
    };
    afterEach(async () => {
      await noteVerdict(service, await verifyAll(service, books.context.rails));
      expect(await findVerdict(service)).toMatchObject({ violationCount: 0 });
    });

    it('a violation that a full run found: the payment may not be among the changes', async () => {
      const { changes: _news, ...everything } = await checked();
      await noteVerdict(service, wrong(everything));
      await tonight();
      expect(await findVerdict(service)).toMatchObject({ violationCount: 1 });
      // Nor when it is among the changes as well.
      const again = await verifyChanges(service, books.context.rails);
      await noteVerdict(service, wrong(again));
      await noteVerdict(service, again);
      expect(await findVerdict(service)).toMatchObject({ violationCount: 1 });
    });

    it('a violation of a run from another verified state, whose changes are other payments', async () => {
      const report = await checked();
      await noteVerdict(service, wrong({ ...report, changes: { ...report.changes, from: books.pending } }));
      await tonight();
      expect(await findVerdict(service)).toMatchObject({ violationCount: 1 });
    });

    it('a violation that was found after this run began, although both continued from the same state', async () => {
      const report = await checked();
      await noteVerdict(service, wrong(report));
      await noteVerdict(service, report);
      expect(await findVerdict(service)).toMatchObject({ violationCount: 1 });
      const later = new Date(Date.now() + 60_000).toISOString();
      await noteVerdict(service, { ...report, changes: { ...report.changes, began_at: later } });
      expect(await findVerdict(service)).toMatchObject({ violationCount: 0 });
    });
  });

  it('writes due digests first: days without a digest after a downtime are no violation', async () => {
    await test.db.raw('UPDATE knex_migrations SET migration_time = migration_time - INTERVAL 9 DAY');
    await withoutTrigger(test.db, 'ledger_entries', 'update', () =>
      test.db.raw('UPDATE ledger_entries SET at = at - INTERVAL 9 DAY'),
    );
    await tonight();
    expect(await findVerdict(service)).toMatchObject({ violationCount: 0 });
    expect((await test.db('day_digests')).length).toBeGreaterThan(6);
  });

  it('ends at once when the worker stops, during any check', async () => {
    const gate = openDatabase(test.migrateUrl, { poolMax: 1 });
    const worker = openDatabase(test.url);
    await gate.raw('LOCK TABLES outflows WRITE');
    const stopping = new AbortController();
    const checking = verifyTonight(worker, books.context.rails, log, stopping.signal);
    const isChecking = async () => {
      const [rows] = (await service.raw(
        "SELECT id FROM information_schema.processlist WHERE state LIKE 'Waiting for table%' AND db = DATABASE()",
      )) as unknown as [unknown[]];
      return rows.length > 0;
    };
    await waitFor(isChecking, { what: 'a slow check', timeoutMs });
    stopping.abort();
    await expect(checking).rejects.toThrow();
    await worker.destroy();
    await waitFor(async () => !(await isChecking()), { what: 'the end of the check', timeoutMs });
    await gate.destroy();
  });

  it('is reported as missing after two nights', async () => {
    await test.db('verify_results').update({ checked_at: new Date(Date.now() - 3 * 86_400_000) });
    expect(await bookkeeper()).toMatchObject({ level: 'attention' });
  });
});
