import { stk } from '../../../../src/rails/stk';
import { darajaStatement } from '../../../../src/rails/stk/providers/daraja/statement';
import type { FetchedStatement } from '../../../../src/reconciliation/statement-source';
import { hourMs, patiently } from '../../../support/reconciliation/statement-support';
import { credentials } from '../../../support/simulator/credentials';
import { startTestBench, type TestBench } from '../../../support/simulator/bench';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';
import { atOnce } from '../../../support/at-once';

function linesOf(statement: FetchedStatement) {
  if (statement.kind !== 'fetched') throw new Error(`nothing was fetched: ${statement.text}`);
  return atOnce(darajaStatement.read(statement.content, {}));
}

describe('the statement of the sandbox', () => {
  let bench: TestBench;
  beforeEach(async () => {
    bench = await startTestBench();
  });
  afterEach(() => bench.stop());

  const railWith = (more: NodeJS.ProcessEnv) =>
    stk.create({
      environment: 'sandbox',
      publicUrl: 'http://127.0.0.1:1',
      timezone: 'Africa/Nairobi',
      timeScale: 1_000,
      env: { ...credentials, STK_BASE_URL: bench.daraja.origin, ...more },
      log: silentLog,
      tokens: ownTokens(),
      observe() {},
    });

  async function fetchOne(from: Date, to: Date): Promise<FetchedStatement> {
    const rail = railWith({ STK_PULL_TRANSACTIONS: 'on', STK_PULL_NUMBER: '254722000000' });
    const { statementSource: source } = rail;
    if (!source || 'missing' in source) throw new Error('nothing is fetched');
    return source.fetch({ from, to }, patiently);
  }
  const around = (): [Date, Date] => [new Date(Date.now() - hourMs), new Date(Date.now() + hourMs)];

  it('has the payments of the prompts, page by page, with a token that is requested again', async () => {
    for (const phone of ['254708374149', '254733445566']) await bench.daraja.prompt(phone);
    await bench.daraja.advance(60_000);
    await bench.daraja.post('/control/statement', { provider: 'stk', page_size: 1 });
    await bench.daraja.next({ call: 'statement', behave: 'expired_token', where: { offset: '1' } });
    const lines = linesOf(await fetchOne(...around()));
    const paid = await bench.daraja.successes();
    expect(paid).not.toHaveLength(0);
    expect(lines).toEqual(
      paid.map(({ receipt, phone, amount }): unknown =>
        expect.objectContaining({
          providerReference: receipt,
          phone,
          amountMinor: BigInt(String(amount).replace('.', '')),
        }),
      ),
    );
  });

  it('is empty for a night without payments', async () => {
    expect(linesOf(await fetchOne(...around()))).toEqual([]);
  });

  it('requires a registered shortcode, and covers the last 48 hours', async () => {
    const { daraja } = bench;
    const authorization = await daraja.bearer();
    const wallClock = (hoursAgo: number) =>
      new Date(Date.now() + (3 - hoursAgo) * hourMs).toISOString().slice(0, 19).replace('T', ' ');
    const ask = async (call: string, more: object) => {
      const fields = { ShortCode: '174379', ...more };
      const { body } = await daraja.post(`/pulltransactions/v1/${call}`, fields, { authorization });
      return body['errorMessage'] ?? body['ResponseStatus'] ?? body['ResponseCode'];
    };
    const query = (hoursAgo: number) =>
      ask('query', { StartDate: wallClock(hoursAgo), EndDate: wallClock(0), OffSetValue: '0' });
    const account = { NominatedNumber: '254722000000', CallBackURL: 'http://127.0.0.1:1/pull' };
    const register = (RequestType: string) => ask('register', { RequestType, ...account });

    expect(await query(1)).toBe('Bad Request - Invalid ShortCode');
    expect(await register('Push')).toBe('Bad Request - Invalid RequestType');
    expect([await register('Pull'), await register('Pull')]).toEqual(['1000', '1001']);
    expect(await query(47)).toBe('1001');
    expect(await query(49)).toBe('Bad Request - Invalid StartDate');
  });

  it('is fetched only with its setting', () => {
    expect(railWith({}).statementSource).toEqual({
      missing: expect.stringContaining('STK_PULL_TRANSACTIONS') as unknown,
    });
    expect(() => railWith({ STK_PULL_TRANSACTIONS: 'on' })).toThrow(/STK_PULL_NUMBER/);
  });
});
