/** Describes one payment for operators: its state, its history, its bookings and its webhooks. */
import { caseReasons, type CaseReason } from '../controls/cases';
import { inOneLine } from '../domain/controls';
import { formatAmount, type Currency } from '../domain/money';
import { nextSteps, type NextStepFields } from '../domain/next-steps';
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

/** The public part of a payment: without the customer's phone number and the token of our notification route. */
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
    returned_amount: amount(payment.returned_minor, payment.instructed_currency),
    refunded_amount: amount(payment.refunded_minor, payment.instructed_currency),
    ...feeInWords(payment),
    phone_number: maskPhone(phone),
    details: redactFields(details),
    has_metadata: metadata !== null,
  };
}

/** Removes personal data from the bodies of webhooks: only the merchant needs it. */
export function timelineWithoutPhones({ payoutHold, ...timeline }: Timeline) {
  const webhooks = timeline.webhooks.map(({ body_since: _, ...webhook }) => ({
    ...webhook,
    // A pruned body is deleted; its digest can still prove its content.
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

/** `body pruned on 2026-01-31 02:00:05, sha256 9f86…`; empty while the body is stored. */
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
  }: { workflowUrl: string; nextStep: NextStepFields['next_step']; clock: Clock },
): string {
  return [
    head(payment, timeline, { workflowUrl, nextStep, clock }),
    openCases(timeline),
    `What happened\n${table(
      ['when', 'what', 'how'],
      historyEvents(payment, timeline, clock).map(([at, what, how]) => [clock(at), what, how]),
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
    [
      'state',
      `${payment.state}${payment.corrected === 1 ? ' (a correction of an earlier final state)' : ''}`,
    ],
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
      // A refund has its provider's reference; not every provider also gives it a receipt.
      payment.provider_receipt ??
        (payment.state === 'succeeded' && payment.kind !== 'refund'
          ? 'missing: the provider has not reported it'
          : null),
    ],
    [isSettled(payment.state) && payment.state !== 'returned' ? 'paid as' : 'result', resultOf(payment)],
    ['dispute', disputeOf(payment)],
    ['parent', payment.parent_id],
    ['refunds', refunds.map(({ payment_id: id, state }) => `${id} (${state})`).join(', ')],
    ['request', payment.request_id],
    ['workflow', workflowUrl],
  ]);
}

/** The provider result. For a payment that once succeeded: how it was paid, not why it was reversed later. */
function resultOf({ result_code: code, result_text: text, failure_code: ours }: PaymentRow): string {
  return [code, text, ours].filter(Boolean).join(' ');
}

function onHold(payment: PaymentRow, clock: Clock): string | undefined {
  const hold = holdOf(payment);
  if (!hold) return undefined;
  return `${hold.holdReason}, until ${hold.untilAt ? clock(hold.untilAt) : 'an operator releases it'}`;
}

/** The advice in the words for the merchant and the customer. */
function adviceOf({ code, en, safe_to_repeat: isSafe }: NextStepFields['next_step']): string {
  const repeat = isSafe ? 'safe to repeat' : 'NOT safe to repeat';
  return `${code}, ${repeat}. Merchant: ${nextSteps[code].merchant.en} Customer: ${en}`;
}

/** The dispute, as the provider last reported it. */
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

/** The reserve of a case about a deposit that may be reversed, and the part that the wallet did not have. */
export function heldFor(about: CaseRow, hold: HoldRow | undefined): string {
  const held = holdOfCase(about, hold);
  return held ? `; ${heldOf(held)}` : '';
}

function heldOf(hold: HoldRow): string {
  const shown = (minor: bigint) => `${formatAmount(minor, hold.currency)} ${hold.currency}`;
  const short = shortOf(hold);
  const held = `reserved in the wallet: ${shown(BigInt(hold.amount))}`;
  return short === 0n ? held : `${held} of ${shown(BigInt(hold.amount) + short)}, the wallet had no more`;
}

export function sentenceOf(reason: string): string {
  return Object.hasOwn(caseReasons, reason) ? caseReasons[reason as CaseReason] : reason;
}

type Event = [at: Date, what: string, how: string];

/** `by amina: Duka called`, or the half that is known */
function byWhom(who: string | null, why: string | null): string {
  return [who && `by ${who}`, why].filter(Boolean).join(': ');
}

function historyEvents(payment: PaymentRow, timeline: Timeline, clock: Clock): Event[] {
  const words = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' ');
  const events: Event[] = [
    [receivedAt(payment, timeline), 'received', words(payment.request_id && `request ${payment.request_id}`)],
    ...timeline.attempts.map((a): Event => [
      a.sent_at,
      `${a.operation} ${String(a.n)}: ${a.state}`,
      words(a.code, a.detail),
    ]),
    ...timeline.log.map((l): Event => [l.at, `${l.from_state} → ${l.to_state}`, byWhom(l.cause, l.evidence)]),
    ...holdEvents(timeline, clock),
    ...timeline.notifications.map((n): Event => [
      n.received_at,
      `notification ${n.inbox_id}: ${n.state}`,
      words(n.reason, n.source_address && `from ${n.source_address}`, prunedText(n, clock)),
    ]),
    ...timeline.cases.map((c): Event => [c.opened_at, `case ${c.case_id} opened`, words(c.reason, c.detail)]),
    ...timeline.cases.flatMap((c): Event[] =>
      c.closed_at ? [[c.closed_at, `case ${c.case_id} closed`, byWhom(c.closed_by, c.resolution)]] : [],
    ),
  ];
  // Equal times keep the order above: an attempt is written before the transition that it causes.
  return events.sort(([a], [b]) => a.getTime() - b.getTime());
}

function holdEvents({ payoutHold: hold }: Timeline, clock: Clock): Event[] {
  if (!hold) return [];
  const until = hold.until_at ? clock(hold.until_at) : 'an operator releases it';
  const events: Event[] = [[hold.held_at, 'put on hold', `${reasonOfHold[hold.reason]}, until ${until}`]];
  if (hold.released_at) events.push([hold.released_at, 'released', byWhom(hold.released_by, hold.note)]);
  return events;
}

/** In the sandbox the payment's own clock may be ahead of all other times. */
function receivedAt({ created_at: at }: PaymentRow, { attempts, log }: Timeline): Date {
  const known = [at, attempts[0]?.sent_at, log[0]?.at].map((each) => (each ?? at).getTime());
  return new Date(Math.min(...known));
}

function money({ ledger, hold }: Timeline): string {
  if (ledger.length === 0) return 'The ledger has no entry for this payment.';
  const rows = ledger.map((line) => [
    line.entry_id,
    line.source,
    line.account,
    `${formatAmount(BigInt(line.amount), line.currency as Currency)} ${line.currency}`,
  ]);
  if (hold?.state === 'open' && hold.wanted !== null)
    return `${bookedAs(rows)}\nThe deposit may be reversed; ${heldOf(hold)}.`;
  const held = hold
    ? `\nThe reserve of ${formatAmount(BigInt(hold.amount), hold.currency)} ${hold.currency} is ${hold.state}.`
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
  return `Webhooks\n${table(['webhook', 'about', 'state', 'when'], rows)}`;
}

/** `1295.00 KES requested, 10.00 USD confirmed, 1300.00 KES credited, 5.00 USD refunded or reversed by the provider` */
function amountsOf(payment: PaymentRow, shown: ReturnType<typeof summaryOfPayment>): string {
  const { instructed_currency: instructed, credited_currency: credited, details } = payment;
  const isAssumed = details['amount_named_by'] === 'nobody';
  const again = details[paidAgainDetail];
  const { fee, fee_currency: feeCurrency } = feeInWords(payment);
  return [
    `${shown.requested_amount ?? ''} ${payment.currency} requested`,
    (instructed !== payment.currency || payment.instructed_minor !== payment.requested_minor) &&
      `${shown.instructed_amount ?? ''} ${instructed} submitted`,
    payment.confirmed_minor !== null &&
      `${shown.confirmed_amount ?? ''} ${instructed} confirmed${isAssumed ? ' (as requested: the provider named no amount)' : ''}`,
    payment.credited_minor !== null &&
      `${shown.credited_amount ?? ''} ${credited ?? ''} ${payment.kind === 'refund' ? 'of the wallet' : 'credited'}`,
    fee !== undefined && `${fee} ${feeCurrency ?? ''} fee`,
    payment.returned_minor !== '0' &&
      `${shown.returned_amount ?? ''} ${instructed} refunded or reversed by the provider`,
    payment.refunded_minor !== '0' && `${shown.refunded_amount ?? ''} ${instructed} refunded by us`,
    again !== undefined && `${formatAmount(BigInt(again), instructed)} ${instructed} paid again`,
    payment.state === 'returned' && `${shown.requested_amount ?? ''} ${payment.currency} returned`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}
