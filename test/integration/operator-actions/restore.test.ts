import type { Client } from '@temporalio/client';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

const to = '2026-01-31T02:15:00.000Z';
const because = ['--reason', 'both disks of db1'];

it.each([
  ['no zone', '2026-01-31T02:15:00'],
  ['no time', '2026-01-31'],
  ['a moment in the future', '2999-01-31T02:15:00Z'],
])('malipo restore begin rejects %s', async (_what, moment) => {
  expect((await cli.run('restore', 'begin', '--to', moment, ...because)).code).toBe(2);
  expect((await cli.json('payouts', 'list'))['stops']).toEqual([]);
});

it('malipo restore status and end fail when no restore is in progress', async () => {
  for (const args of [['status'], ['end', '--note', 'x']]) {
    const { code, err } = await cli.run('restore', ...args);
    expect([code, err]).toEqual([1, 'No restore is in progress.\n']);
  }
});

it('malipo restore begin names the other processes that use the database', async () => {
  const seen = cli.db.raw('UTC_TIMESTAMP(3)') as never;
  await cli
    .db('processes')
    .insert({ process_id: 'p1', seen_at: seen, kind: 'worker', knows: '001-baseline' });
  const { code, err } = await cli.run('restore', 'begin', '--to', to, ...because);
  expect([code, err]).toEqual([1, expect.stringContaining('1 worker at 001-baseline used this database')]);
  await cli.db('processes').delete();
});

it('malipo restore pauses all payouts and refunds, lists what is unknown, and ends after an operator’s check', async () => {
  const withDeadline = (_: number, work: () => Promise<unknown>) => work();
  const asked: string[] = [];
  const workflow = {
    count: (query: string) => {
      asked.push(query);
      return Promise.resolve({ count: 3 });
    },
  };
  cli.session = { client: { withDeadline, workflow } as unknown as Client };
  const { out } = await cli.run('restore', 'begin', '--to', to, ...because);
  expect(out).toContain('All payouts and refunds are paused');
  expect(out).toContain('Temporal still runs 3 old workflows: first give it an empty store');
  expect(asked).toEqual(["ExecutionStatus = 'Running' AND MalipoMerchant IS NOT NULL"]);
  expect((await cli.run('restore', 'begin', '--to', to, ...because)).code).toBe(1);
  expect((await cli.run('payouts', 'list')).out).toContain(`restored to ${to}: both disks of db1`);
  const started = await cli.run('payouts', 'resume');
  expect([started.code, started.err]).toEqual([
    1,
    expect.stringContaining('are resumed by malipo restore end'),
  ]);

  const rails = [
    { rail: 'loud', provider: '', covered: false },
    { rail: 'quiet', provider: '', covered: false },
  ];
  expect(await cli.json('restore', 'status')).toMatchObject({
    restored_to: to,
    rails,
    unmatched_receipts: [],
    waiting: 0,
  });
  expect((await cli.run('restore', 'status')).out).toContain('missing: malipo reconcile loud');

  const note = ['--note', 'read in the dashboard'];
  const early = await cli.run('restore', 'end', ...note, '--checked', 'loud');
  expect([early.code, early.err]).toEqual([
    1,
    expect.stringContaining('The statements of quiet do not cover'),
  ]);
  expect((await cli.run('restore', 'end', ...note, '--checked', 'loudest')).code).toBe(2);
  const checked = ['--checked', 'loud', '--checked', 'quiet'];
  expect((await cli.run('restore', 'end', ...note, ...checked)).out).toContain('The restore is over');
  expect((await cli.json('payouts', 'list'))['stops']).toEqual([]);

  const lines = await cli.db('audit_log').orderBy('seq');
  const [begun, ended] = lines.map(({ action, details }) => [action, JSON.parse(details) as unknown]);
  expect(begun).toEqual([
    'restore.begin',
    expect.objectContaining({ restored_to: to, presumed_sent: 0, with_refunds: true }),
  ]);
  expect(ended).toEqual([
    'restore.end',
    expect.objectContaining({
      restored_to: to,
      given: expect.objectContaining({ checked: ['loud', 'quiet'], note: note[1] }) as unknown,
    }),
  ]);
});

it('malipo verify and malipo ledger check report the restore that explains the difference', async () => {
  const { out } = await cli.run('verify');
  expect(out).toContain(`as it was at ${to}: bookings in between are lost.`);
  const kept = (day: string) => cli.run('ledger', 'check', '--head', `${day}:${'0'.repeat(64)}`);
  expect((await kept('2026-01-31')).out).toContain(`as it was at ${to}, which explains the difference`);
  expect((await kept('2026-01-30')).out).not.toContain('which explains the difference');
});

it('an approval that was requested during one restore cannot end a later one', async () => {
  const actors: Record<string, Record<string, unknown>> = {};
  for (const name of ['amina', 'brian']) {
    const { token } = await cli.json('operator', 'create', name);
    actors[name] = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: token };
    cli.env = actors['amina'] as never;
  }
  await cli.json('approval-rule', 'set', 'money');
  const as = (name: string, ...args: string[]) => {
    cli.env = actors[name] as never;
    return cli.run(...args);
  };
  const end = ['restore', 'end', '--note', 'read', '--checked', 'loud', '--checked', 'quiet', '--json'];
  const ask = async () => {
    const { code, json } = await as('amina', ...end);
    expect(code).toBe(3);
    return String(json['approval_id']);
  };
  const begin = () => as('amina', 'restore', 'begin', '--to', to, ...because);
  const inForce = async () => ((await cli.json('payouts', 'list'))['stops'] as unknown[]).length;

  expect((await begin()).code).toBe(0);
  const [first, second] = [await ask(), await ask()];
  cli.env = actors['brian'] as never;
  expect((await cli.run('approvals')).out).toContain(`after the restore to ${to}`);
  expect((await as('brian', 'approve', first)).code).toBe(0);
  expect((await begin()).code).toBe(0);
  const late = await as('brian', 'approve', second);
  expect([late.code, late.err]).toEqual([1, expect.stringContaining('an earlier restore')]);
  expect(await inForce()).toBe(1);
  expect((await as('brian', 'approve', await ask())).code).toBe(0);
  expect(await inForce()).toBe(0);
});
