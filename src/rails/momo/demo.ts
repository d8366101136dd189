/** Zambia: a deposit with a partial refund, a payout, and a payout that its network queues and the merchant cancels. */
import {
  type DemoContext,
  type Gain,
  minorOf,
  newReference,
  type PaymentResult,
  paymentResult,
  type RailDemo,
  type ReceivedWebhook,
} from '../../rail-kit/demo';

const rail = 'Mobile money';
const [country, currency] = ['ZMB', 'ZMW'] as const;

const customer = '+260763000789';
/** A customer of another network, which the demo makes queue its payouts. */
const slow = { phone: '+260973000789', provider: 'AIRTEL_OAPI_ZMB' };

const amounts = { deposit: '50.00', refund: '20.00', payout: '25.00', queued: '40.00', float: '100.00' };

export const momoDemo: RailDemo = {
  rail,
  shows: 'paid, refunded, paid out, a payout cancelled',
  async run(context) {
    const [collected, paidOut] = await Promise.all([collectAndRefund(context), payOut(context)]);
    return [...collected, ...paidOut];
  },
};

async function collectAndRefund(context: DemoContext): Promise<PaymentResult[]> {
  const asked = await context.api.post('/api/v1/momo/deposit', transfer(customer, amounts.deposit));
  const deposit = await ending(context, 'the deposit', asked);
  const { transaction_id: depositId } = asked;
  const given = await context.api.post('/api/v1/momo/refund', {
    transaction_id: depositId,
    amount: amounts.refund,
  });
  const refund = await context.simulator.hurry(ending(context, 'the refund', given));
  return [
    resultOf(context, asked, deposit, {
      kind: 'deposit',
      what: `customer pays ${amounts.deposit} ${currency}`,
      expected: 'Success',
      amount: amounts.deposit,
      gain: gain('wallet', amounts.deposit),
    }),
    resultOf(context, given, refund, {
      kind: 'refund',
      what: `${amounts.refund} ${currency} of it is refunded`,
      expected: 'Success',
      amount: amounts.refund,
      gain: gain('wallet', amounts.refund, -1n),
    }),
  ];
}

async function payOut(context: DemoContext): Promise<PaymentResult[]> {
  await context.operator.addFloat({ rail: 'momo', country, currency, amount: amounts.float });
  const [paid, cancelled] = await Promise.all([payOutAtOnce(context), queueAndCancel(context)]);
  paid.gains.push(gain('float', amounts.float));
  return [paid, cancelled];
}

async function payOutAtOnce(context: DemoContext): Promise<PaymentResult> {
  const asked = await context.api.post('/api/v1/momo/payout', transfer(customer, amounts.payout));
  return resultOf(context, asked, await ending(context, 'the payout', asked), {
    kind: 'payout',
    what: `payout of ${amounts.payout} ${currency}`,
    expected: 'Success',
    amount: amounts.payout,
    gain: gain('float', amounts.payout, -1n),
  });
}

async function queueAndCancel(context: DemoContext): Promise<PaymentResult> {
  const { api, simulator, webhooks } = context;
  const network = (status: string) =>
    simulator.post(`/momo/providers/${slow.provider}`, { operation: 'PAYOUT', status });
  await network('DELAYED');
  try {
    const asked = await api.post('/api/v1/momo/payout', transfer(slow.phone, amounts.queued));
    const { transaction_id: id } = asked;
    const queued = await webhooks.next(
      'the queued payout',
      (body) => body['transaction_id'] === id && body['status'] === 'Processing',
    );
    const cancelled = await api.post('/api/v1/momo/cancel_payout', { transaction_id: id });
    const ended = await ending(context, 'the cancelled payout', asked);
    const result = resultOf(context, asked, ended, {
      kind: 'payout',
      what: `payout of ${amounts.queued} ${currency}, cancelled by the merchant`,
      expected: 'ENQUEUED, then Cancelled',
      amount: '0.00',
      earlier: queued,
    });
    if (cancelled['status'] !== 'CANCELLED')
      result.faults.push(`cancel_payout answered ${JSON.stringify(cancelled)}`);
    return result;
  } finally {
    await network('OPERATIONAL');
  }
}

function transfer(phone: string, amount: string): Record<string, unknown> {
  return {
    amount,
    currency,
    country,
    phone_number: phone,
    account_reference: newReference(),
    customer_message: 'Malipo demo',
  };
}

function gain(account: Gain['account'], amount: string, sign = 1n): Gain {
  return { account, currency, minor: sign * minorOf(amount, currency) };
}

/** The final callback of a transaction. */
function ending(
  { webhooks }: DemoContext,
  what: string,
  { transaction_id: id }: Record<string, unknown>,
): Promise<ReceivedWebhook> {
  return webhooks.next(what, (body) => body['transaction_id'] === id && body['status'] !== 'Processing');
}

interface Expected {
  kind: 'deposit' | 'payout' | 'refund';
  what: string;
  /** The callback's status; after the status of the answer, if the network queues the payout. */
  expected: string;
  /** The amount in the callback. */
  amount: string;
  gain?: Gain;
  earlier?: ReceivedWebhook;
}

function resultOf(
  context: DemoContext,
  asked: Record<string, unknown>,
  webhook: ReceivedWebhook,
  { kind, what, expected, amount, gain: gained, earlier }: Expected,
): PaymentResult {
  const { body } = webhook;
  const begun = asked['status'] === 'ACCEPTED';
  return paymentResult(context, {
    rail,
    what,
    workflowId: `momo-${kind}/${String(asked['transaction_id'])}`,
    outcome: `${begun ? '' : `${String(asked['status'])}, then `}${String(body['status'])}`,
    expected,
    webhooks: earlier ? [earlier, webhook] : [webhook],
    faults: [body['amount'] !== amount && `the callback's amount is ${String(body['amount'])}`],
    gains: gained ? [gained] : [],
  });
}
