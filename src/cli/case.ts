import type { Command } from 'commander';
import { inOneLine } from '../domain/controls';
import { cutText } from '../domain/cut-text';
import { PaymentError } from '../domain/errors';
import { accountReasons, closeAllOf, listCases } from '../controls/cases';
import { holdOfCase, shortOf } from '../payments/moves/contested';
import type { CaseRow, HoldRow } from '../store/tables';
import { nameOf, whoActs } from './acting';
import { decideCase, verdicts, type Verdict } from './decide-case';
import { oneOf, readName, readReference, readWholeNumber, readWords } from './parse';
import { refuseOutcomeAsName } from './former-words';
import { heldFor, sentenceOf } from './payment-text';
import { UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count, table } from './table';
import { sleepersIn, wakeAll } from './wake';
import { clockOf } from './wall-clock';

const readVerdict = oneOf(verdicts, 'The decision');
const readAccountReason = oneOf(accountReasons, 'What all are closed of');

export function caseCommands(program: Command, run: Runner): void {
  const cases = program.command('case').description('what a person has to look at');
  cases
    .command('list')
    .description('open cases, oldest first')
    .option('--all', 'closed ones, too')
    .option('--limit <n>', 'at most so many', readWholeNumber, 100)
    .option('--after <case_id>', 'only those that came after this one', readWholeNumber)
    .action(run(list));
  cases
    .command('resolve [case_id]')
    .description(
      'close a case, and with --outcome decide what became of its payment; or all cases about an account',
    )
    .requiredOption('--note <note>', 'what was found out, for those who read it later', readWords('The note'))
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
    )
    .option('--as <name>', whoActs, readName)
    .action(run(resolve));
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
  outcome?: Verdict;
  amount?: string;
  reference?: string;
  allOf?: (typeof accountReasons)[number];
  rail?: string;
  as?: string;
}

async function resolve(session: Session, caseId: string | undefined, given: Resolution): Promise<Report> {
  if (given.outcome === undefined) refuseOutcomeAsName(given.as);
  if (caseId === undefined || given.allOf !== undefined || given.rail !== undefined)
    return resolveAll(session, caseId, given);
  const { note, outcome: verdict, amount, reference } = given;
  const by = nameOf(session.acting, given.as);
  if ((verdict === 'paid') !== (amount !== undefined)) {
    throw new UsageError('--outcome paid and --amount belong together: what was really paid must be said.');
  }
  if (reference !== undefined && verdict !== 'paid') {
    throw new UsageError('--reference belongs to --outcome paid: it says what was found at the provider.');
  }
  const payment = await decideCase(session.context, {
    caseId: String(readWholeNumber(caseId)),
    by,
    note,
    alongside: (trx, moves) =>
      session.acting.record(trx, {
        subject: { kind: 'case', id: caseId },
        ...(moves && { needs: { kind: 'money', moves } }),
      }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(amount === undefined ? {} : { amount }),
    ...(reference === undefined ? {} : { reference }),
  });
  const woken = payment ? await wakeAll(session, [payment]) : undefined;
  const others = payment
    ? await session.context
        .db('cases')
        .where({ payment_id: payment.payment_id })
        .whereNull('closed_at')
        .select('case_id')
    : [];
  const sentences = [
    `Case ${caseId} is closed by ${by}.`,
    payment && `Payment ${payment.payment_id} is ${payment.state} now; its merchant is told.`,
    others.length > 0 && `Still open for this payment: case ${others.map((c) => c.case_id).join(', ')}.`,
    woken && sleepersIn(woken),
  ];
  return {
    json: {
      case_id: caseId,
      closed_by: by,
      payment_id: payment?.payment_id ?? null,
      state: payment?.state ?? null,
    },
    text: sentences.filter(Boolean).join('\n'),
  };
}

async function resolveAll(
  session: Session,
  caseId: string | undefined,
  { note, outcome: verdict, amount, reference, allOf: reason, rail, as: named }: Resolution,
): Promise<Report> {
  const { context, acting } = session;
  const by = nameOf(session.acting, named);
  if (caseId !== undefined || reason === undefined || rail === undefined) {
    throw new UsageError('Name one case, or all of a reason of a rail: --all-of and --rail belong together.');
  }
  if (verdict !== undefined || amount !== undefined || reference !== undefined) {
    throw new UsageError('What became of a payment is decided one by one: --all-of only closes cases.');
  }
  const closed = await closeAllOf(context.db, { reason, rail }, by, note, (trx) =>
    acting.record(trx, { subject: { kind: 'case', id: cutText(`${reason} of ${rail}`, 160) } }),
  );
  if (closed === 0) throw new PaymentError('NOT_FOUND', { message: `No open case ${reason} of ${rail}` });
  return {
    json: { reason, rail, closed_by: by, closed },
    text: `${count(closed, 'case')} ${reason} of ${rail} closed by ${by}.`,
  };
}
