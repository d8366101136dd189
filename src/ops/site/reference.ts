/** The reference: a page for each rail, drawn from the description of the API and nothing else. */
import type { JsonSchema } from '../../payments/rail/field-notes';
import { draw, template, type Page } from './page';
import { exampleBody, fieldRows, type FieldRow, type Schemas } from './schema-rows';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: JsonSchema;
}
interface Response {
  description: string;
  content?: Record<string, { schema?: JsonSchema }>;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: object[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema?: JsonSchema }> };
  responses: Record<string, Response | { $ref: string }>;
}

/** As `describeApi` makes it. */
export interface Description {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Schemas;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
  };
}

const titles: Record<string, string> = {
  malipo: 'Account, payments, events',
  stk: 'STK push',
  momo: 'Mobile money',
  xb: 'Cross-border',
  walletpay: 'Wallet checkout',
  cardproc: 'Hosted checkout',
  service: 'The service',
};

const fieldTable = `<% const table = (rows, label) => { if (rows.length === 0) return %>
<div class="scroll" role="region" aria-label="<%= label %>" tabindex="0"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead>
<tbody><% for (const row of rows) { %>
<tr><th scope="row"><code><%= row.name %></code><% if (row.isRequired) { %><br><span class="needed">required</span><% } %></th>
<td><%= row.type %></td><td><%= row.about %><% if (row.limits) { %><br><code><%= row.limits %></code><% } %><% if (row.example) { %><br>Such as <code><%= row.example %></code><% } %></td></tr><% } %>
</tbody></table></div>
<% } %>`;

const page = template(`${fieldTable}<h1><%= it.title %></h1>
<p><%= it.about %>.</p>
<ul>
<% for (const one of it.operations) { %><li><a href="#<%= one.id %>"><%= one.method %> <%= one.path %></a>: <%= one.summary %></li>
<% } %></ul>
<% for (const one of it.operations) { %><section aria-labelledby="<%= one.id %>">
<h2 id="<%= one.id %>"><%= one.summary %></h2>
<p><code><span class="method"><%= one.method %></span><%= one.path %></code></p>
<% if (one.description) { %><p><%= one.description %></p><% } %>
<% if (one.curl) { %><pre><code><%= one.curl %></code></pre><% } %>
<% if (one.parameters.length) { %><h3>Parameters</h3><% table(one.parameters, 'Parameters of ' + one.summary); } %>
<% if (one.body.length) { %><h3><%= one.isWebhook ? 'What it tells' : 'Body' %></h3><% table(one.body, 'Body of ' + one.summary); } %>
<% for (const answer of one.answers) { %><h3>Answer <%= answer.status %></h3>
<p><% for (const part of answer.parts) { %><% if (part.code) { %><a href="../errors.html#<%= part.code %>"><code><%= part.code %></code></a><%= part.text %><% } else { %><%= part.text %><% } %><% } %></p>
<% table(answer.rows, 'Answer ' + answer.status + ' of ' + one.summary); if (answer.example) { %><pre><code><%= answer.example %></code></pre><% } %><% } %>
</section><% } %>
`);

export function referencePages(description: Description): Page[] {
  return description.tags.map(({ name, description: about }) => {
    const title = titles[name] ?? name;
    const operations = [
      ...Object.entries(description.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, one]) => ({ method: method.toUpperCase(), path, one })),
      ),
      ...Object.entries(description.webhooks).map(([id, { post: one }]) => ({
        method: 'WEBHOOK',
        path: id,
        one,
      })),
    ]
      .filter(({ one, method }) => one.tags.includes(name) && method !== 'HEAD')
      .map(({ method, path, one }) => shown(description, method, path, one));
    return { path: `reference/${name}.html`, title, content: draw(page, { title, about, operations }) };
  });
}

function shown(description: Description, method: string, path: string, one: Operation) {
  const { schemas } = description.components;
  const isWebhook = method === 'WEBHOOK';
  const parameters = (one.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? description.components.parameters[lastOf(parameter.$ref)] : parameter,
  );
  const schema = one.requestBody?.content['application/json']?.schema;
  return {
    ...{ id: one.operationId, method, path, isWebhook },
    ...{ summary: one.summary, description: one.description },
    curl: isWebhook || !one.security?.length ? undefined : curlOf(method, path, schema, schemas),
    parameters: parameters.flatMap((parameter) => (parameter ? [rowOf(parameter)] : [])),
    body: schema ? fieldRows(schema, schemas) : [],
    answers: isWebhook
      ? []
      : Object.entries(one.responses).map(([status, response]) => {
          const told =
            '$ref' in response ? description.components.responses[lastOf(response.$ref)] : response;
          return answerOf(status, told, schemas);
        }),
  };
}

const lastOf = (ref: string) => ref.split('/').at(-1) ?? '';

function rowOf({ name, in: place, required = false, description, schema = {} }: Parameter): FieldRow {
  const [row] = fieldRows({ properties: { [name]: { description, ...schema } } }, {});
  const about = { header: 'Header', query: 'In the query', path: 'In the path' }[place] ?? place;
  return {
    ...{
      name,
      type: row?.type ?? '',
      isRequired: required,
      limits: row?.limits ?? '',
      example: row?.example ?? '',
    },
    about: `${about}. ${description ?? ''}`,
  };
}

/** With what has to be there. */
function curlOf(method: string, path: string, schema: JsonSchema | undefined, schemas: Schemas): string {
  const keys = '-H "X-API-Key: $KEY" -H "X-API-Secret: $SECRET"';
  if (method === 'GET') return `curl -s "$API${path}" ${keys}`;
  const { required = [] } = schema ? (schemas[lastOf(String(schema['$ref']))] ?? {}) : {};
  const body = schema ? exampleBody(schema, schemas, (name) => (required as string[]).includes(name)) : {};
  return [
    `curl -s "$API${path}" ${keys} \\`,
    `  -H 'Content-Type: application/json' -H "Idempotency-Key: $(uuidgen)" \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

/** Codes become links to what they mean. */
function answerOf(status: string, response: Response | undefined, schemas: Schemas) {
  const parts = (response?.description ?? '').split(/`([A-Z_]{4,40})`/).map((text, n, all) => {
    if (n % 2 === 0) return { text: n === 0 ? text : '' };
    return { code: text, text: all[n + 1] ?? '' };
  });
  const schema = response?.content?.['application/json']?.schema;
  const isAnswer = status.startsWith('2') && schema !== undefined;
  return {
    ...{ status, parts, rows: isAnswer ? fieldRows(schema, schemas) : [] },
    example: isAnswer ? JSON.stringify(exampleBody(schema, schemas), null, 2) : undefined,
  };
}
