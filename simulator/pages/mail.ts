/** The mailbox: every mail of the sandbox, newest first, as plain text. */
import express, { type Router } from 'express';
import type { Mail, Mailbox } from '../mailbox';
import { eta, page } from './layout';

const listPage = eta.compile(`<h1>Mailbox</h1>
<p class="quiet">What the sandbox would have mailed, newest first. <a href="/mail">Refresh</a></p>
<% if (it.mails.length) { %>
<div class="scroll" role="region" aria-label="Mails" tabindex="0"><table>
<thead><tr><th scope="col">Subject</th><th scope="col">To</th><th scope="col">At</th></tr></thead>
<tbody><% for (const { id, subject, to, time } of it.mails) { %>
<tr><td><a href="/mail/<%= encodeURIComponent(id) %>"><%= subject %></a></td><td><%= to %></td><td><%= time %></td></tr><% } %>
</tbody></table></div>
<% } else { %><section class="empty"><h2>No mail yet</h2>
<p>What the product mails to people arrives here.</p></section><% } %>
`);

const mailPage = eta.compile(`<p><a href="/mail">All mails</a></p>
<h1><%= it.subject %></h1>
<dl class="facts mail">
<dt>From</dt><dd><%= it.from %></dd>
<dt>To</dt><dd><%= it.to %></dd>
<dt>At</dt><dd><%= it.time %></dd>
</dl>
<pre class="mail"><%= it.text %></pre>
`);

const shown = ({ id, from = '', to, subject, text, at }: Mail) => ({
  id,
  from,
  to,
  subject: subject === '' ? '(no subject)' : subject,
  text,
  time: `${at.slice(0, 16).replace('T', ' ')} UTC`,
});

export function mailPages(mailbox: Mailbox): Router {
  const router = express.Router();
  router.get('/', (_request, response) => {
    const mails = mailbox.list().map(shown).reverse();
    response.type('html').send(page('Mailbox', eta.render(listPage, { mails })));
  });
  router.get('/:id', (request, response, next) => {
    const mail = mailbox.find(request.params.id);
    if (!mail) {
      next();
      return;
    }
    response.type('html').send(page('Mail', eta.render(mailPage, shown(mail))));
  });
  return router;
}
