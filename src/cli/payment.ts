import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import { paymentStates } from '../domain/payment';
import { ActionError } from '../operator-actions/errors';
import { oneOf, readWholeNumber } from '../operator-actions/read';
import { nextStepAmong } from '../payments/read/next-step';
import { holdFields } from '../payments/read/on-hold';
import { findByAnyId, phoneSpellings } from '../payments/read/payments';
import { readTimeline } from '../payments/read/timeline';
import type { PaymentRow } from '../store/tables';
import { readSince } from './parse';
import { describePayment, summaryOfPayment, timelineWithoutPhones } from './payment-text';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

export function paymentCommands(program: Command, { run }: Running): void {
  const payment = program.command('payment').description('payments and their history');
  payment
    .command('show <id>')
    .description(
      "show one payment by any id: ours, the merchant's, the provider's, a receipt or a webhook id; or list the payments of a phone number",
    )
    .action(run(show));
  payment
    .command('list')
    .description('list payments, newest first')
    .option('--merchant <merchant_id>', 'only payments of this merchant')
    .option('--state <state>', 'only payments in this state', oneOf(paymentStates, 'The state'))
    .option('--rail <rail>', 'only payments of this rail')
    .option('--phone <number>', "only payments of this customer's complete phone number, in any spelling")
    .option('--since <when>', 'only payments created since, such as 2h or 2026-01-31T08:00:00Z', readSince)
    .option('--limit <n>', 'show at most this many', readWholeNumber, 50)
    .action(run(list));
}

async function show({ context, config }: Session, id: string): Promise<Report> {
  const rails = context.rails.all.map(({ name }) => name);
  const [payment, ...others] = await findByAnyId(context.db, rails, id);
  if (!payment) throw new ActionError(`No payment has the id, reference, receipt or webhook "${id}".`);
  if (others.length > 0)
    return listed([payment, ...others], config.timezone, 'match; show one of them with its payment id.');
  const timeline = await readTimeline(context.db, payment.payment_id);
  const url = `${config.temporalUiUrl}/namespaces/${config.temporalNamespace}/workflows/${encodeURIComponent(payment.workflow_id)}`;
  const { next_step: nextStep } = nextStepAmong(context.rails.all, payment);
  return {
    json: {
      payment: { ...summaryOfPayment(payment), ...holdFields(payment), next_step: nextStep },
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
    // These columns are ASCII; the database refuses to compare them with other characters.
    if (word !== undefined) void query.where(column, /^[\x21-\x7e]+$/.test(word) ? word : '');
  }
  if (phone !== undefined) void query.whereIn('phone_number', phoneSpellings(phone));
  if (since) void query.where('created_at', '>=', since);
  return listed(await query, config.timezone, `shown; use --limit to show more than ${String(limit)}.`);
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
        : `${table(['payment', 'created', 'rail', 'kind', 'state', 'amount', 'reference'], rows)}\n\n${count(payments.length, 'payment')} ${remark}`,
  };
}
