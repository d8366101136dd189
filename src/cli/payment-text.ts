/** One payment for people: what it is, what happened in the order it happened, where the money is, who was told. */
import { caseReasons, type CaseReason } from '../controls/cases';
import { inOneLine } from '../domain/controls';
import { formatAmount, type Currency } from '../domain/money';
import { nextSteps, type NextStepTold } from '../domain/next-steps';
import { isSettled } from '../domain/payment';
import { redactFields } from '../telemetry/redact';
import { holdOfCase, shortOf } from '../payments/transition/disputed-funds';
import { feeInWords } from '../payments/transition/fees';
import { paidAgainDetail } from '../payments/transition/warning-details';
import { holdOf, reasonOfHold } from '../payments/read/on-hold';
import { possibleDuplicateDetail } from '../payments/read/duplicates';
import type { Timeline } from '../payments/read/timeline';
import type { CaseRow, HoldRow, PaymentRow, PrunableBody } from '../store/tables';
import { facts, table } from './table';

type Clock = (at: Date | null) => string;

/** What may be shown of a payment: not the number of the customer, nor what opens our notification route. */
export function summaryOfPayment(payment: PaymentRow) {
  const { callback_token: _, phone_number: phone, details, metadata, ...shown } = payment;
  const amount = (minor: string | null, currency: Currency) =>
    minor === null ? null : formatAmount(BigInt(minor), currency);
  return {
    ...shown,
    requested_amount: amount(payment.requested_minor, payment.currency),
    instructed_amount: amount(payment.instructed_minor, payment.instructed_currency),
    confirmed_amount: amount(payment.confirmed_minor, payment.instructed_currency),
    credited_amount: amount(payment.credited_minor, payment.credited_currency ?? payment.currency),
    given_back_amount: amount(payment.given_back_minor, payment.instructed_currency),
    refunded_amount: amount(payment.refunded_minor, payment.instructed_currency),
    ...feeInWords(payment),
    phone_number: maskPhone(phone),
    details: redactFields(details),
    has_metadata: metadata !== null,
  };
}

/** Webhooks carry what the merchant may know and an operator's terminal need not. */
export function timelineWithoutPhones({ payoutHold, ...timeline }: Timeline) {
  const webhooks = timeline.webhooks.map(({ body_since: _, ...webhook }) => ({
    ...webhook,
    // A pruned one is gone, and its digest tells what it was.
    body:
      webhook.body_pruned_at === null
        ? redactFields(JSON.parse(webhook.body) as Record<string, unknown>)
        : null,
    body_sha256: webhook.body_sha256?.toString('hex') ?? null,
  }));
  const notifications = timeline.notifications.map((notification) => ({
    ...notification,
    body_sha256: notification.body_sha256?.toString('hex') ?? null,
  }));
  return { ...timeline, payout_hold: payoutHold ?? null, notifications, webhooks };
}

/** `body pruned on 2026-01-31 02:00:05, sha256 9f86…`; empty while it is kept. */
function prunedText(
  { body_pruned_at: at, body_sha256: digest }: Pick<PrunableBody, 'body_pruned_at' | 'body_sha256'>,
  clock: Clock,
): string {
  return at === null ? '' : `body pruned on ${clock(at)}, sha256 ${digest?.toString('hex') ?? ''}`;
}

/** All but the last three digits. */
function maskPhone(text: string | null): string | null {
  return text === null ? null : `***${text.slice(-3)}`;
}

export function describePayment(
  payment: PaymentRow,
  timeline: Timeline,
  {
    workflowUrl,
    nextStep,
    clock,
  }: { workflowUrl: string; nextStep: NextStepTold['next_step']; clock: Clock },
): string {
  return [
    head(payment, timeline, { workflowUrl, nextStep, clock }),
    openCases(timeline),
    `What happened\n${table(
      ['when', 'what', 'how'],
      story(payment, timeline, clock).map(([at, what, how]) => [clock(at), what, how]),
    )}`,
    money(timeline),
    webhooks(timeline, clock),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function head(
  payment: PaymentRow,
  { refunds }: Timeline,
  { workflowUrl, nextStep, clock }: Parameters<typeof describePayment>[2],
): string {
  const summary = summaryOfPayment(payment);
  return facts([
    ['payment', payment.payment_id],
    ['state', `${payment.state}${payment.corrected === 1 ? ' (a correction of an earlier ending)' : ''}`],
    ['on hold', onHold(payment, clock)],
    ['next step', adviceOf(nextStep)],
    ['possible duplicate of', payment.details[possibleDuplicateDetail]],
    ['what', `${payment.kind} over ${payment.rail} (${payment.provider})`],
    ['amount', amountsOf(payment, summary)],
    ['merchant', payment.merchant_id],
    ['order', payment.order_id],
    ['reference', payment.account_reference],
    ['phone', summary.phone_number],
    ['provider reference', payment.provider_reference],
    [
      'receipt',
      // A refund is known by its provider's reference; not every provider gives it a receipt, too.
      payment.provider_receipt ??
        (payment.state === 'succeeded' && payment.kind !== 'refund' ? 'missing: nobody has told it' : null),
    ],
    [isSettled(payment.state) && payment.state !== 'returned' ? 'paid as' : 'result', resultOf(payment)],
    ['dispute', disputeOf(payment)],
    ['parent', payment.parent_id],
    ['refunds', refunds.map(({ payment_id: id, state }) => `${id} (${state})`).join(', ')],
    ['request', payment.request_id],
    ['workflow', workflowUrl],
  ]);
}

/** What the provider said: of a payment that succeeded once, how it was paid, and not why it went back since. */
function resultOf({ result_code: code, result_text: text, failure_code: ours }: PaymentRow): string {
  return [code, text, ours].filter(Boolean).join(' ');
}

function onHold(payment: PaymentRow, clock: Clock): string | undefined {
  const hold = holdOf(payment);
  if (!hold) return undefined;
  return `${hold.holdReason}, until ${hold.untilAt ? clock(hold.untilAt) : 'an operator lets it go on'}`;
}

/** As the merchant and the customer read it. */
function adviceOf({ code, en, safe_to_repeat: isSafe }: NextStepTold['next_step']): string {
  const repeat = isSafe ? 'safe to repeat' : 'NOT safe to repeat';
  return `${code}, ${repeat}. Merchant: ${nextSteps[code].merchant.en} Customer: ${en}`;
}

/** What a provider has told of its customer's dispute last. */
function disputeOf({ details }: PaymentRow): string {
  const { dispute_id: id, dispute_status: status, dispute_reason: reason } = details;
  const { dispute_amount: amount, dispute_outcome: outcome } = details;
  return [id, status, outcome, reason, amount].filter(Boolean).join(' ');
}

function openCases({ cases, hold }: Timeline): string {
  return cases
    .filter((found) => found.closed_at === null)
    .map((found) =>
      inOneLine(
        `OPEN CASE ${found.case_id}: ${sentenceOf(found.reason)} (${found.detail}${heldFor(found, hold)})`,
      ),
    )
    .join('\n');
}

/** What is held for a case of money that may be taken back, and what the wallet did not have. */
export function heldFor(about: CaseRow, hold: HoldRow | undefined): string {
  const held = holdOfCase(about, hold);
  return held ? `; ${heldOf(held)}` : '';
}

function heldOf(hold: HoldRow): string {
  const shown = (minor: bigint) => `${formatAmount(minor, hold.currency)} ${hold.currency}`;
  const short = shortOf(hold);
  const held = `held in the wallet: ${shown(BigInt(hold.amount))}`;
  return short === 0n ? held : `${held} of ${shown(BigInt(hold.amount) + short)}, the wallet has had no more`;
}

export function sentenceOf(reason: string): string {
  return Object.hasOwn(caseReasons, reason) ? caseReasons[reason as CaseReason] : reason;
}

type Event = [at: Date, what: string, how: string];

function story(payment: PaymentRow, timeline: Timeline, clock: Clock): Event[] {
  const words = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' ');
  const events: Event[] = [
    [receivedAt(payment, timeline), 'received', words(payment.request_id && `request ${payment.request_id}`)],
    ...timeline.attempts.map((a): Event => [
      a.sent_at,
      `${a.operation} ${String(a.n)}: ${a.state}`,
      words(a.code, a.detail),
    ]),
    ...timeline.log.map((l): Event => [
      l.at,
      `${l.from_state} → ${l.to_state}`,
      words(`by ${l.cause}:`, l.evidence ?? '-'),
    ]),
    ...holdEvents(timeline, clock),
    ...timeline.notifications.map((n): Event => [
      n.received_at,
      `notification ${n.inbox_id}: ${n.state}`,
      words(n.reason, n.source_address && `from ${n.source_address}`, prunedText(n, clock)),
    ]),
    ...timeline.cases.map((c): Event => [c.opened_at, `case ${c.case_id} opened`, words(c.reason, c.detail)]),
    ...timeline.cases.flatMap((c): Event[] =>
      c.closed_at
        ? [[c.closed_at, `case ${c.case_id} closed`, words(`by ${c.closed_by ?? '-'}:`, c.resolution)]]
        : [],
    ),
  ];
  // Equal times keep the order above: an attempt is written before the move it makes.
  return events.sort(([a], [b]) => a.getTime() - b.getTime());
}

function holdEvents({ payoutHold: hold }: Timeline, clock: Clock): Event[] {
  if (!hold) return [];
  const until = hold.until_at ? clock(hold.until_at) : 'an operator lets it go on';
  const events: Event[] = [[hold.held_at, 'put on hold', `${reasonOfHold[hold.reason]}, until ${until}`]];
  if (hold.released_at)
    events.push([hold.released_at, 'released', `by ${hold.released_by ?? '-'}: ${hold.note ?? ''}`]);
  return events;
}

/** The payment's own clock may be ahead of the time that everything else is told in. */
function receivedAt({ created_at: at }: PaymentRow, { attempts, log }: Timeline): Date {
  const known = [at, attempts[0]?.sent_at, log[0]?.at].map((each) => (each ?? at).getTime());
  return new Date(Math.min(...known));
}

function money({ ledger, hold }: Timeline): string {
  if (ledger.length === 0) return 'The books have no entry of it.';
  const rows = ledger.map((line) => [
    line.entry_id,
    line.source,
    line.account,
    `${formatAmount(BigInt(line.amount), line.currency as Currency)} ${line.currency}`,
  ]);
  if (hold?.state === 'open' && hold.wanted !== null)
    return `${bookedAs(rows)}\nIt may be taken back; ${heldOf(hold)}.`;
  const held = hold
    ? `\nThe hold of ${formatAmount(BigInt(hold.amount), hold.currency)} ${hold.currency} is ${hold.state}.`
    : '';
  return bookedAs(rows) + held;
}

function bookedAs(rows: string[][]): string {
  return `Booked\n${table(['entry', 'source', 'account', 'amount'], rows)}`;
}

function webhooks({ webhooks: all }: Timeline, clock: Clock): string {
  if (all.length === 0) return 'No webhook was due.';
  const rows = all.flatMap((webhook) => [
    [
      webhook.webhook_id,
      webhook.to_state,
      webhook.state,
      webhook.state === 'pending' ? `next ${clock(webhook.next_at)}` : clock(webhook.settled_at),
    ],
    ...(webhook.body_pruned_at === null ? [] : [[`  ${prunedText(webhook, clock)}`, '', '', '']]),
    ...webhook.deliveries.map((d) => [
      `  try ${String(d.n)}, ${clock(d.at)}`,
      d.http_status === null ? 'no answer' : `HTTP ${String(d.http_status)}`,
      `${String(d.duration_ms)} ms`,
      d.error ?? '',
    ]),
  ]);
  return `Told the merchant\n${table(['webhook', 'about', 'state', 'when'], rows)}`;
}

/** `1295.00 KES asked, 10.00 USD confirmed, 1300.00 KES credited, 5.00 USD given back` */
function amountsOf(payment: PaymentRow, shown: ReturnType<typeof summaryOfPayment>): string {
  const { instructed_currency: instructed, credited_currency: credited, details } = payment;
  const isAssumed = details['amount_named_by'] === 'nobody';
  const again = details[paidAgainDetail];
  const { fee, fee_currency: feeCurrency } = feeInWords(payment);
  return [
    `${shown.requested_amount ?? ''} ${payment.currency} asked`,
    (instructed !== payment.currency || payment.instructed_minor !== payment.requested_minor) &&
      `${shown.instructed_amount ?? ''} ${instructed} instructed`,
    payment.confirmed_minor !== null &&
      `${shown.confirmed_amount ?? ''} ${instructed} confirmed${isAssumed ? ' (as asked: nobody named the amount)' : ''}`,
    payment.credited_minor !== null &&
      `${shown.credited_amount ?? ''} ${credited ?? ''} ${payment.kind === 'refund' ? 'of the wallet' : 'credited'}`,
    fee !== undefined && `${fee} ${feeCurrency ?? ''} fee`,
    payment.given_back_minor !== '0' && `${shown.given_back_amount ?? ''} ${instructed} given back`,
    payment.refunded_minor !== '0' && `${shown.refunded_amount ?? ''} ${instructed} refunded by us`,
    again !== undefined && `${formatAmount(BigInt(again), instructed)} ${instructed} paid once more`,
    payment.state === 'returned' && `${shown.requested_amount ?? ''} ${payment.currency} came back`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}
