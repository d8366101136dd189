/** What the pages do beside writing to the database: by the functions of the API. */
import type { PaymentsContext } from '../payments/rail/context';
import type { Engine } from '../payments/rail/engine';
import { getPaymentOrThrow } from '../payments/record/payments';
import type { PortalServices } from './visit';

export function createActs({
  context,
  engine,
}: {
  context: PaymentsContext;
  engine: Engine;
}): Pick<PortalServices, 'wake'> {
  return {
    async wake(paymentId) {
      const payment = await getPaymentOrThrow(context.db, paymentId);
      await engine.wake(payment).catch((error: unknown) => {
        context.log.warn('a payment could not be woken; what it has to do is done in a minute', { error });
      });
    },
  };
}
