/** Deprecated endpoints and their end dates. Every answer repeats what CHANGELOG.md says under "What goes away". */
import type { JsonSchema } from '../rail-kit/description';
import type { Route } from './routes';

export interface Deprecation {
  /** The day from which clients should not use it. ISO 8601 day. */
  since: string;
  /** The day from which it may be removed: at least six months later. ISO 8601 day. */
  until: string;
  /** What to use instead, as a sentence. */
  instead: string;
}

/** By method and path as declared, such as `POST /api/v1/stk_push`. */
export type Deprecations = Readonly<Record<string, Deprecation>>;

export const deprecations: Deprecations = {};

const monthsMin = 6;

/** @throws Error for an entry that gives merchants less than the promised notice. */
export function checkDeprecations(table: Deprecations): void {
  for (const [name, { since, until }] of Object.entries(table)) {
    const soonest = new Date(since);
    soonest.setUTCMonth(soonest.getUTCMonth() + monthsMin);
    if (!(new Date(until) >= soonest))
      throw new Error(`${name} ends less than ${String(monthsMin)} months after its deprecation`);
  }
}

/** The headers of RFC 9745 and RFC 8594. */
function deprecationHeaders({ since, until }: Deprecation): Record<'Deprecation' | 'Sunset', string> {
  return {
    Deprecation: `@${String(new Date(since).getTime() / 1000)}`,
    Sunset: new Date(until).toUTCString(),
  };
}

/** Sets the headers on every answer of a deprecated endpoint, errors included. */
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

/** The same for the API description. */
export function deprecatedIn(operation: JsonSchema, { since, until, instead }: Deprecation): JsonSchema {
  const { description, responses, ...others } = operation;
  const { '200': taken, ...refused } = responses as Record<string, JsonSchema & { headers?: JsonSchema }>;
  const header = (about: string, example: string) => ({
    description: about,
    schema: { type: 'string', examples: [example] },
  });
  const reported = deprecationHeaders({ since, until, instead });
  const headers = {
    ...taken?.headers,
    Deprecation: header('The day of the deprecation (RFC 9745)', reported.Deprecation),
    Sunset: header('The day from which it may be removed (RFC 8594)', reported.Sunset),
  };
  const gone = `Deprecated since ${since}, may be removed from ${until}: ${instead}`;
  return {
    ...others,
    description: typeof description === 'string' ? `${description}. ${gone}` : gone,
    deprecated: true,
    responses: { '200': { ...taken, headers }, ...refused },
  };
}
