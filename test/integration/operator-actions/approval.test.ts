import { isAsWritten } from '../../../src/users/audit-log';
import { digestOfRow } from '../../../src/users/control-rows';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { createMerchant } from '../../../src/merchants/merchants';
import { askForApproval } from '../../../src/users/approvals';
import { openCase } from '../../../src/controls/cases';
import { verify } from '../../../src/verify/verify';
import type { Transaction } from '../../../src/store/database';
import { box, deposit, payOut } from '../../support/verify/books-support';
import { createTestCli, testConfig, type Answer, type TestCli } from '../../support/cli/cli-support';
import { asOurs } from '../../support/own-rows';

let cli: TestCli;
let merchant: string;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
  for (const [name, role] of [
    ['amina', 'operator'],
    ['brian', 'operator'],
    ['carol', 'approver'],
  ] as const) {
    tokens[name] = String((await cli.json('operator', 'create', name, '--role', role))['token']);
    cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN: tokens['amina'] };
  }
  await as('amina', ...float('add', '1000.00'));
  // From here on as in live: every action that sends or books money needs a second operator.
  cli.session = { config: { ...testConfig(cli.url), environment: 'live' } };
});
afterEach(async () => {
  const { checks } = await verify(cli.db, cli.context.rails);
  expect(checks.filter(({ violations }) => violations.length > 0)).toEqual([]);
});
afterAll(() => cli.drop());

const float = (verb: 'add' | 'withdraw', amount: string, reason = 'bank slip 12') => [
  ...['float', verb, merchant, '--rail', 'momo', '--country', 'KEN', '--currency', 'KES'],
  ...['--amount', amount, '--reason', reason],
];

function as(name: string, ...args: string[]): Promise<Answer> {
  cli.env = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: tokens[name] };
  return cli.run(...args, '--json');
}

async function ask(name: string, ...args: string[]): Promise<string> {
  const { code, json, err } = await as(name, ...args);
  expect([code, err]).toEqual([3, '']);
  expect(json).toMatchObject({ state: 'pending', asked_by: name });
  return String(json['approval_id']);
}

async function available(): Promise<string> {
  const { json } = await as('amina', 'float', 'show', merchant);
  return (json as { floats: { available: string }[] }).floats[0]?.available ?? '';
}

const newest = async () => {
  const line = await cli.db('audit_log').orderBy('seq', 'desc').first();
  return { ...line, details: JSON.parse(line?.details ?? '{}') as Record<string, unknown> };
};
const errorOf = ({ err }: Answer) => (JSON.parse(err) as { error: { message: string } }).error.message;

describe('an action that changes a balance', () => {
  it('is executed only after a second operator has approved it', async () => {
    const before = await available();
    const id = await ask('amina', ...float('withdraw', '10.00', 'closing — Zoë'));
    expect(await available()).toBe(before);
    expect(await newest()).toMatchObject({ acted_by: 'amina', action: 'approval.ask', subject_id: id });
    cli.env = {};
    const { out } = await cli.run('approvals');
    expect(out).toContain('amina requests to take KES 10.00 from the float of Duka (momo · KEN).');
    expect(out).toMatch(/Balance \(float\) +KES 1,000.00 → KES 990.00\nReason +closing — Zoë/);
    expect(out).toMatch(/action +float.withdraw/);

    const done = await as('carol', 'approve', id);
    expect(done).toMatchObject({ code: 0, json: { amount: '10.00', from: 'float', to: 'bank' } });
    expect(await available()).toBe((Number(before) - 10).toFixed(2));
    expect(await newest()).toMatchObject({
      acted_by: 'amina',
      action: 'float.withdraw',
      details: { approval_id: id, approved_by: 'carol' },
    });
    const entry = await cli.db('ledger_entries').orderBy('entry_id', 'desc').first();
    expect(entry?.action_id).toBe((await newest()).details['action_id']);
    expect((await as('brian', 'approve', id)).code).toBe(1);
    expect((await as('amina', 'approvals')).json).toEqual({ approvals: [] });
  });

  it('cannot be approved by the operator who requested it', async () => {
    const id = await ask('amina', ...float('withdraw', '10.00'));
    const before = await available();
    expect(errorOf(await as('amina', 'approve', id))).toContain('a second operator must approve it');
    expect(await available()).toBe(before);
    await as('amina', 'reject', id, '--reason', 'a slip of mine');
  });

  it('is executed once when two operators approve it at the same time', async () => {
    const before = Number(await available());
    const id = await ask('amina', ...float('withdraw', '10.00'));
    const entries = Number((await cli.db('ledger_entries').count({ n: '*' }))[0]?.n);
    const answers = await Promise.all([as('brian', 'approve', id), as('carol', 'approve', id)]);
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(Number(await available())).toBe(before - 10);
    expect(Number((await cli.db('ledger_entries').count({ n: '*' }))[0]?.n)).toBe(entries + 1);
  });

  it('is checked again on approval, and can be approved later when it fails now', async () => {
    const all = await available();
    const id = await ask('amina', ...float('withdraw', all));
    const other = await ask('amina', ...float('withdraw', '1.00'));
    expect((await as('carol', 'approve', other)).code).toBe(0);
    expect(errorOf(await as('carol', 'approve', id))).toContain(`less than ${all}`);
    const back = await ask('brian', ...float('add', '1.00'));
    expect((await as('carol', 'approve', back)).code).toBe(0);
    expect((await as('carol', 'approve', id)).code).toBe(0);
    expect(await available()).toBe('0.00');
    const again = await ask('brian', ...float('add', '1000.00'));
    expect((await as('amina', 'approve', again)).code).toBe(0);
  });

  it('cannot be requested when it would fail now', async () => {
    const before = await cli.db('approvals');
    expect(await as('amina', ...float('withdraw', '100000.00'))).toMatchObject({ code: 1, out: '' });
    expect(await cli.db('approvals')).toEqual(before);
  });

  it('is not executed when the request was rejected, has expired, or its requester lost the right', async () => {
    const rejected = await ask('amina', ...float('withdraw', '10.00'));
    expect(await as('carol', 'reject', rejected, '--reason', 'no slip')).toMatchObject({ code: 0 });
    expect(errorOf(await as('brian', 'approve', rejected))).toBe(
      `Request ${rejected} was already rejected by carol.`,
    );

    const expired = await ask('amina', ...float('withdraw', '10.00'));
    await cli
      .db('approvals')
      .where({ approval_id: expired })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    await asOurs(cli.db, 'approvals', expired);
    expect(errorOf(await as('brian', 'approve', expired))).toContain('has expired');

    const unmatchedLine = await ask('amina', ...float('withdraw', '10.00'));
    await cli.db('operators').where({ name: 'amina' }).update({ revoked_at: new Date() });
    expect(errorOf(await as('brian', 'approve', unmatchedLine))).toContain(
      'no longer has the right to do this',
    );
    await cli.db('operators').where({ name: 'amina' }).update({ revoked_at: null });
  });

  it.each([
    ['another input', { input: '{"amount":"990.00"}' }],
    ['another action', { action: 'float.add' }],
    ['another requester', { asked_by: 'carol' }],
    ['another amount', { amount_minor: '1' }],
    ['a later expiry', { expires_at: new Date(Date.now() + 3_600_000_000) }],
  ])('can be neither approved nor rejected once its row has %s than the request', async (_what, change) => {
    const id = await ask('amina', ...float('withdraw', '10.00'));
    const before = await cli.db('approvals').where({ approval_id: id }).first();
    await cli.db('approvals').where({ approval_id: id }).update(change);
    const had = await available();
    expect(errorOf(await as('brian', 'approve', id))).toContain(
      'was changed in the database after the request was made',
    );
    expect(errorOf(await as('brian', 'reject', id, '--reason', 'no'))).toContain(
      'was changed in the database',
    );
    expect(await available()).toBe(had);
    expect((await cli.db('approvals').where({ approval_id: id }).first())?.state).toBe('pending');
    // Forged with the database account of the service: the newest digest matches the row.
    const row = await cli.db('approvals').where({ approval_id: id }).first();
    const last = await cli.db('audit_log').orderBy('seq', 'desc').first();
    const seq = String(BigInt(last?.seq ?? 0) + 1n);
    const forged = { seq, table_name: 'approvals', row_id: id, ...digestOfRow('approvals', { ...row }) };
    const planted = cli.db.transaction(async (trx) => {
      await trx('audit_log').insert({ ...last, seq, previous_hash: last?.hash } as never);
      await trx('audit_rows').insert(forged);
      expect(await isAsWritten(trx, 'approvals', id)).toBe(false);
      throw new Error('not kept');
    });
    await expect(planted).rejects.toThrow('not kept');
    await cli
      .db('approvals')
      .where({ approval_id: id })
      .update(before ?? {});
    expect((await as('brian', 'reject', id, '--reason', 'no')).code).toBe(0);
  });

  it('includes a decision about a case, which names both operators', async () => {
    const paymentId = await deposit(cli.context, { merchantId: merchant }, 'initiating', 'pending');
    await openCase(cli.db, paymentId, { reason: 'success_unconfirmed', detail: 'not asked' });
    const found = await cli.db('cases').where({ payment_id: paymentId }).first();
    const resolve = ['case', 'resolve', found?.case_id ?? '', '--note', 'on the statement'];
    const id = await ask('amina', ...resolve, '--outcome', 'paid', '--amount', '100.00');
    const stateOf = async () => (await cli.db('payments').where({ payment_id: paymentId }).first())?.state;
    expect(await stateOf()).toBe('pending');
    expect((await as('brian', 'approve', id)).code).toBe(0);
    expect(await stateOf()).toBe('succeeded');
    expect(await cli.db('cases').where({ payment_id: paymentId }).first()).toMatchObject({
      closed_by: 'amina with brian',
    });
    expect(cli.engine.signalled).toContain(paymentId);
  });

  it('is requested once when the response to the COMMIT is lost', async () => {
    let isLost = false;
    async function transaction(work: (trx: Transaction) => Promise<unknown>): Promise<unknown> {
      const result = await cli.db.transaction(work);
      if (isLost) return result;
      isLost = true;
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    }
    const db = new Proxy(cli.db, {
      get: (target, name) => (name === 'transaction' ? transaction : (Reflect.get(target, name) as unknown)),
    });
    const before = await cli.db('approvals').pluck('approval_id');
    const action = { kind: 'float.withdraw', version: 1, input: { amount: '10.00' }, texts: {} };
    const asked = await askForApproval(db, { action, by: 'amina', need: { kind: 'money' } });
    const rows = await cli.db('approvals').whereNotIn('approval_id', before);
    expect(rows).toMatchObject([{ approval_id: asked.approvalId, expires_at: asked.expiresAt }]);
    expect(
      await cli.db('audit_log').where({ subject_kind: 'approval', subject_id: asked.approvalId }),
    ).toHaveLength(1);
    await as('carol', 'reject', asked.approvalId, '--reason', 'tried');
  });

  it('escapes control characters that would hide text from the approver', async () => {
    const id = await ask('amina', ...float('withdraw', '10.00', 'slip\u202e\u001b[2K 12'));
    const { out } = await cli.run('approvals');
    expect(out).toMatch(/slip\\u\{202e\}\\u\{1b\}\[2K 12/);
    await as('carol', 'reject', id, '--reason', 'what is this?');
  });
});

describe('operators and API keys', () => {
  it('need a second operator too', async () => {
    const created = await ask('amina', 'operator', 'create', 'eve');
    const { code, json } = await as('brian', 'approve', created);
    expect([code, json['name']]).toEqual([0, 'eve']);
    expect(await cli.db('operators').where({ name: 'eve' }).first()).toMatchObject({ created_by: 'amina' });
    const revoked = await ask('brian', 'operator', 'revoke', 'eve');
    expect((await as('amina', 'approve', revoked)).code).toBe(0);
    const rotated = await ask('amina', 'operator', 'rotate', 'brian');
    await as('carol', 'reject', rotated, '--reason', 'he has it');
    const own = await as('amina', 'operator', 'rotate', 'amina');
    expect(own.code).toBe(0);
    tokens['amina'] = String(own.json['token']);
    const keys = await cli.db('api_keys').where({ merchant_id: merchant });
    const key = await ask('amina', 'merchant', 'rotate-key', merchant);
    expect(await cli.db('api_keys').where({ merchant_id: merchant })).toEqual(keys);
    expect((await as('brian', 'approve', key)).json).toHaveProperty('api_secret');
    await ask('amina', 'merchant', 'set', merchant, '--permission', 'can_payout');
    expect((await as('amina', 'merchant', 'set', merchant, '--name', 'Duka la Amina')).code).toBe(0);
  });

  it('let an approver do nothing but approve', async () => {
    expect(errorOf(await as('carol', ...float('withdraw', '10.00')))).toContain('approver');
  });
});

describe('a rule', () => {
  it('sets the amount from which a second operator is needed, and needs one itself', async () => {
    const set = await ask('amina', 'approval-rule', 'set', 'money', '--currency', 'KES', '--from', '50.00');
    expect((await as('brian', 'approve', set)).code).toBe(0);
    expect((await as('amina', ...float('withdraw', '49.99'))).code).toBe(0);
    const id = await ask('amina', ...float('withdraw', '50.00'));
    await as('amina', 'reject', id, '--reason', 'tried');
    expect((await cli.run('approval-rule', 'list')).out).toContain(
      'money in KES, if it is 50.00 or more, needs a second operator.',
    );
    expect((await as('amina', 'approval-rule', 'set', 'keys', '--currency', 'KES')).code).toBe(2);
  });

  it('compares the whole amount that was sent: a decision that says that less was paid is refused', async () => {
    await transferByHand(cli.db, {
      from: { class: 'bank', currency: 'KES' },
      to: { class: 'float', merchantId: merchant, rail: 'loud', country: 'KEN', currency: 'KES' },
      ...{ amountMinor: 10_000n, reason: 'bank slip 13', whenShort: 'FLOAT_INSUFFICIENT' },
    });
    const paymentId = await payOut(cli.context, { merchantId: merchant, kind: 'payout' });
    await openCase(cli.db, paymentId, { reason: 'success_unconfirmed', detail: 'not asked' });
    const found = await cli.db('cases').where({ payment_id: paymentId }).first();
    const resolve = ['case', 'resolve', found?.case_id ?? '', '--note', 'on the statement'];
    const less = await as('amina', ...resolve, '--outcome', 'paid', '--amount', '0.01');
    expect([less.code, less.err]).toEqual([1, expect.stringContaining('not 0.01')]);
    const id = await ask('amina', ...resolve, '--outcome', 'paid', '--amount', '100.00');
    expect(await cli.db('approvals').where({ approval_id: id }).first()).toMatchObject({
      amount_minor: '10000',
    });
    await as('amina', 'reject', id, '--reason', 'tried');
  });
});

it.each([
  [
    'an operator whose name is taken',
    ['operator', 'create', 'brian'],
    'The operator name brian is or was in use',
  ],
  ['the end of an unknown operator', ['operator', 'revoke', 'zoe'], 'There is no active operator zoe'],
  ['a token for an unknown operator', ['operator', 'rotate', 'zoe'], 'There is no active operator zoe'],
  [
    'an input that would store a secret in a URL',
    ['merchant', 'create', '--name', 'Kiosk', '--return-url', 'https://kiosk.example/hook?token=hush'],
    'An approval does not store a URL with a query or a password',
  ],
])('%s fails at once, and no approval is requested', async (_what, command, why) => {
  const asked = () => cli.db('approvals').count({ n: '*' });
  const before = await asked();
  const refused = await as('amina', ...command);
  expect([refused.code, errorOf(refused)]).toEqual([1, expect.stringContaining(why)]);
  expect(await asked()).toEqual(before);
  expect(JSON.stringify(await newest())).not.toContain('hush');
});
