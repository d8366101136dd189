import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMerchant } from '../../../src/merchants/merchants';
import { verify } from '../../../src/verify/verify';
import { box } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchant: string;
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
});
afterEach(async () => {
  cli.env = {};
  expect((await verify(cli.db, cli.context.rails)).clean).toBe(true);
});
afterAll(() => cli.drop());

const add = (...more: string[]) => [
  ...['float', 'add', merchant, '--rail', 'momo', '--country', 'KEN', '--currency', 'KES'],
  ...['--amount', '100.00', '--reason', 'bank slip 12', ...more],
];

const lines = () => cli.db('audit_log').orderBy('seq');
async function newestLine() {
  const line = (await lines()).at(-1);
  return { ...line, details: JSON.parse(line?.details ?? '{}') as Record<string, unknown> };
}

const tokens: Record<string, string> = {};
function as(name: string): void {
  cli.env = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: tokens[name] };
}
async function create(name: string, role = 'operator'): Promise<void> {
  tokens[name] = String((await cli.json('operator', 'create', name, '--role', role))['token']);
}

describe('while there is no operator', () => {
  it('every user of the command line can act, recorded as "nobody"', async () => {
    await cli.json(...add());
    expect(await newestLine()).toMatchObject({
      acted_by: 'nobody',
      action: 'float.add',
      subject_kind: 'merchant',
      subject_id: merchant,
      details: { given: { amount: '100.00', reason: 'bank slip 12', rail: 'momo' } },
    });
    expect((await cli.run('operator', 'list')).out).toContain('There is no operator');
  });

  it('prints how to create the first operator when one is named', async () => {
    expect(await cli.run(...add('--as', 'amina'))).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('malipo operator create'),
    });
  });

  it('writes no audit line for a read, nor for an action that failed', async () => {
    const before = (await lines()).length;
    await cli.json('float', 'show', merchant);
    await cli.json('prune', '--dry-run');
    const withdraw = add().map((word) => (word === 'add' ? 'withdraw' : word));
    expect(await cli.run(...withdraw.map((word) => (word === '100.00' ? '100.01' : word)))).toMatchObject({
      code: 1,
    });
    expect((await lines()).length).toBe(before);
  });

  it('writes one line before an action of several transactions, and one with its outcome', async () => {
    await cli.json('prune');
    const lines = await cli.db('audit_log').orderBy('seq', 'desc').limit(2);
    expect(lines.map(({ action }) => action)).toEqual(['prune.done', 'prune']);
    expect(lines.map(({ acted_by: by }) => by)).toEqual(['nobody', 'nobody']);
  });

  it('names the action in the line with its outcome', async () => {
    await Promise.all([cli.json('prune'), cli.json('prune')]);
    const { lines: shown } = (await cli.json('audit', '--limit', '4')) as {
      lines: { action: string; details: { action_id?: string } }[];
    };
    const idsOf = (kind: string) =>
      shown.filter(({ action }) => action === kind).map(({ details }) => details.action_id);
    expect(new Set(idsOf('prune')).size).toBe(2);
    expect(idsOf('prune.done').sort()).toEqual(idsOf('prune').sort());
  });

  it('stores no secret of a URL', async () => {
    const url = 'https://duka.example.com/hook?key=hunter2';
    await cli.json('merchant', 'set', merchant, '--webhook-url', url);
    expect(JSON.stringify((await newestLine()).details)).not.toContain('hunter2');
  });

  it('requires the right to act for the first operator', async () => {
    expect(await cli.run('operator', 'create', 'audrey', '--role', 'auditor')).toMatchObject({ code: 1 });
    expect(await cli.db('operators')).toEqual([]);
  });

  it('adds the first operator once when two are created at the same time', async () => {
    const answers = await Promise.all([
      cli.run('operator', 'create', 'amina', '--json'),
      cli.run('operator', 'create', 'brian', '--json'),
    ]);
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1]);
    const [won] = answers.filter(({ code }) => code === 0);
    const { name, token } = won?.json as { name: string; token: string };
    expect(token).toMatch(/^op_test_[0-9A-Za-z]{49}$/);
    tokens[name] = token;
    as(name);
    const other = name === 'amina' ? 'brian' : 'amina';
    await create(other);
    const kept = await cli.db('operators').where({ name }).first();
    expect(JSON.stringify(kept)).not.toContain(token);
  });
});

describe('once there is an operator', () => {
  it('prints what is needed', async () => {
    const reported = await cli.run(...add());
    expect(reported).toMatchObject({ code: 1, out: '' });
    for (const word of ['--as', 'MALIPO_OPERATOR', 'MALIPO_OPERATOR_TOKEN', 'MALIPO_OPERATOR_TOKEN_FILE'])
      expect(reported.err).toContain(word);
    expect(await cli.run('float', 'show', merchant)).toMatchObject({ code: 0 });
  });

  it('records the operator, and the option wins over the environment', async () => {
    cli.env = { MALIPO_OPERATOR: 'brian', MALIPO_OPERATOR_TOKEN: tokens['amina'] };
    await cli.json(...add('--as', 'amina'));
    expect(await newestLine()).toMatchObject({ acted_by: 'amina', action: 'float.add' });
    as('brian');
    await cli.json(...add());
    expect(await newestLine()).toMatchObject({ acted_by: 'brian', action: 'float.add' });
  });

  it('reads the token from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'malipo-operator-'));
    const file = join(folder, 'token');
    await writeFile(file, `${tokens['amina'] ?? ''}\n`);
    cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN_FILE: file };
    await cli.json(...add());
    await rm(folder, { recursive: true });
    expect(await cli.run(...add())).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be read'),
    });
  });

  it.each([
    ['amina', 'op_test_wrong'],
    ['nobody-has-this-name', 'op_test_wrong'],
    ['Ämina', 'op_test_wrong'],
  ])('denies %s with a wrong token, and does not reveal whether the name exists', async (name, token) => {
    cli.env = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: token };
    const [began, before] = [performance.now(), await cli.db('ledger_entries')];
    expect(await cli.run(...add())).toMatchObject({
      code: 1,
      out: '',
      err: 'No active operator has this name and this token.\n',
    });
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(await cli.db('ledger_entries')).toEqual(before);
    expect(await newestLine()).toMatchObject({
      acted_by: 'nobody',
      action: 'operator.refused',
      subject_id: name === 'Ämina' ? '' : name,
      details: { action: 'float.add', reason: 'wrong token' },
    });
  });

  it('lets an auditor read, and rotate its own token', async () => {
    as('amina');
    await create('audrey', 'auditor');
    as('audrey');
    expect(await cli.run(...add())).toMatchObject({ code: 1, err: expect.stringContaining('auditor') });
    expect(await newestLine()).toMatchObject({ action: 'operator.refused', subject_id: 'audrey' });
    expect(await cli.run('operator', 'rotate', 'amina')).toMatchObject({ code: 1 });
    tokens['audrey'] = String((await cli.json('operator', 'rotate', 'audrey'))['token']);
    expect((await cli.run('audit', '--by', 'amina')).out).toContain('operator.create');
  });

  it('ends a token with a new one, and an operator permanently', async () => {
    as('amina');
    const old = tokens['amina'] ?? '';
    tokens['amina'] = String((await cli.json('operator', 'rotate', 'amina'))['token']);
    cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN: old };
    expect(await cli.run(...add())).toMatchObject({ code: 1 });
    as('amina');
    await cli.json('operator', 'revoke', 'audrey');
    expect(await cli.run('operator', 'create', 'audrey')).toMatchObject({ code: 1, out: '' });
    as('audrey');
    expect(await cli.run('operator', 'rotate', 'audrey')).toMatchObject({ code: 1 });
    as('amina');
    expect((await cli.run('operator', 'list')).out).toMatch(/audrey +auditor .* revoked/);
  });

  it('records decisions about cases with the authenticated name', async () => {
    const [caseId] = (await cli.db('cases').insert({
      payment_id: null,
      reason: 'account_refused',
      detail: 'of rail loud',
      opened_at: new Date(),
      open_key: 'none:account_refused',
    })) as [number];
    const resolve = ['case', 'resolve', String(caseId), '--note', 'mended'];
    expect(await cli.run(...resolve, '--as', 'amina')).toMatchObject({ code: 1 });
    as('amina');
    await cli.json(...resolve);
    expect(
      await cli
        .db('cases')
        .where({ case_id: String(caseId) })
        .first(),
    ).toMatchObject({ closed_by: 'amina' });
    expect(await newestLine()).toMatchObject({ action: 'case.resolve', subject_id: String(caseId) });
  });

  it('reports a right that was changed directly in the database until an operator accepts it', async () => {
    as('amina');
    await create('carol', 'auditor');
    const found = async () =>
      ((await cli.json('control', 'list'))['rows'] as object[]).map((row) => ({ ...row }));
    expect(await found()).toEqual([]);
    await cli.db('operators').where({ name: 'carol' }).update({ role: 'operator' });
    expect(await found()).toMatchObject([{ table: 'operators', id: 'carol', found: 'changed' }]);
    // The operator with the forged role can do nothing.
    as('carol');
    expect((await cli.run(...add())).err).toContain('No active operator has this name and this token.');
    as('amina');
    await cli.json('operator', 'rotate', 'carol');
    expect(await found()).toMatchObject([{ table: 'operators', id: 'carol', found: 'changed before' }]);
    const { checks } = await verify(cli.db, cli.context.rails);
    expect(checks.filter(({ violations }) => violations.length > 0)).toMatchObject([
      {
        id: 'A2',
        violations: [
          { id: 'operators carol', detail: expect.stringContaining('before an action changed it') },
        ],
      },
    ]);
    // Another proper change does not hide the forged one either.
    await cli.json('operator', 'revoke', 'carol');
    expect(await found()).toMatchObject([{ id: 'carol', found: 'changed before' }]);
    const { list } = await cli.json('control', 'list');
    const acceptSeen = ['control', 'accept', '--reason', 'a test', '--list', String(list)];
    // Changed again after the operator has read the list.
    await cli.db('operators').where({ name: 'carol' }).update({ role: 'approver' });
    expect(await cli.run(...acceptSeen)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The list is no longer 1:\w{32}, but 2:/) as unknown,
    });
    await cli.db('operators').where({ name: 'carol' }).update({ role: 'operator' });
    expect(await cli.json(...acceptSeen)).toEqual({ rows: 1 });
    expect(await newestLine()).toMatchObject({ acted_by: 'amina', action: 'control.accept' });
    expect(await found()).toEqual([]);
  });

  it('never leaves no active operator when two revoke each other at once', async () => {
    const revoke = (by: string, name: string) => {
      as(by);
      return cli.run('operator', 'revoke', name);
    };
    const answers = await Promise.all([revoke('amina', 'brian'), revoke('brian', 'amina')]);
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await cli.db('operators').where({ role: 'operator', revoked_at: null })).toHaveLength(1);
  });
});
