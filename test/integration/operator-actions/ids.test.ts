/** An invalid or unknown id gives an error sentence in every field of every action. */
import type { ObjectSchema } from 'joi';
import { createMerchant } from '../../../src/merchants/merchants';
import { actionKinds, actions } from '../../../src/operator-actions/actions';
import { isDenial } from '../../../src/operator-actions/denials';
import { InputError } from '../../../src/operator-actions/errors';
import { execute } from '../../../src/operator-actions/execute';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';
import { actionSamples } from '../../support/operator-actions/samples';
import { insertPayment } from '../../support/store/rows';
import { box } from '../../support/verify/books-support';

let cli: TestCli;
let merchant: string;
let paymentId: string;
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
  paymentId = await insertPayment(cli.db, { merchant_id: merchant });
});
afterAll(() => cli.drop());

const isId = /(?:_id|^rail|^provider|^build|^list|^api_key)$/;
const fields = actionKinds.flatMap((kind) => {
  const { keys = {} } = (actions[kind].schema as ObjectSchema).describe() as { keys?: object };
  return Object.keys(keys)
    .filter((field) => isId.test(field))
    .map((field) => [kind, field] as const);
});

async function errorOf(kind: (typeof actionKinds)[number], field: string, id: string): Promise<unknown> {
  const [sample] = actionSamples({ merchant, paymentId })[kind];
  const action = { kind, input: { ...sample, [field]: id } };
  return execute(cli.opened(), { operator: undefined, name: 'amina' }, action, { dryRun: true }).catch(
    (error: unknown) => error,
  );
}

it('finds the fields', () => {
  expect(fields.length).toBeGreaterThan(35);
});

it.each(fields)('%s rejects an invalid id as %s', async (kind, field) => {
  for (const id of ['señor', 'a b', 'x'.repeat(161), 'Дука'])
    expect(await errorOf(kind, field, id)).toBeInstanceOf(InputError);
});

it.each(fields.filter(([, field]) => field.endsWith('_id')))(
  '%s takes a %s in capitals as the stored one',
  (kind, field) => {
    const [sample] = actionSamples({ merchant, paymentId })[kind];
    const { value, error } = actions[kind].schema.validate({
      ...sample,
      [field]: merchant.toUpperCase(),
    }) as { value: Record<string, unknown>; error?: Error };
    // The id of a row is a number, and the number of a receipt has no capitals.
    if (error === undefined) expect(value[field]).toBe(merchant);
    else expect(error.message).toContain('is not a whole number');
  },
);

it('suspends a merchant whose id is typed in capitals', async () => {
  const { code } = await cli.run('merchant', 'set', merchant.toUpperCase(), '--status', 'suspended');
  expect(code).toBe(0);
  expect(await cli.db('merchants').where({ merchant_id: merchant }).pluck('status')).toEqual(['suspended']);
  await cli.run('merchant', 'set', merchant, '--status', 'active');
});

it.each(fields)('%s reports an unknown %s in a sentence', async (kind, field) => {
  const error = await errorOf(kind, field, '0190aaaa-0000-7000-8000-00000000dead');
  if (error instanceof Error) expect([isDenial(error), error.message]).toEqual([true, error.message]);
});
