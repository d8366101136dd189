import { cutText } from '../../domain/cut-text';
import { PAYOUT_RETURNED } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import { sentenceOf } from '../../rail-kit/provider-words';
import { receiptOf } from '../../rail-kit/notices';
import { nothingBefore, toldBefore } from './amounts-told';
import type { Move } from './move-payment';
import type { Decision } from './outcome-decision';
import { paidAgainDetail, showsReversal, withoutReversal } from './warning-details';

/** The move by which a decided outcome is written down. */
export function moveFor(payment: PaymentRow, outcome: NonNullable<Decision['outcome']>): Move {
  const { finding, by, to } = outcome;
  const reference = finding.providerReference;
  const changes: Move['changes'] = {
    details: { ...payment.details, ...finding.details },
    ...(payment.provider_reference === null && reference !== undefined
      ? { provider_reference: reference }
      : {}),
  };
  if (finding.kind === 'open') return { to, cause: by, evidence: finding.text ?? '', changes };
  if ('givenBackMinor' in outcome) {
    const { code, text } = finding;
    const again = BigInt(payment.given_back_minor) - outcome.givenBackMinor;
    const details = {
      ...(to === 'reversed' && showsReversal(payment, outcome)
        ? withoutReversal(changes.details ?? {})
        : changes.details),
      ...(again > 0n ? nothingBefore : toldBefore(payment)),
      ...(again > 0n ? { [paidAgainDetail]: again.toString() } : {}),
    };
    const given_back_minor = outcome.givenBackMinor.toString();
    // Money that is there after all takes something back that the merchant was told.
    const given = { ...changes, details, given_back_minor, ...(again > 0n && { corrected: 1 }) };
    return { to, cause: by, evidence: `${code} ${text}`, changes: given };
  }
  const isAssumed = finding.kind === 'succeeded' && finding.amountMinor === undefined;
  const assumed = isAssumed ? '; no source named the amount: booked as asked' : '';
  return {
    to,
    cause: by,
    evidence: cutText(`${finding.code} ${finding.text}`, 500 - assumed.length) + assumed,
    changes: {
      ...changes,
      ...(isAssumed ? { details: { ...changes.details, amount_named_by: 'nobody' } } : {}),
      result_code: cutText(finding.code, 64),
      result_text: sentenceOf(finding.text, 'The provider gave no reason in words'),
      failure_code: to === 'returned' ? PAYOUT_RETURNED : by === 'deadline' ? finding.code : null,
      corrected: payment.is_final,
      ...(outcome.to === 'succeeded' ? { confirmed_minor: outcome.amountMinor.toString() } : {}),
      ...(receiptOf(finding) === undefined ? {} : { provider_receipt: receiptOf(finding) ?? null }),
    },
  };
}
