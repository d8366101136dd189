import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { readCurrency, readWholeNumber, readWords } from '../operator-actions/read';
import { approve } from '../operator-actions/execute';
import type { ActionTexts } from '../operator-actions/wording';
import { approvalKinds, listApprovalRules, listApprovals, type ApprovalKind } from '../users/approvals';
import type { ApprovalRow } from '../store/tables';
import { previewed, type Report, type Running } from './report';
import type { Session } from './session';
import { facts, clockOf } from './table';

export function approvalCommands(program: Command, { run, act, deciding, printed }: Running): void {
  program
    .command('approvals')
    .description('list requests for an approval, newest first')
    .option('--all', 'also show decided and expired requests')
    .option('--limit <n>', 'show at most this many', readWholeNumber, 100)
    .option('--before <approval_id>', 'only requests older than this one', readWholeNumber)
    .action(run(list));
  deciding(
    program
      .command('approve <approval_id>')
      .description('approve and run the action that another operator requested'),
    async (session, actor, dryRun, given: string) => {
      const approvalId = String(readWholeNumber(given));
      const outcome = await approve(session, actor, approvalId, { dryRun });
      if (outcome.kind === 'preview') return previewed(session, outcome);
      if (outcome.kind === 'waits') throw new Error('an approval needs another approval');
      const report = await printed(session, outcome.action, outcome.result);
      const by = actor.operator?.name ?? '';
      return { ...report, text: `${approvalId} is approved by ${by}.\n\n${report.text}` };
    },
  );
  act(
    program
      .command('reject <approval_id>')
      .description('reject the action that another operator requested')
      .requiredOption(
        '--reason <reason>',
        'the reason, for the operator who requested it',
        readWords('The reason'),
      ),
    {
      kind: 'reject',
      input: (_: Session, approvalId: string, { reason }: { reason: string }) => ({
        approval_id: approvalId,
        reason,
      }),
      print: (_, rejected) => ({
        json: rejected,
        text: `${rejected.approval_id} is rejected by ${rejected.rejected_by}.`,
      }),
    },
  );
  const rule = program
    .command('approval-rule')
    .description('rules that say which actions need a second operator');
  rule.command('list').description('list all rules').action(run(listRules));
  act(
    rule
      .command('set <kind>')
      .description(`set the rule of one kind of action; kinds: ${approvalKinds.join(', ')}`)
      .option('--currency <currency>', 'for the kind money: only this currency, such as KES')
      .option('--from <amount>', 'with --currency: only this amount and more')
      .option('--never', 'one operator is enough'),
    {
      kind: 'approval-rule.set',
      input: (_: Session, kind: string, given: { currency?: string; from?: string; never?: true }) => ({
        kind: kind as ApprovalKind,
        ...given,
      }),
      print: (_, set) => ({ json: set, text: `From now on: ${sentenceOf(set)}` }),
    },
  );
}

interface Listing {
  all?: true;
  limit: number;
  before?: number;
}

async function list({ context, config }: Session, { all, limit, before }: Listing): Promise<Report> {
  const rows = await listApprovals(context.db, {
    ...{ all: all === true, limit },
    ...(before === undefined ? {} : { before: String(before) }),
  });
  const approvals = rows.map(({ is_expired: expired, input, texts, ...approval }) => ({
    ...approval,
    state: approval.state === 'pending' && Number(expired) === 1 ? ('expired' as const) : approval.state,
    input: input === null ? null : (JSON.parse(input) as unknown),
    texts: texts === null ? null : (JSON.parse(texts) as ActionTexts),
  }));
  const clock = clockOf(config.timezone);
  return {
    json: { approvals },
    text:
      approvals.length === 0
        ? 'No request waits for a second operator.'
        : approvals.map((one) => describe(one, clock)).join('\n\n'),
  };
}

type Listed = Omit<ApprovalRow, 'state' | 'input' | 'texts'> & {
  state: string;
  texts: ActionTexts | null;
};

function describe(one: Listed, clock: (at: Date | null) => string): string {
  const { sentence, facts: below } = one.texts?.en ?? {
    sentence: `${one.asked_by} requested this with another version of Malipo. Request it again.`,
    facts: [],
  };
  return [
    `${one.approval_id}  ${sentence}`,
    facts([
      ['state', one.decided_by === null ? one.state : `${one.state} by ${one.decided_by}`],
      ['requested by', `${one.asked_by}, ${clock(one.asked_at)}; expires ${clock(one.expires_at)}`],
      ...below,
      ['action', one.action],
    ]),
  ].join('\n');
}

async function listRules({ context, config: { environment } }: Session): Promise<Report> {
  const rules = await listApprovalRules(context.db);
  const otherwise =
    environment === 'live'
      ? 'All other actions of these kinds need a second operator.'
      : 'In the sandbox, no other action needs a second operator.';
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
      : `, if it is ${amountOf(rule.from_minor, rule.currency)} or more,`;
  return `${what}${from} needs a second operator.`;
}

function amountOf(minor: string, currency: string): string {
  return formatAmount(BigInt(minor), readCurrency(currency));
}
