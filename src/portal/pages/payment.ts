/** The page of one payment: its status, details and history. */
import { validate as isUuid } from 'uuid';
import type { Currency } from '../../domain/money';
import { nextSteps } from '../../domain/next-steps';
import { isFinal } from '../../domain/payment';
import { failureOf } from '../../payments/read/merchant-view';
import { holdOf, reasonOfHold } from '../../payments/read/on-hold';
import { readTimeline, type Timeline } from '../../payments/read/timeline';
import { chargedOf } from '../../payments/transition/fees';
import type { Database } from '../../store/database';
import type { PaymentRow, MerchantRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { roles } from '../../users/operators';
import { money, type Language } from '../format';
import { draw, template } from '../render';
import type { PageResponse, MerchantVisit, AnyRole } from '../visit';
import { isWord, railWord } from '../words';
import { live, doneOf, indentedJson, canChange, recordActOf } from './parts';
import {
  amountOf,
  maskedPhone,
  sentenceWordOf,
  shownStateOf,
  toneOf,
  maskedBody,
  maskedIn,
} from './payment-words';
import { notFound, overrun } from './error-pages';
import { canSendAgain, webhookTones } from './webhooks';

/** The roles that see the webhook log. */
const webhookReaders: readonly AnyRole[] = ['owner', 'developer', 'operator', 'approver', 'auditor'];

const aroundTemplate = template(`
<p><a href="<%= it.base %>/payments"><%= it.t('payment.back') %></a></p>
<%~ it.done %>
<%~ it.region %>
`);
const paymentTemplate = template(`
<h1><span class="amount"><%= it.amount %></span> <span class="state <%= it.tone %>"><%= it.t('state.' + it.state) %></span></h1>
<div class="sentence" role="status">
<p><strong><%= it.sentence %></strong></p>
<p><%= it.next %></p>
<% if (it.hold) { %><p><%= it.t('hold.' + it.hold.holdReason) %> <%= it.t('hold.until') %>: <% if (it.hold.untilAt) { %><%~ it.time(it.hold.untilAt) %><% } else { %><%= it.t('hold.until_operator') %><% } %>.<% if (it.payment.kind === 'payout') { %> <%= it.t('hold.gives_up') %><% } %></p><% } %>
</div>
<% if (it.mayRefund || it.mayCancel) { %><p class="actions" role="group" aria-label="<%= it.t('payment.actions') %>">
<% if (it.mayRefund) { %><a class="button quiet" href="<%= it.base %>/payments/<%= it.payment.payment_id %>/refund"><%= it.t('payment.refund') %></a><% } %>
<% if (it.mayCancel) { %><a class="button quiet" href="<%= it.base %>/payments/<%= it.payment.payment_id %>/cancel"><%= it.t('payment.cancel') %></a><% } %></p><% } %>
<% if (it.workflowUrl) { %><p><a href="<%= it.workflowUrl %>" rel="noreferrer"><%= it.t('ops.workflow') %></a> <span class="hint"><%= it.t('ops.workflow.gone') %></span></p><% } %>
<% if (it.isHeld) { %><p class="note"><%= it.t('payment.case') %></p><% } %>

<section aria-labelledby="facts" class="card">
<h2 id="facts"><%= it.t('payment.facts') %></h2>
<dl class="facts">
<% for (const [name, value] of it.facts) { %><div><dt><%= name %></dt><dd><%= value %></dd></div><% } %>
<% if (it.refunds.length > 0) { %><div><dt><%= it.t('payment.refunds') %></dt><dd><% for (const one of it.refunds) { %><a href="<%= it.base %>/payments/<%= one.payment_id %>"><%= it.t('state.' + one.state) %></a> <% } %></dd></div><% } %>
<% if (it.payment.parent_id) { %><div><dt><%= it.t('payment.parent') %></dt><dd><a href="<%= it.base %>/payments/<%= it.payment.parent_id %>"><%= it.t('webhooks.payment') %></a></dd></div><% } %>
<% if (it.payment.phone_number) { %><div><dt><%= it.t('payments.customer') %></dt><dd>
<% if (it.phone) { %><span class="whole"><%= it.phone %></span><% } else { %><%= it.masked %>
<% if (it.mayReveal) { %><form method="post" action="<%= it.base %>/payments/<%= it.payment.payment_id %>/phone" class="inline"><%~ it.token %><button class="link" type="submit"><%= it.t('payment.reveal') %></button></form><% } %><% } %>
</dd></div><% } %>
</dl>
</section>

<section aria-labelledby="story" class="card">
<h2 id="story"><%= it.t('payment.story') %></h2>
<ol class="story">
<% for (const event of it.history) { %>
<li class="<%= event.tone %>"><span class="when"><%~ it.time(event.at, true) %></span> <span class="what"><%= event.what %></span>
<% if (event.evidence) { %><span class="evidence"><%= event.evidence %></span><% } %></li>
<% } %>
</ol>
</section>

<section aria-labelledby="money" class="card">
<h2 id="money"><%= it.t('payment.money') %></h2>
<% if (it.lines.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('payment.money') %></caption>
<thead><tr><th scope="col"><%= it.t('payment.account') %></th><th scope="col"><%= it.t('payments.when') %></th><th scope="col" class="number"><%= it.t('payments.amount') %></th></tr></thead>
<tbody>
<% for (const line of it.lines) { %><tr><td data-label="<%= it.t('payment.account') %>"><%= line.account %></td><td data-label="<%= it.t('payments.when') %>"><%~ it.time(line.at) %></td><td class="number" data-label="<%= it.t('payments.amount') %>"><%= line.amount %></td></tr><% } %>
</tbody></table>
<% } else { %><p><%= it.t('payment.money.none') %></p><% } %>
</section>

<section aria-labelledby="webhooks" class="card">
<h2 id="webhooks"><%= it.t('payment.webhooks') %></h2>
<% if (it.webhooks.length === 0) { %><p><%= it.t('payment.webhooks.none') %></p><% } %>
<% for (const webhook of it.webhooks) { %>
<h3><% if (it.seesLog) { %><a href="<%= it.base %>/webhooks/<%= webhook.webhook_id %>"><%= it.t('state.' + webhook.to_state) %></a><% } else { %><%= it.t('state.' + webhook.to_state) %><% } %> <span class="state <%= webhook.tone %>"><%= it.t('webhook.' + webhook.state) %></span></h3>
<p class="hint"><%= it.t('webhook.id') %> <code><%= webhook.webhook_id %></code></p>
<% if (webhook.deliveries.length > 0) { %>
<ol class="story">
<% for (const one of webhook.deliveries) { %>
<li class="<%= one.isGood ? 'good' : 'bad' %>"><span class="when"><%~ it.time(one.at, true) %></span>
<span class="what"><%= one.http_status === null ? it.t('webhook.no_answer') : it.t('webhook.answer', { status: one.http_status }) %></span>
<span class="evidence"><%= one.url %> · <%= one.duration_ms %> ms<% if (one.error) { %> · <%= one.error %><% } %></span></li>
<% } %>
</ol>
<% } %>
<% if (webhook.mayResend) { %><form method="post" action="<%= it.base %>/webhooks/<%= webhook.webhook_id %>/resend" class="actions"><%~ it.token %><button class="quiet" type="submit" aria-label="<%= it.t('webhook.resend') %>: <%= it.t('state.' + webhook.to_state) %>"><%= it.t('webhook.resend') %></button></form><% } %>
<% if (webhook.state === 'pending') { %><p class="hint"><%= it.t('webhook.next') %> <%~ it.time(webhook.next_at, true) %></p><% } %>
<% if (webhook.body) { %><details><summary><%= it.t('webhook.body') %></summary><pre tabindex="0"><code><%= webhook.body %></code></pre></details><% } %>
<% } %>
</section>
`);

export async function payment(visit: MerchantVisit): Promise<PageResponse> {
  const found = await getPaymentOfMerchant(visit.db, visit.place.merchant, visit.params['payment'] ?? '');
  return found ? paymentPage(visit, found) : notFound(visit);
}

/** Shows the full phone number once on request, and records that in the audit log. */
export async function revealPhone(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, params } = visit;
  const found = await getPaymentOfMerchant(db, place.merchant, params['payment'] ?? '');
  if (!found?.phone_number) return notFound(visit);
  const may = await canChange(visit, 'checks');
  if (!may.allowed) return overrun(visit, 429, may);
  await inTransaction(db, (trx) =>
    recordActOf(visit, trx, {
      action: 'payment.reveal_phone',
      subject: { kind: 'payment', id: found.payment_id },
    }),
  );
  return paymentPage(visit, found, found.phone_number);
}

async function paymentPage(visit: MerchantVisit, found: PaymentRow, phone?: string): Promise<PageResponse> {
  const { language, place, t } = visit;
  const timeline = await readTimeline(visit.db, found.payment_id);
  const step = visit.acts.nextStep(found);
  const amount = amountOf(found, language);
  const handlesMoney = place.as === 'owner' || place.as === 'finance';
  const mayRefund = handlesMoney && (await visit.acts.refundable(found)).how !== 'no';
  const html = draw(visit, paymentTemplate, {
    payment: found,
    mayRefund,
    workflowUrl: roles.some((role) => role === place.as) ? workflowUrl(visit, found) : '',
    mayCancel: handlesMoney && visit.acts.mayCancel(found),
    amount,
    tone: toneOf(found.state),
    isHeld: timeline.cases.some(({ closed_at: at }) => at === null),
    state: shownStateOf(found),
    hold: holdOf(found),
    sentence: t(sentenceWordOf(found, step), { amount: askedOf(found, language) ?? amount }),
    next: nextSteps[step].merchant[language],
    facts: factsOf(visit, found),
    refunds: timeline.refunds,
    phone,
    masked: maskedPhone(found.phone_number),
    mayReveal: place.as !== 'viewer' && place.as !== 'auditor' && place.as !== 'approver',
    // Provider texts may contain the phone number.
    history: historyOf(visit, found, timeline).map((one) => ({
      ...one,
      evidence: phone === undefined ? maskedIn(one.evidence, found.phone_number) : one.evidence,
    })),
    lines: linesOf(visit, timeline),
    webhooks: webhooksOf(visit, timeline, found.phone_number, phone !== undefined),
    seesLog: webhookReaders.some((role) => role === place.as),
  });
  // An update would hide the revealed number again.
  const isOpen = !isFinal(found.state) && phone === undefined;
  const url = isOpen ? `/m/${place.merchant.merchant_id}/payments/${found.payment_id}` : '';
  const region = live(visit, { id: 'payment', url, seconds: 4, html });
  const body = draw(visit, aroundTemplate, { done: doneOf(visit, 'payment'), region: region.html });
  return { kind: 'page', title: `${amount}, ${t(`state.${shownStateOf(found)}`)}`, body, seen: region.seen };
}

/** The amount sent to the provider, if it differs from the requested one. Some networks accept no cents. */
function askedOf(payment: PaymentRow, language: Language): string | undefined {
  const {
    currency,
    instructed_currency: reported,
    requested_minor: requested,
    instructed_minor: minor,
  } = payment;
  return reported !== currency || minor !== requested ? money(minor, reported, language) : undefined;
}

/** The link to the workflow in the Temporal UI, for platform roles. */
function workflowUrl({ config }: MerchantVisit, { workflow_id: id }: PaymentRow): string {
  const { temporalUiUrl, temporalNamespace: namespace } = config;
  return `${temporalUiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(id)}`;
}

function factsOf({ t, language }: MerchantVisit, found: PaymentRow): string[][] {
  const of = (minor: string | null, currency: Currency | null) =>
    minor === null || currency === null || minor === '0' ? '' : money(minor, currency, language);
  const { failure_message: text, failure_code: code } = failureOf(found);
  const reason = [text, code].filter(Boolean).join(' · ');
  return [
    [t('payments.kind'), `${t(`kind.${found.kind}`)} · ${railWord(t, found.rail)}`],
    [t(`payment.asked.${found.kind}`), askedOf(found, language) ?? ''],
    [t('payment.confirmed'), of(found.confirmed_minor, found.instructed_currency)],
    [t('payment.credited'), of(found.credited_minor, found.credited_currency)],
    [t('payment.fee'), feeOf(found, language)],
    [t('payment.returned_money'), of(found.returned_minor, found.instructed_currency)],
    [t('payment.order'), found.order_id ?? ''],
    [t('payments.reference'), found.account_reference ?? ''],
    [t('payment.receipt'), found.provider_receipt ?? ''],
    [t('payment.provider_reference'), found.provider_reference ?? ''],
    [t('payment.reason'), maskedIn(reason, found.phone_number)],
    [t('payment.id'), found.payment_id],
  ].filter(([, value]) => value !== '');
}

function feeOf(found: PaymentRow, language: MerchantVisit['language']): string {
  const { minor, currency } = chargedOf(found);
  return minor === 0n ? '' : money(minor, currency, language);
}

/** Only entries on the merchant's accounts, without those on the platform's accounts. */
function linesOf({ place, language, t }: MerchantVisit, { ledger }: Timeline) {
  return ledger
    .filter(({ account }) => account.includes(place.merchant.merchant_id))
    .map(({ account, source, amount, currency, at }) => {
      const word = `account.${account.split(':')[0] ?? ''}`;
      const name = isWord(word) ? t(word) : account;
      return {
        account: source.startsWith('fee ') ? t('payment.fee_of', { account: name }) : name,
        at,
        amount: money(amount, currency as Currency, language),
      };
    });
}

/** Bodies contain the customer's number. It is masked unless the user asked to see it. */
function webhooksOf(
  { place }: MerchantVisit,
  { webhooks }: Timeline,
  number: string | null,
  isWhole: boolean,
) {
  const mayResend = place.as === 'owner' || place.as === 'developer';
  const mayReadBody = place.as === 'owner' || place.as === 'developer' || place.as === 'finance';
  const shown = (body: string) => (isWhole ? indentedJson(body) : maskedBody(body, number));
  return webhooks.map((webhook) => ({
    ...webhook,
    tone: webhookTones[webhook.state],
    mayResend: mayResend && canSendAgain(webhook),
    body: mayReadBody && webhook.body_pruned_at === null ? shown(webhook.body) : '',
    deliveries: webhook.deliveries.map((one) => ({
      ...one,
      url: originOf(one.url),
      isGood: one.http_status !== null && one.http_status >= 200 && one.http_status < 300,
    })),
  }));
}

/** Only the host: the path and the query may contain a secret of the merchant. */
function originOf(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).host : '';
}

// The history of a payment in order, each event with the provider's result.

interface HistoryEvent {
  at: Date;
  what: string;
  evidence: string;
  tone: string;
}

function historyOf({ t }: MerchantVisit, payment: PaymentRow, timeline: Timeline): HistoryEvent[] {
  const first = Math.min(
    ...[payment.created_at, timeline.attempts[0]?.sent_at, timeline.log[0]?.at].map((at) =>
      (at ?? payment.created_at).getTime(),
    ),
  );
  const events: HistoryEvent[] = [
    {
      at: new Date(first),
      what: t(`story.received.${payment.kind}`),
      evidence: payment.request_id === null ? '' : t('story.request', { id: payment.request_id }),
      tone: 'open',
    },
    ...timeline.attempts.map((attempt) => ({
      at: attempt.sent_at,
      what: t(`story.attempt.${attempt.state}`),
      evidence: [attempt.code, attempt.detail].filter(Boolean).join(' · '),
      tone: attempt.state === 'accepted' ? 'good' : attempt.state === 'refused' ? 'bad' : 'open',
    })),
    ...timeline.log.map((transition) => ({
      at: transition.at,
      what: t('story.state', { state: t(`state.${transition.to_state}`) }),
      evidence: onceOnly(transition.evidence ?? ''),
      tone: toneOf(transition.to_state),
    })),
    ...holdsOf(t, timeline),
    // Only operators see the source of a notification and its effect.
    ...timeline.notifications.map((one) => ({
      at: one.received_at,
      what: t('story.notification'),
      evidence: '',
      tone: 'open',
    })),
    ...timeline.cases.map((one) => ({ at: one.opened_at, what: t('story.case'), evidence: '', tone: 'bad' })),
    ...timeline.cases.flatMap(({ closed_at: at }) =>
      at ? [{ at, what: t('story.case_closed'), evidence: '', tone: 'good' }] : [],
    ),
  ];
  // Equal times keep this order: an attempt is written before its transition.
  return events.sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** A pause by operators has no event here. The page shows it above while it lasts. */
function holdsOf(t: MerchantVisit['t'], { payoutHold: hold }: Timeline): HistoryEvent[] {
  if (!hold) return [];
  const reason = t(`hold.${reasonOfHold[hold.reason]}`);
  const released = hold.released_at;
  return [
    { at: hold.held_at, what: t('story.on_hold', { reason }), evidence: '', tone: 'open' },
    ...(released ? [{ at: released, what: t('story.released'), evidence: '', tone: 'good' }] : []),
  ];
}

/** Some providers use the same text as code and description. */
function onceOnly(evidence: string): string {
  const [code, ...words] = evidence.split(' ');
  return words.join(' ') === code ? code : evidence;
}

/** Finds a payment of this merchant; undefined for another merchant's payment. */
export async function getPaymentOfMerchant(
  db: Database,
  { merchant_id: merchantId }: Pick<MerchantRow, 'merchant_id'>,
  paymentId: string,
): Promise<PaymentRow | undefined> {
  // The columns are ASCII. The database refuses to compare them with other text.
  if (!isUuid(paymentId)) return undefined;
  return db('payments').where({ payment_id: paymentId.toLowerCase(), merchant_id: merchantId }).first();
}
