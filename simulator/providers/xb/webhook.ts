/** The webhook: the invoice's fields, flat, and the challenge. */
import { createHmac, randomUUID } from 'node:crypto';
import type { Alternatives, Callback } from '../../callbacks';
import { wireInvoice } from './answers';
import { nairobiTime } from './identifiers';
import type { Invoice } from './invoices';
import type { State } from './scenarios';
import type { XbSettings } from './settings';

const WRONG_CHALLENGE = 'not-the-agreed-challenge';

/**
 * The challenge is in the body, as documented. Integrators also read it from a header, and some read a signature, the
 * HMAC-SHA256 of the body in hexadecimal digits.
 * @param state the reported state, which may differ from the invoice's own
 */
export function webhookOf(
  invoice: Invoice,
  state: State,
  settings: XbSettings,
  url: string,
): { callback: Callback; alternatives: Alternatives } {
  const { card_info: _, ...flat } = wireInvoice({ ...invoice, state });
  const event = (
    fields: object,
    challenge = settings.challenge,
    secret = settings.webhookSecret,
  ): Callback => {
    const isInHeader = invoice.challengeInHeader === true;
    const body = JSON.stringify(isInHeader ? fields : { ...fields, challenge });
    const headers = {
      ...(isInHeader && { 'x-intasend-challenge': challenge }),
      ...(secret !== undefined && { 'x-intasend-signature': signatureOf(body, secret) }),
    };
    return { url, body, headers };
  };
  const callback = event(flat);
  const claim = { ...flat, state: 'COMPLETE' };
  const failed = { ...flat, state: 'FAILED', failed_reason: 'insufficient balance', failed_code: '1' };
  return {
    callback,
    alternatives: {
      // The second attacker has seen the challenge; only the status call can show the forgery.
      forge: () => [
        { ...event(claim, WRONG_CHALLENGE), fault: 'forge' },
        { ...event(claim), fault: 'forge' },
        callback,
      ],
      ...(state === 'COMPLETE' && {
        contradict: () => [{ ...event(failed), fault: 'contradict' }, callback],
      }),
      wrong_challenge: () => [{ ...event(flat, WRONG_CHALLENGE), fault: 'wrong_challenge' }],
      bad_signature: () => [{ ...event(flat, undefined, randomUUID()), fault: 'bad_signature' }],
      other_event: () => [{ ...event(chargebackOf(invoice)), fault: 'other_event' }, callback],
    },
  };
}

function signatureOf(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Payment events of other kinds reach the same address. */
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
