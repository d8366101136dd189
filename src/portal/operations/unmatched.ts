/** The page of an unmatched receipt: its statement line, the payments that may match, and the form to assign it. */
import type { UnmatchedReceiptRow } from '../../store/tables';
import { money } from '../format';
import { notFound } from '../pages/error-pages';
import { maskedPhone } from '../pages/payment-words';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';
import { isWord } from '../words';
import { merchantChoice } from './merchants';
import { act, previewButton, authenticateFirst, refusedBefore } from './outcome';

const unmatchedTemplate = template(`
<p><a href="/ops/reconciliation"><%= it.t('ops.recon') %></a></p>
<h1><span class="amount"><%= it.amount %></span> <span class="state <%= it.unmatched.state === 'open' ? 'bad' : 'good' %>"><%= it.t('ops.unmatched.' + it.unmatched.state) %></span></h1>
<section class="card" aria-labelledby="line"><h2 id="line"><%= it.t('ops.unmatched.line') %></h2>
<dl class="facts"><% for (const [name, value] of it.facts) { %><div><dt><%= name %></dt><dd><%= value %></dd></div><% } %>
<div><dt><%= it.t('payments.when') %></dt><dd><%~ it.time(it.unmatched.occurred_at, true) %></dd></div></dl></section>
<section class="card" aria-labelledby="owners"><h2 id="owners"><%= it.t('ops.unmatched.owners') %></h2>
<% if (it.owners.length > 0) { %><ul class="rows"><% for (const one of it.owners) { %><li><dl>
<div><dt><%= it.t('payment.id') %></dt><dd><a href="/m/<%= one.merchant_id %>/payments/<%= one.payment_id %>"><%= one.payment_id %></a></dd></div>
<div><dt><%= it.t('payments.state') %></dt><dd><%= it.t('state.' + one.state) %> · <%= one.currency %> <%= one.amount %></dd></div>
<div><dt><%= it.t('ops.unmatched.because') %></dt><dd><%= it.reasons(one.because) %></dd></div></dl></li><% } %></ul>
<% } else { %><p><%= it.t('ops.unmatched.owners.none') %></p><% } %></section>
<% if (it.unmatched.state === 'open') { %>
<section class="card" aria-labelledby="decide"><h2 id="decide"><%= it.t('ops.unmatched.assign') %></h2>
<p><%= it.t('ops.case.decide.text') %></p>
<% if (it.like) { %><div class="note"><p><strong><%= it.t(it.like.is_paid ? 'ops.unmatched.like.paid' : 'ops.unmatched.like.open') %></strong></p>
<p><%= it.t(it.like.is_paid ? 'ops.unmatched.like.paid.text' : 'ops.unmatched.like.open.text') %></p>
<p><a class="whole" href="/m/<%= it.like.merchant_id %>/payments/<%= it.like.payment_id %>"><%= it.like.payment_id %></a> · <%= it.t('state.' + it.like.state) %> · <%= it.reasons(it.like.because) %></p></div><% } %>
<%~ it.prove %>
<% if (it.mayAct && it.session.isFresh) { %>
<form method="post" action="/ops/unmatched/<%= it.unmatched.receipt_id %>/assign"><%~ it.token %><%~ it.once %>
<fieldset><legend><%= it.t('ops.unmatched.whose') %></legend>
<% for (const one of it.whose) { %><label class="choice"><input type="radio" name="whose" value="<%= one %>" required<%= it.like && one === 'payment' ? ' checked' : '' %>> <span><%= it.t(one === 'payment' && it.like && it.like.is_paid ? 'ops.unmatched.whose.paid' : 'ops.unmatched.whose.' + one) %></span></label><% } %></fieldset>
<label for="payment"><%= it.t('payment.id') %></label><input id="payment" name="payment" maxlength="36" autocomplete="off" spellcheck="false" value="<%= it.likeliest %>">
<%~ it.beside %>
<%~ it.merchant %>
<label for="country"><%= it.t('ops.unmatched.country') %></label><input id="country" name="country" maxlength="3" autocomplete="off">
<label for="reason"><%= it.t('ops.case.note') %></label><input id="reason" name="reason" required maxlength="300" autocomplete="off">
<div class="actions"><button type="submit"><%= it.t('ops.unmatched.assign') %></button>${previewButton()}</div></form>
<h3><%= it.t('ops.unmatched.return') %></h3>
<form method="post" action="/ops/unmatched/<%= it.unmatched.receipt_id %>/returned"><%~ it.token %><%~ it.once %>
<label for="reference"><%= it.t('ops.unmatched.return.reference') %></label><input id="reference" name="reference" required maxlength="100" autocomplete="off">
<%~ it.beside %>
<label for="why"><%= it.t('ops.case.note') %></label><input id="why" name="reason" required maxlength="300" autocomplete="off">
<div class="actions"><button class="quiet" type="submit"><%= it.t('ops.unmatched.return') %></button>${previewButton(`it.t('ops.unmatched.return')`)}</div></form>
<% } else if (!it.mayAct) { %><p class="hint"><%= it.t('ops.not_yours') %></p><% } %></section><% } %>
`);

const ownerKinds = ['payment', 'wallet', 'float', 'bank', 'fee'] as const;
const besideTemplate = template(`<% if (it.like) { %>
<label class="choice"><input type="checkbox" name="beside" value="<%= it.like.payment_id %>"> <span><%= it.t('ops.unmatched.beside') %></span></label><% } %>`);

async function findUnmatched({ db, params }: PlatformVisit): Promise<UnmatchedReceiptRow | undefined> {
  const id = params['unmatched'] ?? '';
  return /^\d{1,15}$/.test(id) ? db('unmatched_receipts').where({ receipt_id: id }).first() : undefined;
}

export async function showUnmatched(visit: PlatformVisit): Promise<PageResponse> {
  const { operator, language, t } = visit;
  const unmatched = await findUnmatched(visit);
  if (!unmatched) return notFound(visit);
  const {
    line,
    likely_owners: owners,
    may_be_money_of: [like],
  } = await visit.operations.unmatched(unmatched);
  const mayAct = operator.role === 'operator';
  const amount = money(unmatched.amount_minor, unmatched.currency, language);
  const body = draw(visit, unmatchedTemplate, {
    ...{ unmatched, amount, owners, mayAct, whose: ownerKinds },
    prove: authenticateFirst(visit, mayAct),
    reasons: (because: readonly string[]) =>
      because.map((reason) => wordOf(visit, 'because', reason)).join(', '),
    likeliest: like?.payment_id ?? owners[0]?.payment_id ?? '',
    like,
    beside: draw(visit, besideTemplate, { like }),
    merchant: await merchantChoice(visit),
    facts: [
      [t('ops.provider'), unmatched.provider],
      [t('payment.provider_reference'), unmatched.provider_reference],
      [t('payments.kind'), wordOf(visit, 'line', unmatched.kind)],
      [t('payments.customer'), maskedPhone(line?.phone ?? null)],
      [t('payments.reference'), line?.our_reference ?? ''],
      [t('ops.unmatched.words'), line?.description ?? ''],
      [
        t('ops.unmatched.decided'),
        [unmatched.assigned_by, unmatched.approved_by].filter(Boolean).join(' · '),
      ],
      [t('payment.reason'), unmatched.reason ?? ''],
    ].filter(([, value]) => value !== ''),
  });
  return { kind: 'page', title: amount, body };
}

/** A name of a newer version is shown as it is. */
function wordOf({ t }: PlatformVisit, of: 'because' | 'line', name: string): string {
  const word = `${of}.${name}`;
  return isWord(word) ? t(word) : name;
}

export async function assignUnmatched(visit: PlatformVisit): Promise<PageResponse> {
  const { form, t } = visit;
  const unmatched = await findUnmatched(visit);
  if (!unmatched) return notFound(visit);
  const sent = (name: string) => form(name).trim();
  const [payment, merchant, country] = [sent('payment'), sent('merchant'), sent('country').toUpperCase()];
  const owners = {
    payment: payment === '' ? undefined : { payment_id: payment },
    wallet: merchant === '' ? undefined : { merchant_id: merchant },
    float:
      merchant === ''
        ? undefined
        : { merchant_id: merchant, float: true as const, ...(country !== '' && { country }) },
    bank: { bank: true as const },
    fee: { fee: true as const },
  };
  const chosen = ownerKinds.find((one) => one === form('whose'));
  const owner = chosen && owners[chosen];
  const back = pageOf(unmatched);
  if (!owner) return refusedBefore(visit, t('ops.unmatched.fault'), back);
  const reason = sent('reason');
  if (reason === '') return refusedBefore(visit, t('ops.case.note.needed'), back);
  // A tick about the payment that gets the money means nothing.
  const beside = chosen === 'payment' && form('beside').trim() === payment ? {} : besideOf(visit);
  const input = { receipt_id: unmatched.receipt_id, reason, ...owner, ...beside };
  return act(visit, { kind: 'unmatched.assign', input }, back);
}

export async function returnUnmatched(visit: PlatformVisit): Promise<PageResponse> {
  const { form, t } = visit;
  const unmatched = await findUnmatched(visit);
  if (!unmatched) return notFound(visit);
  const [reference, reason, back] = [form('reference').trim(), form('reason').trim(), pageOf(unmatched)];
  if (reason === '') return refusedBefore(visit, t('ops.case.note.needed'), back);
  const input = { receipt_id: unmatched.receipt_id, reason, reference, ...besideOf(visit) };
  return act(visit, { kind: 'unmatched.returned', input }, back);
}

const pageOf = ({ receipt_id: id }: UnmatchedReceiptRow) => `/ops/unmatched/${id}`;

function besideOf({ form }: PlatformVisit) {
  const beside = form('beside').trim();
  return beside === '' ? {} : { beside_payment_id: beside };
}
