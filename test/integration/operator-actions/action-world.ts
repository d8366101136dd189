/** A deployment in which every action can be done, for the tests that run all of them. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCase } from '../../../src/controls/cases';
import { createMerchant } from '../../../src/merchants/merchants';
import { listKeys } from '../../../src/merchants/own-keys';
import {
  definitionOf,
  type ActionKind,
  type InputOf,
  type ResultOf,
} from '../../../src/operator-actions/actions';
import { approve, execute } from '../../../src/operator-actions/execute';
import { alteredIn } from '../../../src/operator-actions/operators';
import { redactFields } from '../../../src/telemetry/redact';
import { approvalKinds, setApprovalRule } from '../../../src/users/approvals';
import { createOperator, roles, type Role } from '../../../src/users/operators';
import { railsOf } from '../../../src/rail-kit/context';
import { findRestore } from '../../../src/payments/recovery/restore';
import { linkOperator } from '../../../src/users/users';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { eventTypes } from '../../../src/domain/event';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { addEndpoint } from '../../../src/webhooks/endpoints/endpoints';
import type { Client } from '@temporalio/client';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';
import { aWebhook } from '../../support/portal/portal-support';
import { file, format, line, period } from '../../support/reconciliation/statement-support';
import { insertPayment } from '../../support/store/rows';
import { createPerson } from '../../support/users/users-support';
import { box, deposit, createDuplicate, refundAll } from '../../support/verify/books-support';
import { createFloatStage } from '../payments/float-stage';
import { setAside } from '../payments/payout-on-hold';

/** The checksum of each table's rows. */
export async function tableDigests(
  db: Database,
  without: ReadonlySet<string> = new Set(),
): Promise<Record<string, string>> {
  const [tables] = (await db.raw('SHOW TABLES')) as unknown as [Record<string, string>[]];
  const names = tables.flatMap((row) => Object.values(row)).filter((name) => !without.has(name));
  const list = names.map((name) => `\`${name}\``).join(', ');
  const [sums] = (await db.raw(`CHECKSUM TABLE ${list}`)) as unknown as [
    { Table: string; Checksum: number }[],
  ];
  return Object.fromEntries(sums.map((row) => [row.Table.split('.').at(-1) ?? '', String(row.Checksum)]));
}

/** The tables that a denial writes: its audit line, and the rate limit of such lines. */
const ofDenials = ['audit_log', 'audit_head', 'audit_rows', 'rate_limit_buckets'];
/** Event numbers and empty ledger accounts, which the first transaction that needs them creates. */
export const onTheWay = ['events', 'event_heads', 'ledger_accounts'];
export const besides: ReadonlySet<string> = new Set([...ofDenials, ...onTheWay]);

/** What every action may write as well. The mails depend on the merchant's users. */
const aside = new Set(['audit_log', 'audit_head', 'mails', ...onTheWay]);

/** The tables that changed, without those that any action may write. */
export const written = (before: Record<string, string>, after: Record<string, string>): string[] =>
  Object.keys(after).filter((name) => after[name] !== before[name] && !aside.has(name));

/** An input as the audit log stores it. */
export function audited(kind: ActionKind, input: object): Record<string, unknown> {
  const { audited: kept } = definitionOf(kind);
  return redactFields({ ...(kept ? kept(input as never) : input) });
}

/** The tables that a request for an approval and its end write in addition. */
export const ofApproval = ['approvals', 'audit_rows'];

export const roleRights: Record<Role, readonly string[]> = {
  operator: ['act', 'approve'],
  approver: ['approve'],
  auditor: [],
};

const noVersions = {
  because: 'The workers have no versions: MALIPO_DEPLOYMENT is not set (see docs/upgrades.md).',
  provenBy: 'test/e2e/cli/deploy.test.ts, with Temporal',
};

/** The tables that an action writes, in addition to its audit lines and `onTheWay`. */
export const writes: Record<ActionKind, readonly string[]> = {
  'float.add': ['ledger_entries', 'ledger_postings'],
  'float.withdraw': ['ledger_entries', 'ledger_postings'],
  'wallet.adjust': ['ledger_entries', 'ledger_postings'],
  'wallet.transfer': ['ledger_entries', 'ledger_postings'],
  'float-check.adjust': ['float_wallets'],
  'float-check.transfer': ['float_wallets'],
  'float-check.run': ['float_checks', 'float_check_runs', 'float_wallets'],
  'merchant.create': ['api_keys', 'audit_rows', 'merchants'],
  'merchant.set': ['merchants', 'audit_rows'],
  'merchant.rotate-key': ['api_keys', 'audit_rows'],
  'merchant.revoke-key': ['api_keys', 'audit_rows'],
  'merchant.rotate-webhook-secret': ['audit_rows', 'merchants'],
  'merchant.endpoint.add': ['audit_rows', 'webhook_endpoints'],
  'merchant.endpoint.remove': ['audit_rows', 'webhook_endpoints'],
  'merchant.endpoint.rotate': ['audit_rows', 'webhook_endpoints'],
  'operator.create': ['audit_rows', 'operators'],
  'operator.revoke': ['audit_rows', 'operators'],
  'operator.rotate': ['audit_rows', 'operators'],
  'control.accept': ['audit_rows'],
  'user.create': ['audit_rows', 'memberships', 'user_links', 'users'],
  'user.create-operator': ['audit_rows', 'operators', 'user_links', 'users'],
  'user.end': ['audit_rows', 'users'],
  'user.reset-second-factor': ['audit_rows', 'users'],
  'user.sign-out': ['audit_rows', 'users'],
  'limit.set': ['audit_rows', 'outflow_lock', 'outflow_limits'],
  'limit.remove': ['audit_rows', 'outflow_lock', 'outflow_limits'],
  'fee.set': ['audit_rows', 'fee_schedules'],
  'fee.remove': ['audit_rows', 'fee_schedules'],
  'restore.begin': ['attempts', 'audit_rows', 'payment_log', 'payments', 'payout_pauses'],
  'restore.end': ['audit_rows', 'payout_pauses'],
  'unmatched.assign': ['ledger_entries', 'ledger_postings', 'unmatched_receipts'],
  'unmatched.returned': ['ledger_entries', 'ledger_postings', 'unmatched_receipts'],
  // A rule explains all of its lines, and opens a case.
  reconcile: ['cases', 'provider_statements', 'reconciliation_results', 'rule_alarms', 'statement_lines'],
  'provider-statement.withdraw': [
    'ledger_entries',
    'ledger_postings',
    'unmatched_receipts',
    'provider_statements',
    'reconciliation_results',
  ],
  'case.resolve': ['cases', 'outbox', 'payment_log', 'payments'],
  'duplicate.refund': ['cases', 'holds', 'ledger_entries', 'ledger_postings', 'payments'],
  'duplicate.dismiss': ['cases', 'paid_references', 'payments'],
  'webhook.replay': ['outbox'],
  'payouts.pause': ['audit_rows', 'payout_pauses'],
  'payouts.resume': ['audit_rows', 'payout_pauses'],
  'hold.release': ['audit_rows', 'payout_holds'],
  reject: ['approvals', 'audit_rows'],
  'approval-rule.set': ['approval_rules', 'audit_rows'],
  'secrets.re-encrypt': [],
  'ledger.digest': [],
  prune: ['prunings'],
  resume: [],
  'deploy.promote': [],
  'deploy.ramp': [],
  'deploy.unset': [],
  'sandbox.advance': ['payments', 'sandbox_clock'],
};

/** Actions that need more than a database: the error here, and the test that proves them. */
export const refusedHere: Partial<Record<ActionKind, { because: string; provenBy: string }>> = {
  'deploy.promote': noVersions,
  'deploy.ramp': noVersions,
  'deploy.unset': noVersions,
};

/** For each kind: creates what the action needs, and returns its input. */
type Prepared = { [Kind in ActionKind]: () => Promise<InputOf<Kind>> };

export interface ActionWorld {
  cli: TestCli;
  merchant: string;
  /** Of the operators amina and brian, and of `one-<role>` for each role. */
  tokens: Record<string, string>;
  prepare: Prepared;
  /** Lets `by` request an action that needs an approval. @returns the number of the approval. */
  asked(by?: string): Promise<string>;
  drop(): Promise<void>;
}

/** Every action that can need an approval needs one. */
export async function createActionWorld(): Promise<ActionWorld> {
  const cli = await createTestCli();
  const folder = await mkdtemp(join(tmpdir(), 'malipo-walk-'));
  const { db } = cli;
  const stage = createFloatStage(db, 'quietpay', 'quiet');
  stage.holds(100_000n);
  const rails = stage.context.rails.all.map((rail) =>
    rail.name === 'loud' ? { ...rail, statement: format, refund: refundAll } : rail,
  );
  const context = { ...stage.context, rails: railsOf(rails) };
  const withDeadline = (_: number, work: () => Promise<unknown>) => work();
  const workflow = { count: () => Promise.resolve({ count: 0 }) };
  cli.session = { context, client: { withDeadline, workflow } as unknown as Client };
  const { merchant_id: merchant } = await createMerchant(db, box, { name: 'Duka', environment: 'sandbox' });
  const tokens: Record<string, string> = {};
  const noLine = () => Promise.resolve();
  const operator = (name: string, role: Role = 'operator') =>
    createOperator(db, { name, role, by: 'test', environment: 'sandbox' }, noLine);
  for (const name of ['amina', 'brian']) tokens[name] = await operator(name);
  for (const role of roles) tokens[`one-${role}`] = await operator(`one-${role}`, role);
  for (const kind of approvalKinds)
    await setApprovalRule(db, { kind, currency: '', from_minor: '0', set_by: 'amina' }, noLine);

  const actorOf = (name: string) => ({ operator: { name, role: 'operator' as const } });
  const ask = <Kind extends ActionKind>(kind: Kind, input: InputOf<Kind>, by = 'amina') =>
    execute(cli.opened(), actorOf(by), { kind, input });
  async function done<Kind extends ActionKind>(kind: Kind, input: InputOf<Kind>): Promise<ResultOf<Kind>> {
    const outcome = await ask(kind, input);
    if (outcome.kind === 'done') return outcome.result;
    if (outcome.kind !== 'waits') throw new Error(`${kind} is neither done nor asked for`);
    const approved = await approve(cli.opened(), actorOf('brian'), outcome.approvalId);
    if (approved.kind !== 'done') throw new Error(`${kind} is not approved`);
    return approved.result;
  }

  const reason = 'bank slip 12';
  let names = 0;
  const named = (what: string) => `${what}-${String((names += 1))}`;
  const ofMerchant = { merchant_id: merchant };
  const moved = { currency: 'KES', amount: '10.00', reason };
  const float = { ...ofMerchant, rail: 'momo', country: 'KEN', ...moved };
  const wallet = { ...ofMerchant, ...moved };
  const ofWallet = { provider: 'quietpay', country: 'KEN', currency: 'KES', reason };
  const limit = { ...ofMerchant, currency: 'KES', reason };
  const fee = { ...ofMerchant, currency: 'KES', fixed: '5.00', reason };
  const loudOnly = { rail: 'loud' };
  const aMerchant = async () => {
    const made = await createMerchant(db, box, { name: named('Soko'), environment: 'sandbox' });
    return made.merchant_id;
  };
  const anOperator = async (role: Role = 'operator') => {
    const name = named('zoe');
    await operator(name, role);
    return name;
  };
  const person = async () => (await createPerson(db, `${named('a')}@shop.example`)).email;
  const endpoint = async () => {
    const wanted = { url: 'https://shop.example/hook', types: [...eventTypes] };
    const world = { db, box, environment: 'sandbox' as const };
    const { endpoint: added } = await addEndpoint(world, merchant, wanted);
    return { ...ofMerchant, endpoint_id: added.endpoint_id };
  };
  const statement = async () => {
    const theirs = line(randomUUID());
    await reconcile(db, format, period(), file([theirs], `${theirs.providerReference}.json`));
    const unmatched = await db('unmatched_receipts')
      .where({ provider_reference: theirs.providerReference })
      .first();
    const reported = await db('statement_lines')
      .where({ line_id: unmatched?.line_id ?? '' })
      .first();
    return { receipt_id: unmatched?.receipt_id ?? '', statement_id: reported?.statement_id ?? '' };
  };
  const unsentPayout = async () => {
    const payout = { kind: 'payout', merchant_id: merchant, ...loudOnly } as const;
    return (await setAside(db, await insertPayment(db, payout))).payment_id;
  };
  const duplicate = async () => ({
    payment_id: (await createDuplicate(context, merchant, named('ORDER')))[1],
    reason,
  });
  const asked = async (by?: string) => {
    const outcome = await ask('float.add', float, by);
    if (outcome.kind !== 'waits') throw new Error('nobody has to approve it');
    return outcome.approvalId;
  };
  const atOnce =
    <T>(input: T) =>
    () =>
      Promise.resolve(input);

  // The first action must find what every deployment has after one day.
  await unsentPayout();
  await statement();

  const prepare: Prepared = {
    'float.add': atOnce(float),
    async 'float.withdraw'() {
      await done('float.add', float);
      return float;
    },
    'wallet.adjust': atOnce({ ...wallet, against: 'bank' as const }),
    async 'wallet.transfer'() {
      await done('wallet.adjust', { ...wallet, against: 'bank' });
      return { ...wallet, rail: 'walletpay' };
    },
    async 'float-check.adjust'() {
      await stage.prove();
      return ofWallet;
    },
    async 'float-check.transfer'() {
      await stage.prove();
      return { ...ofWallet, amount: '10.00' };
    },
    'float-check.run': atOnce({}),
    'merchant.create': () => Promise.resolve({ name: named('Soko') }),
    'merchant.set': async () => ({ merchant_id: await aMerchant(), permissions: ['can_payout'] }),
    'merchant.rotate-key': async () => ({ merchant_id: await aMerchant() }),
    async 'merchant.revoke-key'() {
      const merchantId = await aMerchant();
      const [key] = await listKeys(db, merchantId);
      return { merchant_id: merchantId, api_key: key?.api_key ?? '' };
    },
    'merchant.rotate-webhook-secret': async () => ({ merchant_id: await aMerchant() }),
    'merchant.endpoint.add': async () => ({
      merchant_id: await aMerchant(),
      url: 'https://shop.example/hook',
    }),
    'merchant.endpoint.remove': endpoint,
    'merchant.endpoint.rotate': endpoint,
    'operator.create': () => Promise.resolve({ name: named('zoe'), role: 'approver' as const }),
    'operator.revoke': async () => ({ name: await anOperator() }),
    'operator.rotate': async () => ({ name: await anOperator() }),
    async 'control.accept'() {
      const name = await anOperator();
      await db('operators').where({ name }).update({ created_by: 'somebody' });
      return { list: (await inTransaction(db, (trx) => alteredIn(trx))).name, reason };
    },
    'user.create': () =>
      Promise.resolve({ email: `${named('a')}@shop.example`, ...ofMerchant, role: 'owner' as const }),
    'user.create-operator': () =>
      Promise.resolve({
        email: `${named('a')}@shop.example`,
        ...{ operator: named('zoe'), operator_role: 'auditor' as const },
      }),
    async 'user.end'() {
      const { userId, email } = await createPerson(db, `${named('a')}@malipo.example`);
      const name = await anOperator();
      await inTransaction(db, (trx) => linkOperator(trx, userId, name));
      return { email };
    },
    'user.reset-second-factor': async () => ({ email: await person() }),
    'user.sign-out': async () => ({ email: await person() }),
    'limit.set': atOnce({ ...limit, kind: 'per_day', amount: '500.00' }),
    async 'limit.remove'() {
      const set = await done('limit.set', { ...limit, kind: 'per_payment', amount: '900.00' });
      return { limit_id: set.limit_id, reason };
    },
    'fee.set': atOnce({ ...fee, operation: 'payout' }),
    async 'fee.remove'() {
      const set = await done('fee.set', { ...fee, operation: 'collection' });
      return { fee_id: set.fee_id, reason };
    },
    'restore.begin': atOnce({ to: '2026-01-01T00:00:00.000Z', reason }),
    async 'restore.end'() {
      if (!(await findRestore(db))) await done('restore.begin', { to: '2026-01-01T00:00:00.000Z', reason });
      const stopId = (await findRestore(db))?.stop.pause_id ?? '';
      return { pause_id: stopId, note: 'all read', checked: ['loud', 'quiet'] };
    },
    'unmatched.assign': async () => ({ receipt_id: (await statement()).receipt_id, ...ofMerchant, reason }),
    'unmatched.returned': async () => ({
      receipt_id: (await statement()).receipt_id,
      ...{ reference: named('R'), reason },
    }),
    async reconcile() {
      const name = join(folder, `${named('statement')}.json`);
      // A day with nothing else: all of it is explained.
      const { content } = file([line(randomUUID(), { at: '2026-01-05T09:00:00Z', state: 'failed' })]);
      await writeFile(name, content);
      return { ...loudOnly, from: '2026-01-05', to: '2026-01-05', statement: { name, content } };
    },
    'provider-statement.withdraw': async () => ({ statement_id: (await statement()).statement_id, reason }),
    async 'case.resolve'() {
      const paymentId = await deposit(context, { merchantId: merchant }, 'initiating', 'pending');
      await openCase(db, paymentId, { reason: 'no_outcome', detail: 'the provider does not answer' });
      const found = await db('cases').where({ payment_id: paymentId }).first();
      return { case_id: found?.case_id ?? '', note: 'seen', outcome: 'failed' as const };
    },
    'duplicate.refund': duplicate,
    'duplicate.dismiss': duplicate,
    async 'webhook.replay'() {
      const paymentId = await deposit(context, { merchantId: merchant }, 'initiating', 'pending');
      const webhookId = await aWebhook(db, { merchantId: merchant, paymentId });
      await db('outbox').where({ webhook_id: webhookId }).update({ state: 'dead' });
      return { webhook_id: webhookId };
    },
    'payouts.pause': atOnce({ ...ofMerchant, reason, with_refunds: false }),
    async 'payouts.resume'() {
      await done('payouts.pause', { ...loudOnly, reason, with_refunds: false });
      return loudOnly;
    },
    async 'hold.release'() {
      const id = await unsentPayout();
      const hold = { payment_id: id, reason: 'new_recipients_per_day', held_at: new Date() };
      await db('payout_holds').insert(hold as never);
      return { payment_id: id, note: 'known' };
    },
    reject: async () => ({ approval_id: await asked('brian'), reason }),
    'approval-rule.set': atOnce({ kind: 'money' as const, currency: 'TZS', never: true }),
    'secrets.re-encrypt': atOnce({}),
    'ledger.digest': atOnce({}),
    prune: atOnce({}),
    resume: atOnce({}),
    'deploy.promote': atOnce({ build: 'b2', sample: 20 }),
    'deploy.ramp': atOnce({ build: 'b2', percent: 5, sample: 20 }),
    'deploy.unset': atOnce({ sample: 20 }),
    'sandbox.advance': atOnce({ ms: 1_000 }),
  };
  return {
    ...{ cli, merchant, tokens, prepare, asked },
    async drop() {
      await rm(folder, { recursive: true, force: true });
      await cli.drop();
    },
  };
}
