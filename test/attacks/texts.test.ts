/** Texts that break programs which paste them into something else: kept as they are, and given back as they are. */
import { everythingEndsWell } from '../faults/support/ending-well';
import { accepted } from '../rails/stk/payment-story';
import { call } from '../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../support/stack';

const texts: [string, string][] = [
  ['SQL', `'; DROP TABLE payments; -- " OR 1=1 /*`],
  ['NoSQL', '{"$gt":""}'],
  ['a template', ['$', '{7*7} {{7*7}} <%= 7*7 %> #{7*7}'].join('')],
  ['markup', '<script>alert(1)</script>&amp;&#0;'],
  ['line ends', 'INV\r\nX-Injected: 1\r\n\r\n{"level":"error"}'],
  ['a log line', '\u001b[2J\u0007","level":"error","message":"forged'],
  ['format signs', '%s%s%n %d ? ?? :name \\u0041 \\x41'],
  ['four-byte characters', '𝕬🦁👩‍👩‍👧‍👦'],
  ['right to left', '\u202eمدفوع\u202c שולם'],
  ['look-alikes', 'e\u0301 é Ａ a\u200b'],
  ['quotes and backslashes', `\\ \\\\ \\" ' \` \\0`],
  ['paths', '../../etc/passwd\\..\\C:'],
  ['words of JavaScript', 'undefined null NaN true __proto__'],
  ['spaces kept', '  INV 1  '],
];

describe('a text', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await everythingEndsWell(stack, { merchants: [merchant] });
    await stack.stop();
  });

  it.each(texts)('with %s is stored, shown and announced letter by letter', async (_, text) => {
    const metadata = { [text]: text };
    const fields = { account_reference: text, order_id: text, transaction_desc: text, metadata };
    const payment = await accepted(stack, merchant, fields);
    expect(payment).toMatchObject({ account_reference: text, order_id: text });
    expect(payment.details['transaction_desc']).toBe(text);
    expect(JSON.parse(payment.metadata ?? '')).toEqual(metadata);

    const webhook = await merchant.receiver.next(({ body }) => body['payment_id'] === payment.payment_id);
    expect(webhook.body).toMatchObject({ account_reference: text, order_id: text });
    const status = await call(
      stack,
      merchant,
      'GET',
      `/api/v1/stk_push/status?payment_id=${payment.payment_id}`,
    );
    expect(status.body.data).toMatchObject({ account_reference: text, order_id: text, metadata });
  });
});
