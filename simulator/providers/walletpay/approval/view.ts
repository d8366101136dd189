import { eta } from '../../../pages/layout';
import { valueOf } from '../money';
import { ORDER_LIFE_MS, type Order } from '../orders/orders';

const approvalPage = eta.compile(`<h1><%= it.merchant %></h1>
<div class="prompts"><div class="phone">
<form class="screen" method="post" action="/checkoutnow?token=<%= encodeURIComponent(it.id) %>">
<h2>Wallet payment</h2>
<p class="amount"><%= it.currency %> <%= it.amount %></p>
<dl class="facts">
<dt>To</dt><dd><%= it.merchant %></dd>
<% if (it.description) { %><dt>For</dt><dd><%= it.description %></dd><% } %>
<% if (it.invoice) { %><dt>Invoice</dt><dd><%= it.invoice %></dd><% } %>
<dt>Order</dt><dd><%= it.id %></dd>
</dl>
<p class="left"><%= it.minutesLeft %> min left to decide</p>
<div class="buttons">
<button class="pay" name="action" value="approve">Pay</button>
<button name="action" value="approve_and_close">Pay and close the tab</button>
<button class="cancel" name="action" value="cancel">Cancel</button>
</div>
</form>
</div></div>
`);

const listPage = eta.compile(`<h1>Wallet payments</h1>
<p class="quiet">Orders that wait for their buyer, newest first. <a href="/checkoutnow">Refresh</a></p>
<% if (it.orders.length) { %><ul><% for (const order of it.orders) { %>
<li><a href="/checkoutnow?token=<%= encodeURIComponent(order.id) %>"><%= order.merchant %>: <%= order.currency %> <%= order.amount %></a></li><% } %>
</ul><% } else { %><section class="empty"><h2>No order is waiting</h2>
<p>Create an order, and it waits here for three hours.</p>
</section><% } %>
`);

const messagePage = eta.compile(`<h1><%= it.title %></h1>
<p><%= it.text %></p>
`);

const facts = ({ id, amount, brandName, description, invoiceId }: Order) => ({
  id,
  merchant: brandName ?? 'Sandbox merchant',
  currency: amount.currency,
  amount: Number(valueOf(amount)).toLocaleString('en-KE', {
    minimumFractionDigits: valueOf(amount).includes('.') ? 2 : 0,
  }),
  description,
  invoice: invoiceId,
});

export function approval(order: Order, now: number): string {
  const leftMs = Math.max(0, order.createdAt + ORDER_LIFE_MS - now);
  return eta.render(approvalPage, { ...facts(order), minutesLeft: Math.ceil(leftMs / 60_000) });
}

export function waitingList(orders: readonly Order[]): string {
  return eta.render(listPage, { orders: orders.map(facts) });
}

export function closedTab(): string {
  return eta.render(messagePage, {
    title: 'Paid, and the tab is closed',
    text: 'You have approved the payment, but your browser does not return to the merchant’s page.',
  });
}

export function cancelled(): string {
  return eta.render(messagePage, {
    title: 'Not paid',
    text: 'You have left without paying. The order is still open, and expires three hours after it was created.',
  });
}

/** @param order decided already, or unknown */
export function closed(order: Order | undefined, text?: string): string {
  const isPaid = order?.approvedAt !== undefined;
  return eta.render(messagePage, {
    title: 'Nothing to decide',
    text:
      text ?? (isPaid ? 'You have approved this payment.' : 'There is no such payment, or it has expired.'),
  });
}
