/** What an expression of Prometheus asks for: enough of its grammar for rules and dashboards of our own. */
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

/** The metrics it names, without what a histogram adds to its own. */
export function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  const names = [...bare.matchAll(/[a-z_:][\w:]*(?!\w)(?!\s*\()/gi)].map(([name]) => name);
  return [...new Set(names.filter((name) => !words.has(name.toLowerCase())))].map((name) =>
    name.replace(suffix, ''),
  );
}

/** The labels that it selects by or keeps. */
export function labelsIn(expression: string): string[] {
  const selected = [...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/([a-z_]+)\s*[=!]/g)].map(([, name = '']) => name),
  );
  const kept = [...expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(
    ([, inside = '']) => inside.split(',').map((name) => name.trim()),
  );
  return [...new Set([...selected, ...kept])].filter((name) => name !== '');
}
