import Joi from 'joi';
import { parse } from 'lossless-json';
import { PaymentError } from '../../../src/domain/errors';
import { amountField, currencyField, validateInput, type AmountRule } from '../../../src/rail-kit/fields';

/** The minor units of `{"amount": <json>}`, or the code and sentence of the error. */
function read(json: string, rule: Partial<AmountRule> = {}, others = ''): string {
  const schema = Joi.object({
    currency: currencyField(['KES', 'UGX', 'USD']),
    amount: amountField({ currency: 'KES', ...rule }).required(),
  });
  try {
    return String(validateInput(schema, parse(`{"amount":${json}${others}}`))['amount']);
  } catch (error) {
    return error instanceof PaymentError ? `${error.code}: ${error.message}` : String(error);
  }
}

describe('an amount', () => {
  it.each([
    ['10', '1000'],
    ['10.5', '1050'],
    ['10.50', '1050'],
    ['"10"', '1000'],
    ['"10.5"', '1050'],
    ['"10.50"', '1050'],
    ['0.01', '1'],
    ['1.10', '110'],
    ['99999.99', '9999999'],
    ['1234567890123.45', '123456789012345'],
    ['"1234567890123.45"', '123456789012345'],
    ['999999999999999', '99999999999999900'],
  ])('reads %s as %s cents', (json, minor) => {
    expect(read(json)).toBe(minor);
  });

  it.each([
    ['0'],
    ['0.00'],
    ['"0"'],
    ['-0'],
    ['-1'],
    ['"-1"'],
    ['1e2'],
    ['1E2'],
    ['1e21'],
    ['1e400'],
    ['"1e2"'],
    ['"0x10"'],
    ['"10,00"'],
    ['"1,000.00"'],
    ['"1 000"'],
    ['" 10"'],
    ['"10 "'],
    ['"10\\n"'],
    ['"+10"'],
    ['"010"'],
    ['".50"'],
    ['"10."'],
    ['"١٠"'],
    ['"１０"'],
    ['"NaN"'],
    ['"Infinity"'],
    ['0.001'],
    ['10.005'],
    ['10.999'],
    ['99999.99999999'],
    ['"10.000"'],
    ['1234567890123456'],
    ['12345678901234.56'],
    ['"12345678901234567"'],
    ['9007199254740993'],
    ['true'],
    ['{}'],
    ['{"value":"10"}'],
    ['[]'],
    ['[10]'],
  ])('rejects %s', (json) => {
    expect(read(json)).toMatch(/^(?:INVALID_AMOUNT|AMOUNT_OUT_OF_RANGE): amount must /);
  });

  it.each(['null', '""'])('reports a missing amount for %s', (json) => {
    expect(read(json)).toBe('VALIDATION_FAILED: amount is required');
  });

  describe('that must have exactly two decimals', () => {
    it.each([
      ['"10.50"', '1050'],
      ['10.5', '1050'],
      ['10', '1000'],
    ])('accepts %s', (json, minor) => {
      expect(read(json, { exactlyTwoDecimals: true })).toBe(minor);
    });

    it.each(['"10.5"', '"10"', '"10.500"'])('rejects %s', (json) => {
      expect(read(json, { exactlyTwoDecimals: true })).toBe(
        'INVALID_AMOUNT: amount must have exactly 2 decimals',
      );
    });

    it('names the characters that "x10.50" may have', () => {
      expect(read('"x10.50"', { exactlyTwoDecimals: true })).toBe(
        'INVALID_AMOUNT: amount must be only digits and a decimal point, such as 1250.00',
      );
    });
  });

  describe('with limits', () => {
    const limits = { min: '10.00', max: '150000.00' };

    it.each(['10.00', '150000.00', '"150000"'])('accepts %s', (json) => {
      expect(read(json, limits)).toMatch(/^\d+$/);
    });

    it.each(['9.99', '150000.01', '0'])('reports the limits for %s', (json) => {
      expect(read(json, limits)).toBe('AMOUNT_OUT_OF_RANGE: amount must be between 10.00 and 150000.00 KES');
    });

    it('reports the only limit', () => {
      expect(read('0.99', { min: '1.00', currency: 'USD' })).toBe(
        'AMOUNT_OUT_OF_RANGE: amount must be at least 1.00 USD',
      );
      expect(read('0')).toBe('AMOUNT_OUT_OF_RANGE: amount must be more than 0');
      expect(read('2', { max: '1.00' })).toBe('AMOUNT_OUT_OF_RANGE: amount must be at most 1.00 KES');
    });
  });

  describe('in the currency of another field', () => {
    const rule: Partial<AmountRule> = { currency: { field: 'currency', fallback: 'KES' } };

    it('uses that currency', () => {
      expect(read('500', rule, ',"currency":"UGX"')).toBe('500');
      expect(read('500', rule, ',"currency":"USD"')).toBe('50000');
      expect(read('500', rule)).toBe('50000');
    });

    it('is not validated with an unknown or missing currency', () => {
      const own: Partial<AmountRule> = { currency: { field: 'currency' }, max: '1.00' };
      expect(read('500.505', own, ',"currency":"XYZ"')).toMatch(/^UNSUPPORTED_CURRENCY/);
      expect(read('500.5', own)).toBe('500.5');
    });

    it('rejects decimals that the currency does not have', () => {
      expect(read('500.5', rule, ',"currency":"UGX"')).toMatch(/^INVALID_AMOUNT/);
    });

    it('accepts the three decimals of a currency that has them, and no fourth', () => {
      const dinars = { currency: 'KWD' } as const;
      expect(read('1.234', dinars)).toBe('1234');
      expect(read('"1.20"', dinars)).toBe('1200');
      expect(read('1.2345', dinars)).toMatch(/^INVALID_AMOUNT/);
      expect(read('1.234')).toMatch(/^INVALID_AMOUNT/);
    });

    it.each(['500', '0', '0.001', '500.505', '99999999'])(
      'leaves an unsupported currency to its own field, whatever the amount: %s',
      (amount) => {
        const among: Partial<AmountRule> = {
          currency: { field: 'currency', fallback: 'KES', among: ['KES', 'UGX', 'USD'] },
          min: '10.00',
          max: '5000.00',
        };
        for (const currency of ['JPY', 'KWD', 'XYZ', 'jpy']) {
          expect(read(amount, among, `,"currency":"${currency}"`)).toBe(
            'UNSUPPORTED_CURRENCY: currency must be one of KES, UGX, USD',
          );
        }
      },
    );
  });

  it('allows only whole units if the rail says so', () => {
    const rule: Partial<AmountRule> = { currency: 'TZS', wholeUnits: true };
    expect(read('500', rule)).toBe('50000');
    expect(read('500.00', rule)).toBe('50000');
    expect(read('500.50', rule)).toBe('INVALID_AMOUNT: amount must be a whole number');
  });
});
