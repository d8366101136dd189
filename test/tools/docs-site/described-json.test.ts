/** Compares the JSON in the documentation with the API description. */
import { Ajv2020 } from 'ajv/dist/2020';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fences, nameOf } from './fences';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}
const { components } = JSON.parse(
  readFileSync(join(__dirname, '..', '..', '..', 'docs', 'openapi.json'), 'utf8'),
) as { components: { schemas: Record<string, Schema> } };

/** `StkPushStatusAnswer.data.next_step` is a field within a schema. */
function schemaNamed(name: string): Schema {
  const [first = '', ...fields] = name.split('.');
  const ref = (schema: Schema | undefined) =>
    schema?.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  return fields.reduce(
    (schema, field) => ref(schema.properties?.[field]) ?? { required: [`there is no ${name}`] },
    components.schemas[first] ?? { required: [`there is no ${first}`] },
  );
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ components }, 'api');
const withWholeRefs = (schema: Schema) =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as Schema;

const reported = fences.filter(({ language }) => language === 'json');

it.each(reported.map((fence) => [nameOf(fence), fence] as const))('%s fits its schema', (_name, fence) => {
  const { '…': leftOut, ...body } = JSON.parse(fence.code) as Record<string, unknown>;
  const { required, ...schema } = withWholeRefs(schemaNamed(fence.schema));
  // An ellipsis marks omitted parts; all shown parts must exist.
  const fields = Object.keys(body).filter((name) => schema.properties && !(name in schema.properties));
  expect(fields).toEqual([]);
  const isValid = ajv.validate({ ...schema, ...(leftOut === undefined && { required }) }, body);
  expect([isValid, ajv.errors]).toEqual([true, null]);
});
