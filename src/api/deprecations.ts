/** What goes away, and when: what CHANGELOG.md says under "What goes away" is told by each answer, too. */
import type { JsonSchema } from '../rail-kit/description';
import type { Route } from './routes';

export interface Deprecation {
  /** Since when it should not be used. ISO 8601 day. */
  since: string;
  /** From when it may be gone: six months later at least. ISO 8601 day. */
  until: string;
  /** What takes its place, for a person. */
  instead: string;
}

/** By method and path as declared, such as `POST /api/v1/stk_push`. */
export type Deprecations = Readonly<Record<string, Deprecation>>;

export const deprecations: Deprecations = {};

const monthsMin = 6;

/** @throws Error for an entry that gives merchants less time than they are promised. */
export function checkDeprecations(table: Deprecations): void {
  for (const [name, { since, until }] of Object.entries(table)) {
    const soonest = new Date(since);
    soonest.setUTCMonth(soonest.getUTCMonth() + monthsMin);
    if (!(new Date(until) >= soonest))
      throw new Error(`${name} goes before ${String(monthsMin)} months are over`);
  }
}

/** The headers of RFC 9745 and RFC 8594. */
function deprecationHeaders({ since, until }: Deprecation): Record<'Deprecation' | 'Sunset', string> {
  return {
    Deprecation: `@${String(new Date(since).getTime() / 1000)}`,
    Sunset: new Date(until).toUTCString(),
  };
}

/** Sets them on every answer of what goes away, refusals included. */
export function announcing(table: Deprecations, { method, path, handle }: Route): Route {
  const going = table[`${method} ${path}`];
  if (!going) return { method, path, handle };
  const headers = Object.entries(deprecationHeaders(going));
  return {
    method,
    path,
    handle(request, response) {
      for (const [header, value] of headers) response.setHeader(header, value);
      return handle(request, response);
    },
  };
}

/** The same in the description of the API. */
export function deprecatedIn(operation: JsonSchema, { since, until, instead }: Deprecation): JsonSchema {
  const { description, responses, ...others } = operation;
  const { '200': taken, ...refused } = responses as Record<string, JsonSchema & { headers?: JsonSchema }>;
  const header = (about: string, example: string) => ({
    description: about,
    schema: { type: 'string', examples: [example] },
  });
  const told = deprecationHeaders({ since, until, instead });
  const headers = {
    ...taken?.headers,
    Deprecation: header('Since when it should not be used (RFC 9745)', told.Deprecation),
    Sunset: header('From when it may be gone (RFC 8594)', told.Sunset),
  };
  const gone = `Deprecated since ${since}, gone from ${until} on: ${instead}`;
  return {
    ...others,
    description: typeof description === 'string' ? `${description}. ${gone}` : gone,
    deprecated: true,
    responses: { '200': { ...taken, headers }, ...refused },
  };
}
