/** Whether an object is valid for the API of a Kubernetes version: an unknown field is an error, as for `kubectl`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type AnySchemaObject } from 'ajv';
import type { Manifest } from './manifests';

/** The oldest and newest version for these files; scripts/kubernetes-schemas.mjs makes others. */
export const versions = ['1.34', '1.37'] as const;

interface Definitions {
  $defs: Record<string, AnySchemaObject & { properties?: Record<string, { enum?: string[] }> }>;
}

/** @returns the errors of an object, each with its place. */
export function validatorFor(version: (typeof versions)[number]): (object: Manifest) => string[] {
  const path = join(__dirname, '..', '..', 'fixtures', 'kubernetes', `v${version}.json`);
  const definitions = JSON.parse(readFileSync(path, 'utf8')) as Definitions;
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, logger: false });
  ajv.addSchema(definitions, 'kubernetes');
  const names = new Map(
    Object.entries(definitions.$defs).flatMap(([name, { properties }]) => {
      const [kind] = properties?.['kind']?.enum ?? [];
      const [apiVersion] = properties?.['apiVersion']?.enum ?? [];
      return kind !== undefined && apiVersion !== undefined ? [[`${apiVersion} ${kind}`, name]] : [];
    }),
  );
  return (object) => {
    const name = names.get(`${object.apiVersion} ${object.kind}`);
    if (name === undefined) return [`${object.apiVersion} ${object.kind} is not known to ${version}`];
    const validate = ajv.getSchema(`kubernetes#/$defs/${name}`);
    if (validate === undefined) throw new Error(`no schema ${name}`);
    if (validate(object) === true) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${object.kind} ${object.metadata.name}${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  };
}
