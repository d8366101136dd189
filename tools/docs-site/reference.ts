/** The reference: the description of the API, drawn by Redoc out of files of our own. */
import type { JsonSchema } from '../../src/rail-kit/description';
import { railDefinitions } from '../../src/rails';
import { curlOf } from './curl';
import { draw, head, template } from './page';
import type { Schemas } from './schema-rows';

export interface Parameter {
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
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: object[];
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema?: JsonSchema }> };
  responses: Record<string, Response | { $ref: string }>;
  /** Parameters of which one has to be there. */
  'x-one-of'?: string[];
}

/** As `describeApi` makes it. */
export interface Description {
  info: { title: string; summary: string; description: string };
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
  ...Object.fromEntries(railDefinitions.map(({ name, title }) => [name, title])),
  service: 'The service',
  providers: 'What providers call',
};

/** Merchants call none of these. */
const isForProviders = (path: string) => path.startsWith('/in/') || path.startsWith('/listen_');
const ofProviders = { name: 'providers', description: 'Where providers notify us. No merchant calls these' };
/** They go into the headers. */
const credentials = ['api_key', 'api_secret'];

/** Of the description what a reader sees: with names for its parts, a command for each call, and links to the errors. */
export function drawnDescription(description: Description): object {
  const { info, tags, paths, webhooks, components } = description;
  return {
    ...description,
    info: { ...info, description: `${info.description}\n\nThe [guides](../index.html) tell how it is used.` },
    tags: [...tags, ofProviders].map((tag) => ({ ...tag, 'x-displayName': titles[tag.name] ?? tag.name })),
    components: { ...components, schemas: mapValues(components.schemas, withoutCredentials) },
    paths: mapValues(paths, (item, path) =>
      mapValues(item, (operation, method) => ({
        ...operation,
        ...(isForProviders(path) && { tags: [ofProviders.name] }),
        summary: plain(operation.summary),
        description: [operation.description, refusalsOf(operation, components.responses)]
          .filter((part) => part !== undefined)
          .join('\n\n'),
        ...(isCalledWithKeys(operation) && {
          'x-codeSamples': [
            { lang: 'Shell', label: 'curl', source: curlOf(description, path, method, operation) },
          ],
        }),
      })),
    ),
    webhooks: mapValues(webhooks, ({ post }) => ({ post: { ...post, summary: plain(post.summary) } })),
  };
}

/** The command for each call, as the reference shows it. */
export function curlsOf(description: Description): string[] {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => isCalledWithKeys(operation))
      .map(([method, operation]) => curlOf(description, path, method, operation)),
  );
}

const mapValues = <Value, Made>(of: Record<string, Value>, make: (value: Value, key: string) => Made) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, make(value, key)]));

function withoutCredentials(schema: JsonSchema): JsonSchema {
  const { properties = {} } = schema;
  const kept = Object.entries(properties as object).filter(([name]) => !credentials.includes(name));
  return 'properties' in schema ? { ...schema, properties: Object.fromEntries(kept) } : schema;
}

/** It is shown as it is. */
const plain = (summary: string) => summary.replaceAll('`', '');

const isCalledWithKeys = ({ security = [] }: Operation) =>
  security.some((keys) => Object.keys(keys).length > 0);

function refusalsOf({ responses }: Operation, named: Record<string, Response>): string | undefined {
  const lines = Object.entries(responses).flatMap(([status, response]) => {
    const told = '$ref' in response ? named[response.$ref.split('/').at(-1) ?? ''] : response;
    const codes = [...(told?.description ?? '').matchAll(/`([A-Z_]{4,40})`/g)].map(([, code = '']) => code);
    const links = codes.map((code) => `[${code}](../errors.html#${code})`);
    return Number(status) >= 400 && links.length > 0 ? [`- ${status}: ${links.join(', ')}`] : [];
  });
  return lines.length === 0 ? undefined : `Refused with\n\n${lines.join('\n')}`;
}

const page = template(`${head}
<body class="reference">
<header><a class="brand" href="<%= it.root %>index.html">Malipo</a> <span>reference</span></header>
<main id="reference">
<h1>Reference</h1>
<p>It is drawn by a script that comes with it. The same for a machine is <a href="<%= it.root %>openapi.json">openapi.json</a>.</p>
<% for (const group of it.groups) { %><h2><%= group.title %></h2>
<ul>
<% for (const one of group.operations) { %><li><code><%= one.name %></code> <%= one.summary %></li>
<% } %></ul>
<% } %></main>
<script src="redoc.standalone.js"></script>
<script src="draw.js"></script>
</body>
</html>
`);

/** Until the script has run, and where none may, the page has each operation in a line. */
export function referencePage({ tags, paths, webhooks }: Description): string {
  const operations = [
    ...Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'head')
        .map(
          ([
            method,
            {
              tags: [tag],
              summary,
            },
          ]) => ({
            ...{ name: `${method.toUpperCase()} ${path}`, summary: plain(summary) },
            tag: isForProviders(path) ? ofProviders.name : tag,
          }),
        ),
    ),
    ...Object.entries(webhooks).map(([id, { post }]) => ({
      name: `webhook ${id}`,
      summary: plain(post.summary),
      tag: post.tags[0],
    })),
  ];
  const groups = [...tags, ofProviders].map(({ name }) => ({
    title: titles[name] ?? name,
    operations: operations.filter(({ tag }) => tag === name),
  }));
  return draw(page, { title: 'Reference', root: '../', groups });
}
