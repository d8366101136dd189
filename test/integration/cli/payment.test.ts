import { writeBooks, type Books } from '../../support/verify/books';
import { insertPayment } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let books: Books;
beforeAll(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
});
afterAll(() => cli.drop());

describe('malipo payment show', () => {
  it('prints the history: provider results, attempts, notifications, ledger, webhooks, workflow', async () => {
    const { code, out } = await cli.run('payment', 'show', books.succeeded);
    expect(code).toBe(0);
    for (const part of [
      'succeeded',
      '100.00 KES requested, 100.00 KES confirmed',
      'pending → succeeded',
      'by callback',
      'initiate 2: accepted',
      'notification 1: applied',
      `wallet:${books.merchantId}:KES`,
      '-100.00 KES',
      'HTTP 200',
      `http://127.0.0.1:8233/namespaces/default/workflows/test-payment%2F${books.succeeded}`,
    ]) {
      expect(out).toContain(part);
    }
  });

  it('shows times in the configured zone', async () => {
    const at = new Date('2026-01-31T22:30:00Z');
    const { payment_id: id } = await insertPayment(cli.db, {
      merchantId: books.merchantId,
      with: { created_at: at },
    });
    expect((await cli.run('payment', 'show', id)).out).toContain('2026-02-01 01:30:00 +03:00');
    expect((await cli.run('payment', 'list')).out).toContain('2026-02-01 01:30:00 +03:00');
  });

  it('ends a change without further evidence at its cause', async () => {
    const shown = (await cli.run('payment', 'show', books.succeeded)).out.split('\n');
    expect(shown).toContainEqual(expect.stringMatching(/initiating → pending +by callback$/));
  });

  it('prints an open case first, and a reserve', async () => {
    await cli.db('cases').insert({
      payment_id: books.payingOut,
      reason: 'amount_differs',
      detail: 'asked 10000, confirmed 1',
      opened_at: new Date(),
      open_key: 'x',
    });
    const { out } = await cli.run('payment', 'show', books.payingOut);
    expect(out).toMatch(/OPEN CASE 1: The provider confirmed another amount/);
    expect(out).toContain('The reserve of 100.00 KES is open.');
  });

  it('prints no phone number and no token of our notification route', async () => {
    const { payment_id: id } = await insertPayment(cli.db, {
      merchantId: books.merchantId,
      with: {
        phone_number: '254708374149',
        callback_token: 'f'.repeat(32),
        details: JSON.stringify({ payer_phone: '254708374149', note: 'ask 0708374149' }) as never,
      },
    });
    await cli.db('outbox').insert({
      webhook_id: id,
      payment_id: id,
      merchant_id: books.merchantId,
      to_state: 'failed',
      callback_type: 'Test',
      endpoint: 'webhook_url',
      body: JSON.stringify({ phone_number: '254708374149' }),
      next_at: new Date(),
      created_at: new Date(),
    });
    for (const format of [[], ['--json']]) {
      const { out } = await cli.run('payment', 'show', id, ...format);
      expect(out).toContain('***149');
      expect(out).not.toMatch(/708374149|f{32}/);
    }
    expect((await cli.run('payment', 'list', '--json')).out).not.toMatch(/708374149|f{32}/);
  });

  it('finds a payment by each of its references', async () => {
    const { payment_id: id } = await insertPayment(cli.db, {
      merchantId: books.merchantId,
      with: {
        order_id: 'ORDER é 1',
        account_reference: 'INV-1',
        provider_reference: 'ws_CO_1',
        provider_receipt: 'RCPT1',
      },
    });
    const { workflow_id: workflowId } = (await cli.db('payments').where({ payment_id: id }).first()) ?? {};
    for (const name of [id, id.toUpperCase(), 'ORDER é 1', 'INV-1', 'ws_CO_1', 'RCPT1', workflowId ?? '']) {
      expect(await cli.json('payment', 'show', name)).toMatchObject({ payment: { payment_id: id } });
    }
    expect(await cli.json('payment', 'show', books.deliveredWebhook)).toMatchObject({
      payment: { payment_id: books.succeeded },
    });
  });

  it('lists the payments when several have the reference', async () => {
    for (let i = 0; i < 2; i += 1) {
      await insertPayment(cli.db, { merchantId: books.merchantId, with: { account_reference: 'SAME' } });
    }
    const { code, out, json } = await cli.run('payment', 'show', 'SAME', '--json');
    expect(code).toBe(0);
    expect(json['payments']).toHaveLength(2);
    expect(out).not.toContain('workflow_url');
    expect((await cli.run('payment', 'show', 'SAME')).out).toContain('2 payments match; show one of them');
  });

  it('fails for a reference that no payment has', async () => {
    expect(await cli.run('payment', 'show', 'same')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('No payment'),
    });
  });
});

describe('malipo payment list', () => {
  it('filters by merchant, state, rail, age and number', async () => {
    const list = async (...filters: string[]) =>
      ((await cli.json('payment', 'list', ...filters))['payments'] as { payment_id: string }[]).map(
        (p) => p.payment_id,
      );
    expect(await list('--state', 'failed', '--limit', '100')).toEqual(
      expect.arrayContaining([books.failed, books.withdrawn, books.notPaidOut]),
    );
    expect(await list('--rail', 'quiet')).toEqual([books.quiet]);
    expect(await list('--merchant', books.otherMerchantId)).toEqual([]);
    expect(await list('--merchant', 'é')).toEqual([]);
    expect(await list('--limit', '2')).toHaveLength(2);
    expect(await list('--since', '2099-01-01')).toEqual([]);
    expect(await list('--since', '1h', '--state', 'queued')).toEqual([]);
    expect((await cli.run('payment', 'list', '--rail', 'quiet')).out).toContain(books.quiet);
  });

  it.each([
    ['--state', 'paid'],
    ['--since', 'yesterday'],
    ['--limit', '0'],
  ])('rejects %s %s', async (option, value) => {
    expect(await cli.run('payment', 'list', option, value)).toMatchObject({ code: 2, out: '' });
  });
});
