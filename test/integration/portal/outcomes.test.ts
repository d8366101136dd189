/**
 * Result pages of actions: in the operator's language, with changes from → to and links. A preview changes nothing.
 */
import { openCase } from '../../../src/controls/cases';
import { setApprovalRule } from '../../../src/users/approvals';
import type { Role } from '../../../src/users/operators';
import { aMerchant } from '../../support/users/users-support';
import { deposit, testContext } from '../../support/verify/books-support';
import { line } from '../../support/reconciliation/statement-support';
import {
  anUnmatchedReceipt,
  call,
  callWithFile,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';
import { asOurs } from '../../support/own-rows';

let portal: TestPortal;
let merchantId: string;
let swahili: string;
const tokens = {} as Record<Role, string>;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
  for (const role of ['operator', 'approver', 'auditor'] as const)
    tokens[role] = await sessionOf(portal, await createPlatformPerson(portal, role));
  const asha = await createPlatformPerson(portal, 'operator', 'asha');
  await portal.test.db('users').where({ user_id: asha.userId }).update({ locale: 'sw' });
  swahili = await sessionOf(portal, asha);
});
afterAll(() => portal.stop());

type Form = Record<string, string>;
const get = (path: string, token = tokens.operator) => call(portal, { method: 'GET', path, token });
const post = (path: string, form: Form, token = tokens.operator) =>
  call(portal, { method: 'POST', path, token, form });

/** The text of a page without its frame. */
const sentences = (page: string) =>
  page
    .replace(/^[^]*<main[^>]*>|<\/main>[^]*$/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

/** The fields that the preview's form sends on confirmation. */
const fieldsIn = (page: string): Form => {
  const form = /<form method="post" action="[^"]*" class="actions">[^]*?<\/form>/.exec(
    page.replace(/^[^]*<main/, ''),
  );
  const fields = [...(form?.[0] ?? '').matchAll(/name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
};

const floatForm = (): Form => ({
  ...{ verb: 'add', rail: 'momo', country: 'KEN', currency: 'KES', amount: '1000.00' },
  reason: 'bank transfer of today',
});

async function withMoneyRule<T>(fromMinor: string | null, work: () => Promise<T>): Promise<T> {
  const rule = { kind: 'money', currency: '', set_by: 'amina' } as const;
  await setApprovalRule(portal.db, { ...rule, from_minor: fromMinor }, () => Promise.resolve());
  try {
    return await work();
  } finally {
    await setApprovalRule(portal.db, { ...rule, from_minor: null }, () => Promise.resolve());
  }
}

async function aCase(): Promise<{ path: string; paymentId: string }> {
  const paymentId = await deposit(testContext(portal.test.db), { merchantId }, 'initiating', 'pending');
  await openCase(portal.test.db, paymentId, { reason: 'amount_differs', detail: 'seen' });
  const row = await portal.db('cases').where({ payment_id: paymentId }).first('case_id');
  return { path: `/ops/cases/${row?.case_id ?? ''}`, paymentId };
}

const everything = async () => {
  const { db } = portal.test;
  return {
    entries: await db('ledger_entries').count('* as n'),
    balances: await db('ledger_accounts').whereNotNull('balance').select('code', 'balance'),
    lines: await db('audit_log').count('* as n'),
    stops: await db('payout_pauses').select(),
    merchants: await db('merchants').select('merchant_id', 'status'),
    approvals: await db('approvals').select('approval_id', 'state'),
    limits: await db('outflow_limits').select(),
  };
};

describe('a preview', () => {
  it('shows amounts from → to with links and changes nothing until the same form is confirmed', async () => {
    const path = `/ops/merchants/${merchantId}/float`;
    const form = floatForm();
    await post(path, form);
    const again = floatForm();
    const before = await everything();
    const tried = await post(path, { ...again, preview: '1' });
    expect(tried.status).toBe(200);
    expect(tried.text).toContain('<h1>Preview</h1>');
    expect(sentences(tried.text)).toContain('add KES 1,000.00 to the float of Duka la Amina');
    expect(sentences(tried.text)).toContain('KES 1,000.00 → KES 2,000.00');
    expect(tried.text).toMatch(
      new RegExp(`href="/ops/merchants/${merchantId}">Float · mobile money · Duka la Amina · KEN</a>`),
    );
    expect(await everything()).toEqual(before);
    const { csrf: _, ...fields } = fieldsIn(tried.text);
    expect(fields).toEqual({ ...again, once: expect.any(String) });
    const done = await post(path, fields);
    expect([done.status, done.text.includes('<h1>Done</h1>')]).toEqual([200, true]);
    expect(sentences(done.text)).toContain('KES 1,000.00 → KES 2,000.00');
    expect(await everything()).not.toEqual(before);
  });

  it.each<[string, () => Promise<[string, Form]> | [string, Form]]>([
    ['a pause of all payouts', () => ['/ops/pauses', { reason: 'x' }]],
    ['a new merchant', () => ['/ops/merchants', { name: 'New' }]],
    ['a merchant’s status', () => [`/ops/merchants/${merchantId}/status`, { status: 'suspended' }]],
    ['a case', async () => [`${(await aCase()).path}/resolve`, { outcome: 'failed', note: 'x' }]],
    [
      'a limit',
      () => [
        `/ops/merchants/${merchantId}/limit`,
        { kind: 'per_day', currency: 'KES', amount: '5', reason: 'x' },
      ],
    ],
    [
      'an unmatched receipt',
      async () => [
        `/ops/unmatched/${await anUnmatchedReceipt(portal)}/assign`,
        { whose: 'bank', reason: 'ours' },
      ],
    ],
    [
      'a comparison of statement days',
      () => ['/ops/reconciliation', { rail: 'loud', from: '2026-01-01', to: '2026-01-01', kept: '1' }],
    ],
  ])('of %s changes nothing', async (_name, made) => {
    const [path, form] = await made();
    const before = await everything();
    const { status, text } = await post(path, { ...form, preview: '1' });
    expect([status, text.includes('<h1>Preview</h1>')]).toEqual([200, true]);
    expect(await everything()).toEqual(before);
    const { csrf: _, ...fields } = fieldsIn(text);
    expect(fields).toEqual({ ...form, once: expect.any(String) });
  });

  it('shows how many lines a file has, and stores none', async () => {
    const form = { rail: 'loud', from: '2026-01-01', to: '2026-01-02', preview: '1' };
    const file = { name: 'nov.json', content: JSON.stringify([line('TRIED-1')]) };
    const path = '/ops/reconciliation/file';
    const tried = await callWithFile(portal, { path, token: tokens.operator, form, file });
    expect([tried.status, sentences(tried.text).includes('send it again without a preview')]).toEqual([
      200,
      true,
    ]);
    expect(await portal.db('statement_lines').where({ provider_reference: 'TRIED-1' })).toEqual([]);
  });

  it('is a button of every form that acts', async () => {
    const unmatched = await anUnmatchedReceipt(portal);
    const { path } = await aCase();
    const limit = { kind: 'per_hour', currency: 'KES', amount: '500.00', reason: 'agreed' };
    await post(`/ops/merchants/${merchantId}/limit`, limit);
    await post('/ops/pauses', { rail: 'loud', reason: 'x' });
    await withMoneyRule('0', async () => {
      const form = floatForm();
      expect((await post(`/ops/merchants/${merchantId}/float`, form, swahili)).status).toBe(202);
    });
    const pages = [
      ...['pauses', 'merchants', `merchants/${merchantId}`, 'reconciliation', `unmatched/${unmatched}`],
      ...['approvals', `users?email=${encodeURIComponent('asha@malipo.example')}`],
    ];
    const forms: [string, boolean][] = [];
    for (const page of [...pages.map((name) => `/ops/${name}`), path]) {
      const main = (await get(page)).text.replace(/^[^]*<main|<\/main>[^]*$/g, '');
      const acting = [...main.matchAll(/<form method="post" action="([^"]+)"[^]*?<\/form>/g)];
      expect([page, acting.length > 0]).toEqual([page, true]);
      for (const [form, action = ''] of acting)
        forms.push([action, form.includes('<button name="preview" value="1" class="quiet"')]);
    }
    expect(forms.filter(([, has]) => !has)).toEqual([]);
    await portal.test.db('approvals').update({ state: 'rejected' });
    const stop = await portal.db('payout_pauses').where({ ended_at: null }).first('pause_id');
    await post('/ops/pauses/end', { stop: stop?.pause_id ?? '' });
  });
});

describe('in Swahili', () => {
  const english =
    /\b(?:the|of|and|is|are|you|your|this|that|with|was|not|from|nothing|done|payouts?|stopped)\b/i;
  const expectSwahili = (text: string) => {
    expect(text).toContain('<html lang="sw">');
    expect(english.exec(sentences(text))).toBeNull();
    expect(text).not.toContain('<pre');
  };

  it('results, previews and pending requests have no English words', async () => {
    const { path } = await aCase();
    const decided = { outcome: 'failed', note: 'taarifa ya leo' };
    const pages: [string, Form, number][] = [
      ['/ops/pauses', { rail: 'loud', reason: 'mtoa huduma', preview: '1' }, 200],
      ['/ops/pauses', { rail: 'loud', reason: 'mtoa huduma' }, 200],
      [`/ops/merchants/${merchantId}/float`, { ...floatForm(), preview: '1' }, 200],
      [`/ops/merchants/${merchantId}/float`, { ...floatForm(), reason: 'benki' }, 200],
      [`${path}/resolve`, { ...decided, preview: '1' }, 200],
      [`${path}/resolve`, decided, 200],
    ];
    for (const [page, form, status] of pages) {
      const answer = await post(page, form, swahili);
      expect([page, answer.status]).toEqual([page, status]);
      expectSwahili(answer.text);
    }
    await withMoneyRule('0', async () => {
      const form = { ...floatForm(), reason: 'benki' };
      const asked = await post(`/ops/merchants/${merchantId}/float`, form, swahili);
      expect(asked.status).toBe(202);
      expectSwahili(asked.text);
      const tried = await post(`/ops/merchants/${merchantId}/float`, { ...form, preview: '1' }, swahili);
      expect(sentences(tried.text)).toContain('Hili linahitaji idhini ya mwendeshaji wa pili.');
    });
    await portal.test.db('approvals').update({ state: 'rejected' });
    await portal.test.db('payout_pauses').update({ ended_at: new Date(), ended_by: 'test' });
  });

  it('the report of a comparison has no English words', async () => {
    const form = { rail: 'loud', from: '2026-01-01', to: '2026-01-01', kept: '1' };
    const { status, text } = await post('/ops/reconciliation', form, swahili);
    expect(status).toBe(200);
    expectSwahili(text);
  });
});

describe('an approval', () => {
  it('shows the stored text of the request, can be previewed, and shows its secrets once', async () => {
    const rule = { kind: 'keys', currency: '', set_by: 'amina' } as const;
    await setApprovalRule(portal.db, { ...rule, from_minor: '0' }, () => Promise.resolve());
    const asked = await post('/ops/merchants', { name: 'Duka <b>' });
    expect([asked.status, asked.text.includes('<b>'), /sk_test_\w/.test(asked.text)]).toEqual([
      202,
      false,
      false,
    ]);
    const row = await portal.db('approvals').orderBy('approval_id', 'desc').first();
    const path = `/ops/approvals/${row?.approval_id ?? ''}/approve`;
    const english = (await get('/ops/approvals', tokens.approver)).text;
    expect(english).toContain('the-operator requests to add the merchant Duka &lt;b&gt;, with API keys.');
    expect((await get('/ops/approvals', swahili)).text).toContain(
      'the-operator anaomba kumwongeza mfanyabiashara Duka &lt;b&gt;',
    );
    expect(english).not.toContain('<pre');
    const tried = await post(path, { preview: '1' }, tokens.approver);
    expect([tried.status, /sk_test_\w/.test(tried.text)]).toEqual([200, false]);
    const named = () => portal.db('merchants').where({ name: 'Duka <b>' });
    expect(await named()).toEqual([]);
    const done = await post(path, {}, tokens.approver);
    expect([done.status, /<dt>API secret<\/dt><dd><code>sk_test_\w+</.test(done.text)]).toEqual([200, true]);
    expect(await named()).toHaveLength(1);
    expect((await post(path, {}, tokens.approver)).status).toBe(409);
    await setApprovalRule(portal.db, { ...rule, from_minor: null }, () => Promise.resolve());
  });

  it('of another version is refused with a text in the language of the page', async () => {
    await portal.test.db.raw(
      `INSERT INTO approvals (kind, asked_by, asked_at, expires_at)
       VALUES ('money', 'the-operator', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 DAY)`,
    );
    const row = await portal.db('approvals').orderBy('approval_id', 'desc').first();
    const id = row?.approval_id ?? '';
    await asOurs(portal.test.db, 'approvals', id);
    const path = `/ops/approvals/${id}`;
    for (const [token, words] of [
      [tokens.approver, 'Another version of Malipo wrote this request.'],
      [swahili, 'Toleo jingine la Malipo'],
    ] as const) {
      const page = (await get('/ops/approvals', token)).text;
      expect([page.includes(words), page.includes(`action="${path}/approve"`)]).toEqual([true, false]);
      const refused = await post(`${path}/approve`, {}, token);
      expect([refused.status, refused.text.includes(words)]).toEqual([409, true]);
    }
    expect(await portal.db('payout_pauses').where({ ended_at: null })).toEqual([]);
    const no = await post(`${path}/reject`, { reason: 'ask <i> again' }, tokens.approver);
    expect([no.status, no.text.includes('<i>'), no.text.includes('ask &lt;i&gt; again')]).toEqual([
      200,
      false,
      true,
    ]);
    expect((await portal.db('approvals').where({ approval_id: id }).first('state'))?.state).toBe('rejected');
  });

  it('that has expired says so, without a button', async () => {
    await withMoneyRule('0', async () => {
      expect((await post(`/ops/merchants/${merchantId}/float`, floatForm())).status).toBe(202);
    });
    const { db } = portal.test;
    const row = await db('approvals').orderBy('approval_id', 'desc').first('approval_id');
    const id = row?.approval_id ?? '';
    await db('approvals')
      .where({ approval_id: id })
      .update({ expires_at: new Date(Date.now() - 60_000) });
    await asOurs(db, 'approvals', id);
    const page = (await get('/ops/approvals', tokens.approver)).text;
    expect(page).not.toContain(`/ops/approvals/${id}/approve`);
    expect(page).toContain('expired');
  });
});

it('hostile input stays text on every result page', async () => {
  const hostile = `"><x-evil onerror='x'>{{1}}<%= it.csrf %>`;
  const { path } = await aCase();
  const answers = [
    await post('/ops/pauses', { rail: 'loud', reason: hostile, preview: '1' }),
    await post('/ops/pauses', { rail: 'loud', reason: hostile }),
    await post('/ops/pauses', { rail: hostile, reason: hostile }),
    await post(`${path}/resolve`, { outcome: 'failed', note: hostile, preview: '1' }),
    await post(`${path}/resolve`, { outcome: hostile, note: hostile }),
    await post('/ops/merchants', { name: hostile, once: hostile, preview: '1' }),
    await post(`/ops/merchants/${merchantId}/float`, {
      ...floatForm(),
      reason: hostile,
      preview: '1',
    }),
    await post(`/ops/merchants/${merchantId}/limit`, { kind: 'per_day', currency: hostile, reason: hostile }),
  ];
  for (const { status, text } of answers)
    expect([status < 500, /<x-evil|"(?:>|&gt;)(?:<|&lt;)x-evil/.test(text)]).toEqual([true, false]);
  expect(answers[0]?.text).toContain('&gt;&lt;x-evil');
});
