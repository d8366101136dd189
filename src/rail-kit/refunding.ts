/** How a rail gives a deposit back because its merchant, or an operator in its name, asks for it. */
import type { PaymentRow } from '../store/tables';
import type { Call } from './endpoint';
import type { RailApi } from './rail';

/**
 * @param amountText decimal text in the currency that was paid; all that is left where it is absent.
 * @returns the refund, accepted and not done.
 * @throws PaymentError where the rail does not take it, such as REFUND_EXCEEDS_REMAINDER.
 */
export type Refunding = (
  api: Pick<RailApi, 'db' | 'accept'>,
  call: Call,
  deposit: PaymentRow,
  amountText: string | undefined,
) => Promise<PaymentRow>;
