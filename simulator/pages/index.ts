/**
 * The simulator's front page, and the parts that all origins share: the style sheet, and the answer for unknown paths.
 */
import express, { type Router } from 'express';
import { behaviours } from '../faults';
import { ownPagesOnly } from '../origin';
import type { ProviderDefinition, RunningProvider } from '../provider';
import type { Mailbox } from '../mailbox';
import { eta, page, pageHeaders } from './layout';
import { mailPages } from './mail';
import { styleSheet } from './style';

interface Running {
  definition: ProviderDefinition;
  /** The provider's base address, without a trailing slash. */
  origin: string;
  provider: RunningProvider;
}

const sharedControls = [
  { request: 'GET /control/clock', does: 'Returns the virtual time.' },
  {
    request: 'POST /control/clock {"advance_ms":60000}',
    does: 'Moves the time forward, and runs the jobs that become due, in order.',
  },
  {
    request:
      'POST /control/next {"provider":"stk","call":"callback","behave":"delay","ms":5000,"times":1,"where":{"phone_number":"254708374149"}}',
    does: 'Makes the next calls fail. times is 1 by default; ms is for delay; where limits it to one payer.',
  },
  { request: 'GET /control/next', does: 'Lists the unused rules.' },
  { request: 'POST /control/reset', does: 'Deletes these rules.' },
  {
    request: 'GET /control/requests?provider=stk&call=initiate',
    does: 'The last 1000 requests and answers, newest last, without secrets.',
  },
  {
    request: 'GET /control/books',
    does: "The providers' own books, per currency: collections and their sum, and payouts and refunds beside them.",
  },
  { request: 'GET /control/books?provider=stk&detail=1', does: 'Each success with its receipt.' },
  {
    request: 'GET /control/statement?provider=stk&fault=orphan',
    does: "The provider's statement as a file; faults: orphan, doubled, other_amount, missing, late, fee.",
  },
  {
    request: 'POST /control/statement {"provider":"walletpay","faults":["orphan"],"page_size":1}',
    does: "Sets the faults and the page size of the statement by the provider's API, until the next call.",
  },
  { request: 'GET /control/scenarios', does: 'The test values of all providers, each with a name.' },
  { request: 'GET /control/mail', does: 'The mails of the mailbox, newest last.' },
];

const body = eta.compile(`<h1>Provider simulator</h1>
<p>Plays the payment providers in their own wire formats, so that everything can be tried without them.
What the product would mail to people is in the <a href="/mail">mailbox</a>.</p>
<% for (const { definition, origin, provider } of it.running) { %>
<section aria-labelledby="<%= definition.name %>">
<h2 id="<%= definition.name %>"><%= definition.title %></h2>
<p>Base URL: <code><%= origin %></code></p>
<% if (provider.pages.length) { %><ul><% for (const { path, title } of provider.pages) { %>
<li><a href="<%= origin %><%= path %>"><%= title %></a></li><% } %>
</ul><% } %>
<div class="scroll" role="region" aria-label="Test numbers of <%= definition.title %>" tabindex="0"><table>
<thead><tr><th scope="col">Test number</th><th scope="col">Scenario</th><th scope="col">What happens</th></tr></thead>
<tbody><% for (const { value, title, behaviour } of provider.testValues) { %>
<tr><td><code><%= value %></code></td><td><%= title %></td><td><%= behaviour %></td></tr><% } %>
</tbody></table></div>
<h3>What can be made to go wrong</h3>
<ul><% for (const [call, { behaviours }] of Object.entries(definition.faultyCalls)) { %>
<li><code><%= call %></code>: <%= behaviours.join(', ') %></li><% } %>
</ul>
</section><% } %>
<section aria-labelledby="control">
<h2 id="control">Control API</h2>
<p>JSON in and out, from this machine only.</p>
<div class="scroll" role="region" aria-label="Control API" tabindex="0"><table>
<thead><tr><th scope="col">Request</th><th scope="col">What it does</th></tr></thead>
<tbody><% for (const { request, does } of it.controls) { %>
<tr><td class="wrap"><code><%= request %></code></td><td><%= does %></td></tr><% } %>
</tbody></table></div>
<h3>Behaviours</h3>
<div class="scroll" role="region" aria-label="Behaviours" tabindex="0"><table>
<thead><tr><th scope="col">behave</th><th scope="col">What happens</th></tr></thead>
<tbody><% for (const [behaviour, does] of it.behaviours) { %>
<tr><td><code><%= behaviour %></code></td><td><%= does %></td></tr><% } %>
</tbody></table></div>
</section>
`);

/** The pages beside the control API. */
export function frontPages(running: readonly Running[], mailbox: Mailbox): Router {
  const controls = [...sharedControls, ...running.flatMap(({ provider }) => provider.controls)];
  const front = page(
    'Provider simulator',
    eta.render(body, { running, controls, behaviours: Object.entries(behaviours) }),
  );
  return originRouter((router) => {
    router.get('/', (_request, response) => {
      response.type('html').send(front);
    });
    router.use('/mail', mailPages(mailbox));
  });
}

/** The parts of a provider's origin beside the provider itself. */
export function originPages(frontUrl: string): Router {
  return originRouter((router) => {
    router.get('/', (_request, response) => {
      response.redirect(frontUrl);
    });
  });
}

function originRouter(addPages: (router: Router) => void): Router {
  const router = express.Router().use(pageHeaders, ownPagesOnly);
  addPages(router);
  router.get('/assets/simulator.css', (_request, response) => {
    response.type('css').send(styleSheet);
  });
  router.use((_request, response) => {
    response
      .status(404)
      .type('html')
      .send(page('Not found', '<h1>This page does not exist</h1><p><a href="/">Start page</a></p>'));
  });
  return router;
}
