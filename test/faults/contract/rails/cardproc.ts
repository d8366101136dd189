import {
  customer as customerOf,
  initiatePath,
  listenPath,
  referenceOf,
  wrapperOrder,
} from '../../../support/rails/cardproc/payments';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { simulatorControl } from '../../../support/rails/simulator-control';
import type { Fate, RailContract } from '../rail-contract';

const mailOf = (customer: string) => `${customer}@example.org`;

/** The customers' actions on the processor's page, to which they are sent only after the creation. */
const actions: Partial<Record<Fate, 'pay_mobile' | 'fail'>> = { pays: 'pay_mobile', fails: 'fail' };

/** An order whose answer is lost is submitted again, because it cannot be paid: no page leads to it. */
export const contract: RailContract = {
  flows: {
    'an order': {
      kind: 'deposit',
      customer: (fate, n) => `${fate}-${String(n)}`,
      row: (customer) => ({ order_id: customer }),
      where: (customer) => ({ email_address: mailOf(customer) }),
      async customerActs({ db, simulatorUrl }, { payment_id }, fate) {
        const action = actions[fate];
        if (!action) return;
        // An order can be accepted before it has a page; then another attempt brings the page.
        const payment = await waitFor(
          () => db('payments').where({ payment_id }).whereNotNull('provider_reference').first(),
          { what: `the page of ${payment_id}`, timeoutMs: 60_000 },
        );
        await customerOf(simulatorControl(simulatorUrl, 'cardproc'), payment, action);
      },
      request: (_stack, merchant, customer) =>
        Promise.resolve({
          path: initiatePath,
          body: wrapperOrder(merchant, { order_id: customer, email_address: mailOf(customer) }),
        }),
    },
  },
  notifications: 1,
  notificationsAreTrusted: false,
  notificationsAreUnverified: true,
  repeatsAreDropped: true,
  initiation: {
    hang: ['succeeded'],
    drop: ['succeeded'],
    '500': ['succeeded'],
    html: ['succeeded'],
    '503': ['succeeded'],
    act_then_500: ['succeeded'],
    act_then_drop: ['succeeded'],
  },
  question: { call: 'query', faults: ['hang', 'drop', '500', 'html', '429', '503', 'expired_token'] },
  silence: 'timed_out',
  // This provider's notification has no result: it names an order, and says that something changed.
  forgeFailure: (stack, payment) => notify(stack, referenceOf(payment)),
  async repeat(stack, payment) {
    return notify(stack, referenceOf(payment));
  },
};

async function notify({ apiUrl }: { apiUrl: string }, reference: URLSearchParams): Promise<number> {
  return (await fetch(`${apiUrl}${listenPath}?${reference.toString()}`, { method: 'POST' })).status;
}
