/** Each error code with its cause and remedy, at a permanent link: `errors.html#FLOAT_INSUFFICIENT`. */
import { errorResponses, type ErrorCode } from '../../src/domain/errors';
import { draw, template, type Page } from './page';
import { remedies } from './remedies';

const page = template(`<h1>Errors</h1>
    <p>Every error has one body: <code>success</code> (false), <code>error</code> and <code>message</code> (the same sentence),
    <code>code</code> (from this closed list), <code>request_id</code>, <code>timestamp</code>, and <code>details</code> with every
    invalid field, if fields are invalid. Your code should use <code>code</code>; sentences may become more precise.</p>
    <% for (const one of it.codes) { %><section aria-labelledby="<%= one.code %>">
    <h2 id="<%= one.code %>"><a href="#<%= one.code %>"><%= one.code %></a></h2>
    <p><strong><%= one.status %></strong> <%= one.message %></p>
    <p><%= one.cause %></p>
    <p><strong>What to do:</strong> <%= one.remedy %></p>
    </section><% } %>
    `);

export function errorsPage(): Page {
  const codes = (Object.keys(errorResponses) as ErrorCode[]).map((code) => ({
    code,
    ...errorResponses[code],
    ...remedies[code],
  }));
  return { path: 'errors.html', title: 'Errors', content: draw(page, { codes }) };
}
