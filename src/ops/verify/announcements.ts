import { finalStates, type PaymentKind, type PaymentState } from '../../domain/payment';
import type { Rails } from '../../payments/context';
import { findPayment } from '../../payments/payments';
import { quoted, rowsOf, violationsOf, type Snapshot, type Violation } from './check';

/** A withdrawn payment needs no webhook: the merchant's own request was answered with 503, and nothing was started. */
const endingsWithoutWebhook = `
  SELECT l.payment_id, l.log_id, l.to_state
  FROM payment_log l
  LEFT JOIN outbox o ON o.payment_id = l.payment_id AND o.to_state = l.to_state
  WHERE l.to_state IN (${quoted(finalStates)}) AND l.cause <> 'withdrawn' AND o.webhook_id IS NULL`;

/** Payments that ended, and no webhook tells it. Where a rail announces nothing, its merchants poll. */
export async function unannouncedEndings(snapshot: Snapshot): Promise<Violation[]> {
  const examples = await exampleEndings(snapshot);
  const silent: Ending[] = [];
  for (const example of examples) if (await isSilent(snapshot, example)) silent.push(example);
  if (silent.length === examples.length) return [];
  const exempt = silent.map(() => 'AND NOT (p.rail = ? AND p.kind = ? AND ending.to_state = ?)').join(' ');
  return violationsOf(
    snapshot.trx,
    `SELECT p.payment_id AS id, CONCAT('log ', log_id, ': became ', to_state, ' without a webhook') AS detail
     FROM (${endingsWithoutWebhook}) ending
     JOIN payments p ON p.payment_id = ending.payment_id
     WHERE 1 = 1 ${exempt}`,
    silent.flatMap(({ rail, kind, toState }) => [rail, kind, toState]),
  );
}

interface Ending {
  rail: string;
  kind: PaymentKind;
  toState: PaymentState;
  paymentId: string;
}

/** One example of every kind of ending that some payment has without a webhook. */
function exampleEndings({ trx }: Snapshot): Promise<Ending[]> {
  return rowsOf<Ending>(
    trx,
    `SELECT p.rail AS rail, p.kind AS kind, ending.to_state AS toState, MIN(p.payment_id) AS paymentId
     FROM (${endingsWithoutWebhook}) ending
     JOIN payments p ON p.payment_id = ending.payment_id
     GROUP BY p.rail, p.kind, ending.to_state`,
  );
}

/** Asks the payment's rail. One that this build does not know cannot be asked, so its endings are reported. */
async function isSilent({ trx, rails }: Snapshot, ending: Ending): Promise<boolean> {
  const payment = await findPayment(trx, ending.paymentId);
  const operation = operationIfKnown(rails, ending);
  if (!payment || !operation) return false;
  return operation.announce({ ...payment, state: ending.toState, is_final: 1 }) === undefined;
}

function operationIfKnown(rails: Rails, { rail, kind }: Ending) {
  return rails.all.find(({ name }) => name === rail)?.operations[kind];
}
