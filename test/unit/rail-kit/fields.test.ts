import Joi from 'joi';
import { parse } from 'lossless-json';
import { PaymentError } from '../../../src/domain/errors';
import {
  amountField,
  currencyField,
  metadataField,
  objectField,
  optionalText,
  refuse,
  requiredText,
  validateInput,
} from '../../../src/rail-kit/fields';

function faultOf(schema: Joi.ObjectSchema, json: string): PaymentError {
  try {
    validateInput(schema, parse(json));
  } catch (error) {
    if (error instanceof PaymentError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the fields of a request', () => {
  const schema = Joi.object({
    amount: amountField({ currency: 'KES', min: '10.00', max: '20.00' }).required(),
    currency: currencyField(['KES']).required(),
    reference: requiredText(5),
    phone: Joi.any().custom((_, helpers) => refuse(helpers, 'must be a number', 'INVALID_PHONE_NUMBER')),
  });

  it('reports all faults at once, the first one as the sentence', () => {
    const fault = faultOf(schema, '{"amount":5,"currency":"JPY"}');
    expect(fault.code).toBe('VALIDATION_FAILED');
    expect(fault.message).toBe('amount must be between 10.00 and 20.00 KES');
    expect(fault.options.details).toEqual([
      { field: 'amount', message: 'amount must be between 10.00 and 20.00 KES' },
      { field: 'currency', message: 'currency must be KES' },
      { field: 'reference', message: 'reference is required' },
    ]);
  });

  it('has the code of a rule if nothing else is wrong', () => {
    const sound = '"amount":15,"currency":"KES","reference":"r"';
    expect(faultOf(schema, `{${sound},"phone":"x"}`).code).toBe('INVALID_PHONE_NUMBER');
    expect(faultOf(schema, `{"amount":21,"currency":"KES","reference":"r"}`).code).toBe(
      'AMOUNT_OUT_OF_RANGE',
    );
    expect(faultOf(schema, `{"amount":21,"currency":"KES","reference":"r","phone":"x"}`).code).toBe(
      'VALIDATION_FAILED',
    );
  });

  it('never repeats a rejected value', () => {
    const secret = 'sk_test_canary';
    const schemas: Joi.Schema[] = [
      requiredText(3),
      currencyField(['KES']),
      amountField({ currency: 'KES' }),
      Joi.boolean(),
      Joi.string().valid('a', 'b'),
      Joi.string().email(),
      Joi.string().pattern(/^a$/),
      Joi.forbidden(),
      metadataField(),
    ];
    for (const field of schemas) {
      const fault = faultOf(Joi.object({ field }), JSON.stringify({ field: secret }));
      expect(JSON.stringify([fault.message, fault.options.details])).not.toContain(secret);
    }
  });

  it('never repeats an error of a rule', () => {
    const throwing = Joi.any().custom((value: unknown) => JSON.parse(value as string) as unknown);
    const fault = faultOf(Joi.object({ field: throwing }), '{"field":"Jane Canary"}');
    expect([fault.message, fault.options.details]).toEqual([
      'field is not valid',
      [{ field: 'field', message: 'field is not valid' }],
    ]);
  });

  describe('with a card number', () => {
    const inner = objectField({ first_name: optionalText(50) });
    const schema = Joi.object({ reference: optionalText(500), inner, metadata: metadataField() });
    const card = '4111 1111 1111 1111';

    it.each([
      ['reference', { reference: `card ${card}, 12/29` }],
      ['inner.first_name', { inner: { first_name: card.replaceAll(' ', '-') } }],
      ['metadata', { metadata: { deep: [{ note: { text: `paid by ${card}` } }] } }],
      ['metadata', { metadata: { [card]: true } }],
      ['metadata', { metadata: { number: 4111111111111111 } }],
    ])('rejects %s, and never shows it', (field, body) => {
      const fault = faultOf(schema, JSON.stringify(body));
      expect(fault.code).toBe('VALIDATION_FAILED');
      expect(fault.options.details).toEqual([
        { field, message: `${field} looks like a payment card number, which is never accepted here` },
      ]);
      expect(JSON.stringify([fault.message, fault.options])).not.toContain('1111');
    });

    it('accepts a text that only looks like one', () => {
      const body = { reference: 'INV 4111 1111 1111 1112', metadata: { order: 1767225600000 } };
      expect(validateInput(schema, parse(JSON.stringify(body)))).toMatchObject({ reference: body.reference });
    });
  });

  it('drops unknown fields, also nested ones', () => {
    const inner = objectField({ known: optionalText(5) });
    expect(validateInput(Joi.object({ inner }), parse('{"inner":{"known":"k","other":1},"more":2}'))).toEqual(
      {
        inner: { known: 'k' },
      },
    );
  });

  it.each(['5', '"text"', '[]', 'true'])('accepts no %s as an object', (json) => {
    const inner = objectField({ known: optionalText(5) });
    expect(faultOf(Joi.object({ inner }), `{"inner":${json}}`).message).toBe('inner must be an object');
  });

  it.each(['""', 'null', '"  "'])('reports a missing required text for %s', (json) => {
    expect(faultOf(Joi.object({ name: requiredText(5) }), `{"name":${json}}`).message).toBe(
      'name is required',
    );
  });

  it('counts an emoji as one character', () => {
    const schema = Joi.object({ name: requiredText(5) });
    expect(validateInput(schema, parse('{"name":"😀😀😀😀😀"}'))).toEqual({ name: '😀😀😀😀😀' });
    expect(faultOf(schema, '{"name":"😀😀😀😀😀😀"}').message).toBe('name must be at most 5 characters');
  });

  describe('metadata', () => {
    const withMetadata = Joi.object({ metadata: metadataField() });

    it('keeps every digit as sent', () => {
      const json =
        '{"big":12345678901234567890,"price":10.50,"exponent":1e2,"deep":[{"a":null}],"text":"\\ud83d\\ude00"}';
      expect(validateInput(withMetadata, parse(`{"metadata":${json}}`))['metadata']).toBe(
        json.replace('\\ud83d\\ude00', '😀'),
      );
    });

    it('may have 4 kB and no more', () => {
      const ofBytes = (bytes: number) => `{"metadata":{"a":"${'x'.repeat(bytes - 8)}"}}`;
      expect(validateInput(withMetadata, parse(ofBytes(4096)))).toHaveProperty('metadata');
      expect(faultOf(withMetadata, ofBytes(4097)).message).toBe('metadata must be at most 4 kB of JSON');
    });

    it.each(['5', '"text"', '[]', 'true'])('must not be %s', (json) => {
      expect(faultOf(withMetadata, `{"metadata":${json}}`).message).toBe('metadata must be an object');
    });
  });
});
