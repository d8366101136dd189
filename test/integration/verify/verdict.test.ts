import { createMetrics } from '../../../src/telemetry/metrics';
import { attentionCheckups } from '../../../src/cli/doctor/attention-checkups';
import type { Patient } from '../../../src/cli/doctor/checkup';
import { findVerdict, noteVerdict, verifyTonight } from '../../../src/verify/verdict';
import { proveAll, proveNews, type ProofReport } from '../../../src/verify/run-checks';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openDatabase, type Database } from '../../../src/store/database';
import { silentLog } from '../../support/silent-log';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { withoutTrigger } from '../ledger/sealed-days';
import { writeBooks, type Books } from '../../support/verify/books';

const timeoutMs = 60_000;

describe('the look at the books of each night', () => {
  let test: TestDatabase;
  let books: Books;
  /** Of the service's account, as a worker has it. */
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

  const said: [string, unknown][] = [];
  const log = { ...silentLog, error: (text: string, fields?: unknown) => said.push([text, fields]) };
  const tonight = () => verifyTonight(service, books.context.rails, log);
  const bookkeeper = () =>
    attentionCheckups.find(({ name }) => name === 'books')?.examine({ db: service } as unknown as Patient);
  const shown = async () => {
    const metrics = createMetrics();
    const { promisesBroken, lookedAt } = await findVerdict(service);
    metrics.verdict(promisesBroken, lookedAt);
    return metrics.expose();
  };

  it('has not been yet', async () => {
    expect(await findVerdict(service)).toEqual({ promisesBroken: 0 });
    expect(await shown()).toMatch(/^verified_timestamp_seconds 0$/m);
    expect(await bookkeeper()).toMatchObject({ level: 'ok', sentence: 'The books were not verified yet.' });
  });

  it('says nothing where every invariant holds', async () => {
    expect(await tonight()).toMatchObject({ broken: [] });
    expect(await findVerdict(service)).toMatchObject({
      promisesBroken: 0,
      lookedAt: expect.any(Date) as Date,
    });
    expect(await bookkeeper()).toMatchObject({ level: 'ok' });
    expect(said).toEqual([]);
  });

  it('says what is broken: in the log, in the metrics, and to whoever asks the doctor', async () => {
    await test.db.raw('UPDATE ledger_accounts SET balance = balance + 1 WHERE balance > 0 LIMIT 1');
    expect((await tonight()).broken).toContainEqual({ check: 'L3', violations: 1 });
    expect((await findVerdict(service)).promisesBroken).toBeGreaterThan(0);
    expect(said).toEqual([
      [
        'PROMISES ARE BROKEN: see malipo verify',
        expect.objectContaining({ broken: expect.arrayContaining([{ id: 'L3', violations: 1 }]) as unknown }),
      ],
    ]);
    expect(await shown()).toMatch(/^promises_broken [1-9]/m);
    expect(await bookkeeper()).toMatchObject({
      level: 'fault',
      sentence: expect.stringMatching(/BROKEN/) as string,
    });
    await test.db.raw('UPDATE ledger_accounts SET balance = balance - 1 WHERE balance > 0 LIMIT 1');
    // It goes on from the same proof, and has looked at all of that again.
    await tonight();
    expect(await shown()).toMatch(/^promises_broken 0$/m);
    expect(await shown()).toMatch(/^verified_timestamp_seconds 1[0-9.]+/m);
  });

  describe('does not take back', () => {
    const wrong = (report: ProofReport): ProofReport => ({
      ...report,
      checks: [
        { id: 'P2', promise: 'x', violations: [{ id: books.succeeded, detail: 'is wrong' }], took_ms: 1 },
      ],
    });
    /** From a proof that stands. */
    const looked = async () => {
      await tonight();
      const report = await proveNews(service, books.context.rails);
      if (!report.news) throw new Error('it looked at everything');
      return { ...report, news: report.news };
    };
    afterEach(async () => {
      await noteVerdict(service, await proveAll(service, books.context.rails));
      expect(await findVerdict(service)).toMatchObject({ promisesBroken: 0 });
    });

    it('what a look at everything found: it may be no news', async () => {
      const { news: _news, ...everything } = await looked();
      await noteVerdict(service, wrong(everything));
      await tonight();
      expect(await findVerdict(service)).toMatchObject({ promisesBroken: 1 });
      // Nor once it is news as well.
      const again = await proveNews(service, books.context.rails);
      await noteVerdict(service, wrong(again));
      await noteVerdict(service, again);
      expect(await findVerdict(service)).toMatchObject({ promisesBroken: 1 });
    });

    it('what was found from another proof, from which other payments are news', async () => {
      const report = await looked();
      await noteVerdict(service, wrong({ ...report, news: { ...report.news, from: books.pending } }));
      await tonight();
      expect(await findVerdict(service)).toMatchObject({ promisesBroken: 1 });
    });

    it('what was found after it had begun, though it went on from the same proof', async () => {
      const report = await looked();
      await noteVerdict(service, wrong(report));
      await noteVerdict(service, report);
      expect(await findVerdict(service)).toMatchObject({ promisesBroken: 1 });
      const later = new Date(Date.now() + 60_000).toISOString();
      await noteVerdict(service, { ...report, news: { ...report.news, began_at: later } });
      expect(await findVerdict(service)).toMatchObject({ promisesBroken: 0 });
    });
  });

  it('seals what is due first: days that a pause left behind are no broken promise', async () => {
    await test.db.raw('UPDATE knex_migrations SET migration_time = migration_time - INTERVAL 9 DAY');
    await withoutTrigger(test.db, 'ledger_entries', 'update', () =>
      test.db.raw('UPDATE ledger_entries SET at = at - INTERVAL 9 DAY'),
    );
    await tonight();
    expect(await findVerdict(service)).toMatchObject({ promisesBroken: 0 });
    expect((await test.db('ledger_links')).length).toBeGreaterThan(6);
  });

  it('ends at once when the worker is told to stop, whatever the look is at', async () => {
    const gate = openDatabase(test.migrateUrl, { poolMax: 1 });
    const worker = openDatabase(test.url);
    await gate.raw('LOCK TABLES outflows WRITE');
    const stopping = new AbortController();
    const looking = verifyTonight(worker, books.context.rails, log, stopping.signal);
    const isLooking = async () => {
      const [rows] = (await service.raw(
        "SELECT id FROM information_schema.processlist WHERE state LIKE 'Waiting for table%' AND db = DATABASE()",
      )) as unknown as [unknown[]];
      return rows.length > 0;
    };
    await waitFor(isLooking, { what: 'a look that takes long', timeoutMs });
    stopping.abort();
    await expect(looking).rejects.toThrow();
    await worker.destroy();
    await waitFor(async () => !(await isLooking()), { what: 'the end of the look', timeoutMs });
    await gate.destroy();
  });

  it('is missed after two nights', async () => {
    await test.db('verdicts').update({ looked_at: new Date(Date.now() - 3 * 86_400_000) });
    expect(await bookkeeper()).toMatchObject({ level: 'attention' });
  });
});
