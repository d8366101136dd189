import { eta } from '../../../pages/layout';
import { findProvider } from '../network/numbers';
import type { Transaction } from '../transactions';
import { twoPlaces } from '../wallets';

const approvalPage = eta.compile(`<h1><%= it.provider %></h1>
<div class="prompts"><div class="phone">
<form class="screen" method="post" action="/authorise/<%= encodeURIComponent(it.id) %>">
<h2>Payment request</h2>
<p class="amount"><%= it.currency %> <%= it.amount %></p>
<dl class="facts">
<% if (it.message) { %><dt>For</dt><dd><%= it.message %></dd><% } %>
<dt>Phone</dt><dd><%= it.phone %></dd>
</dl>
<p class="left"><%= it.minutesLeft %> min left to answer</p>
<div class="buttons">
<button class="pay" name="action" value="pay">Pay</button>
<button class="cancel" name="action" value="decline">Decline</button>
<button name="action" value="abandon">Abandon</button>
</div>
</form>
</div></div>
`);

const listPage = eta.compile(`<h1>Approvals</h1>
<p class="quiet">Payments of redirect providers that wait for a person, newest first. <a href="/authorise">Refresh</a></p>
<% if (it.deposits.length) { %><ul><% for (const deposit of it.deposits) { %>
<li><a href="/authorise/<%= encodeURIComponent(deposit.id) %>"><%= deposit.provider %>: <%= deposit.currency %> <%= deposit.amount %>
from <%= deposit.phone %></a></li><% } %>
</ul><% } else { %><section class="empty"><h2>No payment is waiting</h2>
<p>Ask a deposit from a provider that redirects, such as <code>WAVE_SEN</code>, and it waits here for half an hour.</p>
</section><% } %>
`);

const messagePage = eta.compile(`<h1><%= it.title %></h1>
<p><%= it.text %></p>
`);

const facts = ({ id, provider, currency, amount, phone, customerMessage }: Transaction) => ({
  id,
  provider: findProvider(provider)?.provider.name ?? provider,
  currency,
  amount: Number(twoPlaces(amount)).toLocaleString('en-KE', { minimumFractionDigits: 2 }),
  phone: `+${phone}`,
  message: customerMessage,
});

export function approval(deposit: Transaction, now: number): string {
  const leftMs = Math.max(0, (deposit.redirect?.waitsUntil ?? now) - now);
  return eta.render(approvalPage, { ...facts(deposit), minutesLeft: Math.ceil(leftMs / 60_000) });
}

export function waitingList(deposits: readonly Transaction[]): string {
  return eta.render(listPage, { deposits: deposits.map(facts) });
}

export function abandoned(): string {
  return eta.render(messagePage, {
    title: 'You left without deciding',
    text: 'The payment is still open, and fails by itself if it is not approved. Go back to decide.',
  });
}

const endings: Partial<Record<Transaction['status'], string>> = {
  ACCEPTED: 'The payment is being prepared. Reload this page in a moment.',
  COMPLETED: 'This payment is paid.',
  FAILED: 'This payment was not approved.',
};

/** @param text a sentence to show instead of the deposit's state */
export function closed(deposit: Transaction | undefined, text?: string): string {
  return eta.render(messagePage, {
    title: 'Nothing to decide',
    text: text ?? (deposit && endings[deposit.status]) ?? 'This payment is not waiting for a user.',
  });
}
