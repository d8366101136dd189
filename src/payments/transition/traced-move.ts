/** What a payment's trace tells of its moves: in the span of each, and of the payment once it has ended. */
import { isFinal } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import { rootOf } from '../../telemetry/tracing/ids';
import { entered } from '../../telemetry/tracing/scope';

/** To be called in the transaction that writes it. @param before what it was; undefined for one that is just taken. */
export function traceMove(now: PaymentRow, { before, cause }: { before?: PaymentRow; cause: string }): void {
  entered(() => ({
    paymentId: now.payment_id,
    attributes: {
      'malipo.merchant.id': now.merchant_id,
      'malipo.rail': now.rail,
      'malipo.operation': now.kind,
      'malipo.provider': now.provider,
      'malipo.currency': now.currency,
      'malipo.state': now.state,
      'malipo.state.before': before?.state,
      'malipo.cause': cause,
      'malipo.failure.code': now.failure_code,
    },
    ...(isFinal(now.state) && (!before || !isFinal(before.state)) && { ended: lifeOf(now) }),
  }));
}

/** A refund's trace leads to that of the deposit it gives back. */
function lifeOf(payment: PaymentRow) {
  const { parent_id: parentId, created_at: at } = payment;
  return {
    begunMs: at.getTime(),
    links: parentId === null ? [] : [rootOf(parentId)],
  };
}
