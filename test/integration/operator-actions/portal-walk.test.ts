/** Every action that has a form in the portal × every role, through its form. */
import { basename } from 'node:path';
import { actionKinds, actions, type ActionKind, type InputOf } from '../../../src/operator-actions/actions';
import { roles, type Role } from '../../../src/users/operators';
import { createActs } from '../../../src/portal/acts';
import { operationRoutes } from '../../../src/portal/operations/routes';
import { translator } from '../../../src/portal/words';
import {
  call,
  callWithFile,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';
import { createPerson } from '../../support/users/users-support';
import { box } from '../../support/verify/books-support';
import {
  audited,
  createActionWorld,
  ofApproval,
  onTheWay,
  roleRights,
  tableDigests,
  written,
  writes,
  type ActionWorld,
} from './action-world';

/** The values of a form. */
interface Filled {
  /** The parameters of the path. */
  of?: Record<string, string>;
  fields: Record<string, string>;
  file?: { name: string; content: Buffer };
  /** The input of the action, if it differs from the prepared one. */
  means?: object;
}

interface Form<Input> {
  route: string;
  filled: (input: Input) => Filled | Promise<Filled>;
  /** True if this form of the action needs no second operator. */
  isAlone?: true;
  /** The tables that it writes, if they differ from those of the action. */
  writes?: readonly string[];
}

/** For each kind its forms, or the reason why it has none. */
type Forms = { [Kind in ActionKind]: Form<InputOf<Kind>>[] | string };

const shop = ({ merchant_id: id = '' }: { merchant_id?: string }) => ({ shop: id });
const float = (verb: string): Form<InputOf<'float.add'>> => ({
  route: '/ops/merchants/:shop/float',
  filled: ({ merchant_id: merchantId, ...input }) => ({
    of: { shop: merchantId },
    fields: { ...input, country: input.country ?? '', verb },
  }),
});
const ofOwners = 'owners do it on the pages of their merchant';
const ofAccess = 'who may do what here is decided on the command line';
const ofCorrections = 'a correction of the books is made on the command line';
const ofWorkers = 'workers do it by themselves';
const ofServer = 'it belongs to work on the servers, where the command line is';

const forms: Forms = {
  'float.add': [float('add')],
  'float.withdraw': [float('withdraw')],
  'wallet.adjust': ofCorrections,
  'wallet.transfer': ofCorrections,
  'float-check.adjust': ofCorrections,
  'float-check.transfer': ofCorrections,
  'float-check.run': ofWorkers,
  'merchant.create': [
    {
      route: '/ops/merchants',
      filled: ({ name }) => ({ fields: { name } }),
    },
  ],
  'merchant.set': [
    {
      route: '/ops/merchants/:id/status',
      isAlone: true,
      filled: ({ merchant_id: id }) => ({
        ...{ of: { id }, fields: { status: 'suspended' } },
        means: { merchant_id: id, status: 'suspended' },
      }),
    },
  ],
  'merchant.rotate-key': ofOwners,
  'merchant.revoke-key': ofOwners,
  'merchant.rotate-webhook-secret': ofOwners,
  'merchant.endpoint.add': ofOwners,
  'merchant.endpoint.remove': ofOwners,
  'merchant.endpoint.rotate': ofOwners,
  'operator.create': ofAccess,
  'operator.revoke': ofAccess,
  'operator.rotate': ofAccess,
  'control.accept': ofAccess,
  'user.create': ofOwners,
  'user.create-operator': ofAccess,
  'user.end': ofAccess,
  'user.reset-second-factor': ofAccess,
  'user.sign-out': [{ route: '/ops/users/sign-out', filled: ({ email }) => ({ fields: { email } }) }],
  'limit.set': [
    {
      route: '/ops/merchants/:shop/limit',
      filled: ({ kind, currency, amount = '', reason, ...input }) => ({
        ...{ of: shop(input), fields: { kind, currency, amount, reason } },
      }),
    },
  ],
  'limit.remove': [
    {
      route: '/ops/merchants/:shop/limit/remove',
      filled: ({ limit_id: id, reason }) => ({ of: { shop: world.merchant }, fields: { id, reason } }),
    },
  ],
  'fee.set': [
    {
      route: '/ops/merchants/:shop/fee',
      filled: ({ operation, currency, fixed = '', reason, ...input }) => ({
        ...{ of: shop(input), fields: { operation, currency, fixed, reason } },
      }),
    },
  ],
  'fee.remove': [
    {
      route: '/ops/merchants/:shop/fee/remove',
      filled: ({ fee_id: id, reason }) => ({ of: { shop: world.merchant }, fields: { id, reason } }),
    },
  ],
  'restore.begin': ofServer,
  'restore.end': ofServer,
  'unmatched.assign': [
    {
      route: '/ops/unmatched/:unmatched/assign',
      filled: ({ receipt_id: unmatched, merchant_id: merchant = '', reason }) => ({
        ...{ of: { unmatched }, fields: { whose: 'wallet', merchant, reason } },
      }),
    },
  ],
  'unmatched.returned': [
    {
      route: '/ops/unmatched/:unmatched/returned',
      filled: ({ receipt_id: unmatched, reference, reason }) => ({
        of: { unmatched },
        fields: { reference, reason },
      }),
    },
  ],
  reconcile: [
    {
      route: '/ops/reconciliation/file',
      filled({ rail, from, to, statement }) {
        const { name = '', content = Buffer.alloc(0) } = statement ?? {};
        const file = { name: basename(name), content };
        return { fields: { rail, from, to }, file, means: { rail, from, to, statement: file } };
      },
    },
    {
      route: '/ops/reconciliation',
      // No statement was stored for these days.
      writes: [],
      filled: ({ rail, from, to }) => ({
        ...{ fields: { rail, from, to, kept: '1' }, means: { rail, from, to, kept: true } },
      }),
    },
  ],
  'provider-statement.withdraw': [
    {
      route: '/ops/reconciliation/statements/:statement/withdraw',
      filled: ({ statement_id: statement, reason }) => ({ of: { statement }, fields: { reason } }),
    },
  ],
  'case.resolve': [
    {
      route: '/ops/cases/:case/resolve',
      filled: ({ case_id: id = '', outcome = '', note }) => ({ of: { case: id }, fields: { outcome, note } }),
    },
  ],
  'duplicate.refund': ofOwners,
  'duplicate.dismiss': ofOwners,
  'webhook.replay': ofOwners,
  'payouts.pause': [
    {
      route: '/ops/pauses',
      filled: ({ merchant_id: merchant = '', reason }) => ({ fields: { merchant, reason } }),
    },
  ],
  'payouts.resume': [
    {
      route: '/ops/pauses/end',
      async filled({ rail = '' }) {
        const stop = await world.cli.db('payout_pauses').where({ rail, ended_at: null }).first('pause_id');
        return { fields: { stop: stop?.pause_id ?? '' } };
      },
    },
  ],
  'hold.release': [
    {
      route: '/ops/holds/:payment/release',
      filled: ({ payment_id: payment, note }) => ({ of: { payment }, fields: { note } }),
    },
  ],
  reject: [
    {
      route: '/ops/approvals/:id/reject',
      filled: ({ approval_id: id, reason }) => ({ of: { id }, fields: { reason } }),
    },
  ],
  'approval-rule.set': ofAccess,
  'secrets.re-encrypt': ofServer,
  'ledger.digest': ofWorkers,
  prune: ofWorkers,
  resume: ofServer,
  'deploy.promote': ofServer,
  'deploy.ramp': ofServer,
  'deploy.unset': ofServer,
  'sandbox.advance': ofServer,
};
const approveRoute = '/ops/approvals/:id/approve';

let world: ActionWorld;
let portal: TestPortal;
const tokens = {} as Record<Role | 'owner' | 'stale', string>;
beforeAll(async () => {
  world = await createActionWorld();
  const { cli, merchant: merchantId } = world;
  const acts = createActs({ context: cli.opened().context, engine: cli.engine });
  portal = await startPortal({ of: { test: cli, box, acts } });
  for (const role of roles) tokens[role] = await sessionOf(portal, await createPlatformPerson(portal, role));
  const owner = await createPerson(portal.db, 'owner@shop.example', { merchantId, role: 'owner' });
  tokens.owner = await sessionOf(portal, owner);
  const late = await createPlatformPerson(portal, 'operator', 'the-late-one');
  tokens.stale = await sessionOf(portal, late, { isFresh: false });
});
afterAll(async () => {
  await portal.stop();
  await world.drop();
});

/** The last-seen time of a session and the rate limit of uploads do not count as changes. */
const ofVisits = ['user_sessions', 'rate_limit_buckets'];
const withoutVisits: ReadonlySet<string> = new Set(ofVisits);
const withoutNumbers: ReadonlySet<string> = new Set([...ofVisits, ...onTheWay]);
const digests = (without = withoutVisits) => tableDigests(world.cli.db, without);
const newestSeq = async () => Number((await world.cli.db('audit_log').max({ seq: 'seq' }).first())?.seq ?? 0);

/** @param more additional fields, or replacements of fields. */
function send(token: string | undefined, path: string, filled: Filled, more: Record<string, string> = {}) {
  const form = { ...filled.fields, ...more };
  return filled.file
    ? callWithFile(portal, { path, token, form, file: filled.file })
    : call(portal, { method: 'POST', path, token, form });
}

const approvalPath = (id: string) => `/ops/approvals/${id}/approve`;

/** @returns the path, the form values, and the input of the action. */
async function prepared(kind: ActionKind, form: Form<never>) {
  const input: object = await world.prepare[kind]();
  const filled = await form.filled(input as never);
  const path = form.route.replaceAll(/:(\w+)/g, (_, name: string) => filled.of?.[name] ?? '');
  return { path, filled, input: filled.means ?? input };
}

const listed = (kind: ActionKind): readonly Form<never>[] => {
  const own = forms[kind];
  return typeof own === 'string' ? [] : own;
};
const all = actionKinds.flatMap((kind) => listed(kind).map((form) => [kind, form.route, form] as const));

it('has forms for every action, or a reason why there is none', () => {
  expect(Object.keys(forms).sort()).toEqual([...actionKinds].sort());
  for (const own of Object.values(forms)) expect(own.length).toBeGreaterThan(0);
});

it('has no form for operators that does anything else', () => {
  const routes = operationRoutes.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect([...new Set([...all.map(([, route]) => route), approveRoute])].sort()).toEqual(routes.sort());
});

describe.each(all)('%s, by the form of %s', (kind, _, form) => {
  const { right, approval, writes: where } = actions[kind];
  const allowed = roles.filter((role) => roleRights[role].includes(right));

  it('is denied to all others, and changes nothing', async () => {
    const { path, filled } = await prepared(kind, form);
    const before = await digests();
    for (const role of roles.filter((one) => !allowed.includes(one))) {
      expect(await send(tokens[role], path, filled)).toMatchObject({ status: 403 });
      expect(await send(tokens[role], path, filled, { preview: '1' })).toMatchObject({ status: 403 });
    }
    // The file is not even read.
    expect((await send(tokens.owner, path, filled)).status).toBe(filled.file ? 403 : 404);
    expect(await send(tokens.operator, path, filled, { csrf: 'another' })).toMatchObject({ status: 403 });
    const nobody = await send(undefined, path, { fields: filled.fields });
    expect([nobody.status, nobody.to]).toEqual([303, '/sign-in']);
    const late = await send(tokens.stale, path, filled);
    expect([late.status, late.to]).toEqual([303, expect.stringMatching(/^\/confirm\?next=/)]);
    expect(await digests()).toEqual(before);
  });

  it.each(allowed)(
    'can be done in the role %s, with a second operator if its rule needs one',
    async (role) => {
      const who = `the-${role}`;
      const { path, filled, input } = await prepared(kind, form);
      const isAlone = approval === 'never' || form.isAlone === true;
      const untouched = await digests(withoutNumbers);
      const preview = await send(tokens[role], path, filled, { preview: '1' });
      const saysSecond = preview.text.includes(translator('en')('ops.preview.second'));
      expect([preview.status, saysSecond]).toEqual([200, !isAlone]);
      expect(await digests(withoutNumbers)).toEqual(untouched);

      const [before, seq] = [await digests(), await newestSeq()];
      expect(await send(tokens[role], path, filled)).toMatchObject({ status: isAlone ? 200 : 202 });
      if (!isAlone) {
        expect(written(before, await digests())).toEqual(ofApproval);
        const asked = await world.cli.db('approvals').orderBy('approval_id', 'desc').first();
        expect(asked).toMatchObject({ action: kind, asked_by: who, state: 'pending' });
        const approved = await send(tokens.approver, approvalPath(asked?.approval_id ?? ''), { fields: {} });
        expect(approved.status).toBe(200);
      }
      const expected = new Set([...(form.writes ?? writes[kind]), ...(isAlone ? [] : ofApproval)]);
      expect(written(before, await digests())).toEqual([...expected].sort());
      const lines = await world.cli.db('audit_log').where('seq', '>', seq).orderBy('seq');
      expect(lines.map(({ acted_by, action }) => [acted_by, action])).toEqual([
        ...(isAlone ? [] : [[who, 'approval.ask']]),
        [who, kind],
        ...(where === 'elsewhere' ? [[who, `${kind}.done`]] : []),
      ]);
      const line = lines.find(({ action }) => action === kind);
      expect(JSON.parse(line?.details ?? '{}')).toMatchObject({
        given: audited(kind, input),
        ...(!isAlone && { approved_by: 'the-approver' }),
      });
    },
  );
});

describe('the approval form', () => {
  const nothing: Filled = { fields: {} };

  it.each(roles)('in the role %s', async (role) => {
    const path = approvalPath(await world.asked('amina'));
    const untouched = await digests(withoutNumbers);
    const status = roleRights[role].includes('approve') ? 200 : 403;
    expect(await send(tokens[role], path, nothing, { preview: '1' })).toMatchObject({ status });
    expect(await digests(withoutNumbers)).toEqual(untouched);
    const before = await digests();
    expect(await send(tokens[role], path, nothing)).toMatchObject({ status });
    expect(written(before, await digests())).toEqual(
      status === 200 ? [...ofApproval, ...writes['float.add']] : [],
    );
  });

  it('is denied to the requester, to a merchant, and without a session', async () => {
    const path = approvalPath(await world.asked('the-operator'));
    const before = await digests();
    expect(await send(tokens.operator, path, nothing)).toMatchObject({ status: 409 });
    expect(await send(tokens.owner, path, nothing)).toMatchObject({ status: 404 });
    expect(await send(undefined, path, nothing)).toMatchObject({ status: 303, to: '/sign-in' });
    expect(await digests()).toEqual(before);
  });
});
