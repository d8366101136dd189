/**
 * `node scripts/kubernetes-schemas.mjs VERSION DEFINITIONS [CRD.yaml…]` writes the schemas for
 * test/tools/deploy/kubernetes.test.ts: for one version of Kubernetes, the strict schemas of the kinds in
 * deploy/kubernetes, including custom resources. DEFINITIONS is `_definitions.json` of a folder `vVERSION.0-local-strict`
 * in the Python package `kubernetes-validate`, which generates them from the API's OpenAPI document. The CRDs come from the
 * Go modules of the Gateway API, KEDA and the Prometheus operator. Descriptions are removed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';

const kinds = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Namespace',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.networking.v1.Ingress',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
];
const ofMetadata = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const [version, definitions, ...crds] = process.argv.slice(2);
const all = JSON.parse(readFileSync(definitions, 'utf8')).$defs;
const kept = {};
for (const name of [...kinds, ofMetadata]) keep(name);
for (const file of crds) keepCustom(parse(readFileSync(file, 'utf8')));

const lines = Object.keys(kept)
  .sort()
  .map((name) => `${JSON.stringify(name)}:${JSON.stringify(kept[name])}`);
writeFileSync(`test/fixtures/kubernetes/v${version}.json`, `{"$defs":{\n${lines.join(',\n')}\n}}\n`);

function keep(name) {
  if (name in kept) return;
  kept[name] = bare(all[name]);
  for (const [, found] of JSON.stringify(kept[name]).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)) keep(found);
}

/** The served and stored version. Unknown fields are rejected, as the API does for its own kinds. */
function keepCustom({ spec }) {
  const { name, schema } = spec.versions.find(({ storage }) => storage);
  const { properties, ...rest } = closed(bare(schema.openAPIV3Schema));
  delete properties.status;
  properties.apiVersion = { enum: [`${spec.group}/${name}`] };
  properties.kind = { enum: [spec.names.kind] };
  properties.metadata = { $ref: `#/$defs/${ofMetadata}` };
  kept[`${spec.group}.${name}.${spec.names.kind}`] = { ...rest, properties };
}

/** Removes what a validator ignores. */
function bare(schema) {
  if (Array.isArray(schema)) return schema.map(bare);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !(key === 'description' && typeof value === 'string'))
      .filter(([key, value]) => !(key === 'pattern' && typeof value === 'string' && !isReadHere(value)))
      .filter(([key]) => !key.startsWith('x-kubernetes-') || key.endsWith('preserve-unknown-fields'))
      .map(([key, value]) => [key, bare(value)]),
  );
}

/** The API reads patterns as Go does, which has escapes that JavaScript does not have. */
function isReadHere(pattern) {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = 'additionalProperties' in schema || schema['x-kubernetes-preserve-unknown-fields'];
  const isObject = schema.type === 'object' && typeof schema.properties === 'object';
  return isObject && !isOpen ? { ...inner, additionalProperties: false } : inner;
}
