/** Every action × every role, on the command line. */
import { actionKinds, actions, type ActionKind, type InputOf } from '../../../src/operator-actions/actions';
import { roles } from '../../../src/users/operators';
import type { Answer } from '../../support/cli/cli-support';
import { actionSamples } from '../../support/operator-actions/samples';
import {
  audited,
  besides,
  createActionWorld,
  ofApproval,
  onTheWay,
  refusedHere,
  roleRights,
  tableDigests,
  writes,
  written,
  type ActionWorld,
} from './action-world';

/** The command for an input. `--as`, `--dry-run` and `--json` are added to it. */
type Words = { [Kind in ActionKind]: (input: InputOf<Kind>) => string[] };

const why = ({ reason }: { reason: string }) => ['--reason', reason];
const much = ({ currency, amount, reason }: { currency: string; amount: string; reason: string }) => [
  ...['--currency', currency, '--amount', amount],
  ...why({ reason }),
];
const ofCountry = ({ country }: { country?: string | undefined }) => (country ? ['--country', country] : []);
const float = (verb: string) => (input: InputOf<'float.add'>) => [
  ...['float', verb, input.merchant_id, '--rail', input.rail],
  ...[...ofCountry(input), ...much(input)],
];
const ofMerchant = (verb: string) => (input: { merchant_id: string }) => [
  'merchant',
  verb,
  input.merchant_id,
];
const endpoint = (verb: string) => (input: InputOf<'merchant.endpoint.remove'>) => [
  ...['merchant', 'endpoint', verb, input.merchant_id, input.endpoint_id],
];
const duplicate = (verb: string) => (input: InputOf<'duplicate.refund'>) => [
  ...['duplicate', verb, input.payment_id, ...why(input)],
];
const scope = (input: InputOf<'payouts.resume'>) => [
  ...(input.merchant_id === undefined ? [] : ['--merchant', input.merchant_id]),
  ...(input.rail === undefined ? [] : ['--rail', input.rail]),
];

const words: Words = {
  'float.add': float('add'),
  'float.withdraw': float('withdraw'),
  'wallet.adjust': (input) => [
    ...['wallet', 'adjust', input.merchant_id, '--against', input.against],
    ...much(input),
  ],
  'wallet.transfer': (input) => [
    ...['wallet', 'transfer', input.merchant_id, '--to-rail', input.rail],
    ...much(input),
  ],
  'float-check.adjust': (input) => [
    ...['float-check', 'adjust', input.provider, '--currency', input.currency],
    ...[...ofCountry(input), ...why(input)],
  ],
  'float-check.transfer': (input) => [
    ...['float-check', 'transfer', input.provider],
    ...[...ofCountry(input), ...much(input)],
  ],
  'float-check.run': () => ['float-check', 'run'],
  'merchant.create': (input) => ['merchant', 'create', '--name', input.name],
  'merchant.set': (input) => [
    ...['merchant', 'set', input.merchant_id],
    ...(input.permissions ?? []).flatMap((one) => ['--permission', one]),
  ],
  'merchant.rotate-key': ofMerchant('rotate-key'),
  'merchant.revoke-key': (input) => ['merchant', 'revoke-key', input.merchant_id, input.api_key],
  'merchant.rotate-webhook-secret': ofMerchant('rotate-webhook-secret'),
  'merchant.endpoint.add': (input) => ['merchant', 'endpoint', 'add', input.merchant_id, '--url', input.url],
  'merchant.endpoint.remove': endpoint('remove'),
  'merchant.endpoint.rotate': endpoint('rotate'),
  'operator.create': (input) => ['operator', 'create', input.name, '--role', input.role],
  'operator.revoke': (input) => ['operator', 'revoke', input.name],
  'operator.rotate': (input) => ['operator', 'rotate', input.name],
  'control.accept': (input) => ['control', 'accept', '--list', input.list, ...why(input)],
  'user.create': (input) => [
    ...['user', 'create', input.email, '--merchant', input.merchant_id, '--role', input.role],
  ],
  'user.create-operator': (input) => [
    ...['user', 'create', input.email, '--operator', input.operator],
    ...['--operator-role', input.operator_role],
  ],
  'user.end': (input) => ['user', 'end', input.email],
  'user.reset-second-factor': (input) => ['user', 'reset-second-factor', input.email],
  'user.sign-out': (input) => ['user', 'sign-out', input.email],
  'limit.set': (input) => [
    ...['limit', 'set', input.kind, '--merchant', input.merchant_id ?? ''],
    ...much({ ...input, amount: input.amount ?? '' }),
  ],
  'limit.remove': (input) => ['limit', 'remove', input.limit_id, ...why(input)],
  'fee.set': (input) => [
    ...['fee', 'set', input.operation, '--currency', input.currency, '--fixed', input.fixed ?? ''],
    ...(input.merchant_id === undefined ? [] : ['--merchant', input.merchant_id]),
    ...why(input),
  ],
  'fee.remove': (input) => ['fee', 'remove', input.fee_id, ...why(input)],
  'restore.begin': (input) => ['restore', 'begin', '--to', input.to, ...why(input)],
  'restore.end': (input) => [
    ...['restore', 'end', '--note', input.note],
    ...(input.checked ?? []).flatMap((rail) => ['--checked', rail]),
  ],
  'unmatched.assign': (input) => [
    ...['unmatched', 'assign', input.receipt_id, '--merchant', input.merchant_id ?? '', ...why(input)],
  ],
  'unmatched.returned': (input) => [
    ...['unmatched', 'returned', input.receipt_id, '--reference', input.reference, ...why(input)],
  ],
  reconcile: (input) => [
    ...['reconcile', input.rail, '--from', input.from, '--to', input.to],
    ...(input.statement ? ['--statement', input.statement.name] : []),
  ],
  'provider-statement.withdraw': (input) => [
    ...['provider-statement', 'withdraw', input.statement_id, ...why(input)],
  ],
  'case.resolve': (input) => [
    ...['case', 'resolve', input.case_id ?? '', '--outcome', input.outcome ?? '', '--note', input.note],
  ],
  'duplicate.refund': duplicate('refund'),
  'duplicate.dismiss': duplicate('dismiss'),
  'webhook.replay': (input) => [
    ...['webhook', 'replay'],
    ...(input.webhook_id === undefined ? [] : [input.webhook_id]),
    ...(input.payment_id === undefined ? [] : ['--payment', input.payment_id]),
  ],
  'payouts.pause': (input) => ['payouts', 'pause', ...scope(input), ...why(input)],
  'payouts.resume': (input) => ['payouts', 'resume', ...scope(input)],
  'hold.release': (input) => ['hold', 'release', input.payment_id, '--note', input.note],
  reject: (input) => ['reject', input.approval_id, ...why(input)],
  'approval-rule.set': ({ kind, currency }) => [
    ...['approval-rule', 'set', kind, '--never'],
    ...(currency === undefined ? [] : ['--currency', currency]),
  ],
  'secrets.re-encrypt': () => ['secrets', 're-encrypt'],
  'ledger.digest': () => ['ledger', 'digest'],
  prune: () => ['prune'],
  resume: () => ['resume'],
  'deploy.promote': (input) => ['deploy', 'promote', input.build],
  'deploy.ramp': (input) => ['deploy', 'ramp', input.build, String(input.percent)],
  'deploy.unset': () => ['deploy', 'unset'],
  'sandbox.advance': (input) => ['sandbox', 'advance', `${String(input.ms)}ms`],
};

let world: ActionWorld;
beforeAll(async () => {
  world = await createActionWorld();
});
afterAll(() => world.drop());

/** A dry run may create an empty account, and skip event numbers. */
const withoutNumbers: ReadonlySet<string> = new Set(onTheWay);
const digests = (without?: ReadonlySet<string>) => tableDigests(world.cli.db, without);
/** The audit lines since then: operator, action, approver. */
async function linesSince(seq: number): Promise<unknown[]> {
  const lines = await world.cli.db('audit_log').where('seq', '>', seq).orderBy('seq');
  return lines.map(({ acted_by, action, details }) => {
    const { approved_by: approver } = JSON.parse(details) as { approved_by?: string };
    return [acted_by, action, ...(approver === undefined ? [] : [approver])];
  });
}
/** The input in the audit line of the action. */
async function givenIn(kind: ActionKind, seq: number): Promise<unknown> {
  const line = await world.cli.db('audit_log').where({ action: kind }).andWhere('seq', '>', seq).first();
  return (JSON.parse(line?.details ?? '{}') as { given?: unknown }).given;
}
const newestSeq = async () => Number((await world.cli.db('audit_log').max({ seq: 'seq' }).first())?.seq ?? 0);

/** @param token undefined for an operator without one. */
function run(name: string, token: string | undefined, args: readonly string[]): Promise<Answer> {
  world.cli.env = { MALIPO_OPERATOR: name, ...(token !== undefined && { MALIPO_OPERATOR_TOKEN: token }) };
  return world.cli.run(...args);
}
const as = (name: string, ...args: string[]) => run(name, world.tokens[name], args);

const typed = (kind: ActionKind, input: object): string[] =>
  (words[kind] as (given: object) => string[])(input);

async function prepared(kind: ActionKind): Promise<{ input: object; args: string[] }> {
  const input: object = await world.prepare[kind]();
  return { input, args: typed(kind, input) };
}

it('has a command for every action, and no other commands', () => {
  expect(Object.keys(words).sort()).toEqual([...actionKinds].sort());
});

/** A denial writes nothing but, at most, its audit line. */
async function expectDenied(who: string, args: string[], why: string): Promise<void> {
  const [before, seq] = [await digests(besides), await newestSeq()];
  expect(await as(who, ...args)).toEqual({ code: 1, out: '', err: `${why}\n`, json: {} });
  expect(await digests(besides)).toEqual(before);
  expect((await linesSince(seq)).length).toBeLessThanOrEqual(1);
}

/** @param needsSecond what a dry run reports about it; undefined for an action with another preview. */
async function expectTried(who: string, args: string[], needsSecond: boolean | undefined): Promise<void> {
  const before = await digests(withoutNumbers);
  const tried = await as(who, ...args, '--dry-run', '--json');
  expect([tried.code, tried.err]).toEqual([0, '']);
  expect(tried.json['needs_second_operator']).toBe(needsSecond);
  expect(await digests(withoutNumbers)).toEqual(before);
}

describe.each(actionKinds)('%s', (kind) => {
  const { right, approval, writes: where } = actions[kind];
  const allowed = roles.filter((role) => roleRights[role].includes(right));
  const refused = refusedHere[kind];

  it.each(roles.filter((role) => !allowed.includes(role)))('is denied to the role %s', async (role) => {
    const why = `one-${role} has the role ${role}, which does not allow this.`;
    const { args } = await prepared(kind);
    for (const words of [args, [...args, '--dry-run']]) await expectDenied(`one-${role}`, words, why);
  });

  it.each(allowed)(
    'can be done in the role %s, with a second operator if its rule needs one',
    async (role) => {
      const who = `one-${role}`;
      const { input, args } = await prepared(kind);
      if (refused) {
        const before = await digests(besides);
        for (const words of [args, [...args, '--dry-run']])
          expect(await as(who, ...words)).toMatchObject({ code: 1, err: `${refused.because}\n` });
        expect(await digests(besides)).toEqual(before);
        return;
      }
      const isAlone = approval === 'never';
      await expectTried(who, args, kind === 'prune' ? undefined : !isAlone);
      const before = await digests();
      const seq = await newestSeq();
      const reported = await as(who, ...args);
      expect([reported.code, reported.err]).toEqual([isAlone ? 0 : 3, '']);
      if (!isAlone) {
        expect(written(before, await digests())).toEqual(ofApproval);
        const asked = await world.cli.db('approvals').orderBy('approval_id', 'desc').first();
        expect(asked).toMatchObject({ action: kind, asked_by: who, state: 'pending' });
        const approved = await as('brian', 'approve', asked?.approval_id ?? '');
        expect([approved.code, approved.err]).toEqual([0, '']);
      }
      const expected = new Set([...writes[kind], ...(isAlone ? [] : ofApproval)]);
      expect(written(before, await digests())).toEqual([...expected].sort());
      expect(await givenIn(kind, seq)).toMatchObject(audited(kind, input));
      expect(await linesSince(seq)).toEqual([
        ...(isAlone ? [] : [[who, 'approval.ask']]),
        isAlone ? [who, kind] : [who, kind, 'brian'],
        ...(where === 'elsewhere' ? [[who, `${kind}.done`]] : []),
      ]);
    },
  );
});

describe('approve', () => {
  it.each(roles)('in the role %s', async (role) => {
    const who = `one-${role}`;
    const id = await world.asked('amina');
    if (!roleRights[role].includes('approve'))
      return expectDenied(who, ['approve', id], `${who} has the role ${role}, which does not allow this.`);
    await expectTried(who, ['approve', id], false);
    const before = await digests();
    expect(await as(who, 'approve', id)).toMatchObject({ code: 0, err: '' });
    expect(written(before, await digests())).toEqual([...ofApproval, ...writes['float.add']]);
  });

  it('is denied to the operator who requested it', async () => {
    const own = 'You cannot approve your own request: a second operator must approve it.';
    await expectDenied('amina', ['approve', await world.asked('amina')], own);
  });
});

describe('an operator who is not authenticated', () => {
  const samples = () => actionSamples({ merchant: world.merchant, paymentId: world.merchant });
  const everything = (): string[][] => [
    ...actionKinds.map((kind) => typed(kind, samples()[kind][0])),
    ['approve', '1'],
  ];

  it('can do nothing without a token, and no audit line is written', async () => {
    const before = await digests();
    for (const args of everything()) {
      const reported = await run('amina', undefined, args);
      expect([args, reported.code, reported.err]).toEqual([
        args,
        1,
        expect.stringMatching(/^This needs an operator: /),
      ]);
    }
    expect(await digests()).toEqual(before);
  });

  it.each([
    ['an unknown name', 'nobody-here', 'amina'],
    ["another operator's token", 'amina', 'brian'],
  ])('can do nothing with %s', async (_, name, tokenOf) => {
    const before = await digests(besides);
    // A wrong token takes a second each, so all run at once.
    const reported = await Promise.all(everything().map((args) => run(name, world.tokens[tokenOf], args)));
    for (const { code, err } of reported)
      expect([code, err]).toEqual([1, 'No active operator has this name and this token.\n']);
    expect(await digests(besides)).toEqual(before);
  });
});
