import { openAccount } from '../../../src/ledger/accounts';
import { placeHold } from '../../../src/ledger/holds';
import { createMerchant } from '../../../src/merchants/merchants';
import { verify } from '../../../src/verify/verify';
import { box, insertPayment } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchant: string;
beforeAll(async () => {
  cli = await createTestCli();
});
beforeEach(async () => {
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
});
afterEach(async () => {
  expect((await verify(cli.db, cli.context.rails)).clean).toBe(true);
});
afterAll(() => cli.drop());

/** A created payout, with its amount reserved. */
async function holdForPayout(merchantId: string, amountMinor: bigint): Promise<void> {
  const key = { merchantId, rail: 'momo', country: 'KEN', currency: 'KES' } as const;
  const [from, reserved] = await Promise.all([
    openAccount(cli.db, { class: 'float', ...key }),
    openAccount(cli.db, { class: 'float_reserved', ...key }),
  ]);
  await cli.db.transaction(async (trx) => {
    const payout = await insertPayment(trx, { merchantId, kind: 'payout', rail: 'momo', amountMinor });
    const hold = { paymentId: payout.payment_id, from, reserved, amountMinor };
    await placeHold(trx, { ...hold, whenShort: 'FLOAT_INSUFFICIENT' });
  });
}

const because = ['--reason', 'bank slip 12'];
const zambian = ['--rail', 'momo', '--country', 'ZMB', '--currency', 'ZMW'];

describe('malipo float', () => {
  it('can be funded, withdrawn and shown', async () => {
    const added = await cli.json('float', 'add', merchant, ...zambian, '--amount', '1000.00', ...because);
    expect(added).toMatchObject({
      amount: '1000.00',
      currency: 'ZMW',
      from: 'bank',
      to: 'float',
      balances: { float: '1000.00' },
    });
    await cli.json('float', 'withdraw', merchant, ...zambian, '--amount', '250.5', ...because);
    expect(await cli.json('float', 'show', merchant)).toEqual({
      merchant_id: merchant,
      floats: [{ rail: 'momo', country: 'ZMB', currency: 'ZMW', available: '749.50', reserved: '0.00' }],
    });
    expect((await cli.run('float', 'show', merchant)).out).toMatch(/momo +ZMB +ZMW +749\.50 +0\.00/);
    const entry = await cli
      .db('ledger_entries')
      .where({ source_id: String(added['transfer_id']) })
      .first();
    expect(entry).toMatchObject({ source_type: 'transfer', reason: 'bank slip 12' });
  });

  it('is booked with the action id of its audit line, and each action has its own id', async () => {
    const transfer = ['float', 'add', merchant, ...zambian, '--amount', '10.00', ...because];
    await cli.json(...transfer, '--dry-run');
    const ids = [
      String((await cli.json(...transfer))['transfer_id']),
      String((await cli.json(...transfer))['transfer_id']),
    ];
    const entries = await cli.db('ledger_entries').whereIn('source_id', ids).orderBy('entry_id');
    const lines = await cli
      .db('audit_log')
      .where({ subject_id: merchant, action: 'float.add' })
      .orderBy('seq');
    const named = lines.map(({ details }) => (JSON.parse(details) as { action_id: string }).action_id);
    expect(entries.map(({ action_id: id }) => id)).toEqual(named);
    expect(new Set(named).size).toBe(2);
  });

  it('shows only the named rail, country or currency', async () => {
    const floats = [zambian, ['--rail', 'momo', '--country', 'COD', '--currency', 'USD']];
    floats.push(['--rail', 'walletpay', '--currency', 'USD']);
    for (const float of floats)
      await cli.json('float', 'add', merchant, ...float, '--amount', '5', ...because);

    const shown = async (...filter: string[]) => {
      const { floats: found } = await cli.json('float', 'show', merchant, ...filter);
      return (found as Record<string, unknown>[]).map(({ rail, country, currency }) => [
        rail,
        country,
        currency,
      ]);
    };
    const [congolese, wallet] = [
      ['momo', 'COD', 'USD'],
      ['walletpay', null, 'USD'],
    ];
    expect(await shown()).toEqual([congolese, ['momo', 'ZMB', 'ZMW'], wallet]);
    expect(await shown('--country', 'COD')).toEqual([congolese]);
    expect(await shown('--rail', 'walletpay')).toEqual([wallet]);
    expect(await shown('--currency', 'USD')).toEqual([congolese, wallet]);
    expect(await shown('--rail', 'momo', '--currency', 'USD')).toEqual([congolese]);

    const none = await cli.run('float', 'show', merchant, '--country', 'KEN');
    expect(none).toMatchObject({ code: 0, out: 'There is no such float yet.\n' });
    for (const wrong of [
      ['--country', 'Zambia'],
      ['--currency', 'ABC'],
      ['--rail', 'stk'],
    ])
      expect(await cli.run('float', 'show', merchant, ...wrong)).toMatchObject({ code: 2, out: '' });
  });

  it('cannot withdraw what is reserved for an open payout', async () => {
    const kenyan = ['--rail', 'momo', '--country', 'KEN', '--currency', 'KES'];
    await cli.json('float', 'add', merchant, ...kenyan, '--amount', '100.00', ...because);
    await holdForPayout(merchant, 4_000n);
    expect(await cli.json('float', 'show', merchant)).toMatchObject({
      floats: [{ available: '60.00', reserved: '40.00' }],
    });
    const all = ['withdraw', merchant, ...kenyan, '--amount', '60.01', ...because];
    expect(await cli.run('float', ...all)).toMatchObject({
      code: 1,
      err: 'The float has 60.00 KES, less than 60.01.\n',
    });
    const rest = ['withdraw', merchant, ...kenyan, '--amount', '60.00', ...because];
    expect(await cli.json('float', ...rest)).toMatchObject({
      from: 'float',
      to: 'bank',
      balances: { float: '0.00' },
    });
    expect(await cli.json('float', 'show', merchant)).toMatchObject({
      floats: [{ available: '0.00', reserved: '40.00' }],
    });
  });

  it('is the same for an id in capitals', async () => {
    await cli.json('float', 'add', merchant.toUpperCase(), ...zambian, '--amount', '1.00', ...because);
    const { balances } = await cli.json('float', 'add', merchant, ...zambian, '--amount', '1.00', ...because);
    expect(balances).toEqual({ float: '2.00' });
  });

  it('rejects more than its balance, and prints the balance', async () => {
    await cli.json('float', 'add', merchant, ...zambian, '--amount', '10.00', ...because);
    expect(
      await cli.run('float', 'withdraw', merchant, ...zambian, '--amount', '10.01', ...because),
    ).toMatchObject({
      code: 1,
      out: '',
      err: 'The float has 10.00 ZMW, less than 10.01.\n',
    });
    const refused = await cli.run(
      'float',
      'withdraw',
      merchant,
      ...zambian,
      '--amount',
      '10.01',
      ...because,
      '--json',
    );
    expect(JSON.parse(refused.err)).toMatchObject({ error: { code: 'FLOAT_INSUFFICIENT' } });
  });

  it.each([
    ['an unknown rail', ['--rail', 'stk', '--currency', 'ZMW', '--amount', '1', ...because]],
    ['momo without a country', ['--rail', 'momo', '--currency', 'ZMW', '--amount', '1', ...because]],
    [
      'walletpay with a country',
      ['--rail', 'walletpay', '--country', 'KEN', '--currency', 'USD', '--amount', '1', ...because],
    ],
    [
      'an invalid country',
      ['--rail', 'momo', '--country', 'Zambia', '--currency', 'ZMW', '--amount', '1', ...because],
    ],
    [
      'an invalid currency',
      ['--rail', 'momo', '--country', 'ZMB', '--currency', 'ABC', '--amount', '1', ...because],
    ],
    ['a zero amount', [...zambian, '--amount', '0', ...because]],
    ['a negative amount', [...zambian, '--amount', '-5', ...because]],
    ['half a ngwee', [...zambian, '--amount', '1.005', ...because]],
    ['an empty reason', [...zambian, '--amount', '1', '--reason', ' ']],
    ['no reason', [...zambian, '--amount', '1']],
  ])('rejects %s', async (_, options) => {
    expect(await cli.run('float', 'add', merchant, ...options)).toMatchObject({ code: 2, out: '' });
    expect(await cli.db('ledger_accounts').where({ merchant_id: merchant })).toEqual([]);
  });

  it('fails for an unknown merchant', async () => {
    const unknown = '00000000-0000-7000-8000-000000000000';
    expect(await cli.run('float', 'add', unknown, ...zambian, '--amount', '1', ...because)).toMatchObject({
      code: 1,
    });
    expect(await cli.run('float', 'show', unknown)).toMatchObject({ code: 1 });
  });
});

describe('malipo wallet', () => {
  const kes = ['--currency', 'KES'];

  it('can be adjusted up and down, against bank or suspense', async () => {
    await cli.json('wallet', 'adjust', merchant, ...kes, '--amount', '50.00', ...because);
    const { to, balances } = await cli.json(
      'wallet',
      'adjust',
      merchant,
      ...kes,
      '--amount',
      '-12.50',
      '--against',
      'suspense',
      ...because,
    );
    expect([to, balances]).toEqual(['suspense', { wallet: '37.50' }]);
    expect(await cli.json('wallet', 'show', merchant)).toEqual({
      merchant_id: merchant,
      wallets: [{ currency: 'KES', available: '37.50', reserved: '0.00' }],
    });
  });

  it('can fund a float', async () => {
    await cli.json('wallet', 'adjust', merchant, ...kes, '--amount', '50.00', ...because);
    const transfer = ['--amount', '20', '--to-rail', 'momo', '--country', 'KEN', ...because];
    expect(await cli.json('wallet', 'transfer', merchant, ...kes, ...transfer)).toMatchObject({
      from: 'wallet',
      to: 'float',
      balances: { wallet: '30.00', float: '20.00' },
    });
  });

  it('cannot go below zero', async () => {
    const short = { code: 1, out: '', err: 'The wallet has 0.00 KES, less than 1.00.\n' };
    expect(
      await cli.run('wallet', 'adjust', merchant, ...kes, '--amount', '-1.00', ...because),
    ).toMatchObject(short);
    const transfer = ['--amount', '1', '--to-rail', 'momo', '--country', 'KEN', ...because];
    expect(await cli.run('wallet', 'transfer', merchant, ...kes, ...transfer)).toMatchObject(short);
  });

  it('rejects another account to adjust against', async () => {
    const options = [...kes, '--amount', '1', '--against', 'fees', ...because];
    expect(await cli.run('wallet', 'adjust', merchant, ...options)).toMatchObject({
      code: 2,
      err: expect.stringContaining('bank, suspense'),
    });
  });

  it('reports that it was never used, or that the merchant is unknown', async () => {
    expect((await cli.run('wallet', 'show', merchant)).out).toContain('There is no such wallet yet');
    expect(await cli.run('wallet', 'show', 'x')).toMatchObject({ code: 1 });
  });
});
