import type { Command } from 'commander';
import { accountReasons, listCases } from '../controls/cases';
import { inOneLine } from '../domain/controls';
import { verdicts, type ResolvedCase, type ResolvedCases } from '../operator-actions/cases';
import { InputError } from '../operator-actions/errors';
import { oneOf, readReference, readWholeNumber, readWords } from '../operator-actions/read';
import { holdOfCase, shortOf } from '../payments/transition/disputed-funds';
import type { CaseRow, HoldRow } from '../store/tables';
import { sleepersIn } from './parse';
import { heldFor, sentenceOf } from './payment-text';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

const readVerdict = oneOf(verdicts, 'The decision');
const readAccountReason = oneOf(accountReasons, 'The reason of --all-of');

export function caseCommands(program: Command, { run, act }: Running): void {
  const cases = program.command('case').description('payments and accounts that an operator must review');
  cases
    .command('list')
    .description('list open cases, oldest first')
    .option('--all', 'also show closed cases')
    .option('--limit <n>', 'show at most this many', readWholeNumber, 100)
    .option('--after <case_id>', 'only cases newer than this one', readWholeNumber)
    .action(run(list));
  act(
    cases
      .command('resolve [case_id]')
      .description(
        'close a case and, with --outcome, decide its payment; or close all cases about an account',
      )
      .requiredOption('--note <note>', 'what you found out, for later readers', readWords('The note'))
      .option(
        '--outcome <outcome>',
        'paid, failed, or returned (paid out, then returned to our account in full)',
        readVerdict,
      )
      .option('--amount <amount>', 'with --outcome paid: the amount that was really paid')
      .option(
        '--reference <reference>',
        "the provider's reference of the payment, if we do not have it",
        readReference,
      )
      .option(
        '--all-of <reason>',
        `instead of one case: close all cases of this reason about an account; reasons: ${accountReasons.join(', ')}`,
        readAccountReason,
      )
      .option('--rail <rail>', 'with --all-of: the rail of their payments, or of the stopped account'),
    {
      kind: 'case.resolve',
      input: (_: Session, caseId: string | undefined, { allOf, ...given }: Resolution) => {
        if (caseId === undefined && allOf === undefined)
          throw new InputError(
            'Name one case, or use --all-of and --rail together for all cases of a reason.',
          );
        return {
          ...given,
          ...(caseId !== undefined && { case_id: caseId }),
          ...(allOf && { all_of: allOf }),
        };
      },
      print: (_: Session, result: ResolvedCase | ResolvedCases) =>
        'case_id' in result ? printResolved(result) : printClosed(result),
    },
  );
}

interface Filters {
  all?: true;
  after?: number;
  limit: number;
}

async function list({ context, config }: Session, { all, after, limit }: Filters): Promise<Report> {
  // One row more than the list shows says whether there are more.
  const found = await listCases(context.db, { open: all !== true, after, limit: limit + 1 });
  const cases = found.slice(0, limit);
  const last = found.length > limit ? cases.at(-1)?.case_id : undefined;
  const ids = cases.flatMap(({ payment_id: id, closed_at: closed }) => (id && !closed ? id : []));
  const holds = new Map(
    (await context.db('holds').whereIn('payment_id', ids)).map((hold) => [hold.payment_id, hold]),
  );
  const held = (c: CaseRow) => heldFor(c, holds.get(c.payment_id ?? ''));
  const clock = clockOf(config.timezone);
  const line = (c: CaseRow) => [
    c.case_id,
    clock(c.opened_at),
    c.reason,
    c.payment_id ?? '',
    c.closed_at ? `closed by ${c.closed_by ?? '-'}` : 'open',
  ];
  const texts = cases.map((c) =>
    inOneLine(
      `${c.case_id}: ${sentenceOf(c.reason)} (${c.detail}${c.times > 1 ? `; ${String(c.times)} times` : ''}${held(c)})${c.resolution === null ? '' : ` Closed: ${c.resolution}`}`,
    ),
  );
  return {
    json: {
      cases: cases.map(({ open_key: _, ...shown }) => ({
        ...shown,
        sentence: sentenceOf(shown.reason),
        ...heldMinorOf(shown, holds.get(shown.payment_id ?? '')),
      })),
      // If there are more, the last id of this list: --after continues there.
      next_after: last ?? null,
    },
    text:
      cases.length === 0
        ? 'No case is open.'
        : [
            table(['case', 'opened', 'reason', 'payment', 'state'], cases.map(line)),
            texts.join('\n'),
            ...(last === undefined ? [] : [`There are more cases: --after ${last} shows them.`]),
          ].join('\n\n'),
  };
}

/** The reserve of a case about a deposit that may be reversed, in minor units. */
function heldMinorOf(about: Pick<CaseRow, 'reason' | 'closed_at'>, given: HoldRow | undefined) {
  const hold = holdOfCase(about, given);
  if (!hold) return {};
  return { held_minor: hold.amount, short_minor: shortOf(hold).toString(), held_currency: hold.currency };
}

interface Resolution {
  note: string;
  outcome?: (typeof verdicts)[number];
  amount?: string;
  reference?: string;
  allOf?: (typeof accountReasons)[number];
  rail?: string;
}

function printResolved({ still_open: others, signalled, ...resolved }: ResolvedCase): Report {
  const { case_id: caseId, closed_by: by, payment_id: paymentId, state } = resolved;
  const sentences = [
    `Case ${caseId} is closed by ${by}.`,
    paymentId !== null && `Payment ${paymentId} is now ${state ?? ''}; its merchant is notified.`,
    others.length > 0 && `Still open for this payment: case ${others.join(', ')}.`,
    signalled && sleepersIn(signalled),
  ];
  return { json: resolved, text: sentences.filter(Boolean).join('\n') };
}

function printClosed(closed: ResolvedCases): Report {
  const { reason, rail, closed_by: by } = closed;
  return { json: closed, text: `${count(closed.closed, 'case')} ${reason} of ${rail} closed by ${by}.` };
}
