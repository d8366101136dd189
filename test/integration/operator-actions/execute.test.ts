/** Every action through `execute`: rights, dry runs, and no partial result. */
import { createMerchant } from '../../../src/merchants/merchants';
import type { Deployment } from '../../../src/operator-actions/action';
import { actionKinds, actions, type ActionKind } from '../../../src/operator-actions/actions';
import { ActionError } from '../../../src/operator-actions/errors';
import { approve, execute } from '../../../src/operator-actions/execute';
import type { Database, Transaction } from '../../../src/store/database';
import { roles, type Role } from '../../../src/users/operators';
import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';
import { actionSamples } from '../../support/operator-actions/samples';
import { asOurs } from '../../support/own-rows';
import { box, deposit } from '../../support/verify/books-support';
import { besides, onTheWay, roleRights, tableDigests } from './action-world';

let cli: TestCli;
let merchant: string;
let paymentId: string;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
  paymentId = await deposit(cli.context, { merchantId: merchant }, 'initiating', 'pending');
  for (const name of ['amina', 'brian']) await create(name, 'operator');
  for (const role of roles) await create(`one-${role}`, role);
  await execute(cli.opened(), actorOf('amina'), { kind: 'float.add', input: float('1000.00') });
});
afterAll(() => cli.drop());

async function create(name: string, role: Role): Promise<void> {
  tokens[name] = String((await cli.json('operator', 'create', name, '--role', role))['token']);
  cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN: tokens['amina'] };
}

const actorOf = (name: string, role: Role = 'operator') => ({ operator: { name, role } });
const float = (amount: string) => ({
  ...{ merchant_id: merchant, rail: 'momo', country: 'KEN', currency: 'KES' },
  ...{ amount, reason: 'bank slip 12' },
});
const live = (db: Database = cli.db): Deployment => ({
  ...cli.opened(),
  config: { ...testConfig(cli.url), environment: 'live' },
  context: { ...cli.context, db },
});

const contents = (without?: ReadonlySet<string>) => tableDigests(cli.db, without);
const samples = () => actionSamples({ merchant, paymentId });

/** An error other than the denial of the role means that the role has the right. */
async function deniedBy(kind: ActionKind, role: Role): Promise<string | undefined> {
  const [input] = samples()[kind];
  try {
    await execute(cli.opened(), actorOf(`one-${role}`, role), { kind, input }, { dryRun: true });
  } catch (error) {
    const { message } = error as Error;
    if (message.includes('which does not allow this')) return message;
  }
  return undefined;
}

describe.each(actionKinds)('%s', (kind) => {
  const { right } = actions[kind];

  it.each(roles)('needs its right, in the role %s', async (role) => {
    const before = await contents(besides);
    const denied = await deniedBy(kind, role);
    expect(denied === undefined).toBe(roleRights[role].includes(right));
    // A dry run changes nothing.
    expect(await contents(besides)).toEqual(before);
    if (denied === undefined) return;
    expect(denied).toBe(`one-${role} has the role ${role}, which does not allow this.`);
  });

  it('rejects a field that its schema does not have', async () => {
    const [input] = samples()[kind];
    const odd = { kind, input: { ...input, drop_tables: true } };
    await expect(execute(cli.opened(), actorOf('amina'), odd)).rejects.toThrow(/drop_tables/);
  });
});

describe('a dry run', () => {
  it('changes no table, and returns what would change', async () => {
    const before = await contents();
    const withdrawal = { kind: 'float.withdraw', input: float('10.00') } as const;
    const preview = await execute(cli.opened(), actorOf('amina'), withdrawal, { dryRun: true });
    expect(preview).toMatchObject({ kind: 'preview', needsSecond: false });
    expect(preview.changes).toEqual(
      expect.arrayContaining([
        {
          of: { kind: 'ledger_account', id: expect.stringMatching(/^float:momo:/) as unknown },
          field: 'balance',
          from: { minor: '100000', currency: 'KES' },
          to: { minor: '99000', currency: 'KES' },
        },
      ]),
    );
    expect(preview.texts.en.sentence).toBe(
      'This would take KES 10.00 from the float of Duka (momo · KEN). Nothing was changed.',
    );
    const inLive = await execute(live(), actorOf('amina'), withdrawal, { dryRun: true });
    expect(inLive).toMatchObject({ kind: 'preview', needsSecond: true });
    expect(await contents()).toEqual(before);
  });

  it('shows rows of settings from → to, and no secret', async () => {
    const set = { kind: 'merchant.set', input: { merchant_id: merchant, status: 'suspended' } } as const;
    const { changes } = await execute(cli.opened(), actorOf('amina'), set, { dryRun: true });
    expect(changes).toContainEqual({
      of: { kind: 'merchants', id: merchant },
      field: 'status',
      from: 'active',
      to: 'suspended',
    });
    const rotate = { kind: 'merchant.rotate-webhook-secret', input: { merchant_id: merchant } } as const;
    const rotated = await execute(cli.opened(), actorOf('amina'), rotate, { dryRun: true });
    expect(JSON.stringify(rotated)).not.toMatch(/whsec|sealed/);
    expect(rotated.changes).toContainEqual(
      expect.objectContaining({ field: 'webhook_secret', from: '•••', to: '•••' }),
    );
  });
});

describe('control.accept', () => {
  it('shows no row as changed, because it accepts the rows as they are', async () => {
    const past = { name: 'one-auditor' };
    await cli.db('operators').where(past).update({ created_by: 'somebody' });
    const { list } = (await cli.json('control', 'list')) as { list: string };
    const accept = { kind: 'control.accept', input: { list, reason: 'known' } } as const;
    const preview = await execute(cli.opened(), actorOf('amina'), accept, { dryRun: true });
    expect(preview).toMatchObject({ kind: 'preview', changes: [] });
    expect(await execute(cli.opened(), actorOf('amina'), accept)).toMatchObject({
      kind: 'done',
      changes: [],
    });
    expect((await cli.json('control', 'list'))['rows']).toEqual([]);
  });
});

describe('an action whose database connection is lost', () => {
  /** The connection is lost at the nth statement and stays lost. */
  function lostAt(nth: number): Database {
    let statements = 0;
    const expectThere = () => {
      statements += 1;
      if (statements >= nth) throw Object.assign(new Error('lost'), { code: 'EDEAD' });
    };
    const watched = <T extends Database | Transaction>(target: T): T =>
      new Proxy(target, {
        apply(inner, self, given: unknown[]) {
          expectThere();
          return Reflect.apply<unknown, unknown[], unknown>(inner as never, self, given);
        },
        get(inner, name) {
          if (name === 'raw') expectThere();
          if (name === 'transaction')
            return (work: (trx: Transaction) => Promise<unknown>) =>
              (inner as Database).transaction((trx) => work(watched(trx)));
          return Reflect.get(inner, name) as unknown;
        },
      });
    return watched(cli.db);
  }

  it.each([
    ['float.withdraw', () => float('1.00')],
    [
      'wallet.adjust',
      () => ({ merchant_id: merchant, currency: 'KES', amount: '1.00', against: 'bank', reason: 'r' }),
    ],
    ['payouts.pause', () => ({ merchant_id: merchant, reason: 'r', with_refunds: false })],
    ['merchant.set', () => ({ merchant_id: merchant, api_rate: 1 + Math.floor(Math.random() * 1e6) })],
    [
      'limit.set',
      () => ({ kind: 'per_day', merchant_id: merchant, currency: 'KES', amount: '5.00', reason: 'r' }),
    ],
  ] as const)(
    '%s at any statement writes everything with its audit line, or nothing',
    async (kind, input) => {
      let done = 0;
      for (let nth = 1; done === 0; nth += 1) {
        expect(nth).toBeLessThan(200);
        const before = await contents(new Set(onTheWay));
        const lines = await cli.db('audit_log').where({ action: kind });
        const context = { ...cli.context, db: lostAt(nth) };
        const outcome = await execute({ ...cli.opened(), context }, actorOf('amina'), {
          kind,
          input: input(),
        }).catch((error: unknown) => error as Error);
        const after = await cli.db('audit_log').where({ action: kind });
        const isSame = JSON.stringify(await contents(new Set(onTheWay))) === JSON.stringify(before);
        expect([isSame, after.length - lines.length]).toEqual(isSame ? [true, 0] : [false, 1]);
        if (!(outcome instanceof Error)) done += 1;
      }
    },
  );
});

describe('an approval', () => {
  async function ask(amount: string): Promise<string> {
    const asked = await execute(live(), actorOf('amina'), { kind: 'float.withdraw', input: float(amount) });
    if (asked.kind !== 'waits') throw new Error(asked.kind);
    return asked.approvalId;
  }
  const withdrawals = async () => (await cli.db('audit_log').where({ action: 'float.withdraw' })).length;

  it('executes once when two operators approve it twenty times at once', async () => {
    const id = await ask('10.00');
    const before = await withdrawals();
    const both = Array.from({ length: 40 }, (_, n) => actorOf(n % 2 === 0 ? 'brian' : 'one-operator'));
    const answers = await Promise.allSettled(both.map((actor) => approve(live(), actor, id)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected')
        expect((answer.reason as Error).message).toMatch(/was already approved by/);
    expect(await withdrawals()).toBe(before + 1);
  });

  it('stores the action, its version, its input, and the sentence of that time', async () => {
    const id = await ask('12.00');
    const row = await cli.db('approvals').where({ approval_id: id }).first();
    expect(row).toMatchObject({
      action: 'float.withdraw',
      version: 1,
      currency: 'KES',
      amount_minor: '1200',
    });
    expect(JSON.parse(row?.input ?? '')).toEqual(float('12.00'));
    await cli.json('merchant', 'set', merchant, '--name', 'Soko');
    const texts = JSON.parse(row?.texts ?? '') as Record<string, { sentence: string }>;
    expect(texts['en']?.sentence).toBe(
      'amina requests to take KES 12.00 from the float of Duka (momo · KEN).',
    );
    await cli.json('merchant', 'set', merchant, '--name', 'Duka');
  });

  it('of another version or of an unknown kind fails with a sentence', async () => {
    for (const change of [{ version: 0 }, { version: 2 }, { action: 'float.burn' }, { action: '' }]) {
      const id = await ask('13.00');
      await cli.db('approvals').where({ approval_id: id }).update(change);
      await asOurs(cli.db, 'approvals', id);
      const before = await contents();
      await expect(approve(live(), actorOf('brian'), id)).rejects.toThrow(
        new ActionError(`${id} was requested with another version of Malipo. Request it again.`),
      );
      expect(await contents()).toEqual(before);
    }
  });

  it('fails when it would now change another amount than requested', async () => {
    const id = await ask('15.00');
    await cli.db('approvals').where({ approval_id: id }).update({ amount_minor: '1' });
    await asOurs(cli.db, 'approvals', id);
    const before = await contents();
    for (const dryRun of [true, false])
      await expect(approve(live(), actorOf('brian'), id, { dryRun })).rejects.toThrow(
        new ActionError(`${id} would now move another amount than was requested. Request it again.`),
      );
    expect(await contents()).toEqual(before);
  });

  it('can be previewed, which changes nothing', async () => {
    const id = await ask('14.00');
    const before = await contents();
    const preview = await approve(live(), actorOf('brian'), id, { dryRun: true });
    expect(preview).toMatchObject({ kind: 'preview' });
    expect(preview.changes.map(({ field }) => field)).toContain('balance');
    expect(await contents()).toEqual(before);
    expect(await approve(live(), actorOf('brian'), id)).toMatchObject({ kind: 'done' });
  });
});
