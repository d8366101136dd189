import { startTestBench, type TestBench } from '../../support/simulator/bench';

const SUCCESS = '254708374149';

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const callbacks = () => bench.receiver.received.map(({ stkCallback }) => stkCallback);
const resultCodes = () => callbacks().map(({ ResultCode }) => ResultCode);
const itemsOf = (index: number) =>
  new Map(callbacks()[index]?.CallbackMetadata?.Item.map((item) => [item.Name, item.Value]));

describe('a number that is not listed', () => {
  it('pays after two seconds, as the number for success does', async () => {
    const { daraja } = bench;
    const ids = [await daraja.prompt(SUCCESS), await daraja.prompt('254799123456')];
    await daraja.advance(1_500);
    expect(callbacks()).toEqual([]);
    expect(await daraja.outcomeOf(ids[0] ?? '')).toBe('open');

    await daraja.advance(1_000);
    expect(callbacks().map(({ CheckoutRequestID }) => CheckoutRequestID)).toEqual(ids);
    expect(resultCodes()).toEqual([0, 0]);
    expect(await daraja.outcomeOf(ids[0] ?? '')).toBe('0');
    expect(await daraja.books()).toEqual({ KES: { successes: 2, amount: '2500.00' } });
  });
});

describe('numbers that do not pay', () => {
  it.each([
    ['254711223344', 'insufficient funds', 1],
    ['254722334455', 'cancelled', 1032],
    ['254700002001', 'wrong PIN', 2001],
    ['254700001001', 'subscriber locked', 1001],
    ['254700001019', 'expired', 1019],
    ['254700000026', 'busy', 26],
    ['254700000002', 'declined', 2],
    ['254700000017', 'a repeated payment', 17],
    ['254700002028', 'shortcode', 2028],
    ['254700008006', 'PIN locked', 8006],
    ['254700000003', 'no such operator', 'SFC_IC0003'],
  ])('%s: %s, reported by notification %s without metadata and by the query', async (phone, _name, code) => {
    const { daraja } = bench;
    const id = await daraja.prompt(phone);
    await daraja.advance(2_500);
    expect(resultCodes()).toEqual([code]);
    expect(callbacks()[0]).not.toHaveProperty('CallbackMetadata');
    expect(await daraja.outcomeOf(id)).toBe(String(code));
    expect(await daraja.books()).toEqual({});
  });

  it('254733445566: open for a minute, then notification 1037', async () => {
    const { daraja } = bench;
    const id = await daraja.prompt('254733445566');
    await daraja.advance(58_000);
    expect(await daraja.outcomeOf(id)).toBe('open');
    expect(callbacks()).toEqual([]);
    await daraja.advance(3_000);
    expect(resultCodes()).toEqual([1037]);
    expect(await daraja.outcomeOf(id)).toBe('1037');
  });
});

describe('numbers with another text for an open prompt', () => {
  it.each([
    ['254700004999', '4999', 51_000],
    ['254700000712', '1037', 238_000],
  ])(
    '%s: the query answers %s, "still under processing", and the notification that it is paid',
    async (phone, code, ms) => {
      const { daraja } = bench;
      const id = await daraja.prompt(phone);
      await daraja.advance(ms);
      expect((await daraja.query(id)).body).toMatchObject({
        ResultCode: code,
        ResultDesc: 'The transaction is still under processing',
      });
      expect(callbacks()).toEqual([]);
      await daraja.advance(3_000);
      expect(resultCodes()).toEqual([0]);
      expect(await daraja.outcomeOf(id)).toBe('0');
    },
  );
});

describe('numbers whose notification is lost', () => {
  it.each([
    ['254700000701', 'paid', '0', 1],
    ['254700000702', 'cancelled', '1032', 0],
  ])('%s: %s, and only the query reports it after three seconds', async (phone, _name, code, paid) => {
    const { daraja } = bench;
    const id = await daraja.prompt(phone);
    await daraja.advance(2_000);
    expect(await daraja.outcomeOf(id)).toBe('open');
    await daraja.advance(1_500);
    expect(await daraja.outcomeOf(id)).toBe(code);
    await daraja.advance(600_000);
    expect(callbacks()).toEqual([]);
    expect(await daraja.successes()).toHaveLength(paid);
  });

  it('254700000703: open forever', async () => {
    const { daraja } = bench;
    const id = await daraja.prompt('254700000703');
    await daraja.advance(3_000_000);
    expect(await daraja.outcomeOf(id)).toBe('open');
    expect(callbacks()).toEqual([]);
  });
});

describe('numbers with unusual notifications', () => {
  it('254700000704: the query answers 1037 after a minute, and after two the notification reports the payment', async () => {
    const { daraja } = bench;
    const id = await daraja.prompt('254700000704');
    await daraja.advance(61_000);
    expect(await daraja.outcomeOf(id)).toBe('1037');
    expect(callbacks()).toEqual([]);
    expect(await daraja.books()).toEqual({});

    await daraja.advance(60_000);
    expect(resultCodes()).toEqual([0]);
    expect(await daraja.outcomeOf(id)).toBe('0');
    expect(await daraja.books()).toEqual({ KES: { successes: 1, amount: '1250.00' } });
  });

  it('254700000705: three identical notifications, a second apart, for one payment', async () => {
    const { daraja, receiver } = bench;
    await daraja.prompt('254700000705');
    await daraja.advance(2_500);
    expect(receiver.received).toHaveLength(1);
    await daraja.advance(1_000);
    expect(receiver.received).toHaveLength(2);
    await daraja.advance(60_000);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(await daraja.books()).toEqual({ KES: { successes: 1, amount: '1250.00' } });
  });

  it('254700000706: paid, and then cancelled for the same payment', async () => {
    const { daraja } = bench;
    const id = await daraja.prompt('254700000706');
    await daraja.advance(10_000);
    expect(resultCodes()).toEqual([0, 1032]);
    expect(callbacks().map(({ CheckoutRequestID }) => CheckoutRequestID)).toEqual([id, id]);
    expect(callbacks()[1]).not.toHaveProperty('CallbackMetadata');
    expect(await daraja.outcomeOf(id)).toBe('0');
  });

  it('254700000710: one shilling less than requested is paid', async () => {
    const { daraja } = bench;
    await daraja.prompt('254700000710');
    await daraja.advance(3_000);
    expect(itemsOf(0).get('Amount')).toBe(1249);
    expect(await daraja.books()).toEqual({ KES: { successes: 1, amount: '1249.00' } });
  });

  it('254700000711: the amount as text, the phone masked, no date', async () => {
    await bench.daraja.prompt('254700000711');
    await bench.daraja.advance(3_000);
    expect(itemsOf(0).get('Amount')).toBe('1250.00');
    expect(itemsOf(0).get('PhoneNumber')).toBe('2547*****711');
    expect(itemsOf(0).has('TransactionDate')).toBe(false);
    expect(itemsOf(0).get('MpesaReceiptNumber')).toMatch(/^[A-Z0-9]{10}$/);
  });
});

describe('numbers whose submission fails', () => {
  it('254700000707: the answer is lost although the request was accepted, and the payment follows', async () => {
    const { daraja } = bench;
    await expect(daraja.initiate('254700000707')).rejects.toThrow('fetch failed');
    await daraja.advance(3_000);
    expect(resultCodes()).toEqual([0]);
    expect(await daraja.successes()).toHaveLength(1);
  });

  it('254700000708: 503 without the error envelope, and nothing happened', async () => {
    const { daraja } = bench;
    const { status, contentType } = await daraja.initiate('254700000708');
    expect([status, contentType]).toEqual([503, 'text/html; charset=utf-8']);
    await daraja.advance(600_000);
    expect(callbacks()).toEqual([]);
  });

  it('254700000709: refused, the subscriber is locked', async () => {
    const { daraja } = bench;
    const { status, body } = await daraja.initiate('254700000709');
    expect(status).toBe(500);
    expect(body).toEqual({
      requestId: expect.any(String) as string,
      errorCode: '500.001.1001',
      errorMessage: expect.stringContaining('Unable to lock subscriber') as string,
    });
    await daraja.advance(600_000);
    expect(callbacks()).toEqual([]);
  });
});
