import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
beforeEach(() => cli.db('fx_rates').delete());
afterAll(() => cli.drop());

const minute = 60_000;

async function observe(quote: 'KES' | 'UGX', ageMs: number): Promise<Date> {
  const observedAt = new Date(Date.now() - ageMs);
  await cli
    .db('fx_rates')
    .insert({ base: 'USD', quote, rate: '129.50', source: 'file:rates.json', observed_at: observedAt });
  return observedAt;
}

describe('malipo fx show', () => {
  it('reports that there is no rate', async () => {
    expect(await cli.run('fx', 'show')).toMatchObject({ code: 0, out: 'There is no exchange rate yet.\n' });
  });

  it('lists the newest rate of each pair with its age, and marks those that are too old', async () => {
    await observe('KES', 90 * minute);
    await observe('KES', 12.5 * minute);
    await observe('UGX', 27 * 60 * minute);
    const { out } = await cli.run('fx', 'show');
    expect(out).toMatch(/^pair +rate +observed +age +source/);
    expect(out).toMatch(/^USD\/KES +129\.5000000000 +\S+ \S+ [+-]\d\d:\d\d +12 min +file:rates\.json *$/m);
    expect(out).toMatch(/^USD\/UGX .* 1 d 3 h +file:rates\.json +too old to use$/m);
    expect(out.trimEnd().split('\n')).toHaveLength(3);
  });

  it('lists them as JSON', async () => {
    const observedAt = await observe('KES', 7 * 60 * minute + 30_000);
    expect(await cli.json('fx', 'show')).toEqual({
      rates: [
        {
          base: 'USD',
          quote: 'KES',
          rate: '129.5000000000',
          source: 'file:rates.json',
          observed_at: observedAt.toISOString(),
          age_seconds: expect.any(Number),
          usable: false,
        },
      ],
    });
  });
});

describe('malipo doctor', () => {
  async function providerResult(name: string): Promise<{ level: string; sentence: string } | undefined> {
    const { json } = await cli.run('doctor', '--json');
    return (json['findings'] as { name: string; level: string; sentence: string }[]).find(
      (one) => one.name === name,
    );
  }

  const in_ = (environment: 'sandbox' | 'live', source = '') => {
    const env = {
      MALIPO_ENV: environment,
      MALIPO_PUBLIC_URL: 'https://pay.example.com',
      MALIPO_FX_SOURCE: source,
    };
    cli.session = { config: testConfig(cli.url, env) };
  };

  it('reports in live that no source is set', async () => {
    in_('live');
    expect(await providerResult('exchange rates')).toMatchObject({
      level: 'attention',
      sentence: expect.stringContaining('MALIPO_FX_SOURCE is not set'),
    });
  });

  it('reports the age of the rates', async () => {
    in_('live', 'file:rates.json');
    await observe('KES', 12.5 * minute);
    await observe('UGX', 65.5 * minute);
    expect(await providerResult('exchange rates')).toEqual({
      name: 'exchange rates',
      level: 'ok',
      sentence: 'The oldest exchange rate is 1 h 5 min old.',
    });
  });

  it.each([
    ['live', 'fault'],
    ['sandbox', 'attention'],
  ] as const)('reports in %s a source that delivers no rates: %s', async (environment, level) => {
    in_(environment, 'file:rates.json');
    expect(await providerResult('exchange rates')).toMatchObject({
      level,
      sentence: expect.stringContaining('no exchange rate yet'),
    });
    await observe('KES', 12.5 * minute);
    await observe('UGX', 27 * 60 * minute);
    expect(await providerResult('exchange rates')).toMatchObject({
      level,
      sentence: expect.stringContaining('USD/UGX (1 d 3 h)'),
    });
  });
});
