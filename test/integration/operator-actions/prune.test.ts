import { createHash, randomBytes } from 'node:crypto';
import { writeBooks, type Books } from '../../support/verify/books';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let books: Books;
beforeAll(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
  const longAgo = new Date(Date.now() - 100 * 86_400_000);
  await cli.db('outbox').update({ body_since: longAgo });
  await cli.db('inbox').update({ body_since: longAgo });
  await cli.db('payments').where({ is_final: 1 }).update({ next_check_at: null });
});
afterAll(() => cli.drop());

const brokenPromises = async () => {
  const { json } = await cli.run('verify', '--json');
  return (json['checks'] as { id: string; violations: unknown[] }[])
    .filter(({ violations }) => violations.length > 0)
    .map(({ id }) => id);
};

describe('malipo prune', () => {
  it('with --dry-run counts, and changes nothing', async () => {
    const { out } = await cli.run('prune', '--dry-run');
    expect(out).toContain('nothing was changed');
    expect(await cli.json('prune', '--dry-run')).toMatchObject({
      would_prune: { 'bodies of notifications': 1, 'bodies of webhooks': 1, 'Idempotency-Keys': 0 },
    });
  });

  it('prunes, prints the counts, and leaves the books right', async () => {
    const before = await brokenPromises();
    expect((await cli.run('prune')).out).toMatch(/^Deleted:\n(.*\n)*bodies of webhooks +1\n/);
    expect(await brokenPromises()).toEqual(before);
    expect(await cli.db('prunings').first()).toMatchObject({ finished_at: expect.any(Date) as Date });
    expect((await cli.run('doctor')).out).toContain('The last pruning ended');
  });

  it('leaves the digest of a pruned body in the payment history', async () => {
    const digest = createHash('sha256').update('{}').digest('hex');
    const { out } = await cli.run('payment', 'show', books.succeeded);
    expect(out).toMatch(new RegExp(`notification 1: applied +body pruned on .*, sha256 ${digest}`));
    expect(out.match(/body pruned on/g)).toHaveLength(2);
    expect(await cli.json('payment', 'show', books.succeeded)).toMatchObject({
      notifications: [{ body_sha256: digest }],
      webhooks: [{ body: null, body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
    });
  });

  it('a replay prints why there is nothing to send', async () => {
    for (const which of [[books.deliveredWebhook], ['--payment', books.succeeded]]) {
      const { code, err } = await cli.run('webhook', 'replay', ...which);
      expect([code, err]).toEqual([1, expect.stringContaining('1 webhook cannot be sent again')]);
    }
    expect(await cli.db('outbox').where({ webhook_id: books.deliveredWebhook }).first()).toMatchObject({
      state: 'delivered',
    });
    expect(await cli.json('webhook', 'list', '--payment', books.succeeded)).toMatchObject({
      webhooks: [{ webhook_id: books.deliveredWebhook, body_sha256: expect.any(String) as string }],
    });
  });

  it('allows a pruned Idempotency-Key again, and verify knows the rule', async () => {
    const key_hash = randomBytes(32);
    const under = (payment_id: string, daysAgo: number) =>
      cli
        .db('payments')
        .where({ payment_id })
        .update({ key_hash, created_at: new Date(Date.now() - daysAgo * 86_400_000) });
    await under(books.secondSucceeded, 0);
    await under(books.succeeded, 30.1);
    expect(await brokenPromises()).not.toContain('P13');
    await under(books.succeeded, 29.9);
    expect(await brokenPromises()).toContain('P13');
  });

  it('malipo doctor reports when no worker has pruned', async () => {
    await cli.db('prunings').update({ finished_at: new Date(Date.now() - 3 * 86_400_000) });
    expect((await cli.run('doctor')).out).toContain('It runs each night');
  });
});
