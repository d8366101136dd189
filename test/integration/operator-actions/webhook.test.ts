import { writeBooks, type Books } from '../../support/verify/books';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let books: Books;
beforeEach(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
});
afterEach(() => cli.drop());

const stateOf = async (id: string) => (await cli.db('outbox').where({ webhook_id: id }).first())?.state;

describe('malipo webhook list', () => {
  it('filters by state, payment and merchant', async () => {
    expect(await cli.json('webhook', 'list', '--state', 'dead')).toMatchObject({
      webhooks: [{ webhook_id: books.deadWebhook, payment_id: books.failed, tries: 14 }],
    });
    expect(await cli.json('webhook', 'list', '--payment', books.corrected)).toMatchObject({
      webhooks: [{ to_state: 'succeeded' }, { to_state: 'timed_out' }],
    });
    expect((await cli.run('webhook', 'list', '--merchant', books.otherMerchantId)).out).toBe(
      'No webhook matches.\n',
    );
    expect((await cli.run('webhook', 'list')).out).toContain(books.deadWebhook);
  });

  it('rejects an unknown state', async () => {
    expect(await cli.run('webhook', 'list', '--state', 'lost')).toMatchObject({ code: 2, out: '' });
  });
});

describe('malipo webhook replay', () => {
  it('makes a webhook due again and signals its payment', async () => {
    const { code, out } = await cli.run('webhook', 'replay', books.deadWebhook);
    expect([code, out]).toEqual([0, '1 webhook due again, with a new series of tries.\n']);
    expect(await stateOf(books.deadWebhook)).toBe('pending');
    expect(cli.engine.signalled).toEqual([books.failed]);
  });

  it.each([
    ['of a payment', () => ['--payment', books.succeeded], () => books.deliveredWebhook],
    ['that never reached their merchant', () => ['--merchant', books.merchantId], () => books.deadWebhook],
    ['whose deliveries ended lately', () => ['--dead-since', '1h'], () => books.deadWebhook],
  ])('replays webhooks %s', async (_, options, webhookId) => {
    expect(await cli.json('webhook', 'replay', ...options())).toMatchObject({
      webhooks: [webhookId()],
      payments_signalled: 1,
    });
  });

  it('leaves them to the sweeper when Temporal is unreachable', async () => {
    cli.engine.fails = () => Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
    const { code, out } = await cli.run('webhook', 'replay', books.deadWebhook);
    expect(code).toBe(0);
    expect(out).toContain("the worker's sweeper will continue them");
    expect(await stateOf(books.deadWebhook)).toBe('pending');
  });

  it('fails when nothing matches', async () => {
    expect(await cli.run('webhook', 'replay', 'x')).toMatchObject({ code: 1, out: '' });
    expect(await cli.run('webhook', 'replay', '--dead-since', '2099-01-01')).toMatchObject({
      code: 1,
      out: '',
    });
  });

  it('requires exactly one selection', async () => {
    expect(await cli.run('webhook', 'replay')).toMatchObject({ code: 2 });
    expect(await cli.run('webhook', 'replay', books.deadWebhook, '--payment', books.failed)).toMatchObject({
      code: 2,
    });
    expect(cli.engine.signalled).toEqual([]);
  });
});
