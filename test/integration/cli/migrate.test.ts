import { migrations, newestMigration } from '../../../src/store/migrations';
import type { Migration } from '../../../src/store/migrations/migration';
import { showAlive } from '../../../src/store/processes';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

const later = migrations as Record<string, Migration>;
const nothing = { up: () => Promise.resolve(), down: () => Promise.resolve() };

/** Migrations of a later version. 902 removes what the running processes still need. */
const ofLater: Record<string, Migration> = {
  '900-adds': { kind: 'expand', ...nothing },
  '901-rewrites': { kind: 'migrate', ...nothing },
  '902-takes': { kind: 'contract', needs: '900-adds', ...nothing },
  '903-takes-more': { kind: 'contract', needs: newestMigration, ...nothing },
};

let cli: TestCli;
beforeEach(async () => {
  cli = await createTestCli();
  cli.env = { MALIPO_ENV: 'sandbox', DATABASE_URL: cli.url, MALIPO_MIGRATE_DATABASE_URL: cli.migrateUrl };
});
afterEach(async () => {
  for (const name of Object.keys(ofLater)) Reflect.deleteProperty(later, name);
  await cli.drop();
});

const processId = '0190c0de-0000-7000-8000-000000000001';
const upgrade = () => Object.assign(later, ofLater);

describe('malipo migrate status', () => {
  it('reports that nothing is pending, and which processes run', async () => {
    await showAlive(cli.db, processId, 'worker');
    const { code, out } = await cli.run('migrate', 'status');
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(
        `migrations are applied, the last is ${newestMigration}\\.\\nNothing is pending\\.\\nRunning: 1 worker at ${newestMigration}\\.\\nThis version can work with the database\\.`,
      ),
    );
  });

  it('reports what is pending, and which running processes it would break', async () => {
    await showAlive(cli.db, processId, 'worker');
    upgrade();
    const running = [{ kind: 'worker', knows: newestMigration, count: 1 }];
    const { code, json } = await cli.run('migrate', 'status', '--json');
    expect([code, json]).toEqual([
      1,
      expect.objectContaining({
        fits: false,
        reason: expect.stringContaining('900-adds is not applied; run malipo migrate up'),
        pending: [
          { name: '900-adds', kind: 'expand', steps_begun: 0, breaks: [] },
          { name: '901-rewrites', kind: 'migrate', steps_begun: 0, breaks: [] },
          { name: '902-takes', kind: 'contract', steps_begun: 0, breaks: running },
          { name: '903-takes-more', kind: 'contract', steps_begun: 0, breaks: [] },
        ],
        running,
      }),
    ]);
    expect((await cli.run('migrate', 'status')).out).toMatch(
      /902-takes +contract +pending; 1 worker at \S+ need it/,
    );
  });

  it('works without a schema', async () => {
    await cli.db.raw('DROP TABLE knex_migrations, migration_steps');
    await cli.db.raw('DROP TABLE processes');
    const { code, json } = await cli.run('migrate', 'status', '--json');
    expect(code).toBe(1);
    expect(json).toMatchObject({ fits: false, applied: [], running: [] });
  });
});

describe('malipo migrate up', () => {
  it('applies pending migrations up to the given one', async () => {
    upgrade();
    expect((await cli.run('migrate', 'up', '--to', '999')).err).toBe('This version has no migration 999.\n');
    later['900-again'] = { kind: 'expand', ...nothing };
    expect((await cli.run('migrate', 'up', '--to', '900')).err).toMatch(/^900 matches 900-adds, 900-again/i);
    Reflect.deleteProperty(later, '900-again');
    const applied = async (...options: string[]) => (await cli.json('migrate', 'up', ...options))['applied'];
    expect(await applied('--expand-only')).toEqual(['900-adds']);
    expect(await applied('--to', '901')).toEqual(['901-rewrites']);
    expect(await applied()).toEqual(['902-takes', '903-takes-more']);
    expect((await cli.run('migrate', 'up')).out).toBe('Nothing is pending.\n');
  });

  it('removes nothing that a process needs, nor for a minute after the process was killed', async () => {
    upgrade();
    await showAlive(cli.db, processId, 'api');
    const { code, out } = await cli.run('migrate', 'up');
    expect(code).toBe(1);
    expect(out).toMatch(/Applied 900-adds, 901-rewrites\.\n902-takes removes what 1 api at \S+ need/);
    await cli.db('processes').update({ seen_at: new Date(Date.now() - 61_000) });
    expect(await cli.json('migrate', 'up')).toEqual({ applied: ['902-takes', '903-takes-more'], held: null });
    expect(await cli.db('knex_migrations').where({ name: '902-takes' }).first()).toMatchObject({
      kind: 'contract',
      needs: '900-adds',
    });
  });

  it('removes it with --force and a reason, which the audit log records', async () => {
    upgrade();
    await showAlive(cli.db, processId, 'api');
    expect(await cli.run('migrate', 'up', '--force')).toMatchObject({ code: 2 });
    const forced = await cli.json('migrate', 'up', '--force', '--reason', 'it hangs and cannot be ended');
    expect(forced['applied']).toEqual(Object.keys(ofLater));
    const lines = await cli.db('audit_log').where({ action: 'migrate.up' });
    expect(lines.map(({ subject_id: id }) => id)).toEqual(['902-takes']);
    expect(JSON.parse(lines[0]?.details ?? '')).toEqual({
      given: { force: true, reason: 'it hangs and cannot be ended' },
      running: `1 api at ${newestMigration}`,
    });
  });

  it('needs an operator for --force once one exists', async () => {
    await cli.json('operator', 'create', 'ana', '--role', 'operator');
    upgrade();
    await showAlive(cli.db, processId, 'api');
    const { code, err } = await cli.run('migrate', 'up', '--force', '--reason', 'why not');
    expect([code, err]).toEqual([1, expect.stringContaining('This needs an operator')]);
    expect((await cli.json('migrate', 'status'))['pending']).toHaveLength(2);
  });

  it('reports which database account it needs', async () => {
    upgrade();
    delete cli.env['MALIPO_MIGRATE_DATABASE_URL'];
    expect(await cli.run('migrate', 'up')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^This account cannot change the schema: MALIPO_MIGRATE_DATABASE_URL/),
    });
  });
});

describe('every other command', () => {
  it('does nothing on an older database, and prints what to do', async () => {
    upgrade();
    expect(await cli.run('merchant', 'list')).toMatchObject({
      code: 1,
      out: '',
      err: 'Nothing was done: the database is older than this version: 900-adds is not applied; run malipo migrate up.\n',
    });
  });

  it('does nothing on a database from which a newer version removed something that it needs', async () => {
    const newer = { name: '900-newer', kind: 'expand' };
    await cli.db('knex_migrations').insert(newer);
    expect(await cli.run('merchant', 'list')).toMatchObject({ code: 0 });
    await cli
      .db('knex_migrations')
      .insert({ ...newer, name: '901-newer', kind: 'contract', needs: '900-newer' });
    expect(await cli.run('merchant', 'list')).toMatchObject({
      code: 1,
      err: expect.stringContaining('901-newer removed what it needs; run a newer version'),
    });
  });
});
