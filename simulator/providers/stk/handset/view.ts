import { eta } from '../../../pages/layout';
import type { Prompt } from '../prompts';
import { PERSON_EXAMPLE, PERSON_SUFFIX } from '../scenarios';

const frame = eta.compile(`<h1>Handset</h1>
    <p class="quiet">Payment prompts waiting for a user, newest first. This page refreshes itself.</p>
    <p class="said" id="said" role="status" aria-live="polite"></p>
    <p class="offline" id="offline" role="alert" hidden>The simulator does not answer. Trying again…</p>
    <noscript><p><a href="/handset">Refresh</a></p></noscript>
    <div id="prompts" tabindex="-1"><%~ it.list %></div>
    `);

const list =
  eta.compile(`<% if (it.prompts.length) { %><ul class="prompts"><% for (const prompt of it.prompts) { %>
<li class="phone" data-prompt="<%= prompt.id %>">
<form class="screen" method="post" action="/handset/prompts/<%= encodeURIComponent(prompt.id) %>">
<h2>Payment request</h2>
<p class="amount">KES <%= prompt.amount %></p>
<dl class="facts">
<dt>Account</dt><dd><%= prompt.reference %></dd>
<dt>For</dt><dd><%= prompt.description %></dd>
<dt>Phone</dt><dd><%= prompt.phone %></dd>
</dl>
<progress max="<%= prompt.lifeSeconds %>" value="<%= prompt.secondsLeft %>" aria-label="Time left"></progress>
<p class="left"><%= prompt.secondsLeft %> s left to answer</p>
<div class="buttons">
<button class="pay" name="action" value="pay">Enter PIN</button>
<button class="cancel" name="action" value="cancel">Cancel</button>
<button name="action" value="ignore">Ignore</button>
</div>
</form>
</li><% } %>
</ul><% } else { %><section class="empty">
<h2>No prompt is waiting</h2>
<p>Ask a payment from a number ending in <strong><%= it.suffix %></strong>, for example <code><%= it.example %></code>,
and it waits here for a minute.</p>
<p>With the sandbox running, and a merchant's keys from <code>.malipo/sandbox.json</code>:</p>
<pre tabindex="0"><code>curl http://127.0.0.1:3000/api/v1/stk_push \\
  -H "X-API-Key: $API_KEY" -H "X-API-Secret: $API_SECRET" \\
  -H "Content-Type: application/json" \\
  -d '{"phone_number":"<%= it.example %>","amount":100.00,
       "account_reference":"INV-1","transaction_desc":"Try it"}'</code></pre>
</section><% } %>`);

/** @param prompts the HTML of promptList */
export function handset(prompts: string): string {
  return eta.render(frame, { list: prompts });
}

export function promptList(prompts: readonly Prompt[], now: number): string {
  return eta.render(list, {
    suffix: PERSON_SUFFIX,
    example: PERSON_EXAMPLE,
    prompts: prompts.map(
      ({ checkoutRequestId, amount, accountReference, description, phone, createdAt, waitsUntil = now }) => ({
        id: checkoutRequestId,
        amount: shillings(amount),
        reference: accountReference,
        description,
        phone: `+${phone.slice(0, 3)} ${phone.slice(3, 6)} ${phone.slice(6, 9)} ${phone.slice(9)}`,
        lifeSeconds: Math.round((waitsUntil - createdAt) / 1_000),
        secondsLeft: Math.max(0, Math.ceil((waitsUntil - now) / 1_000)),
      }),
    ),
  });
}

/** 1250 → "1,250.00". */
export function shillings(amount: number): string {
  return amount.toLocaleString('en-KE', { minimumFractionDigits: 2 });
}
