import type { JsonSchema } from '../../rail-kit/field-notes';

interface Operation {
  responses: Record<string, JsonSchema>;
}

/**
 * Moves responses that several operations give alike to one place, at which the operations then point.
 * @returns them by name.
 */
export function shareResponses(operations: readonly JsonSchema[]): Record<string, JsonSchema> {
  const all = operations.map((operation) => (operation as unknown as Operation).responses);
  const times = new Map<string, number>();
  for (const text of all.flatMap((responses) => Object.values(responses).map(asText))) {
    times.set(text, (times.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const shared: Record<string, JsonSchema> = {};
  for (const responses of all) {
    for (const [status, response] of Object.entries(responses)) {
      const text = asText(response);
      if ((times.get(text) ?? 0) < 2) continue;
      const name = names.get(text) ?? freeName(shared, status);
      names.set(text, name);
      shared[name] = response;
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}

const asText = (response: JsonSchema) => JSON.stringify(response);

function freeName(taken: Record<string, unknown>, status: string): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? `Answer${status}` : `Answer${status}v${String(n)}`;
    if (!(name in taken)) return name;
  }
}
