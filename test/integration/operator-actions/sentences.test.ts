/** The approver reads a sentence about the request, so every action has one. */
import { actionKinds, actions } from '../../../src/operator-actions/actions';
import type { ActionDefinition } from '../../../src/operator-actions/action';
import { actionTexts } from '../../../src/operator-actions/wording';
import { createMerchant } from '../../../src/merchants/merchants';
import { actionSamples } from '../../support/operator-actions/samples';
import { insertPayment } from '../../support/store/rows';
import { box } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchant: string;
let paymentId: string;
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, {
    name: 'Duka la Amina',
    environment: 'sandbox',
  }));
  paymentId = await insertPayment(cli.db, { merchant_id: merchant });
});
afterAll(() => cli.drop());

const samples = () => actionSamples({ merchant, paymentId });

it.each(actionKinds)(
  '%s has a sample input that its schema accepts, and a sentence in each language',
  async (kind) => {
    const definition = actions[kind] as unknown as ActionDefinition<object, unknown>;
    const [input, says] = samples()[kind];
    expect(definition.schema.validate(input, { convert: false }).error).toBeUndefined();
    const asked = { who: 'amina', input, tense: 'asked', changes: [], timezone: 'Africa/Nairobi' } as const;
    const { en, sw } = await actionTexts(cli.db, definition, asked);
    for (const { sentence } of [en, sw]) expect(sentence).toMatch(/^amina [^{}]*[.?]$/);
    for (const word of says) expect(en.sentence).toContain(word);
    expect(sw.sentence).not.toBe(en.sentence);
  },
);

it('shows control characters that were typed', async () => {
  const input = { approval_id: '7', reason: 'a\u202Eb' };
  const definition = actions.reject as unknown as ActionDefinition<object, unknown>;
  const asked = { who: 'amina', input, tense: 'asked', changes: [], timezone: 'UTC' } as const;
  const { en } = await actionTexts(cli.db, definition, asked);
  expect(en.facts).toEqual(expect.arrayContaining([['Reason', 'a\\u{202e}b']]));
});
