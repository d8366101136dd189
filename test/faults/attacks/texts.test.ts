/**
 * Texts that break programs which paste them into other text: they are stored and returned unchanged. Those that
 * control a terminal, or begin a line, are rejected in names.
 */
import { everythingEndsWell } from '../support/ending-well';
import { accepted } from '../../support/rails/stk/payments';
import { call, stkPush } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

const texts: [string, string][] = [
  ['SQL', `'; DROP TABLE payments; -- " OR 1=1 /*`],
  ['NoSQL', '{"$gt":""}'],
  ['a template', ['$', '{7*7} {{7*7}} <%= 7*7 %> #{7*7}'].join('')],
  ['markup', '<script>alert(1)</script>&amp;&#0;'],
  ['a log line', '","level":"error","message":"forged'],
  ['format signs', '%s%s%n %d ? ?? :name \\u0041 \\x41'],
  ['four-byte characters', '𝕬🦁👩‍👩‍👧‍👦'],
  ['right to left', 'مدفوع שולם'],
  ['joiners', 'می\u200cخواهم क्\u200dष'],
  ['look-alikes', 'e\u0301 é Ａ'],
  ['quotes and backslashes', `\\ \\\\ \\" ' \` \\0`],
  ['paths', '../../etc/passwd\\..\\C:'],
  ['JavaScript keywords', 'undefined null NaN true __proto__'],
  ['spaces kept', '  INV 1  '],
];

const controls: [string, string][] = [
  ['line ends', 'INV\r\nX-Injected: 1\r\n\r\n{"level":"error"}'],
  ['a tab', 'INV\t1'],
  ['ESC', 'INV\u001b[1A\u001b[2K'],
  ['a terminal hyperlink', '\u001b]8;;https://evil.example\u0007INV'],
  ['DEL', 'INV\u007f'],
  ['a CSI of C1', 'INV\u009b2J'],
  ['NEL', 'INV\u00851'],
  ['a line separator', 'INV\u20281'],
  ['an override', 'INV\u202e1'],
  ['an isolate', 'INV\u20661\u2069'],
  ['a direction mark', 'INV\u200f1'],
  ['a zero-width space', 'INV\u200b1'],
  ['a tag', 'INV\u{e0041}1'],
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

  it.each(texts)('with %s is stored, shown and announced unchanged', async (_, text) => {
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

  it.each(controls)('with %s is rejected as a name, on every rail, before any provider', async (_, text) => {
    const before = await stack.db('payments').count({ n: '*' }).first();
    const named = [
      ['/api/v1/stk_push', 'account_reference', stkPush()],
      ['/api/v1/stk_push', 'order_id', stkPush()],
      ['/api/v2/initiate.php', 'order_id', { merchant_id: merchant.merchantId }],
      ['/api/cardproc/submit_order.php', 'merchant_ref', {}],
      ['/api/v1/walletpay/create_order', 'order_id', {}],
      ['/api/v1/momo/deposit', 'account_reference', {}],
      ['/api/v1/xb/stk_push', 'api_ref', {}],
    ] as const;
    for (const [path, field, body] of named) {
      const { status, body: reported } = await call(stack, merchant, 'POST', path, {
        ...body,
        [field]: text,
      });
      expect([path, status, reported.code]).toEqual([path, 400, expect.any(String)]);
      expect(reported.details).toContainEqual({
        field,
        message: expect.stringMatching(/control character|:/),
      });
    }
    expect(await stack.db('payments').count({ n: '*' }).first()).toEqual(before);
  });

  it('may have several lines in a note, and anything in metadata', async () => {
    const metadata = { note: '\u001b[2J\r\n\u202e' };
    const payment = await accepted(stack, merchant, { transaction_desc: 'Two\r\n\tlines', metadata });
    expect(payment.details['transaction_desc']).toBe('Two\r\n\tlines');
    expect(JSON.parse(payment.metadata ?? '')).toEqual(metadata);
  });
});
