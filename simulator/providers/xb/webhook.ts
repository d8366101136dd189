/** The webhook: the invoice's fields, flat, and the challenge. */
import { randomUUID } from 'node:crypto';
import type { Alternatives, Callback } from '../../callbacks';
import { wireInvoice } from './answers';
import { nairobiTime } from './identifiers';
import type { Invoice } from './invoices';
import type { State } from './scenarios';
import type { XbSettings } from './settings';

const WRONG_CHALLENGE = 'not-the-agreed-challenge';

/** @param state what it says, which may not be what the invoice is by now */
export function webhookOf(
  invoice: Invoice,
  state: State,
  { challenge }: XbSettings,
  url: string,
): { callback: Callback; alternatives: Alternatives } {
  const { card_info: _, ...flat } = wireInvoice({ ...invoice, state });
  const event = (body: object): Callback => ({ url, body: JSON.stringify(body) });
  const callback = event({ ...flat, challenge });
  const claim = { ...flat, state: 'COMPLETE' };
  return {
    callback,
    alternatives: {
      // The second impostor has seen the challenge on its way; only the status call can tell that it lies.
      forge: () => [
        { ...event({ ...claim, challenge: WRONG_CHALLENGE }), fault: 'forge' },
        { ...event({ ...claim, challenge }), fault: 'forge' },
        callback,
      ],
      wrong_challenge: () => [
        { ...event({ ...flat, challenge: WRONG_CHALLENGE }), fault: 'wrong_challenge' },
      ],
      other_event: () => [
        { ...event({ ...chargebackOf(invoice), challenge }), fault: 'other_event' },
        callback,
      ],
    },
  };
}

/** Money events of other kinds reach the same address. */
function chargebackOf({ invoiceId, valueCents, updatedAt }: Invoice) {
  return {
    chargeback_id: randomUUID(),
    invoice: invoiceId,
    amount: (valueCents / 100).toFixed(2),
    reason: 'Delayed delivery',
    status: 'PENDING',
    created_at: nairobiTime(updatedAt),
    updated_at: nairobiTime(updatedAt),
  };
}
