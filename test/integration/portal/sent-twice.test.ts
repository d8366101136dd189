/** A form that is sent twice, by a double click or a browser retry, acts once. */
import { setApprovalRule, type ApprovalKind } from '../../../src/users/approvals';
import { aMerchant } from '../../support/users/users-support';
import {
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';

let portal: TestPortal;
let merchantId: string;
let token: string;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  token = await sessionOf(portal, await createPlatformPerson(portal, 'operator'));
  await createPlatformPerson(portal, 'approver');
});
afterAll(() => portal.stop());

/** The hidden fields of the page's form for a path. */
async function drawn(page: string, action: string): Promise<Record<string, string>> {
  const { text } = await call(portal, { method: 'GET', path: page, token });
  const form = text.split('<form').find((one) => one.includes(`action="${action}"`)) ?? '';
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
}

/**
 * Sends one form several times at once.
 * @returns the sorted statuses.
 */
async function sentAtOnce(path: string, form: Record<string, string>, times: number): Promise<number[]> {
  const sent = Array.from({ length: times }, () => call(portal, { method: 'POST', path, token, form }));
  return (await Promise.all(sent)).map(({ status }) => status).sort();
}

const one = (status: number, times: number) => [status, ...Array.from({ length: times - 1 }, () => 409)];

async function withRule<T>(kind: ApprovalKind, work: () => Promise<T>): Promise<T> {
  const rule = { kind, currency: '', set_by: 'test' } as const;
  await setApprovalRule(portal.db, { ...rule, from_minor: '0' }, () => Promise.resolve());
  try {
    return await work();
  } finally {
    await setApprovalRule(portal.db, { ...rule, from_minor: null }, () => Promise.resolve());
  }
}

const approvals = async (action: string) =>
  (await portal.db('approvals').where({ action, state: 'pending' })).length;

describe('a float transfer', () => {
  const page = () => `/ops/merchants/${merchantId}`;
  const path = () => `${page()}/float`;
  const form = async () => ({
    ...(await drawn(page(), path())),
    ...{
      verb: 'add',
      rail: 'momo',
      country: 'KEN',
      currency: 'KES',
      amount: '7.00',
      reason: 'a double click',
    },
  });
  const balance = async () =>
    Number(
      (await portal.db('ledger_accounts').where({ merchant_id: merchantId, class: 'float' }).first('balance'))
        ?.balance ?? 0,
    );

  it('is booked once for a form that is sent eight times at once', async () => {
    expect(await sentAtOnce(path(), await form(), 8)).toEqual(one(200, 8));
    expect(await balance()).toBe(700);
  });

  it('creates one request if a second operator must approve it', async () => {
    await withRule('money', async () => {
      expect(await sentAtOnce(path(), await form(), 4)).toEqual(one(202, 4));
    });
    expect(await approvals('float.add')).toBe(1);
  });

  it('is not booked by a form that already made a request, even if the rule was removed', async () => {
    const before = await balance();
    const asked = await form();
    await withRule('money', async () => {
      expect(await sentAtOnce(path(), asked, 1)).toEqual([202]);
    });
    expect(await sentAtOnce(path(), asked, 1)).toEqual([409]);
    expect(await balance()).toBe(before);
  });

  it('is booked again by another form with the same input', async () => {
    const before = await balance();
    expect(await sentAtOnce(path(), await form(), 1)).toEqual([200]);
    expect(await sentAtOnce(path(), await form(), 1)).toEqual([200]);
    expect(await balance()).toBe(before + 1_400);
  });

  it('is booked once for the form after a preview, also if the first form is sent again', async () => {
    const before = await balance();
    const first = await form();
    const preview = await call(portal, {
      ...{ method: 'POST', path: path(), token },
      form: { ...first, preview: '1' },
    });
    const hidden = [...preview.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const led = Object.fromEntries(
      hidden.map(([, name = '', value = '']) => [name, value] as const).filter(([name]) => name !== 'next'),
    );
    expect(await sentAtOnce(path(), led, 3)).toEqual(one(200, 3));
    expect(await sentAtOnce(path(), first, 1)).toEqual([409]);
    expect(await balance()).toBe(before + 700);
  });

  it('can be booked by a form that was denied before', async () => {
    const before = await balance();
    const sent = await form();
    expect(await sentAtOnce(path(), { ...sent, amount: '-1' }, 1)).not.toEqual([200]);
    expect(await sentAtOnce(path(), sent, 1)).toEqual([200]);
    expect(await balance()).toBe(before + 700);
  });
});

it.each([
  ['limit', { kind: 'per_day', currency: 'KES', amount: '500.00', reason: 'agreed' }, 'limit.set'],
  ['fee', { operation: 'payout', currency: 'KES', fixed: '5.00', reason: 'agreed' }, 'fee.set'],
])('a %s makes one request for a form that is sent four times at once', async (what, fields, action) => {
  const page = `/ops/merchants/${merchantId}`;
  const form = { ...(await drawn(page, `${page}/${what}`)), ...fields };
  await withRule('limits', async () => {
    expect(await sentAtOnce(`${page}/${what}`, form, 4)).toEqual(one(202, 4));
  });
  expect(await approvals(action)).toBe(1);
});

it('a merchant is requested once, and added once', async () => {
  const path = '/ops/merchants';
  const form = async (name: string) => ({ ...(await drawn(path, path)), name });
  await withRule('keys', async () => {
    expect(await sentAtOnce(path, await form('Asked'), 3)).toEqual(one(202, 3));
  });
  expect(await approvals('merchant.create')).toBe(1);
  expect(await sentAtOnce(path, await form('Twice'), 3)).toEqual(one(200, 3));
  expect(await portal.db('merchants').where({ name: 'Twice' })).toHaveLength(1);
});

it('a repeated form is reported in the language of the page', async () => {
  const page = `/ops/merchants/${merchantId}`;
  const form = {
    ...(await drawn(page, `${page}/limit`)),
    ...{ kind: 'per_hour', currency: 'KES', amount: '9.00', reason: 'x' },
  };
  const path = `${page}/limit`;
  expect(await sentAtOnce(path, form, 1)).toEqual([200]);
  await portal.test.db('users').update({ locale: 'sw' });
  const again = await call(portal, { method: 'POST', path, token, form });
  await portal.test.db('users').update({ locale: 'en' });
  expect([again.status, again.text.includes('Fomu hii imeshatumwa')]).toEqual([409, true]);
});

it('a form without its number does nothing', async () => {
  const form = { verb: 'add', rail: 'momo', currency: 'KES', amount: '7.00', reason: 'x', once: '' };
  const sent = await call(portal, {
    ...{ method: 'POST', path: `/ops/merchants/${merchantId}/float`, token, form },
  });
  expect(sent.status).toBe(403);
});
