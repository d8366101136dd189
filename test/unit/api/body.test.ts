import { credentials, errorOf, serve, type Served } from '../../support/api/serve';

const kilobytes64 = 64 * 1024;

/** A body of exactly this many bytes, most of them in an unknown field. */
function bodyOf(bytes: number): string {
  const frame = '{"reference":"r","filler":""}';
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
}

function nested(depth: number): string {
  // The body itself is the first level.
  return `{"filler":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
}

describe('the body of a request', () => {
  let api: Served;
  beforeAll(async () => {
    api = await serve();
  });
  afterAll(() => api.close());

  describe('200', () => {
    const taken: [string, string | Buffer][] = [
      ['an object of 64 kB', bodyOf(kilobytes64)],
      ['nesting 20 levels deep', nested(20)],
      ['brackets in a text, which are no nesting', JSON.stringify({ reference: '[{'.repeat(20) })],
      ['an unknown field, which is ignored', '{"unheard_of":1}'],
      ['null for an absent optional field', '{"reference":null,"amount":null,"metadata":null}'],
      ['the same key in two different objects', '{"filler":{"a":1,"b":{"a":1}}}'],
      ['an emoji, right-to-left text and an escaped quote', '{"reference":"🧾 فاتورة \\"1\\""}'],
      ['white space around the object', ' \r\n\t{ } \n'],
    ];
    it.each(taken)('accepts %s', async (_, body) => {
      expect((await api.post('/api/v1/echo', body)).status).toBe(200);
    });

    it('returns text character by character', async () => {
      const reference = `'; DROP TABLE payments; -- <b>{{7*7}}</b> שלום 𝒳`;
      const response = await api.post('/api/v1/echo', { reference });
      expect(await response.json()).toMatchObject({ reference });
    });

    it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
      'accepts %s',
      async (type) => {
        expect((await api.post('/api/v1/echo', '{}', { 'Content-Type': type })).status).toBe(200);
      },
    );
  });

  describe('400', () => {
    const refused: [string, string | Buffer][] = [
      ['an empty body', ''],
      ['half an object', '{"reference":"r"'],
      ['a text without an end', `{"reference":"${'\\"'.repeat(30_000)}`],
      ['a list', '[{"reference":"r"}]'],
      ['a bare number', '5'],
      ['null', 'null'],
      ['nesting 21 levels deep', nested(21)],
      ['nesting 20,000 levels deep', nested(20_000)],
      ['a key that comes twice with other values', '{"amount":10,"amount":1000}'],
      ['a key that comes twice with the same value', '{"amount":10,"amount":10}'],
      ['a key that comes twice, once escaped', '{"amount":10,"\\u0061mount":1000}'],
      ['a key that comes twice further down', '{"metadata":{"a":1,"b":[{"c":1,"c":1}]}}'],
      ['the key __proto__', '{"__proto__":{"isAdmin":true}}'],
      ['the key __proto__, escaped', '{"metadata":{"\\u005f_proto__":{"isAdmin":true}}}'],
      ['the key constructor', '{"metadata":{"constructor":{"prototype":{"isAdmin":true}}}}'],
      ['a byte order mark', '\uFEFF{}'],
      ['bytes that are no UTF-8', Buffer.from('{"reference":"\xe9"}', 'latin1')],
      ['UTF-16', Buffer.from('{}', 'utf16le')],
      ['a number with a leading zero', '{"amount":010}'],
      ['a hexadecimal number', '{"amount":0x10}'],
      ['NaN', '{"amount":NaN}'],
      ['a number with a plus sign', '{"amount":+1}'],
      ['single quotes', "{'amount':1}"],
      ['a comma at the end', '{"amount":1,}'],
      ['a comment', '{"amount":1/* one */}'],
      ['two objects', '{} {}'],
      ['a line break inside a text', '{"reference":"a\nb"}'],
    ];
    it.each(refused)('rejects %s', async (_, body) => {
      const response = await api.post('/api/v1/echo', body);
      expect([response.status, (await errorOf(response)).code]).toEqual([400, 'INVALID_JSON']);
      expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    });

    it.each([
      ['half of a surrogate pair', '{"reference":"\\ud800"}'],
      ['a NUL', '{"reference":"a\\u0000b"}'],
      ['a line break', '{"reference":"a\\nb"}'],
      ['an escape of a terminal', '{"reference":"\\u001b[2J"}'],
      ['what turns a text around', '{"reference":"a\\u202eb"}'],
      ['a number for a text', '{"reference":5}'],
      ['an object for a text', '{"reference":{"merchant_id":1}}'],
      ['a list for a text', '{"reference":["r"]}'],
      ['true for a text', '{"reference":true}'],
      ['a text that is too long', `{"reference":"${'x'.repeat(51)}"}`],
    ])('rejects %s and names the field', async (_, body) => {
      const response = await api.post('/api/v1/echo', body);
      expect(response.status).toBe(400);
      expect((await errorOf(response)).details).toEqual([
        { field: 'reference', message: expect.stringMatching(/^reference /) as string },
      ]);
    });

    it('reads 64 kB of unterminated quotes quickly', async () => {
      const before = process.cpuUsage();
      await api.post('/api/v1/echo', `{"a":"${'\\"'.repeat(32_000)}`);
      // Processor time, not the time spent waiting for a processor.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
    });
  });

  describe('413', () => {
    it('rejects one byte more than 64 kB', async () => {
      const response = await api.post('/api/v1/echo', bodyOf(kilobytes64 + 1));
      expect([response.status, (await errorOf(response)).code]).toEqual([413, 'BODY_TOO_LARGE']);
    });

    it('answers the sender of 900 kB instead of cutting the connection', async () => {
      expect((await api.post('/api/v1/echo', bodyOf(900_000))).status).toBe(413);
    });

    it('rejects a body of undeclared length as soon as it is too long', async () => {
      const chunks = Array.from({ length: 70 }, () => new Uint8Array(1024).fill(0x20));
      const response = await fetch(`${api.url}/api/v1/echo`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...credentials },
        body: new ReadableStream({
          start(controller) {
            for (const chunk of chunks) controller.enqueue(chunk);
            controller.close();
          },
        }),
        duplex: 'half',
      });
      expect(response.status).toBe(413);
    });
  });

  describe('415', () => {
    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=iso-8859-1',
      'json',
    ])('rejects %s', async (type) => {
      const response = await api.post('/api/v1/echo', '{}', { 'Content-Type': type });
      expect([response.status, (await errorOf(response)).code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    });

    it('rejects a POST without headers about its body', async () => {
      const response = await fetch(`${api.url}/api/v1/echo`, { method: 'POST', headers: credentials });
      expect(response.status).toBe(415);
    });

    it('rejects a compressed body, whose size is unknown', async () => {
      const response = await api.post('/api/v1/echo', '{}', { 'Content-Encoding': 'gzip' });
      expect(response.status).toBe(415);
    });
  });
});
