/** Disputes of a capture's buyer, as the provider reports them by event (PayPal, Customer Disputes v1, "dispute"). */
import type { ProviderContext } from '../../../provider';
import { newLongId } from '../identifiers';
import { minus, wireMoney } from '../money';
import type { Events } from '../webhooks/events';
import type { Checkout } from './checkout';
import type { CapturedOrder, Orders } from './orders';

interface Dispute {
  id: string;
  captureId: string;
  createdAt: number;
}

type Ending = 'won' | 'lost';

export interface Disputes {
  isOpen(captureId: string): boolean;
  /** The buyer disputes the capture. */
  open(order: CapturedOrder): Promise<string>;
  /** The provider decides: the seller keeps what was won; what was lost is reversed. */
  end(order: CapturedOrder, how: Ending): Promise<string | undefined>;
}

const outcomes = { won: 'RESOLVED_SELLER_FAVOUR', lost: 'RESOLVED_BUYER_FAVOUR' } as const;

export function openDisputes(
  { clock, journal }: Pick<ProviderContext, 'clock' | 'journal'>,
  { orders, checkout, events }: { orders: Orders; checkout: Checkout; events: Events },
): Disputes {
  const known = journal.collection<Dispute>('walletpay.disputes');

  async function notify(order: CapturedOrder, { id, createdAt }: Dispute, how?: Ending): Promise<void> {
    const { customId, invoiceId, capture, amount } = order;
    await events.notify(
      {
        eventType: how ? 'CUSTOMER.DISPUTE.RESOLVED' : 'CUSTOMER.DISPUTE.CREATED',
        resourceType: 'dispute',
        resourceVersion: '1.0',
        summary: how ? 'A dispute was resolved' : 'A new dispute was opened',
        resource: {
          dispute_id: id,
          create_time: new Date(createdAt).toISOString(),
          update_time: new Date(clock.now()).toISOString(),
          disputed_transactions: [
            {
              seller_transaction_id: capture.id,
              ...(invoiceId !== undefined && { invoice_number: invoiceId }),
              ...(customId !== undefined && { custom: customId }),
              gross_amount: wireMoney(amount),
            },
          ],
          reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
          status: how ? 'RESOLVED' : 'WAITING_FOR_SELLER_RESPONSE',
          dispute_amount: wireMoney(amount),
          dispute_life_cycle_stage: 'CHARGEBACK',
          ...(how && { dispute_outcome: { outcome_code: outcomes[how] } }),
        },
      },
      { bulkhead: order.id, facts: { order_id: order.id, custom_id: customId ?? '' } },
    );
  }

  return {
    isOpen: (captureId) => known.get(captureId) !== undefined,
    async open(order) {
      const dispute = { id: `PP-D-${newLongId()}`, captureId: order.capture.id, createdAt: clock.now() };
      known.put(order.capture.id, dispute);
      await notify(order, dispute);
      return dispute.id;
    },
    async end(order, how) {
      const dispute = known.get(order.capture.id);
      if (!dispute) return undefined;
      known.delete(order.capture.id);
      const left = minus(order.amount, orders.refunded(order));
      if (how === 'won') checkout.payAgain(order);
      else if (left.minor !== '0') checkout.giveBack(order, left, 'PAYMENT.CAPTURE.REVERSED');
      await notify(order, dispute, how);
      return dispute.id;
    },
  };
}
