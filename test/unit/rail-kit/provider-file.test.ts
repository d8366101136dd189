import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { providerFiles } from '../../../src/rail-kit/provider-file';

let server: Server;
let origin: string;
const requests: IncomingMessage[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    if (request.url === '/elsewhere') response.writeHead(302, { location: `${origin}/file` }).end();
    else response.end('id,amount');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
beforeEach(() => requests.splice(0));
afterAll(() => server.close());

const get = (url: string, { baseUrl = origin, bytesMax = 100, address = '127.0.0.1' } = {}) =>
  providerFiles(
    'momo',
    `${baseUrl}/api`,
    () => undefined,
    () => Promise.resolve([{ address, family: 4 }]),
  ).get({ call: 'statement_file', url, timeoutMs: 10_000, bytesMax });

describe("a file from a provider's answer", () => {
  it("is downloaded from the provider's own origin, without credentials", async () => {
    const answer = await get(`${origin}/file?signature=secret`);
    expect(answer).toMatchObject({ kind: 'answered', status: 200, content: Buffer.from('id,amount') });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('is not downloaded from elsewhere', async () => {
    expect(await get(`${origin}/elsewhere`)).toMatchObject({ kind: 'answered', status: 302 });
    expect(requests).toHaveLength(1);
  });

  it('is rejected if it is too large', async () => {
    expect(await get(`${origin}/file`, { bytesMax: 5 })).toMatchObject({
      kind: 'unknown',
      text: 'the file is too large',
    });
  });

  it.each([
    ['without TLS', 'http://store.example.com/file', '203.0.113.9', /not https/],
    ['at an address of this machine', 'https://127.0.0.1/file', '', /not https/],
    ['at the address of a metadata service', 'https://169.254.169.254/latest', '', /not https/],
    ['at a name that leads inside', 'https://store.example.com/file', '10.0.0.7', /not https/],
    ['in a file of this machine', 'file:///etc/passwd', '', /INVALID_ARG/],
    ['at no address', 'store', '', /no address/],
  ])('is not downloaded %s', async (_what, url, address, text) => {
    const answer = await get(url, { baseUrl: 'https://api.example.com', address });
    expect(answer).toMatchObject({
      kind: expect.not.stringMatching('answered'),
      text: expect.stringMatching(text),
    });
  });

  it('is not downloaded from another port of the provider without TLS', async () => {
    expect(await get(`${origin}/file`, { baseUrl: 'http://127.0.0.1:9' })).toMatchObject({
      kind: 'not_sent',
    });
    expect(requests).toEqual([]);
  });
});
