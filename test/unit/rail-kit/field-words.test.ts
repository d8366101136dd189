/** The field errors of a request, and the field descriptions in openapi.json. */
import Joi from 'joi';
import { parse } from 'lossless-json';
import { PaymentError } from '../../../src/domain/errors';
import {
  amountField,
  anyCurrencyField,
  currencyField,
  metadataField,
  optionalText,
  requiredText,
  validateInput,
} from '../../../src/rail-kit/fields';

/** The code, and the faults by field. */
function refused(schema: Joi.ObjectSchema, json: string): [string, Record<string, string>] {
  try {
    validateInput(schema, parse(json));
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    const { details = [] } = error.options;
    return [error.code, Object.fromEntries(details.map(({ field, message }) => [field, message]))];
  }
  throw new Error('nothing was refused');
}

describe('a fault in plain words', () => {
  it.each<[string, Joi.Schema, string]>([
    ['must be one of a, b', Joi.string().valid('a', 'b'), '"c"'],
    ['is not accepted here', Joi.forbidden(), '"c"'],
    ['is not valid', Joi.string().invalid('c'), '"c"'],
    ['must be a list', Joi.array(), '"c"'],
    ['must be true or false', Joi.boolean(), '"true"'],
    ['must contain at least one of a, b', Joi.object({ a: Joi.any(), b: Joi.any() }).or('a', 'b'), '{}'],
    ['must be a string', Joi.string(), 'true'],
    ['must be a valid e-mail address', Joi.string().email(), '"c"'],
    ['must not be empty', Joi.string(), '""'],
    ['has a wrong format', Joi.string().pattern(/^a$/), '"c"'],
    ['must be an a', Joi.string().pattern(/^a$/, 'an a'), '"c"'],
    ['contains a character that is not allowed', optionalText(9), '"a\\u0000b"'],
    ['contains a character that is not allowed', optionalText(9), '"\\ud83d"'],
    ['must be a string', currencyField(['KES']), '5'],
    ['must be a string', anyCurrencyField(), '5'],
    [
      'must be no invoice',
      metadataField(() => ({ text: 'must be no invoice', code: 'VALIDATION_FAILED' })),
      '{}',
    ],
  ])('%s', (message, field, json) => {
    const [, faults] = refused(Joi.object({ field }), `{"field":${json}}`);
    expect(faults).toEqual({ field: `field ${message}` });
  });

  it('names each of the fields of which one is required', () => {
    const schema = Joi.object({ a: Joi.any(), b: Joi.any() }).or('a', 'b');
    expect(refused(schema, '{}')).toEqual([
      'VALIDATION_FAILED',
      { a: 'a or b is required', b: 'a or b is required' },
    ]);
  });

  it('names a nested field by its path', () => {
    const schema = Joi.object({ inner: Joi.object({ name: requiredText(5) }) });
    expect(refused(schema, '{"inner":{}}')).toEqual([
      'VALIDATION_FAILED',
      { 'inner.name': 'inner.name is required' },
    ]);
  });

  it('belongs to the whole if that is not an object', () => {
    const schema = Joi.object({ a: Joi.any() });
    expect(refused(schema, '"a"')).toEqual(['VALIDATION_FAILED', { '': 'value must be an object' }]);
  });

  it('does not exist for an empty field of any type', () => {
    expect(validateInput(Joi.object({ any: Joi.any() }), parse('{"any":null}'))).toEqual({ any: null });
  });
});

describe('any currency', () => {
  const schema = Joi.object({ currency: anyCurrencyField().required() });
  const reported = (json: string) => refused(schema, `{"currency":${json}}`);

  it('is accepted by its code', () => {
    expect(validateInput(schema, parse('{"currency":"EUR"}'))).toEqual({ currency: 'EUR' });
  });

  it.each(['null', '""'])('is missing for %s', (json) => {
    expect(reported(json)).toEqual(['VALIDATION_FAILED', { currency: 'currency is required' }]);
    const few = Joi.object({ currency: currencyField(['KES']).required() });
    expect(refused(few, `{"currency":${json}}`)[1]).toEqual({ currency: 'currency is required' });
  });

  it('is repeated only if it looks like a code', () => {
    const sentence = 'an ISO 4217 currency code such as KES';
    expect(reported('"XYZ"')).toEqual([
      'UNSUPPORTED_CURRENCY',
      { currency: `currency XYZ is not ${sentence}` },
    ]);
    for (const secret of ['"KESX"', '"xKES"', '"kes"', '"K"'])
      expect(reported(secret)).toEqual(['UNSUPPORTED_CURRENCY', { currency: `currency is not ${sentence}` }]);
  });
});

it('the description contains limits that joi does not have', () => {
  const notesOf = (field: Joi.Schema): unknown => {
    const { metas, flags, examples } = field.describe() as Joi.Description & {
      flags?: { description?: string };
    };
    return [flags?.description, examples, metas];
  };
  const code = 'UNSUPPORTED_CURRENCY';
  expect(notesOf(currencyField(['KES', 'UGX']))).toEqual([
    undefined,
    ['KES'],
    [{ openapi: { type: 'string', enum: ['KES', 'UGX'] }, errors: [code] }],
  ]);
  expect(notesOf(anyCurrencyField())).toEqual([
    'An ISO 4217 currency code',
    ['KES'],
    [{ openapi: { type: 'string', pattern: '^[A-Z]{3}$' }, errors: [code] }],
  ]);
  expect(notesOf(metadataField())).toEqual([
    'Your own object, at most 4,096 bytes of JSON. It is returned with every digit as sent',
    [{ invoice: 'INV-1' }],
    [{ openapi: { type: 'object' }, errors: [] }],
  ]);
  expect(notesOf(requiredText(5))).toEqual([
    undefined,
    undefined,
    [
      { openapi: { maxLength: 5 }, errors: [] },
      { openapi: { minLength: 1, pattern: '\\S' }, errors: [] },
    ],
  ]);
  expect(amountField({ currency: 'KES' }).describe()).toMatchObject({
    metas: [{ errors: ['INVALID_AMOUNT', 'AMOUNT_OUT_OF_RANGE'] }],
  });
});
