import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { openCase } from '../../../src/controls/cases';
import { countPrunable } from '../../../src/worker/prune/prune';
import type { InboxRow, OutboxRow } from '../../../src/store/tables';
import { recurringJobs, createOldThings, daysAgo, reported, type OldThings } from './prune-support';

let old: OldThings;
beforeAll(async () => {
  old = await createOldThings();
});
afterAll(() => old.drop());

const digest = createHash('sha256').update(reported).digest();
const pruned = { body: '', body_since: null, body_sha256: digest, body_pruned_at: expect.any(Date) as Date };
const kept = { body: reported, body_sha256: null, body_pruned_at: null };
const notification = (inbox_id: string) => old.db('inbox').where({ inbox_id }).first();
const webhook = (webhook_id: string) => old.db('outbox').where({ webhook_id }).first();
const delivery = async (webhook_id: string) => {
  const at = daysAgo(100);
  const answered = { http_status: 200, duration_ms: 1, response_excerpt: 'danke', at };
  await old.db('webhook_deliveries').insert({ webhook_id, n: 1, ...answered });
  return () => old.db('webhook_deliveries').where({ webhook_id }).first();
};

describe('deleting bodies', () => {
  it('deletes old bodies, and keeps the time, the result and the SHA-256', async () => {
    const payment_id = await old.payment();
    const inboxId = await old.notification({ payment_id });
    const young = await old.notification({ payment_id, body_since: daysAgo(89) });
    const webhookId = await old.webhook(payment_id);
    const tried = await delivery(webhookId);
    const one = { 'bodies of notifications': 1, 'bodies of webhooks': 1 };
    expect(await countPrunable(old.service, recurringJobs)).toMatchObject(one);
    expect(await notification(inboxId)).toMatchObject(kept);
    expect(await old.prune()).toMatchObject(one);

    expect(await notification(inboxId)).toMatchObject({ ...pruned, state: 'applied' });
    expect(await webhook(webhookId)).toMatchObject({ ...pruned, state: 'delivered' });
    expect(await tried()).toMatchObject({ http_status: 200, response_excerpt: null });
    expect(await notification(young)).toMatchObject(kept);
    expect(await old.prune()).toMatchObject({ 'bodies of notifications': 0, 'bodies of webhooks': 0 });
  });

  it('cannot delete a merchant’s answer to a webhook whose body is stored', async () => {
    const webhookId = await old.webhook(await old.payment(), { body_since: new Date() });
    const tried = await delivery(webhookId);
    await old.service.raw('CALL forget_answers(?)', [webhookId]);
    expect(await tried()).toMatchObject({ response_excerpt: 'danke' });
  });

  const nothing = () => Promise.resolve();
  const stillOpen: [string, Partial<InboxRow>, (payment_id: string) => Promise<unknown>][] = [
    [
      'whose payment is open',
      {},
      (payment_id) => old.db('payments').where({ payment_id }).update({ is_final: 0, state: 'pending' }),
    ],
    [
      'whose payment is watched',
      {},
      (payment_id) => old.db('payments').where({ payment_id }).update({ next_check_at: new Date() }),
    ],
    ['whose payment is a case', {}, (id) => openCase(old.db, id, { reason: 'disputed', detail: '-' })],
    ['whose payment has a pending webhook', {}, (id) => old.webhook(id, { state: 'pending' })],
    ['whose payment has a dead webhook', {}, (id) => old.webhook(id, { state: 'dead' })],
    ['that is undecided', { state: 'new' }, nothing],
    ['that is parked', { state: 'parked', payment_id: null }, nothing],
  ];
  it.each(stillOpen)(
    'keeps a notification %s, and checks it again in a week',
    async (_, changes, arrange) => {
      const payment_id = await old.payment();
      const inboxId = await old.notification({ payment_id, ...changes });
      await arrange(payment_id);
      expect(await countPrunable(old.service, recurringJobs)).toMatchObject({ 'bodies of notifications': 0 });
      expect(await old.prune()).toMatchObject({ 'bodies of notifications': 0 });
      const row = await notification(inboxId);
      expect(row).toMatchObject(kept);
      const dueInDays = ((row?.body_since?.getTime() ?? 0) - daysAgo(90).getTime()) / 86_400_000;
      expect(dueInDays).toBeCloseTo(7, 1);
    },
  );

  it('keeps one without a payment while the case of its rail is open', async () => {
    const open = { reason: 'unmatched_notification', detail: '-', opened_at: new Date() };
    await old.db('cases').insert({ ...open, open_key: 'none:unmatched_notification:momo' });
    const asked = await old.notification({ rail: 'momo', state: 'ignored', payment_id: null });
    const closed = await old.notification({ rail: 'stk', state: 'ignored', payment_id: null });
    await old.prune();
    expect(await notification(asked)).toMatchObject(kept);
    expect(await notification(closed)).toMatchObject(pruned);
  });

  it.each<[OutboxRow['state'], object]>([
    ['pending', kept],
    ['dead', kept],
    ['unaddressed', pruned],
    ['delivered', pruned],
    ['superseded', pruned],
  ])('decides about body and answer of a webhook that is %s', async (state, expected) => {
    const webhookId = await old.webhook(await old.payment(), { state });
    const tried = await delivery(webhookId);
    await old.prune();
    expect(await webhook(webhookId)).toMatchObject(expected);
    expect(await tried()).toMatchObject({ response_excerpt: expected === kept ? 'danke' : null });
  });

  it('deletes mails that are not sent again', async () => {
    const mail = {
      kind: 'k',
      recipient: 'a@example.org',
      subject: 's',
      body: reported,
      redacted_body: reported,
    };
    const since = { created_at: daysAgo(100), body_since: daysAgo(100) };
    for (const state of ['new', 'sent', 'dead'] as const) {
      await old.db('mails').insert({ ...mail, ...since, mail_id: uuid(), state });
    }
    expect(await old.prune()).toMatchObject({ 'bodies of mails': 2 });
    const texts = await old.db('mails').orderBy('state').select('state', 'body', 'redacted_body');
    expect(texts).toEqual([
      { state: 'dead', body: '', redacted_body: null },
      { state: 'new', body: reported, redacted_body: reported },
      { state: 'sent', body: '', redacted_body: null },
    ]);
  });
});
