import { eta } from '../../../pages/layout';
import { localTime } from '../identifiers';
import { instrumentsOf, ways, type Way } from '../methods';
import { withReference } from '../notification';
import { isPayable, type Order } from '../orders';
import { scenarioOf } from '../scenarios';

const icons: Record<Way | 'lock' | 'done', string> = {
  card: '<rect x="2" y="5" width="20" height="14" rx="2.5"/><path d="M2 10h20M6 15h4"/>',
  mobile: '<rect x="7" y="2" width="10" height="20" rx="2.5"/><path d="M11 18.5h2"/>',
  bank: '<path d="M3 9.5 12 4l9 5.5zM5 10v7M10 10v7M14 10v7M19 10v7M3 20h18"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  done: '<circle cx="12" cy="12" r="9.5"/><path d="m7.5 12.5 3 3 6-6.5"/>',
};
const icon = (name: keyof typeof icons) =>
  `<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${icons[name]}</svg>`;

const frame = eta.compile(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><%= it.title %> · Test checkout</title>
<link rel="stylesheet" href="/pay/checkout.css">
<script src="/pay/checkout.js" defer></script>
</head>
<body>
<p class="banner" role="note"><strong>Test mode.</strong> No real money moves. Never enter a real card.</p>
<main>
<%~ it.body %>
</main>
<footer><%~ it.lock %> Secure checkout, provider simulator</footer>
</body>
</html>
`);

const summary = eta.compile(`<header class="summary">
<h1><span class="asked">Pay</span> <span class="amount"><%= it.currency %> <%= it.amount %></span></h1>
<p class="what"><%= it.description %></p>
<p class="reference">Reference <span><%= it.reference %></span></p>
</header>
`);

const form = eta.compile(`<%~ it.summary %>
<p id="said" class="said<% if (it.statusText) { %> bad<% } %>" role="status" aria-live="polite" tabindex="-1"><%= it.statusText %></p>
<p class="onward"><a id="onward" href="/" target="_top" hidden>Continue to the merchant</a></p>
<div id="checkout" data-window="<%= it.target %>">
<div class="tabs" role="tablist" aria-label="How would you like to pay?" hidden><% for (const [index, { way, title, icon }] of it.ways.entries()) { %>
<button type="button" role="tab" id="tab-<%= way %>" aria-selected="<%= index === 0 %>" aria-controls="panel-<%= way %>"><%~ icon %> <%= title %></button><% } %>
</div>
<% for (const { way, title, legend, instruments } of it.ways) { %>
<section class="panel" id="panel-<%= way %>" aria-labelledby="heading-<%= way %>">
<h2 id="heading-<%= way %>"><%= title %></h2>
<form method="post" action="/pay" target="<%= it.target %>">
<input type="hidden" name="OrderTrackingId" value="<%= it.id %>">
<input type="hidden" name="way" value="<%= way %>">
<fieldset><legend><%= legend %></legend>
<% for (const [index, { wire, name, shown }] of instruments.entries()) { %><label class="instrument">
<input type="radio" name="method" value="<%= wire %>"<% if (index === 0) { %> checked<% } %>>
<span class="name"><%= name %></span> <span class="shown"><%= shown %></span>
</label>
<% } %></fieldset>
<button class="pay" name="action" value="pay">Pay <%= it.currency %> <%= it.amount %></button>
<div class="trial" role="group" aria-labelledby="trial-<%= way %>">
<p id="trial-<%= way %>">Test another ending</p>
<button name="action" value="fail" formtarget="_self">Let it fail</button>
<button name="action" value="pay_and_stay" formtarget="_self">Pay, do not return</button>
</div>
</form>
</section><% } %>
<form class="leave" method="post" action="/pay" target="<%= it.target %>">
<input type="hidden" name="OrderTrackingId" value="<%= it.id %>">
<button class="cancel" name="action" value="cancel">Cancel and return to the merchant</button>
</form>
</div>
`);

const ending = eta.compile(`<%~ it.summary %>
<section class="ending <%= it.tone %>">
<% if (it.icon) { %><%~ it.icon %><% } %><h2><%= it.title %></h2>
<p><%= it.text %></p>
<% if (it.code) { %><p class="reference">Confirmation code <span><%= it.code %></span></p><% } %>
<% if (it.leaveTo) { %><p class="onward"><a href="<%= it.leaveTo %>" target="_top">Return to the merchant</a></p><% } %>
</section>
`);

const message =
  eta.compile(`<section class="ending bad"><h1>Nothing to pay</h1><p><%= it.text %></p></section>
`);

const list = eta.compile(`<h1>Orders</h1>
<p class="quiet">Orders that can be paid, newest first, Nairobi time. <a href="/orders">Refresh</a></p>
<% if (it.orders.length) { %><ul><% for (const order of it.orders) { %>
<li><a href="/pay?OrderTrackingId=<%= order.id %>"><%= order.currency %> <%= order.amount %>: <%= order.description %></a>
<span class="quiet"><%= order.reference %>, <%= order.at %></span></li><% } %>
</ul><% } else { %><section class="empty"><h2>No order is waiting</h2>
<p>Submit one, and its <code>redirect_url</code> leads to the page where it is paid.</p>
</section><% } %>
`);

const LISTED_MAX = 50;

const legends: Record<Way, string> = {
  card: 'Choose a test card',
  mobile: 'Choose a network',
  bank: 'Choose a bank',
};

const describe = ({ trackingId, currency, amountCents, description, merchantReference }: Order) => ({
  id: trackingId,
  currency,
  amount: (amountCents / 100).toLocaleString('en-KE', { minimumFractionDigits: 2 }),
  description,
  reference: merchantReference,
});

/** The browser's name for the window that leaves the page. */
const targetOf = ({ redirectMode }: Order) => (redirectMode === 'PARENT_WINDOW' ? '_parent' : '_top');

const DECLINED = 'Your payment was declined. You have not been charged. Choose a way to pay and try again.';
const PROCESSING = 'Your payment is being processed.';

/** The order's current state: payable, or its result. */
export function checkout(order: Order): string {
  const facts = describe(order);
  const head = eta.render(summary, facts);
  const body = isPayable(order)
    ? eta.render(form, {
        ...facts,
        summary: head,
        statusText: order.state === 'FAILED' ? DECLINED : '',
        target: targetOf(order),
        ways: (Object.keys(ways) as Way[]).map((way) => ({
          way,
          title: ways[way].title,
          legend: legends[way],
          icon: icon(way),
          instruments: instrumentsOf(way, order.currency, order.phone),
        })),
      })
    : eta.render(ending, { ...endingOf(order), summary: head });
  return inFrame(`Pay ${facts.currency} ${facts.amount}`, body);
}

export function checkoutMessage(text: string): string {
  return inFrame('Nothing to pay', eta.render(message, { text }));
}

export function orderList(orders: readonly Order[]): string {
  return eta.render(list, {
    orders: orders.slice(0, LISTED_MAX).map((order) => ({
      ...describe(order),
      at: localTime(order.createdAt).slice(0, 19).replace('T', ' '),
    })),
  });
}

/** The page's sentence after the customer's action. */
export function sentenceAfter(order: Order, action: string, leaveTo: string | undefined): string {
  if (order.state === 'FAILED') return DECLINED;
  const leaving = 'Taking you back to the merchant…';
  if (action === 'cancel') return leaving;
  const paid = order.isBeingDecided ? PROCESSING : 'Payment received. Thank you.';
  return `${paid} ${leaveTo === undefined ? 'You can close this window.' : leaving}`;
}

function endingOf(order: Order) {
  if (order.isBeingDecided) {
    return { tone: 'quiet', title: PROCESSING, text: 'Reload this page in a moment.' };
  }
  if (order.isCancelled) {
    return { tone: 'bad', title: 'This order was cancelled', text: 'You have not been charged.' };
  }
  if (order.state === 'REVERSED') {
    return { tone: 'bad', title: 'This payment was returned', text: 'The money is on its way back to you.' };
  }
  return {
    tone: 'good',
    icon: icon('done'),
    title: 'Payment received',
    text: 'Thank you. You can close this window.',
    code: order.payment?.code,
    ...(scenarioOf(order.amountCents).returns && { leaveTo: withReference(order.callbackUrl, order) }),
  };
}

function inFrame(title: string, body: string): string {
  return eta.render(frame, { title, body, lock: icon('lock') });
}
