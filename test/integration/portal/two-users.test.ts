/** What one user cannot do alone: a payout key, an approval with a new role, more allowed addresses. */
import { authenticate } from '../../../src/merchants/authenticate';
import { setMerchant } from '../../../src/merchants/merchants';
import { listKeys } from '../../../src/merchants/own-keys';
import { makeBatch, needsAnother, noteSent, type Batch } from '../../../src/portal/payouts/batches';
import { inTransaction } from '../../../src/store/transaction';
import { leaveAll, removeMember } from '../../../src/users/members';
import type { MerchantRole } from '../../../src/users/roles';
import { endUser, setLocale, type Person } from '../../../src/users/users';
import { asOurs } from '../../support/own-rows';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';
import { aMerchant, createPerson } from '../../support/users/users-support';

const hour = 3_600;
let portal: TestPortal;
/** A deployment that requires a role to be a day old, as in live. */
let strict: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
  strict = await startPortal({ standingSeconds: 24 * hour });
});
afterAll(async () => {
  await portal.stop();
  await strict.stop();
});

let shops = 0;
/** A merchant and its members, whose roles are two days old. */
async function aShop<Names extends string>(of: TestPortal, roles: Record<Names, MerchantRole>) {
  const { db, box, test } = of;
  shops += 1;
  const n = shops;
  const merchantId = await aMerchant(db, box, `Shop ${String(n)}`);
  const join = (name: string, role: MerchantRole) =>
    createPerson(db, `${name}@shop${String(n)}.example`, { merchantId, role });
  const persons = {} as Record<Names, Person>;
  for (const [name, role] of Object.entries<MerchantRole>(roles))
    persons[name as Names] = await join(name, role);
  await test.db.raw(
    'UPDATE memberships SET accepted_at = accepted_at - INTERVAL 2 DAY, decides_since = decides_since - INTERVAL 2 DAY WHERE merchant_id = ?',
    [merchantId],
  );
  for (const { userId } of Object.values<Person>(persons))
    await asOurs(db, 'memberships', `${merchantId}|${userId}`);
  const base = `/m/${merchantId}`;
  const keys = () => listKeys(db, merchantId);
  const as = async (
    person: Person,
    method: 'GET' | 'POST',
    path: string,
    form: Record<string, string> = {},
  ) => call(of, { method, path: `${base}${path}`, token: await sessionOf(of, person), form });
  return {
    ...{ merchantId, base, persons, join, keys },
    get: (person: Person, path: string) => as(person, 'GET', path),
    post: (person: Person, path: string, form?: Record<string, string>) => as(person, 'POST', path, form),
    async makeKey(person: Person, scopes: string) {
      const newest = (await keys()).find(({ revoked_at: ended }) => ended === null)?.api_key ?? '';
      const answer = await as(person, 'POST', '/developers/keys', { name: 'a server', newest, scopes });
      const [apiKey, apiSecret] = [/pk_test_\w+/.exec(answer.text), /sk_test_\w+/.exec(answer.text)];
      return { answer, apiKey: apiSecret ? (apiKey?.[0] ?? '') : '', apiSecret: apiSecret?.[0] ?? '' };
    },
    scopesOf: async ({ apiKey, apiSecret }: { apiKey: string; apiSecret: string }) =>
      (
        await authenticate(db, 'sandbox', {
          credentials: { apiKey, apiSecret },
          clientAddress: '127.0.0.1',
        })
      ).key_scopes,
    waiting: () => db('key_confirmations').where({ merchant_id: merchantId }).orderBy('asked_at'),
    mailsTo: ({ email }: Person) =>
      db('mails').where({ recipient: email }).orderBy('created_at').select('subject', 'body', 'kind'),
    lines: () =>
      db('audit_log')
        .where({ subject_id: merchantId })
        .orderBy('seq')
        .select('action', 'acted_by', 'details'),
    batch: (person: Person) =>
      inTransaction(db, (trx) =>
        makeBatch(
          trx,
          {
            ...{ merchantId, rail: 'loud', name: 'Salaries', rows: [], userId: person.userId },
          },
          of === strict ? 24 * hour : 0,
        ),
      ),
    batchRow: (id: string) => db('payout_batches').where({ batch_id: id }).first(),
  };
}

describe('an API key with payout permission', () => {
  it('cannot be created by a developer, who can create one that takes payments', async () => {
    const shop = await aShop(portal, { owner: 'owner', dev: 'developer' });
    const { dev } = shop.persons;
    for (const scopes of ['payout', 'collect,payout']) {
      const { answer } = await shop.makeKey(dev, scopes);
      expect([
        answer.status,
        answer.text.includes('Your role cannot give payout permission to a key'),
      ]).toEqual([422, true]);
    }
    const made = await shop.makeKey(dev, 'collect');
    expect([made.answer.status, await shop.scopesOf(made)]).toEqual([200, ['read', 'collect']]);
    const more = { key: made.apiKey, before: 'read,collect', scopes: 'collect,payout' };
    const refused = await shop.post(dev, '/developers/keys/scopes', more);
    expect([refused.status, await shop.scopesOf(made)]).toEqual([422, ['read', 'collect']]);
    expect([
      await shop.waiting(),
      (await shop.get(dev, '/developers')).text.includes('name="scopes" value="payout"'),
    ]).toEqual([[], false]);
  });

  it('only takes payments until a second user confirms it', async () => {
    const shop = await aShop(portal, { owner: 'owner', finance: 'finance', dev: 'developer' });
    const { owner, finance, dev } = shop.persons;
    const made = await shop.makeKey(owner, 'collect,payout');
    expect([
      made.answer.status,
      made.answer.text.includes('after a second user has confirmed the key'),
    ]).toEqual([200, true]);
    expect(await shop.scopesOf(made)).toEqual(['read', 'collect']);
    const [asked] = await shop.waiting();
    const path = `/keys/${asked?.confirmation_id ?? ''}`;
    const waits = (await shop.mailsTo(finance)).filter(({ kind }) => kind !== 'portal-change');
    expect(waits).toMatchObject([
      { kind: 'portal-waits', body: expect.stringContaining(`${portal.url}${shop.base}/keys`) },
    ]);
    expect((await shop.get(finance, '')).text).toContain('API keys waiting for your confirmation: 1');
    expect((await shop.get(owner, '/developers')).text).toContain(
      'payout permission is waiting for confirmation',
    );

    const own = await shop.post(owner, `${path}/confirm`);
    expect([own.status, own.text.includes('You cannot confirm your own request')]).toEqual([422, true]);
    expect((await shop.post(dev, `${path}/confirm`)).status).toBe(403);
    const page = await shop.get(finance, '/keys');
    expect([page.text.includes(made.apiKey), page.text.includes('Give payout permission')]).toEqual([
      true,
      true,
    ]);
    expect((await shop.post(finance, `${path}/confirm`)).to).toBe(`${shop.base}/keys?done=confirmed`);
    expect(await shop.scopesOf(made)).toEqual(['read', 'collect', 'payout']);
    const again = await shop.post(finance, `${path}/confirm`);
    expect([again.status, again.text.includes('has already decided')]).toEqual([422, true]);
    const details = { api_key: made.apiKey, confirmation_id: asked?.confirmation_id, added: 'payout' };
    expect((await shop.lines()).at(-1)).toEqual({
      ...{ action: 'api_key.confirm', acted_by: `user:${finance.userId}`, details: JSON.stringify(details) },
    });
  });

  it('is confirmed once for concurrent confirmations, and not after it was rejected, withdrawn, revoked or expired', async () => {
    const shop = await aShop(portal, { owner: 'owner', one: 'finance', two: 'owner' });
    const { owner, one, two } = shop.persons;
    const ask = async () => {
      const made = await shop.makeKey(owner, 'payout');
      return { made, id: (await shop.waiting()).at(-1)?.confirmation_id ?? '' };
    };
    const end = (key: string) => shop.post(owner, '/developers/keys/revoke', { key });
    const first = await ask();
    const answers = await Promise.all(
      [one, two, one].map((person) => shop.post(person, `/keys/${first.id}/confirm`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422]);
    await end(first.made.apiKey);

    for (const [who, how] of [
      [one, 'refused'],
      [owner, 'taken back'],
    ] as const) {
      const { made, id } = await ask();
      expect([how, (await shop.post(who, `/keys/${id}/refuse`)).status]).toEqual([how, 303]);
      expect((await shop.post(two, `/keys/${id}/confirm`)).status).toBe(422);
      expect(await shop.scopesOf(made)).toEqual(['read']);
      await end(made.apiKey);
    }
    const ended = await ask();
    await end(ended.made.apiKey);
    expect((await shop.post(two, `/keys/${ended.id}/confirm`)).status).toBe(422);
    expect((await shop.waiting()).at(-1)).toMatchObject({ state: 'refused', ended_why: 'key_ended' });
    expect((await shop.get(one, '/keys')).text).toContain('The key was revoked.');

    const old = await ask();
    await portal.test.db.raw(
      'UPDATE key_confirmations SET asked_at = asked_at - INTERVAL 73 HOUR WHERE confirmation_id = ?',
      [old.id],
    );
    const late = await shop.post(two, `/keys/${old.id}/confirm`);
    expect([late.status, late.text.includes('The request has expired')]).toEqual([422, true]);
    expect(await shop.scopesOf(old.made)).toEqual(['read']);
  });

  it('gets more permissions by the same rules, and loses them by every role that manages keys', async () => {
    const shop = await aShop(portal, { owner: 'owner', finance: 'finance', dev: 'developer' });
    const { owner, finance, dev } = shop.persons;
    const made = await shop.makeKey(dev, 'read');
    const change = (who: Person, before: string, scopes: string) =>
      shop.post(who, '/developers/keys/scopes', { key: made.apiKey, before, scopes });
    expect((await change(dev, 'read', 'collect')).to).toContain('?done=scopes');
    // The form of a page that is older than the change.
    expect((await change(dev, 'read', 'read')).status).toBe(422);
    expect((await change(owner, 'read,collect', 'collect,payout')).to).toContain('?done=asked');
    expect((await change(owner, 'read,collect', 'collect,payout')).status).toBe(422);
    const id = (await shop.waiting())[0]?.confirmation_id ?? '';
    await shop.post(finance, `/keys/${id}/confirm`);
    expect(await shop.scopesOf(made)).toEqual(['read', 'collect', 'payout']);
    expect((await change(dev, 'read,collect,payout', 'collect')).to).toContain('?done=scopes');
    expect(await shop.scopesOf(made)).toEqual(['read', 'collect']);
    // An earlier confirmation does not count again.
    expect((await change(owner, 'read,collect', 'payout')).to).toContain('?done=asked');
    expect(await shop.scopesOf(made)).toEqual(['read']);
    expect((await change(dev, 'read', 'everything')).status).toBe(422);
  });

  it('is created at once by the only possible approver, with the second factor and a mail', async () => {
    const shop = await aShop(portal, { owner: 'owner', dev: 'developer' });
    const { owner } = shop.persons;
    const stale = await call(portal, {
      ...{ method: 'POST', path: `${shop.base}/developers/keys` },
      token: await sessionOf(portal, owner, { isFresh: false }),
      form: { name: 'a server', newest: '', scopes: 'payout' },
    });
    expect(stale.to).toMatch(/^\/confirm\?next=/);
    const made = await shop.makeKey(owner, 'collect,payout');
    expect(await shop.scopesOf(made)).toEqual(['read', 'collect', 'payout']);
    expect(await shop.mailsTo(owner)).toMatchObject([
      {
        body: expect.stringContaining(
          `${made.apiKey}. Its permissions: read, take payments, send payouts and refunds.`,
        ),
      },
    ]);
  });

  it('created by an operator has every scope', async () => {
    const shop = await aShop(portal, { owner: 'owner' });
    expect(await shop.keys()).toMatchObject([{ scopes: ['read', 'collect', 'payout'] }]);
  });
});

describe('the list of addresses that may use the keys', () => {
  const set = (shop: Awaited<ReturnType<typeof aShop>>, who: Person, ipAllow: string) =>
    shop.post(who, '/developers/access', { ipAllow, checkoutHosts: '' });

  it('can be shortened by a developer, but not extended', async () => {
    const shop = await aShop(portal, { owner: 'owner', dev: 'developer' });
    const { owner, dev } = shop.persons as Record<string, Person> as { owner: Person; dev: Person };
    const now = async () =>
      (await portal.db('merchants').where({ merchant_id: shop.merchantId }).first())?.ip_allow;
    expect((await set(shop, dev, '41.90.64.0/24, 2001:db8::/32')).status).toBe(303);
    for (const wider of [
      ...['', '0.0.0.0/0', '41.90.0.0/16', '41.90.64.0/24, 8.8.8.8', '::/0', '2001:db8::/31'],
      ...['41.90.64.0/23', '::ffff:41.90.0.0/112'],
    ]) {
      const refused = await set(shop, dev, wider);
      expect([wider, refused.status, refused.text.includes('can remove addresses')]).toEqual([
        wider,
        422,
        true,
      ]);
    }
    for (const shorter of ['41.90.64.0/24', '::ffff:41.90.64.0/121', '41.90.64.7'])
      expect([shorter, (await set(shop, dev, shorter)).status]).toEqual([shorter, 303]);
    expect(JSON.stringify(await now())).toContain('41.90.64.7');
    expect((await set(shop, owner, '')).status).toBe(303);
    expect(await shop.mailsTo(owner)).toHaveLength(5);
  });
});

describe('a change of the team', () => {
  it('is mailed to every owner in their language and to the user concerned: what, who and when', async () => {
    const shop = await aShop(portal, { amina: 'owner', brian: 'owner', chege: 'finance', dev: 'developer' });
    const { amina, brian, chege, dev } = shop.persons;
    await setLocale(portal.db, brian.userId, 'sw');
    await shop.post(amina, '/team/role', { user: chege.userId, role: 'viewer' });
    await shop.post(amina, '/team/remove', { user: dev.userId, sure: '1' });
    await shop.post(amina, '/team/invite', { email: `new@${shop.merchantId}.example`, role: 'finance' });
    const texts = async (person: Person) => (await shop.mailsTo(person)).map(({ body }) => body);
    const [role, removed, invited] = await texts(amina);
    expect(role).toContain(`The role of ${chege.email} was “finance” and is now “viewer”.`);
    expect(role).toContain(`By: ${amina.email}\nWhen: `);
    expect(role).toMatch(/When: .*\(Africa\/Nairobi; \d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC\)/);
    expect(removed).toContain(`${dev.email} was removed. The role was “developer”.`);
    expect(invited).toContain(`new@${shop.merchantId}.example is invited with the role “finance”.`);
    const [jukumu] = await texts(brian);
    expect(jukumu).toContain(`Jukumu la ${chege.email} lilikuwa “fedha”, na sasa ni “mtazamaji”.`);
    expect(await texts(brian)).toHaveLength(3);
    expect(await texts(chege)).toEqual([role]);
    expect(await texts(dev)).toEqual([removed]);
  });

  it('mails everyone who decides about money about each change of keys', async () => {
    const shop = await aShop(portal, { owner: 'owner', finance: 'finance', dev: 'developer' });
    const { owner, finance, dev } = shop.persons;
    const made = await shop.makeKey(dev, 'collect');
    await shop.post(dev, '/developers/keys/scopes', {
      key: made.apiKey,
      before: 'read,collect',
      scopes: 'read',
    });
    await shop.post(owner, '/developers/keys/scopes', { key: made.apiKey, before: 'read', scopes: 'payout' });
    const id = (await shop.waiting())[0]?.confirmation_id ?? '';
    await shop.post(finance, `/keys/${id}/refuse`);
    await shop.post(dev, '/developers/keys/revoke', { key: made.apiKey });
    const reported = (await shop.mailsTo(owner)).map(({ body }) => body);
    const key = `the API key ${made.apiKey}`;
    expect(reported.map((body) => body.split('\n')[4])).toEqual([
      `A new API key: ${made.apiKey}. Its permissions: read, take payments.`,
      `The permissions of ${key} are now: read. Before: read, take payments.`,
      `The permissions of ${key} are now: read. Before: read.`,
      `Payout permission was requested for ${key}. It is waiting for confirmation by a second user.`,
      `Payout permission for ${key} was rejected.`,
      `The API key ${made.apiKey} was revoked.`,
    ]);
    expect(reported.map((body) => /By: (.*)/.exec(body)?.[1])).toEqual([
      ...[dev, dev, owner, owner, finance, dev].map(({ email }) => email),
    ]);
  });
});

describe('a pending request', () => {
  const asked = async (of: TestPortal = portal) => {
    const shop = await aShop(of, { owner: 'owner', maker: 'owner', finance: 'finance' });
    const { maker } = shop.persons;
    const [draft, waits] = [await shop.batch(maker), await shop.batch(maker)];
    const kept = await shop.batch(shop.persons.finance);
    await of.test
      .db('payout_batches')
      .whereIn('batch_id', [waits, kept])
      .update({ state: 'waiting', asked_at: new Date() });
    const made = await shop.makeKey(maker, 'payout');
    const standing = async () => {
      const rows = [await shop.batchRow(draft), await shop.batchRow(waits), (await shop.waiting())[0]];
      const isOver = (state = '') => state === 'rejected' || state === 'refused';
      return [
        ...new Set(
          rows.map((row) => `${isOver(row?.state) ? 'over' : (row?.state ?? '')} ${row?.ended_why ?? ''}`),
        ),
      ];
    };
    const isOpen = async () => (await shop.batchRow(kept))?.state === 'waiting';
    return { shop, maker, draft, waits, made, standing, isOpen };
  };

  it('ends with a reason when its requester is removed, and cannot be confirmed afterwards', async () => {
    const { shop, maker, waits, made, standing, isOpen } = await asked();
    const { owner, finance } = shop.persons;
    const id = (await shop.waiting())[0]?.confirmation_id ?? '';
    await shop.post(owner, '/team/remove', { user: maker.userId, sure: '1' });
    expect([await standing(), await isOpen()]).toEqual([['over maker_removed'], true]);
    const page = await shop.get(finance, `/payouts/${waits}`);
    expect([page.text.includes('The user who requested it was removed.'), page.text]).toEqual([
      true,
      expect.not.stringContaining('Pay out 0'),
    ]);
    expect((await shop.get(finance, '/payouts')).text).toContain('>ended</span>');
    expect((await shop.post(finance, `/payouts/${waits}/approve`)).to).toBe(`${shop.base}/payouts/${waits}`);
    expect((await shop.post(finance, `/keys/${id}/confirm`)).status).toBe(422);
    expect(await shop.scopesOf(made)).toEqual(['read']);
    const line = (await shop.lines()).at(-1);
    expect([line?.action, line?.details.includes(waits), line?.details.includes(id)]).toEqual([
      ...['member.remove', true, true],
    ]);
    // Ended requests stay ended when the requester returns.
    await createPerson(portal.db, maker.email, { merchantId: shop.merchantId, role: 'owner' });
    expect(await standing()).toEqual(['over maker_removed']);
  });

  it("ends only when the requester's role no longer moves money", async () => {
    const { shop, maker, standing, isOpen } = await asked();
    const { owner } = shop.persons;
    const make = (role: string) => shop.post(owner, '/team/role', { user: maker.userId, role });
    await make('finance');
    expect(await standing()).toEqual(['draft ', 'waiting ']);
    await make('viewer');
    expect([await standing(), await isOpen()]).toEqual([['over maker_role'], true]);
  });

  it("ends when the requester's account is closed, at every merchant", async () => {
    const [one, other] = [await asked(), await asked()];
    const { userId } = one.maker;
    await createPerson(portal.db, one.maker.email, { merchantId: other.shop.merchantId, role: 'finance' });
    const elsewhere = await other.shop.batch(one.maker);
    const left = await inTransaction(portal.db, (trx) => endUser(trx, userId));
    expect(left.map(({ merchantId }) => merchantId).sort()).toEqual(
      [one.shop.merchantId, other.shop.merchantId].sort(),
    );
    expect(await one.standing()).toEqual(['over maker_ended']);
    expect(await other.shop.batchRow(elsewhere)).toMatchObject({
      state: 'rejected',
      ended_why: 'maker_ended',
    });
    expect(await other.standing()).toEqual(['draft ', 'waiting ']);
    expect(await inTransaction(portal.db, (trx) => leaveAll(trx, userId))).toEqual([]);
  });

  it('ends when the merchant is closed, and stays while it is only suspended', async () => {
    const { shop, standing, isOpen } = await asked();
    const status = (word: string) =>
      setMerchant(portal.db, shop.merchantId, { status: word }, { environment: 'sandbox' });
    await status('suspended');
    expect(await standing()).toEqual(['draft ', 'waiting ']);
    await status('inactive');
    expect([await standing(), await isOpen()]).toEqual([['over merchant_closed'], false]);
  });

  it('is either decided or ended, never both, when its requester is removed at that moment', async () => {
    const { shop, maker, made } = await asked();
    const { finance } = shop.persons;
    const id = (await shop.waiting())[0]?.confirmation_id ?? '';
    const [confirmed] = await Promise.all([
      shop.post(finance, `/keys/${id}/confirm`),
      inTransaction(portal.db, (trx) => removeMember(trx, shop.merchantId, maker.userId)),
    ]);
    const [row] = await shop.waiting();
    const isConfirmed = confirmed.status === 303;
    expect([row?.state, row?.ended_why]).toEqual(
      isConfirmed ? ['confirmed', null] : ['refused', 'maker_removed'],
    );
    expect((await shop.scopesOf(made)).includes('payout')).toBe(isConfirmed);
  });
});

describe('a role younger than a required day', () => {
  it('cannot confirm a key, and can after that day', async () => {
    const shop = await aShop(strict, { owner: 'owner', finance: 'finance' });
    const made = await shop.makeKey(shop.persons.owner, 'payout');
    const id = (await shop.waiting())[0]?.confirmation_id ?? '';
    const fresh = await shop.join('fresh', 'finance');
    const refused = await shop.post(fresh, `/keys/${id}/confirm`);
    expect([refused.status, refused.text.includes('is too new')]).toEqual([422, true]);
    const raised = await shop.join('raised', 'viewer');
    const earlier = async (column: string, by: string) => {
      const set = `${column} = ${column} - INTERVAL ${by}`;
      await strict.test.db.raw(`UPDATE memberships SET ${set} WHERE user_id = ?`, [raised.userId]);
      await asOurs(strict.test.db, 'memberships', `${shop.merchantId}|${raised.userId}`);
    };
    await earlier('accepted_at', '9 DAY');
    await shop.post(shop.persons.owner, '/team/role', { user: raised.userId, role: 'finance' });
    expect((await shop.post(raised, `/keys/${id}/confirm`)).status).toBe(422);
    expect(await shop.scopesOf(made)).toEqual(['read']);
    await earlier('decides_since', '24 HOUR');
    expect((await shop.post(raised, `/keys/${id}/confirm`)).status).toBe(303);
    expect(await shop.scopesOf(made)).toEqual(['read', 'payout']);
  });

  it('cannot create a key with payout permission alone', async () => {
    const shop = await aShop(strict, { dev: 'developer' });
    const owner = await shop.join('fresh', 'owner');
    const { answer } = await shop.makeKey(owner, 'payout');
    expect([answer.status, answer.text.includes('is too new')]).toEqual([422, true]);
    expect((await shop.keys()).length).toBe(1);
    expect((await shop.makeKey(owner, 'collect')).answer.status).toBe(200);
  });

  it('does not decide alone after the second user was just removed', async () => {
    const shop = await aShop(strict, { owner: 'owner', finance: 'finance' });
    const { owner, finance } = shop.persons;
    const demote = (role: string) => shop.post(owner, '/team/role', { user: finance.userId, role });
    await demote('viewer');
    const made = await shop.makeKey(owner, 'payout');
    expect([await shop.scopesOf(made), (await shop.waiting()).length]).toEqual([['read'], 1]);
    const batch = await shop.batchRow(await shop.batch(owner));
    expect(batch?.second_person).toBe(1);
    await demote('finance');
    // A returning member counts without a gap, and may decide a day later.
    await strict.test.db.raw('UPDATE former_deciders SET until_at = until_at - INTERVAL 23 HOUR');
    expect((await shop.batchRow(await shop.batch(owner)))?.second_person).toBe(1);
    await demote('developer');
    await strict.test.db.raw('UPDATE former_deciders SET until_at = until_at - INTERVAL 25 HOUR');
    expect((await shop.batchRow(await shop.batch(owner)))?.second_person).toBe(0);
  });

  it('must approve after that day, also a list created before it', async () => {
    const shop = await aShop(strict, { owner: 'owner' });
    const { userId } = shop.persons.owner;
    const batchId = await shop.batch(shop.persons.owner);
    await shop.join('fresh', 'finance');
    const older = (hours: number) =>
      strict.test.db.raw(
        `UPDATE memberships SET decides_since = decides_since - INTERVAL ${String(hours)} HOUR`,
      );
    const alone = () =>
      inTransaction(strict.db, (trx) => noteSent(trx, { batchId, userId, bulkId: 'b' }, 24 * hour));
    const needed = async () => needsAnother(strict.db, (await shop.batchRow(batchId)) as Batch, 24 * hour);
    await older(23);
    expect([(await shop.batchRow(batchId))?.second_person, await needed()]).toEqual([0, false]);
    await older(1);
    expect(await needed()).toBe(true);
    await expect(alone()).rejects.toMatchObject({ why: 'own' });
  });

  it.each(['remove', 'end'] as const)('still counts the approver who was just lost by: %s', async (how) => {
    const shop = await aShop(strict, { owner: 'owner', finance: 'finance' });
    const { owner, finance } = shop.persons;
    if (how === 'remove') await shop.post(owner, '/team/remove', { user: finance.userId, sure: '1' });
    else await inTransaction(strict.db, (trx) => endUser(trx, finance.userId));
    expect((await shop.batchRow(await shop.batch(owner)))?.second_person).toBe(1);
  });
});
