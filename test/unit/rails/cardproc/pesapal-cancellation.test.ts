import { readCancellation } from '../../../../src/rails/cardproc/providers/pesapal';

const answered = (json: unknown, status = 200) => ({
  kind: 'answered' as const,
  status,
  json,
  text: json === undefined ? '<html>' : JSON.stringify(json),
  headers: new Headers(),
});

describe("Pesapal's answer to a cancellation", () => {
  it.each([
    [
      'cancelled',
      'Order successfully cancelled.',
      answered({ status: '200', message: 'Order successfully cancelled.' }),
    ],
    ['cancelled', 'done', answered({ status: 200, message: 'done', error: null })],
    ['refused', 'status_500: not cancelled', answered({ status: '500', message: 'not cancelled' })],
    ['refused', 'status_500: no', answered({ status: 500, message: 'no' })],
    ['refused', 'invalid_order: gone', answered({ error: { code: 'invalid_order', message: 'gone' } }, 400)],
    ['not_sent', 'too many requests', answered({ status: '500' }, 429)],
    ['not_sent', 'wrong keys', { kind: 'account_refused' as const, text: 'wrong keys' }],
    ['not_sent', 'no time', { kind: 'not_sent' as const, text: 'no time' }],
    ['unknown', 'reset', { kind: 'unknown' as const, text: 'reset' }],
    ['unknown', expect.stringContaining('500'), answered({ status: '500', message: 'oops' }, 500)],
    ['unknown', expect.stringContaining('200'), answered(undefined)],
    ['unknown', expect.stringContaining('200'), answered({ message: 'Order successfully cancelled.' })],
    ['unknown', expect.stringContaining('404'), answered({ status: '200' }, 404)],
  ])('is %s: %p', (kind, text, answer) => {
    expect(readCancellation(answer as never)).toEqual({ kind, text });
  });
});
