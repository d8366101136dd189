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

  it('says once that it cannot be kept, which step fails, and once that it is kept again', async () => {
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
    const said: [string, unknown][] = [];
    const lease = await startProcessLease(db, {
      ...silentLog,
      info: (_message, fields) => said.push(['kept again', fields?.['step']]),
      warn: (_message, fields) => said.push(['not kept', fields?.['step']]),
    });
    await waitFor(async () => failures > 6 || undefined, { what: 'several failures', timeoutMs: 30_000 });
    isAway = false;
    const steps = ['let stray claims go', 'renew it'];
    await waitFor(async () => said.filter(([what]) => what === 'kept again').length === 2 || undefined, {
      what: 'the lease to be kept again',
      timeoutMs: 30_000,
    });
    isAway = true;
    await lease.close();
    const of = (word: string) => said.filter(([what]) => what === word).map(([, step]) => step);
    expect(of('kept again').sort()).toEqual(steps);
    expect([...new Set(of('not kept'))].sort()).toEqual(['forget dead processes', 'give it up', ...steps]);
    expect(of('not kept').length).toBeLessThanOrEqual(6);
  });
});
