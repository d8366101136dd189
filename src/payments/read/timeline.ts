import type { Database } from '../../store/database';
import type {
  AttemptRow,
  CaseRow,
  HoldRow,
  InboxRow,
  OutboxRow,
  PaymentLogRow,
  PaymentRow,
  PayoutHoldRow,
  WebhookDeliveryRow,
} from '../../store/tables';
import { listDeliveries, listWebhooks } from '../../webhooks/outbox';

/** Every stored record of one payment, each list oldest first. */
export interface Timeline {
  log: PaymentLogRow[];
  attempts: AttemptRow[];
  notifications: Omit<InboxRow, 'event_key' | 'body' | 'body_since' | 'follow_at' | 'repeats'>[];
  ledger: LedgerLine[];
  hold: HoldRow | undefined;
  /** Why, and until when, a limit put the payout on hold; and who released it. */
  payoutHold: PayoutHoldRow | undefined;
  webhooks: (OutboxRow & { deliveries: WebhookDeliveryRow[] })[];
  cases: CaseRow[];
  /** Of a deposit. */
  refunds: Pick<PaymentRow, 'payment_id' | 'state'>[];
}

export interface LedgerLine {
  entry_id: string;
  source: string;
  account: string;
  currency: string;
  /** Signed minor units. */
  amount: string;
  at: Date;
}

/** Bodies of notifications are left out: they contain the customer's name and number. */
export async function readTimeline(db: Database, paymentId: string): Promise<Timeline> {
  const [log, attempts, notifications, ledger, hold, payoutHold, webhooks, cases, refunds] =
    await Promise.all([
      db('payment_log').where({ payment_id: paymentId }).orderBy('log_id'),
      db('attempts').where({ payment_id: paymentId }).orderBy('sent_at').orderBy('n'),
      db('inbox')
        .where({ payment_id: paymentId })
        .orderBy('inbox_id')
        .select(
          'inbox_id',
          'rail',
          'payment_id',
          'source_address',
          'state',
          'reason',
          'received_at',
          'processed_at',
          'body_pruned_at',
          'body_sha256',
        ),
      ledgerLines(db, paymentId),
      db('holds').where({ payment_id: paymentId }).first(),
      db('payout_holds').where({ payment_id: paymentId }).first(),
      listWebhooks(db, { paymentId }),
      db('cases').where({ payment_id: paymentId }).orderBy('case_id'),
      db('payments').where({ parent_id: paymentId }).orderBy('created_at').select('payment_id', 'state'),
    ]);
  const deliveries = await listDeliveries(
    db,
    webhooks.map((webhook) => webhook.webhook_id),
  );
  return {
    log,
    attempts,
    notifications,
    ledger,
    hold,
    payoutHold,
    webhooks: webhooks.reverse().map((webhook) => ({
      ...webhook,
      deliveries: deliveries.filter(({ webhook_id: id }) => id === webhook.webhook_id),
    })),
    cases,
    refunds,
  };
}

function ledgerLines(db: Database, paymentId: string): Promise<LedgerLine[]> {
  return db('ledger_entries as e')
    .join('ledger_postings as l', 'l.entry_id', 'e.entry_id')
    .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
    .where('e.payment_id', paymentId)
    .orderBy('l.seq')
    .select(
      'e.entry_id',
      db.raw("CONCAT(e.source_type, ' ', e.leg) AS source"),
      'a.code as account',
      'l.currency',
      'l.amount',
      'e.at',
    );
}
