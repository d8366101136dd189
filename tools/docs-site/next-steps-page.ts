/** Each `next_step` with its sentences, at a permanent link: `next-steps.html#check_sms`. */
import { nextSteps } from '../../src/domain/next-steps';
import { draw, template, type Page } from './page';

const page = template(`<h1>Next steps</h1>
<p>Each answer about the state of a payment has <code>next_step</code>: a <code>code</code> of this list, the sentence for the
customer in English (<code>en</code>) and Swahili (<code>sw</code>), and <code>safe_to_repeat</code>: whether asking for the
payment, or sending the money, once more cannot make anybody pay twice. Codes may be added: show the sentence of one that you do not
know.</p>
<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>
<thead><tr><th>code</th><th>English</th><th>Swahili</th><th>safe to repeat</th></tr></thead>
<tbody><% for (const one of it.steps) { %><tr id="<%= one.code %>">
<td><code><%= one.code %></code></td><td><%= one.en %></td><td lang="sw"><%= one.sw %></td><td><%= one.safe ? 'yes' : 'no' %></td>
</tr><% } %></tbody>
</table></div>
`);

export function nextStepsPage(): Page {
  const steps = Object.entries(nextSteps).map(([code, reported]) => ({ code, ...reported }));
  return { path: 'next-steps.html', title: 'Next steps', content: draw(page, { steps }) };
}
