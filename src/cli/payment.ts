import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { paymentStates } from '../domain/payment';
import { ActionError } from '../operator-actions/errors';
import { oneOf, readWholeNumber } from '../operator-actions/read';
import { nextStepAmong } from '../payments/read/next-step';
import { heldTold } from '../payments/read/on-hold';
import { findByAnyId, phoneSpellings } from '../payments/read/payments';
import { readTimeline } from '../payments/read/timeline';
import type { PaymentRow } from '../store/tables';
import { readSince } from './parse';
import { describePayment, summaryOfPayment, timelineWithoutPhones } from './payment-text';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

export function paymentCommands(program: Command, { run }: Running): void {
  const payment = program.command('payment').description('what became of payments, and why');
  payment
    .command('show <id>')
    .description(
      "one payment by any id: ours, the merchant's, the provider's, a receipt's or a webhook's; or the payments of a phone number",
    )
    .action(run(show));
  payment
    .command('list')
    .description('payments, newest first')
    .option('--merchant <merchant_id>', 'of one merchant')
    .option('--state <state>', 'in one state', oneOf(paymentStates, 'The state'))
    .option('--rail <rail>', 'of one rail')
    .option('--phone <number>', "of one customer's whole number, in any spelling")
    .option('--since <when>', 'begun since, such as 2h or 2026-01-31T08:00:00Z', readSince)
    .option('--limit <n>', 'at most so many', readWholeNumber, 50)
    .action(run(list));
}

async function show({ context, config }: Session, id: string): Promise<Report> {
  const rails = context.rails.all.map(({ name }) => name);
  const [payment, ...others] = await findByAnyId(context.db, rails, id);
  if (!payment) throw new ActionError(`No payment has the id, reference, receipt or webhook "${id}".`);
  if (others.length > 0)
    return listed([payment, ...others], config.timezone, 'match; show one of them by its payment id.');
  const timeline = await readTimeline(context.db, payment.payment_id);
  const url = `${config.temporalUiUrl}/namespaces/${config.temporalNamespace}/workflows/${encodeURIComponent(payment.workflow_id)}`;
  const { next_step: nextStep } = nextStepAmong(context.rails.all, payment);
  return {
    json: {
      payment: { ...summaryOfPayment(payment), ...heldTold(payment), next_step: nextStep },
      ...timelineWithoutPhones(timeline),
      workflow_url: url,
    },
    text: describePayment(payment, timeline, { workflowUrl: url, nextStep, clock: clockOf(config.timezone) }),
  };
}

interface Filters {
  merchant?: string;
  state?: string;
  rail?: string;
  phone?: string;
  since?: Date;
  limit: number;
}

async function list(
  { context, config }: Session,
  { merchant, state, rail, phone, since, limit }: Filters,
): Promise<Report> {
  const query = context.db('payments').orderBy('created_at', 'desc').limit(limit);
  const wanted = { merchant_id: merchant, state, rail };
  for (const [column, word] of Object.entries(wanted)) {
    // These columns are ASCII, and the database refuses to compare them with more.
    if (word !== undefined) void query.where(column, /^[\x21-\x7e]+$/.test(word) ? word : '');
  }
  if (phone !== undefined) void query.whereIn('phone_number', phoneSpellings(phone));
  if (since) void query.where('created_at', '>=', since);
  return listed(await query, config.timezone, `shown; --limit shows more than ${String(limit)}.`);
}

function listed(payments: PaymentRow[], timezone: string, remark: string): Report {
  const clock = clockOf(timezone);
  const rows = payments.map((payment) => [
    payment.payment_id,
    clock(payment.created_at),
    payment.rail,
    payment.kind,
    payment.state,
    `${formatAmount(BigInt(payment.requested_minor), payment.currency)} ${payment.currency}`,
    payment.order_id ?? payment.account_reference ?? '',
  ]);
  return {
    json: { payments: payments.map(summaryOfPayment) },
    text:
      payments.length === 0
        ? 'No payment matches.'
        : `${table(['payment', 'begun', 'rail', 'kind', 'state', 'amount', 'reference'], rows)}\n\n${count(payments.length, 'payment')} ${remark}`,
  };
}
