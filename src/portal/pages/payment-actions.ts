/** The pages that refund a payment and cancel a payout, with their audit lines. */
import type { Cancellation } from '../../domain/commands';
import { PaymentError, type ErrorCode } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import { currentRequest } from '../../api/request-context';
import type { Transaction } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { money } from '../format';
import { getPaymentOfMerchant } from './payment';
import { draw, template } from '../render';
import { go, type PageResponse, type MerchantVisit } from '../visit';
import { isWord } from '../words';
import { problem, recordActOf } from './parts';
import { amountOf } from './payment-words';
import { notFound } from './error-pages';

const refundTemplate = template(`
<div class="narrow">
<p><a href="<%= it.back %>"><%= it.t('refund.back') %></a></p>
<%~ it.problem %>
<h1><%= it.t('refund.title') %></h1>
<% if (it.how === 'here') { %>
<p><%= it.t('refund.text', { paid: it.paid, left: it.leftText }) %></p>
<form method="post" action="<%= it.back %>/refund" class="card">
<%~ it.token %><input type="hidden" name="left" value="<%= it.left %>">
<label for="amount"><%= it.t('refund.amount', { currency: it.currency }) %></label>
<p class="hint" id="amount-hint"><%= it.t('refund.amount.hint') %></p>
<input id="amount" name="amount" inputmode="decimal" required maxlength="20" autocomplete="off" value="<%= it.amount %>" aria-describedby="amount-hint">
<button type="submit"><%= it.t('refund.submit') %></button>
</form>
<% } else { %><p><%= it.t(it.how === 'by_hand' ? 'refund.by_hand' : 'refund.no') %></p><% } %>
</div>
`);

const cancelTemplate = template(`
<div class="narrow">
<p><a href="<%= it.back %>"><%= it.t('refund.back') %></a></p>
<%~ it.problem %>
<h1><%= it.t('cancel.title') %></h1>
<% if (it.mayCancel) { %>
<p><%= it.t('cancel.text', { amount: it.amount }) %></p>
<form method="post" action="<%= it.back %>/cancel" class="card"><%~ it.token %><button type="submit"><%= it.t('cancel.submit') %></button></form>
<% } else { %><p><%= it.t('cancel.no') %></p><% } %>
</div>
`);

const pageOf = ({ place }: MerchantVisit, { payment_id: id }: PaymentRow) =>
  `/m/${place.merchant.merchant_id}/payments/${id}`;

async function ofPayment(
  visit: MerchantVisit,
  then: (payment: PaymentRow) => Promise<PageResponse>,
): Promise<PageResponse> {
  const found = await getPaymentOfMerchant(visit.db, visit.place.merchant, visit.params['payment'] ?? '');
  return found ? then(found) : notFound(visit);
}

function record(
  visit: MerchantVisit,
  trx: Transaction,
  action: string,
  { payment_id: id }: PaymentRow,
  details: Record<string, string> = {},
): Promise<void> {
  const { merchant_id: merchantId } = visit.place.merchant;
  const subject = { kind: 'payment', id };
  return recordActOf(visit, trx, { action, subject, details: { merchant_id: merchantId, ...details } });
}

export function showRefund(visit: MerchantVisit): Promise<PageResponse> {
  return ofPayment(visit, (deposit) => refundPage(visit, deposit));
}

async function refundPage(
  visit: MerchantVisit,
  deposit: PaymentRow,
  { fault = '', typed = '' } = {},
): Promise<PageResponse> {
  const { acts, language, t } = visit;
  const { how, leftMinor } = await acts.refundable(deposit);
  const currency = deposit.instructed_currency;
  const body = draw(visit, refundTemplate, {
    problem: problem(visit, fault, how === 'here' ? 'amount' : ''),
    back: pageOf(visit, deposit),
    how,
    currency,
    paid: money(deposit.confirmed_minor ?? '0', currency, language),
    left: leftMinor.toString(),
    leftText: money(leftMinor, currency, language),
    amount: typed === '' ? formatAmount(leftMinor, currency) : typed,
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: t('refund.title'), body };
}

export function refund(visit: MerchantVisit): Promise<PageResponse> {
  return ofPayment(visit, async (deposit) => {
    const { acts, place, form, t } = visit;
    const typed = form('amount').trim();
    const reported = (fault: string) => refundPage(visit, deposit, { fault, typed });
    if (!/^\d{1,15}(?:\.\d{1,2})?$/.test(typed)) return reported(t('act.error.INVALID_AMOUNT'));
    try {
      const asked = await acts.refund(
        {
          merchant: place.merchant,
          deposit,
          amountText: typed,
          leftMinor: form('left'),
          requestId: currentRequest()?.requestId ?? '',
        },
        (trx, refundId) => record(visit, trx, 'payment.refund', deposit, { refund_id: refundId }),
      );
      if (asked === 'changed') return await reported(t('refund.changed'));
      if (asked === 'other') return await reported(t('refund.other'));
      return go(`${pageOf(visit, asked)}?done=refund`);
    } catch (error) {
      return reported(sentenceOf(visit, error));
    }
  });
}

export function showCancel(visit: MerchantVisit): Promise<PageResponse> {
  return ofPayment(visit, (payout) => Promise.resolve(cancelPage(visit, payout)));
}

function cancelPage(visit: MerchantVisit, payout: PaymentRow, fault = ''): PageResponse {
  const body = draw(visit, cancelTemplate, {
    problem: problem(visit, fault),
    back: pageOf(visit, payout),
    mayCancel: visit.acts.mayCancel(payout),
    amount: amountOf(payout, visit.language),
  });
  return { kind: 'page', status: fault === '' ? 200 : 422, title: visit.t('cancel.title'), body };
}

export function cancel(visit: MerchantVisit): Promise<PageResponse> {
  return ofPayment(visit, async (payout) => {
    const { db, acts, t } = visit;
    if (!acts.mayCancel(payout)) return cancelPage(visit, payout, t('cancel.no'));
    // The line is written before the request. The payment itself shows the result.
    await inTransaction(db, (trx) => record(visit, trx, 'payment.cancel', payout));
    try {
      const cancellation = await acts.cancel(payout);
      const done = isReported(cancellation) ? cancellation : 'cancelling';
      return go(`${pageOf(visit, payout)}?done=${done}`);
    } catch (error) {
      return cancelPage(visit, payout, sentenceOf(visit, error));
    }
  });
}

/**
 * The page text of a PaymentError.
 * @throws any other error, because that is a fault of ours.
 */
export function sentenceOf({ t }: Pick<MerchantVisit, 't'>, error: unknown): string {
  if (!(error instanceof PaymentError)) throw error;
  const word = `act.error.${error.code satisfies ErrorCode}`;
  return isWord(word) ? t(word) : t('act.error.other', { reason: error.message });
}

/** Whether the cancellation has a final result. */
function isReported(cancellation: Cancellation): cancellation is 'cancelled' | 'too_late' {
  return cancellation === 'cancelled' || cancellation === 'too_late';
}
