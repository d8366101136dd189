/** The metrics and labels of a Prometheus expression: enough of its grammar for our own rules and dashboards. */
const words = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'bool',
  'offset',
  'nan',
  'inf',
]);
const suffix = /_(?:bucket|sum|count)$/;

/** Each use of a metric: its name, without the suffix of a histogram, and its label matchers as they are written. */
export function selectorsIn(expression: string): { metric: string; matchers: string }[] {
  const bare = expression
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  // A text in quotes is matched first, so that no word of it is taken for a metric.
  return [...bare.matchAll(/"[^"]*"|([a-z_:][\w:]*)(?!\w)(?!\s*\()(?:\{([^}]*)\})?/gi)]
    .map(([, name = '', matchers = '']) => ({ metric: name.replace(suffix, ''), matchers }))
    .filter(({ metric }) => metric !== '' && !words.has(metric.toLowerCase()));
}

/** The metrics that it names. */
export function metricsIn(expression: string): string[] {
  return [...new Set(selectorsIn(expression).map(({ metric }) => metric))];
}

/** The labels that it selects or groups by. */
export function labelsIn(expression: string): string[] {
  const selected = [...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/([a-z_]+)\s*[=!]/g)].map(([, name = '']) => name),
  );
  const kept = [...expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(
    ([, inside = '']) => inside.split(',').map((name) => name.trim()),
  );
  return [...new Set([...selected, ...kept])].filter((name) => name !== '');
}
