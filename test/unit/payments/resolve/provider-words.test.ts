import { readErrorBody } from '../../../../src/rails/xb/providers/intasend/error-body';
import { sentenceOf } from '../../../../src/rail-kit/provider-words';

describe('a provider’s text for a merchant', () => {
  it.each([
    ['The balance is insufficient.', 'The balance is insufficient.'],
    ['  two\n lines\tand\u0000 more ', 'two lines and more'],
    ['x'.repeat(5_000), 'x'.repeat(300)],
  ])('is the sentence in one line, of limited length: %#', (text, shown) => {
    expect(sentenceOf(text, 'none')).toBe(shown);
  });

  it.each([
    '',
    ' \n ',
    '<html><body>502 Bad Gateway</body></html>',
    '<!DOCTYPE html>',
    'Error: <pre>at Object.handler</pre>',
    '{"detail":"no"}',
    '[{"code":"x"}]',
    '400 {"phone_number":["Enter a valid phone number"]}',
  ])('is dropped if it is not a sentence: %j', (text) => {
    expect(sentenceOf(text, 'none')).toBe('none');
  });
});

describe('a rejection by the cross-border provider', () => {
  it.each([
    [{ phone_number: ['Enter a valid phone number.'] }, 'phone_number', 'Enter a valid phone number.'],
    [{ currency: ['No.'], phone_number: ['Bad.'] }, 'phone_number', 'Bad.'],
    [{ amount: ['Too much.'] }, 'amount', 'Too much.'],
    [
      { errors: [{ code: 'invalid', detail: 'Bad number', attr: 'phone_number' }] },
      'phone_number',
      'Bad number',
    ],
    [{ detail: 'The phone number is not served' }, 'phone_number', 'The phone number is not served'],
    [{ detail: 'Not now' }, undefined, 'Not now'],
    [{ host: ['Wrong.'] }, undefined, 'Wrong.'],
    ['<html>phone</html>', undefined, undefined],
    [undefined, undefined, undefined],
  ])('%j is about %s', (json, field, reason) => {
    expect(readErrorBody(json)).toEqual({
      ...(field === undefined ? {} : { field }),
      ...(reason === undefined ? {} : { reason }),
    });
  });
});
