/** The exchanges with a provider, as the simulator shows them. */
import { providers } from '../../../simulator/providers';
import { createRequestLog } from '../../../simulator/requests';
import { startTestBench, type TestBench } from '../../support/simulator/bench';

const SUCCESS = '254708374149';

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

describe('GET /control/requests', () => {
  it('shows requests and answers, newest last, without secrets', async () => {
    const { daraja } = bench;
    const id = await daraja.prompt(SUCCESS);
    await daraja.advance(3_000);
    await daraja.query(id);
    const requests = await daraja.requests();
    expect(requests.map(({ call, direction }) => `${String(call)} ${String(direction)}`)).toEqual([
      'token received',
      'initiate received',
      'callback sent',
      'query received',
    ]);
    expect(requests[0]).toMatchObject({
      headers: { authorization: '***' },
      answer: { status: 200, body: { access_token: '***', expires_in: '3599' } },
    });
    expect(requests[1]).toMatchObject({
      method: 'POST',
      url: '/mpesa/stkpush/v1/processrequest',
      headers: { authorization: '***' },
      body: { Password: '***', Amount: 1250, PhoneNumber: SUCCESS },
      answer: { status: 200, body: { CheckoutRequestID: id } },
    });
    expect(requests[2]).toMatchObject({
      url: expect.stringContaining(bench.receiver.url) as string,
      body: { Body: { stkCallback: { CheckoutRequestID: id, ResultCode: 0 } } },
      answer: { status: 200, body: '{"ResultCode":0,"ResultDesc":"Accepted"}' },
    });
    expect(JSON.stringify(requests)).not.toContain(await daraja.bearer());
  });

  it('shows those of one call', async () => {
    const { daraja } = bench;
    const askedOf = (call: string) =>
      daraja.call<{ requests: { call: string }[] }>(`/control/requests?provider=stk&call=${call}`);
    await daraja.prompt(SUCCESS);
    const { requests } = (await askedOf('initiate')).body;
    expect(requests.map(({ call }) => call)).toEqual(['initiate']);
    expect(await askedOf('initiate&call=query')).toMatchObject({
      status: 400,
      body: { success: false, error: 'call must be one name' },
    });
  });

  it('keeps the last thousand', () => {
    const log = createRequestLog(bench.simulator.clock);
    const exchange = {
      provider: 'stk',
      call: 'query',
      direction: 'received',
      method: 'POST',
      url: '/',
    } as const;
    for (let n = 0; n < 2_100; n += 1) log.add({ ...exchange, headers: {}, body: n });
    expect(log.list({}).map(({ body }) => body)).toEqual(Array.from({ length: 1_000 }, (_, n) => 1_100 + n));
  });

  it('refuses a provider that it does not simulate', async () => {
    expect(await bench.daraja.call('/control/requests?provider=bank')).toMatchObject({
      status: 400,
      body: {
        success: false,
        error: `provider must be one of: ${providers.map(({ name }) => name).join(', ')}`,
      },
    });
  });
});
