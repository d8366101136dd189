import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import {
  approvalKinds,
  getApprovable,
  legibleCommand,
  listApprovalRules,
  listApprovals,
  rejectApproval,
  setApprovalRule,
  type ApprovalKind,
} from '../operators/approvals';
import type { ApprovalRow } from '../store/tables';
import { approvedActing, type Acting } from './acting';
import { approvalTexts, type ApprovalTexts } from './approval-sentences';
import type { Invocation } from './changes';
import { oneOf, readAmount, readCurrency, readWholeNumber, readWords } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts } from './table';
import { clockOf } from './wall-clock';

/** Runs a command that was asked for before, for those who act now. */
export type CarryOut = (
  session: Session,
  argv: string[],
  actingFor: (invocation: Invocation) => Acting,
) => Promise<Report>;

/** How a command reads that was asked for before; undefined where it is not understood any more. */
export type Understand = (argv: string[]) => Promise<Invocation | undefined>;

export function approvalCommands(
  program: Command,
  run: Runner,
  { carryOut, understand }: { carryOut: CarryOut; understand: Understand },
): void {
  program
    .command('approvals')
    .description('what waits for a second operator, newest first')
    .option('--all', 'what was decided or has expired, too')
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .option('--before <approval_id>', 'only those that were asked for before this one', readWholeNumber)
    .action(run((session: Session, options: Listing) => list(session, options, understand)));
  program
    .command('approve <approval_id>')
    .description('have done what another operator has asked for')
    .action(run((session: Session, id: string) => approve(session, id, carryOut)));
  program
    .command('reject <approval_id>')
    .description('refuse what an operator has asked for')
    .requiredOption('--reason <reason>', 'why, for the one who asked', readWords('The reason'))
    .action(run(reject));
  const rule = program.command('approval-rule').description('what needs a second operator');
  rule.command('list').description('all rules').action(run(listRules));
  rule
    .command('set <kind>')
    .description(`what needs a second operator: ${approvalKinds.join(', ')}`)
    .option('--currency <currency>', 'of money: of one currency, such as KES')
    .option('--from <amount>', 'with --currency: only from so much on')
    .option('--never', 'one operator is enough')
    .action(run(setRule));
}

async function approve(session: Session, given: string, carryOut: CarryOut): Promise<Report> {
  const { context, acting } = session;
  const approvalId = String(readWholeNumber(given));
  if (!acting.operator) throw new Refusal('There is no operator yet, and nothing to approve.');
  const { approval, asker } = await getApprovable(context.db, approvalId, acting.operator);
  const approver = acting.operator;
  const report = await carryOut(session, JSON.parse(approval.command) as string[], (invocation) =>
    approvedActing({ asker, approver, approvalId, invocation }),
  );
  return { ...report, text: `${approvalId} is approved by ${approver.name}.\n\n${report.text}` };
}

async function reject(
  { context, acting }: Session,
  given: string,
  { reason }: { reason: string },
): Promise<Report> {
  const approvalId = String(readWholeNumber(given));
  await rejectApproval(context.db, approvalId, { by: acting.by, reason }, (trx) =>
    acting.record(trx, { subject: { kind: 'approval', id: approvalId } }),
  );
  return {
    json: { approval_id: approvalId, state: 'rejected', rejected_by: acting.by, reason },
    text: `${approvalId} is rejected by ${acting.by}.`,
  };
}

interface Listing {
  all?: true;
  limit: number;
  before?: number;
}

/** As the portal's page of approvals reads it, too. */
export interface ListedApproval extends Omit<ApprovalRow, 'command' | 'state'> {
  state: ApprovalRow['state'] | 'expired';
  command: string[];
  /** What it asks for, in words, by language. */
  texts: ApprovalTexts;
}

async function list(
  { context, config }: Session,
  { all, limit, before }: Listing,
  understand: Understand,
): Promise<Report> {
  const { db } = context;
  const rows = await listApprovals(db, {
    ...{ all: all === true, limit },
    ...(before === undefined ? {} : { before: String(before) }),
  });
  const approvals: ListedApproval[] = [];
  for (const { command, is_expired: expired, ...approval } of rows) {
    const argv = JSON.parse(command) as string[];
    approvals.push({
      ...approval,
      state: approval.state === 'pending' && Number(expired) === 1 ? 'expired' : approval.state,
      command: argv,
      texts: await approvalTexts(db, { ...approval, argv }, await understand(argv)),
    });
  }
  const clock = clockOf(config.timezone);
  return {
    json: { approvals },
    text:
      approvals.length === 0
        ? 'Nothing waits for a second operator.'
        : approvals.map((one) => describe(one, clock)).join('\n\n'),
  };
}

function describe(one: ListedApproval, clock: (at: Date | null) => string): string {
  const { sentence, facts: below } = one.texts.en;
  return [
    `${one.approval_id}  ${sentence}`,
    facts([
      ['state', one.decided_by === null ? one.state : `${one.state} by ${one.decided_by}`],
      ['asked by', `${one.asked_by}, ${clock(one.asked_at)}; until ${clock(one.expires_at)}`],
      ...below,
      ['command', legibleCommand(one.command)],
    ]),
  ].join('\n');
}

interface Rule {
  currency?: string;
  from?: string;
  never?: true;
}

async function setRule(
  { context, acting }: Session,
  given: string,
  { currency: named, from, never }: Rule,
): Promise<Report> {
  const kind = oneOf<ApprovalKind>(approvalKinds, 'The kind')(given);
  if (named !== undefined && kind !== 'money') throw new UsageError('Only money has a currency.');
  if (from !== undefined && (named === undefined || never))
    throw new UsageError('--from is an amount of --currency, and not given with --never.');
  const currency = named === undefined ? undefined : readCurrency(named);
  const minor = from === undefined || currency === undefined ? '0' : readAmount(from, currency).toString();
  const rule = { kind, currency: currency ?? '', from_minor: never ? null : minor, set_by: acting.by };
  await setApprovalRule(context.db, rule, (trx) =>
    acting.record(trx, { subject: { kind: 'approval_rule', id: kind }, needs: { kind: 'operators' } }),
  );
  return { json: rule, text: `From now on: ${sentenceOf(rule)}` };
}

async function listRules({ context, config: { environment } }: Session): Promise<Report> {
  const rules = await listApprovalRules(context.db);
  const otherwise =
    environment === 'live'
      ? 'Everything else that can need a second operator needs one.'
      : 'Nothing else needs a second operator in the sandbox.';
  return {
    json: { rules, otherwise: environment === 'live' ? 'always' : 'never' },
    text: [...rules.map(sentenceOf), otherwise].join('\n'),
  };
}

function sentenceOf(rule: { kind: string; currency: string; from_minor: string | null }): string {
  const what = `${rule.kind}${rule.currency === '' ? '' : ` in ${rule.currency}`}`;
  if (rule.from_minor === null) return `${what} needs one operator.`;
  const from =
    rule.currency === '' || rule.from_minor === '0'
      ? ''
      : `, from ${amountOf(rule.from_minor, rule.currency)} on,`;
  return `${what}${from} needs a second operator.`;
}

function amountOf(minor: string, currency: string): string {
  return formatAmount(BigInt(minor), readCurrency(currency));
}
