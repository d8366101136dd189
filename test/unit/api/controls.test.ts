/**
 * No text of a request may contain control characters, unless this file says so: they move a terminal's cursor or start
 * a line.
 */
import { servedApi } from '../../../tools/docs-site/served-api';

/** Fields that name existing objects. These may be older than the rule. */
const known = [
  'GET /api/v1/payments reference',
  'GET /api/v1/xb/stk_push/status api_ref',
  'GET /api/v1/momo/bulk_payout order_id',
  'GET /api/v1/walletpay/bulk_payout order_id',
  'GET /api/v1/walletpay/capture order_id',
  'GET /api/v1/walletpay/order_status order_id',
  'GET /api/v1/walletpay/payout_status order_id',
];
const notes = ['transaction_desc', 'customer_message', 'note', 'description'];

interface Described {
  type?: string;
  keys?: Record<string, Described>;
  items?: Described[];
}

/** Each text field of a body, with a body that has only this field. */
function textsIn({ keys = {} }: Described): [path: string, wrap: (text: string) => unknown][] {
  return Object.entries(keys).flatMap(([name, field]): ReturnType<typeof textsIn> => {
    if (field.type === 'string') return [[name, (text) => ({ [name]: text })]];
    if (field.type === 'object')
      return textsIn(field).map(([path, wrap]) => [`${name}.${path}`, (text) => ({ [name]: wrap(text) })]);
    return (field.items ?? []).flatMap((item) =>
      textsIn(item).map(([path, wrap]): [string, (text: string) => unknown] => [
        `${name}.0.${path}`,
        (text) => ({ [name]: [wrap(text)] }),
      ]),
    );
  });
}

const fields = servedApi()
  .flatMap(({ endpoints }) => endpoints)
  .flatMap((endpoint) =>
    textsIn(endpoint.input.describe() as Described).map(([path, wrap]) => ({
      name: `${endpoint.method} ${endpoint.path} ${path}`,
      path,
      takes(text: string) {
        const { error } = endpoint.input.validate(wrap(text), { abortEarly: false, convert: false });
        return !error?.details.some(({ path: at }) => at.join('.') === path);
      },
    })),
  );

it('are all checked', () => {
  const names = fields.map(({ name }) => name);
  for (const name of [
    'POST /api/v2/initiate.php order_id',
    'POST /api/v1/stk_push account_reference',
    'POST /api/cardproc/submit_order.php billing_address.first_name',
  ])
    expect(names).toContain(name);
  for (const name of known) expect(names).toContain(name);
});

const takers = (text: string) => fields.filter(({ takes }) => takes(text)).map(({ name }) => name);

it.each([
  '\u0007',
  '\u001b[2J',
  '\u007f',
  '\u009b',
  '\u0085',
  '\u2028',
  '\u202e',
  '\u2067',
  '\u200f',
  '\u061c',
])('are rejected in every text of every endpoint: %j', (control) => {
  expect(takers(`A${control}1`).toSorted()).toEqual(known.toSorted());
});

it('are allowed as line breaks and tabs only in notes', () => {
  for (const text of ['A\r\n1', 'A\t1', 'A\u200b1', 'A\u20601', 'A\ufeff1', 'A\u00ad1', 'A\u{e0041}1']) {
    const others = takers(text).filter((name) => !known.includes(name));
    expect(others.length).toBeGreaterThan(3);
    for (const name of others) expect(notes).toContain(name.split(/[ .]/).at(-1));
  }
});

it('do not include joiners, which emoji and several scripts need', () => {
  const order = fields.find(({ name }) => name === 'POST /api/v2/initiate.php order_id');
  expect(order?.takes('👩‍👩‍👧 می\u200cخواهم שלום')).toBe(true);
});
