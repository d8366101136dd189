import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { request } from 'undici';
import {
  guardedAgent,
  nameServerLookup,
  RefusedAddressError,
  type Lookup,
} from '../../../src/webhooks/guarded-agent';
import { always, startReceiver, type Receiver } from '../../support/webhooks/webhook-support';

let receiver: Receiver;
let port: string;
beforeAll(async () => {
  receiver = await startReceiver((response, _, { url }) => {
    if (url === '/moved') response.writeHead(302, { location: '/' }).end();
    else always(200, 'ok')(response, 0, undefined as never);
  });
  port = new URL(receiver.url).port;
});
afterAll(() => receiver.close());

const resolvesTo =
  (...addresses: string[]): Lookup =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

async function statusOf(url: string, environment: 'sandbox' | 'live', lookup?: Lookup): Promise<number> {
  const agent = guardedAgent({ environment, lookup, connectTimeoutMs: 1_000 });
  try {
    const response = await request(url, { dispatcher: agent, method: 'POST', body: '{}' });
    await response.body.dump();
    return response.statusCode;
  } finally {
    await agent.destroy();
  }
}

describe('in live', () => {
  // Node makes no lookup for a literal address, so a guard in the lookup would never see these.
  it.each([
    'https://127.0.0.1:PORT/',
    'https://[::1]:PORT/',
    'https://2130706433:PORT/',
    'https://0177.0.0.1:PORT/',
    'https://0x7f.1:PORT/',
    'https://[::ffff:127.0.0.1]:PORT/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://100.64.0.1/',
    'https://[64:ff9b::7f00:1]/',
  ])('connects to no literal %s', async (url) => {
    await expect(statusOf(url.replace('PORT', port), 'live')).rejects.toBeInstanceOf(RefusedAddressError);
  });

  it.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['100.64.0.1'],
    ['0.0.0.0'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['2002:7f00:1::'],
    ['fd00::1'],
    ['93.184.216.34', '127.0.0.1'],
    ['2606:4700::6810:84e5', 'fe80::1'],
  ])('connects to no name that resolves to %s %s', async (...addresses) => {
    const attempt = statusOf(`https://shop.example.com:${port}/`, 'live', resolvesTo(...addresses));
    await expect(attempt).rejects.toThrow('not public');
  });

  it('uses only https', async () => {
    const attempt = statusOf('http://shop.example.com/', 'live', resolvesTo('93.184.216.34'));
    await expect(attempt).rejects.toThrow('only https');
  });

  it('has sent no data for any of these', () => {
    expect(receiver.connections()).toBe(0);
  });
});

describe('in sandbox', () => {
  it.each(['http://127.0.0.1:PORT/', 'http://localhost:PORT/'])(
    'connects to this machine: %s',
    async (url) => {
      expect(await statusOf(url.replace('PORT', port), 'sandbox')).toBe(200);
    },
  );

  it('rejects a private network all the same', async () => {
    await expect(statusOf('http://192.168.1.1/', 'sandbox')).rejects.toBeInstanceOf(RefusedAddressError);
    await expect(statusOf('http://shop.example.com/', 'sandbox', resolvesTo('10.0.0.1'))).rejects.toThrow(
      'not public',
    );
  });
});

describe('a name', () => {
  it('is looked up once per connection, and that address is used', async () => {
    let lookups = 0;
    // A name server with a good address for the check and a bad one for the connection.
    const rebinding: Lookup = () => {
      lookups += 1;
      return resolvesTo(lookups === 1 ? '127.0.0.1' : '10.0.0.1')('');
    };
    expect(await statusOf(`http://shop.example.com:${port}/`, 'sandbox', rebinding)).toBe(200);
    expect(lookups).toBe(1);
    expect(receiver.received.at(-1)?.headers.host).toBe(`shop.example.com:${port}`);
  });

  it('without an address is rejected', async () => {
    await expect(statusOf('http://shop.example.com/', 'sandbox', resolvesTo())).rejects.toThrow(
      'has no address',
    );
  });

  it('that cannot be looked up is a failed connection', async () => {
    const broken: Lookup = () => Promise.reject(new Error('SERVFAIL'));
    await expect(statusOf('http://shop.example.com/', 'sandbox', broken)).rejects.toThrow('SERVFAIL');
  });

  it('with a silent name server ends with the connect timeout', async () => {
    const silent: Lookup = () => new Promise(() => undefined);
    await expect(statusOf('http://shop.example.com/', 'sandbox', silent)).rejects.toThrow('Connect Timeout');
  });
});

it('follows no redirect', async () => {
  expect(await statusOf(`${receiver.url}/moved`, 'sandbox')).toBe(302);
});

describe('querying the name servers', () => {
  const name = Buffer.from('\x04shop\x07example\x03com\x00', 'latin1');

  /** shop.example.com is 127.0.0.7 and has no IPv6 address; other names have no address at all. */
  function answerTo(question: Buffer): Buffer {
    const nameEnd = question.indexOf(0, 12) + 1;
    const isV4 = question.subarray(12, nameEnd).equals(name) && question.readUInt16BE(nameEnd) === 1;
    const asked = question.subarray(12, nameEnd + 4);
    const head = Buffer.from([0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0]);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 7]);
    return Buffer.concat([question.subarray(0, 2), head, asked, ...(isV4 ? [record] : [])]);
  }

  it('finds the existing addresses', async () => {
    const server = createSocket('udp4', (question, { port: askerPort, address }) => {
      server.send(answerTo(question), askerPort, address);
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    const resolver = new dns.Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([`127.0.0.1:${String(server.address().port)}`]);
    const lookup = nameServerLookup(resolver);

    try {
      expect(await lookup('shop.example.com')).toEqual([{ address: '127.0.0.7', family: 4 }]);
      await expect(lookup('other.example.com')).rejects.toThrow('ENODATA');
    } finally {
      server.close();
    }
  });
});
