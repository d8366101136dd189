/** The reference: the description of the API, drawn by Redoc from our own files. */
import type { JsonSchema } from '../../src/rail-kit/description';
import { railDefinitions } from '../../src/rails';
import { clientSamples, wholeSample, type ClientSample } from './client-samples';
import { curlOf } from './curl';
import { draw, head, searchPlace, template } from './page';
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
  /** Parameters of which one is required. */
  'x-one-of'?: string[];
  /** Who calls it, if merchants do not. */
  'x-called-by'?: string;
  'x-codeSamples'?: { lang: string; label: string; source: string }[];
}

/** As `describeApi` returns it. */
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
  webhooks: 'Webhooks',
};

/** Merchants do not call these, nor HEAD, which is GET without a body. */
const isShown = (method: string, operation: Operation) =>
  operation['x-called-by'] === undefined && method !== 'head';
/** Redoc shows the webhooks of a tag before its endpoints, so they have a tag of their own. */
const ofWebhooks = { name: 'webhooks', description: 'What we send to your server' };
/** The rails in the specification's order, then what is common to all. */
const tagOrder = [...['momo', 'stk', 'xb', 'walletpay', 'cardproc'], 'malipo', 'service', ofWebhooks.name];
const placeOf = ({ name }: { name: string }) => {
  const place = tagOrder.indexOf(name);
  // A further rail comes after those of the specification.
  return place < 0 ? tagOrder.indexOf('malipo') - 0.5 : place;
};
/** Redoc adds the two headers to this heading. */
const authentication = [
  '# Authentication',
  'Every call needs an API key and its secret in two headers; the calls of hosted checkout need only a `merchant_id`.',
  'A key has scopes, and each call names the scope that it needs.',
  'The page [Authentication](../guides/authentication.html) explains keys, scopes and each refused call.',
].join('\n\n');
/** They are sent as headers. */
const credentials = ['api_key', 'api_secret'];

/** The part of the description for readers: names for its parts, a command for each call, and links to the errors. */
export function drawnDescription(description: Description): Description {
  const { info, paths, webhooks, components } = description;
  const about = [info.description, 'The [guides](../index.html) show how to use it.', authentication];
  return {
    ...description,
    info: { ...info, description: about.join('\n\n') },
    tags: shownTags(description).map((tag) => ({ ...tag, 'x-displayName': titles[tag.name] ?? tag.name })),
    components: { ...components, schemas: mapValues(components.schemas, withoutCredentials) },
    paths: mapValues(shownPaths(paths), (item, path) =>
      mapValues(item, (operation, method) => ({
        ...operation,
        summary: plain(operation.summary),
        description: [operation.description, errorsOf(operation, components.responses)]
          .filter((part) => part !== undefined)
          .join('\n\n'),
        ...(isCalledWithKeys(operation) && {
          'x-codeSamples': [
            { lang: 'Shell', label: 'curl', source: curlOf(description, path, method, operation) },
            ...clientSamples(description, operation).map((sample) => ({
              ...{ lang: sample.lang, label: sample.label, source: wholeSample(sample) },
            })),
          ],
        }),
      })),
    ),
    webhooks: mapValues(webhooks, ({ post }) => ({
      post: { ...post, tags: [ofWebhooks.name], summary: plain(post.summary) },
    })),
  };
}

const shownTags = ({ tags }: Description) => [...tags, ofWebhooks].sort((a, b) => placeOf(a) - placeOf(b));

/** Those that merchants call. */
function shownPaths(paths: Description['paths']): Description['paths'] {
  const kept = Object.entries(paths).map(([path, item]) => {
    const shown = Object.entries(item).filter(([method, operation]) => isShown(method, operation));
    return [path, Object.fromEntries(shown)] as const;
  });
  return Object.fromEntries(kept.filter(([, item]) => Object.keys(item).length > 0));
}

/** The command for each call, as the reference shows it. */
export function curlsOf(description: Description): string[] {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => isCalledWithKeys(operation))
      .map(([method, operation]) => curlOf(description, path, method, operation)),
  );
}

/** The calls of the clients, as the reference shows them, with the ids of their operations. */
export function clientCallsOf(description: Description): { id: string; samples: ClientSample[] }[] {
  return Object.values(description.paths)
    .flatMap((item) => Object.values(item).filter(isCalledWithKeys))
    .map((operation) => ({ id: operation.operationId, samples: clientSamples(description, operation) }));
}

const mapValues = <Value, Made>(of: Record<string, Value>, make: (value: Value, key: string) => Made) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, make(value, key)]));

function withoutCredentials(schema: JsonSchema): JsonSchema {
  const { properties = {} } = schema;
  const kept = Object.entries(properties as object).filter(([name]) => !credentials.includes(name));
  return 'properties' in schema ? { ...schema, properties: Object.fromEntries(kept) } : schema;
}

/** It is shown unchanged. */
const plain = (summary: string) => summary.replaceAll('`', '');

const isCalledWithKeys = ({ security = [] }: Operation) =>
  security.some((keys) => Object.keys(keys).length > 0);

function errorsOf({ responses }: Operation, named: Record<string, Response>): string | undefined {
  const lines = Object.entries(responses).flatMap(([status, response]) => {
    const reported = '$ref' in response ? named[response.$ref.split('/').at(-1) ?? ''] : response;
    const codes = [...(reported?.description ?? '').matchAll(/`([A-Z_]{4,40})`/g)].map(
      ([, code = '']) => code,
    );
    const links = codes.map((code) => `[${code}](../errors.html#${code})`);
    return Number(status) >= 400 && links.length > 0 ? [`- ${status}: ${links.join(', ')}`] : [];
  });
  return lines.length === 0 ? undefined : `Errors\n\n${lines.join('\n')}`;
}

const page = template(`${head}
    <body class="reference">
    <header><a class="brand" href="<%= it.root %>index.html">Malipo</a> <span>reference</span>${searchPlace}</header>
    <main id="reference">
    <h1>Reference</h1>
    <p>A script draws this page. The machine-readable form is <a href="<%= it.root %>openapi.json">openapi.json</a>.</p>
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

/** Until the script has run, or if it cannot run, the page lists the operations. */
export function referencePage(description: Description): string {
  const { paths, webhooks } = description;
  const operations = Object.entries(shownPaths(paths)).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags, summary }]) => ({
      ...{ name: `${method.toUpperCase()} ${path}`, summary: plain(summary), tag: tags[0] },
    })),
  );
  const events = Object.entries(webhooks).map(([id, { post }]) => ({
    ...{ name: `webhook ${id}`, summary: plain(post.summary), tag: ofWebhooks.name },
  }));
  const groups = shownTags(description).map(({ name }) => ({
    title: titles[name] ?? name,
    operations: [...operations, ...events].filter(({ tag }) => tag === name),
  }));
  return draw(page, { title: 'Reference', root: '../', groups });
}
