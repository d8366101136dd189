import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { startProcessLease } from '../../../../src/payments/recovery/process-lease';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { silentLog } from '../../../support/silent-log';

describe('the lease of a process', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('logs its failure once, with the failing step, and its recovery once', async () => {
    let isAway = true;
    let failures = 0;
    const unreachable = () => {
      failures += 1;
      throw new Error('gone');
    };
    const db = new Proxy(database.db, {
      apply: (target, self, args) =>
        isAway ? unreachable() : (Reflect.apply(target, self, args) as unknown),
      get: (target, name) =>
        isAway && name === 'raw' ? unreachable : (Reflect.get(target, name) as unknown),
    });
    const logged: [string, unknown][] = [];
    const lease = await startProcessLease(db, {
      ...silentLog,
      info: (_message, fields) => logged.push(['kept again', fields?.['step']]),
      warn: (_message, fields) => logged.push(['not kept', fields?.['step']]),
    });
    await waitFor(async () => failures > 6 || undefined, { what: 'several failures', timeoutMs: 30_000 });
    isAway = false;
    const steps = ['claims of dead processes were released', 'renew it'];
    await waitFor(async () => logged.filter(([what]) => what === 'kept again').length === 2 || undefined, {
      what: 'the lease to be kept again',
      timeoutMs: 30_000,
    });
    isAway = true;
    await lease.close();
    const of = (word: string) => logged.filter(([what]) => what === word).map(([, step]) => step);
    expect(of('kept again').sort()).toEqual(steps);
    expect([...new Set(of('not kept'))].sort()).toEqual(
      ['forget dead processes', 'give it up', ...steps].sort(),
    );
    expect(of('not kept').length).toBeLessThanOrEqual(6);
  });
});
