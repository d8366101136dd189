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
const readAccountReason = oneOf(accountReasons, 'What all are closed of');

export function caseCommands(program: Command, { run, act }: Running): void {
  const cases = program.command('case').description('what a person has to look at');
  cases
    .command('list')
    .description('open cases, oldest first')
    .option('--all', 'closed ones, too')
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .option('--after <case_id>', 'only those that came after this one', readWholeNumber)
    .action(run(list));
  act(
    cases
      .command('resolve [case_id]')
      .description(
        'close a case, and with --outcome decide what became of its payment; or all cases about an account',
      )
      .requiredOption(
        '--note <note>',
        'what was found out, for those who read it later',
        readWords('The note'),
      )
      .option(
        '--outcome <outcome>',
        'paid, failed, or returned: paid out, and whole with our account again',
        readVerdict,
      )
      .option('--amount <amount>', 'what was really paid, with --outcome paid')
      .option(
        '--reference <reference>',
        'what the provider calls the payment, where we never learnt it',
        readReference,
      )
      .option(
        '--all-of <reason>',
        `instead of one case all of a reason that is the account's: ${accountReasons.join(', ')}`,
        readAccountReason,
      )
      .option(
        '--rail <rail>',
        'with --all-of: the rail whose payments they are about, or whose account they stop',
      ),
    {
      kind: 'case.resolve',
      input: (_: Session, caseId: string | undefined, { allOf, ...given }: Resolution) => {
        if (caseId === undefined && allOf === undefined)
          throw new InputError(
            'Name one case, or all of a reason of a rail: --all-of and --rail belong together.',
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
  // One more than is shown tells whether there are more.
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
      // Where there are more, what the next list begins after.
      next_after: last ?? null,
    },
    text:
      cases.length === 0
        ? 'No case is open.'
        : [
            table(['case', 'opened', 'reason', 'payment', 'state'], cases.map(line)),
            texts.join('\n'),
            ...(last === undefined ? [] : [`There are more: --after ${last} shows them.`]),
          ].join('\n\n'),
  };
}

/** Minor units, of a case of money that may be taken back. */
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

function printResolved({ still_open: others, woken, ...resolved }: ResolvedCase): Report {
  const { case_id: caseId, closed_by: by, payment_id: paymentId, state } = resolved;
  const sentences = [
    `Case ${caseId} is closed by ${by}.`,
    paymentId !== null && `Payment ${paymentId} is ${state ?? ''} now; its merchant is told.`,
    others.length > 0 && `Still open for this payment: case ${others.join(', ')}.`,
    woken && sleepersIn(woken),
  ];
  return { json: resolved, text: sentences.filter(Boolean).join('\n') };
}

function printClosed(closed: ResolvedCases): Report {
  const { reason, rail, closed_by: by } = closed;
  return { json: closed, text: `${count(closed.closed, 'case')} ${reason} of ${rail} closed by ${by}.` };
}
