import { createMerchant } from '../../../src/merchants/merchants';
import { acceptInvitation } from '../../../src/users/links';
import { workplacesOf } from '../../../src/users/members';
import { openSession } from '../../../src/users/sessions';
import { setApprovalRule } from '../../../src/users/approvals';
import { createOperator } from '../../../src/users/operators';
import { inTransaction } from '../../../src/store/transaction';
import { box } from '../../support/verify/books-support';
import { giveSecondFactor } from '../../support/users/users-support';
import { personOf } from '../../../src/users/users';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchant: string;
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
});
afterAll(() => cli.drop());

const userOf = async (email: string) => {
  const user = await cli.db('users').where({ email }).first();
  if (!user) throw new Error(`no ${email}`);
  return user;
};
const tokenOf = ({ link }: Record<string, unknown>) => String(link).split('/').at(-1) ?? '';

describe('malipo user', () => {
  it('invites a merchant’s owner: the link is printed, mailed once, and not stored', async () => {
    const reported = await cli.json('user', 'create', 'Amina@Duka.example', '--merchant', merchant);
    expect(reported).toMatchObject({
      role: 'owner',
      link: expect.stringMatching(/\/invitation\/[\w-]{43}$/),
    });
    const token = tokenOf(reported);
    const user = await userOf('amina@duka.example');
    const [mail] = await cli.db('mails').where({ recipient: 'amina@duka.example' });
    expect(mail?.body).toContain(token);
    expect(mail?.redacted_body).not.toContain(token);
    const [line] = await cli.db('audit_log').where({ action: 'user.create' });
    expect(line?.subject_id).toBe(user.user_id);
    expect(line?.details).not.toMatch(/duka\.example/i);
    await inTransaction(cli.db, (trx) => acceptInvitation(trx, token, 'korosho na maziwa'));
    expect(await workplacesOf(cli.db, user.user_id)).toMatchObject([
      { merchant_id: merchant, role: 'owner' },
    ]);
  });

  it('adds the first operator with a login, and links an existing operator', async () => {
    const reported = await cli.json('user', 'create', 'ops@malipo.example', '--operator', 'odhiambo');
    expect(reported).toMatchObject({
      operator: 'odhiambo',
      operator_token: expect.stringMatching(/^op_test_/),
    });
    expect(await userOf('ops@malipo.example')).toMatchObject({ operator_name: 'odhiambo' });
    cli.env = { MALIPO_OPERATOR: 'odhiambo', MALIPO_OPERATOR_TOKEN: String(reported['operator_token']) };
    await cli.json('operator', 'create', 'auditor', '--role', 'auditor');
    const linked = await cli.json('user', 'create', 'audit@malipo.example', '--operator', 'auditor');
    expect(linked).not.toHaveProperty('operator_token');
    const second = await cli.run('user', 'create', 'other@malipo.example', '--operator', 'auditor');
    expect([second.code, second.err]).toEqual([1, 'The operator auditor already belongs to another user.\n']);
    expect(await cli.db('users').where({ email: 'other@malipo.example' })).toEqual([]);
  });

  it('rejects another role than the operator has, and reports that an existing operator gets a login', async () => {
    await cli.json('operator', 'create', 'brian');
    const asked = ['user', 'create', 'brian@malipo.example', '--operator', 'brian'];
    const other = await cli.run(...asked, '--operator-role', 'auditor');
    expect([other.code, other.err]).toEqual([1, 'brian has the role operator, not auditor.\n']);
    expect(await cli.db('users').where({ email: 'brian@malipo.example' })).toEqual([]);
    const tried = await cli.run(...asked, '--dry-run');
    expect(tried.out).toContain(
      'give brian@malipo.example a login as the existing operator brian, with the role operator',
    );
    const added = await cli.run('user', 'create', 'z@malipo.example', '--operator', 'zoe', '--dry-run');
    expect(added.out).toContain(
      'add the operator zoe with the role operator, and give z@malipo.example a login',
    );

    const rule = { kind: 'operators', currency: '', set_by: 'test' } as const;
    await setApprovalRule(cli.db, { ...rule, from_minor: '0' }, () => Promise.resolve());
    const ask = async (...args: string[]) => {
      const { code, json } = await cli.run('user', 'create', ...args, '--json');
      expect(code).toBe(3);
      return String(json['approval_id']);
    };
    const waits = await ask('late@malipo.example', '--operator', 'lulu', '--operator-role', 'operator');
    const mine = cli.env;
    await createOperator(cli.db, { name: 'lulu', role: 'operator', by: 'test', environment: 'sandbox' });
    const token = await createOperator(cli.db, {
      ...{ name: 'carol', role: 'approver', by: 'test', environment: 'sandbox' },
    });
    cli.env = { MALIPO_OPERATOR: 'carol', MALIPO_OPERATOR_TOKEN: token };
    const late = await cli.run('approve', waits);
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('lulu was added in the meantime')]);
    expect(await cli.db('users').where({ email: 'late@malipo.example' })).toEqual([]);
    cli.env = mine;
    await setApprovalRule(cli.db, { ...rule, from_minor: null }, () => Promise.resolve());
  });

  it.each([
    [['user', 'create', 'x@duka.example'], 2, /--merchant/],
    [['user', 'create', 'not an address', '--operator', 'odhiambo'], 1, /not an e-mail address/],
    [['user', 'create', 'x@duka.example', '--merchant', 'nobody'], 1, /merchant/i],
    [['user', 'end', 'nobody@duka.example'], 1, /There is no user with this address/],
  ])('rejects %j', async (args, code, words) => {
    const answer = await cli.run(...args);
    expect([answer.code, answer.err]).toEqual([code, expect.stringMatching(words)]);
  });

  it('removes a lost second factor with all sessions, and mails the user', async () => {
    const user = await userOf('amina@duka.example');
    await giveSecondFactor(cli.db, box, personOf(user), Date.now());
    await openSession(cli.db, { userId: user.user_id, address: '', agent: '', passedSecond: true });
    await cli.json('user', 'reset-second-factor', 'amina@duka.example');
    expect(await userOf('amina@duka.example')).toMatchObject({ totp_secret: null, totp_last_step: null });
    for (const table of ['recovery_codes', 'user_sessions'] as const)
      expect(await cli.db(table).where({ user_id: user.user_id })).toEqual([]);
    expect(await cli.db('mails').where({ kind: 'portal-notice' })).toHaveLength(1);
  });

  it('signs a user out everywhere, and prints the number of ended sessions', async () => {
    const user = await userOf('amina@duka.example');
    for (let i = 0; i < 2; i += 1)
      await openSession(cli.db, { userId: user.user_id, address: '', agent: '', passedSecond: false });
    const reported = await cli.json('user', 'sign-out', 'amina@duka.example');
    expect(reported).toEqual({ email: 'amina@duka.example', sessions_ended: 2 });
    expect(await cli.db('user_sessions').where({ user_id: user.user_id })).toEqual([]);
    // Remembered browsers are forgotten, because they are tied to the earlier credentials version.
    expect((await userOf('amina@duka.example')).credentials_version).toBe(user.credentials_version + 1);
    const [line] = await cli.db('audit_log').where({ action: 'user.sign-out' });
    expect([line?.subject_id, line?.details]).toEqual([user.user_id, expect.stringContaining('"ended":2')]);
    expect(line?.details).not.toContain('duka.example');
  });

  it('closes an account permanently, and lists all users', async () => {
    await cli.json('user', 'end', 'amina@duka.example');
    const { users } = await cli.json('user', 'list');
    expect(users).toMatchObject([
      { email: 'amina@duka.example', state: 'ended' },
      { email: 'audit@malipo.example', operator: 'auditor', state: 'invited' },
      { email: 'ops@malipo.example', state: 'invited' },
    ]);
    const again = await cli.run('user', 'create', 'amina@duka.example', '--merchant', merchant);
    expect([again.code, again.err]).toEqual([1, 'The account of this address was closed permanently.\n']);
  });

  it('closes the account of an approver only with a second operator', async () => {
    const approver = [
      'user',
      'create',
      'second@malipo.example',
      '--operator',
      'second',
      '--operator-role',
      'approver',
    ];
    const { operator_token: token } = await cli.json(...approver);
    const { operator_token: thirds } = await cli.json(
      ...['user', 'create', 'third@malipo.example', '--operator', 'third', '--operator-role', 'operator'],
    );
    const first = cli.env;
    const second = { MALIPO_OPERATOR: 'second', MALIPO_OPERATOR_TOKEN: String(token) };
    const asks = async (...words: string[]) => {
      const asked = await cli.run(...words, '--json');
      expect([words, asked.code]).toEqual([words, 3]);
      return String(asked.json['approval_id']);
    };
    const approves = async (env: NodeJS.ProcessEnv, id: string) => {
      cli.env = env;
      const { code } = await cli.run('approve', id);
      cli.env = first;
      return code;
    };
    // Setting the rule needs an approval itself.
    expect(await approves(second, await asks('approval-rule', 'set', 'operators'))).toBe(0);
    // The requests of a user end with the account.
    cli.env = { MALIPO_OPERATOR: 'third', MALIPO_OPERATOR_TOKEN: String(thirds) };
    const wish = await asks('operator', 'create', 'friend');
    cli.env = first;
    expect(await approves(second, await asks('user', 'end', 'third@malipo.example'))).toBe(0);
    expect(await cli.db('approvals').where({ approval_id: wish }).first()).toMatchObject({
      ...{ state: 'rejected', reason: 'the account of the requesting operator was closed' },
    });
    expect(await approves(second, wish)).toBe(1);

    const id = await asks('user', 'end', 'second@malipo.example');
    expect(await approves(first, id)).toBe(1);
    expect((await userOf('second@malipo.example')).ended_at).toBeNull();
    expect(await approves(second, id)).toBe(0);
    expect((await userOf('second@malipo.example')).ended_at).not.toBeNull();
  });
});
