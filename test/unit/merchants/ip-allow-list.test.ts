import { isAddressRange, readAddressRanges } from '../../../src/domain/ip-address';
import { clientAddress, isAllowedAddress, isTrustedProxy } from '../../../src/merchants/ip-allow-list';
import { readStkSettings } from '../../../src/rails/stk/settings';

describe('an entry of an allow-list', () => {
  it.each([
    ['41.90.64.7', true],
    ['41.90.0.0/16', true],
    ['0.0.0.0/0', true],
    ['2c0f:fe38::/32', true],
    ['2c0f:fe38::7', true],
    ['::ffff:41.90.64.7', true],
    ['::ffff:41.90.0.0/112', true],
    ['41.90.64.7/32', true],
    ['2c0f:fe38::7/128', true],
    ['41.90.0.0/33', false],
    ['41.90.0.0/1e1', false],
    ['shop:443', false],
    ['41.90.0.0/-1', false],
    ['41.90.0.0/', false],
    ['41.90.0.0/8/8', false],
    ['::ffff:41.90.0.0/8', false],
    ['2c0f:fe38::/129', false],
    ['41.90', false],
    ['693780487', false],
    ['0x29.90.64.7', false],
    ['041.90.64.7', false],
    ['example.com', false],
    ['', false],
  ])('%s: %s', (text, expected) => {
    expect(isAddressRange(text)).toBe(expected);
  });
});

describe('an allow-list', () => {
  it.each([
    ['everybody, where there is none', '203.0.113.9', [], true],
    ['an address', '41.90.64.7', ['41.90.64.7'], true],
    ['not its neighbour', '41.90.64.8', ['41.90.64.7'], false],
    ['a block', '41.90.255.255', ['41.90.0.0/16'], true],
    ['not outside the block', '41.91.0.0', ['41.90.0.0/16'], false],
    ['one of several', '10.1.2.3', ['41.90.64.7', '10.0.0.0/8'], true],
    ['a v6 address however it is written', '2C0F:FE38:0:0:0:0:0:7', ['2c0f:fe38::7'], true],
    ['a v6 block', '2c0f:fe38:ffff::1', ['2c0f:fe38::/32'], true],
    ['not another v6 block', '2c0f:fe39::1', ['2c0f:fe38::/32'], false],
    ['not the neighbour of a v6 address', '2c0f:fe38::8', ['2c0f:fe38::7'], false],
    ['whoever is named beside what nobody can read', '41.90.64.7', ['?', '41.90.64.7'], true],
    ['a mapped v4 address', '::ffff:41.90.64.7', ['41.90.64.7'], true],
    ['a mapped entry', '41.90.64.7', ['::ffff:41.90.64.0/120'], true],
    ['no v4 address in a v6 block', '41.90.64.7', ['::/0'], false],
    ['nobody whose address is not known', '', ['0.0.0.0/0', '::/0'], false],
  ])('%s', (_, address, allowList, expected) => {
    expect(isAllowedAddress(address, allowList)).toBe(expected);
  });
});

describe('the address of the caller', () => {
  const proxies = ['10.0.0.0/8', '2001:db8::/32'];

  it.each([
    ['the socket, without a header', '41.90.64.7', undefined, [], '41.90.64.7'],
    ['the socket, when no proxy is trusted', '41.90.64.7', '1.2.3.4', [], '41.90.64.7'],
    ['the socket, when it is no trusted proxy', '41.90.64.7', '1.2.3.4', proxies, '41.90.64.7'],
    ['the hop a trusted proxy saw', '10.0.0.5', '41.90.64.7', proxies, '41.90.64.7'],
    ['not one forged hop', '10.0.0.5', '1.2.3.4, 41.90.64.7', proxies, '41.90.64.7'],
    ['not two forged hops', '10.0.0.5', '1.2.3.4, 5.6.7.8, 41.90.64.7', proxies, '41.90.64.7'],
    ['not a forged hop that looks like our proxy', '10.0.0.5', '10.0.0.9, 41.90.64.7', proxies, '41.90.64.7'],
    ['behind two trusted proxies', '10.0.0.5', '1.2.3.4, 41.90.64.7, 10.0.0.6', proxies, '41.90.64.7'],
    ['a caller inside the trusted network', '10.0.0.5', '10.0.0.9', proxies, '10.0.0.9'],
    ['the proxy, when it passed no header on', '10.0.0.5', undefined, proxies, '10.0.0.5'],
    ['the proxy, when nobody can read the hop', '10.0.0.5', '41.90.64.7, unknown', proxies, '10.0.0.5'],
    ['the proxy, when the hop is empty', '10.0.0.5', '41.90.64.7,', proxies, '10.0.0.5'],
    ['not an address in disguise', '10.0.0.5', '693780487', proxies, '10.0.0.5'],
    ['a mapped socket as v4', '::ffff:41.90.64.7', undefined, [], '41.90.64.7'],
    ['behind a mapped proxy', '::ffff:10.0.0.5', '41.90.64.7', proxies, '41.90.64.7'],
    ['a mapped hop as v4', '10.0.0.5', '::ffff:41.90.64.7', proxies, '41.90.64.7'],
    ['a v6 hop behind a v6 proxy', '2001:db8::5', '2C0F:FE38::7', proxies, '2c0f:fe38::7'],
    ['a hop with a port', '10.0.0.5', '41.90.64.7:51234', proxies, '41.90.64.7'],
    ['a hop with a longer number and a port', '10.0.0.5', '41.90.64.77:51234', proxies, '41.90.64.77'],
    ['a v6 hop in brackets alone', '10.0.0.5', '[2c0f:fe38::7]', proxies, '2c0f:fe38::7'],
    ['the proxy, when there is more before the brackets', '10.0.0.5', 'x[2c0f:fe38::7]', proxies, '10.0.0.5'],
    ['the proxy, when there is more behind them', '10.0.0.5', '[2c0f:fe38::7]x', proxies, '10.0.0.5'],
    ['a v6 hop with a port', '10.0.0.5', '[2c0f:fe38::7]:51234', proxies, '2c0f:fe38::7'],
    ['nothing, when the socket is gone', undefined, '41.90.64.7', proxies, ''],
  ])('%s', (_, socketAddress, header, trusted, expected) => {
    expect(clientAddress(socketAddress, header, trusted)).toBe(expected);
  });

  it('is a proxy if it is one of ours', () => {
    expect(isTrustedProxy('10.0.0.5', proxies)).toBe(true);
    expect(isTrustedProxy('11.0.0.5', proxies)).toBe(false);
  });

  it('joins several headers', () => {
    expect(clientAddress('10.0.0.5', ['1.2.3.4', '41.90.64.7'], proxies)).toBe('41.90.64.7');
  });
});

describe('a setting of addresses', () => {
  it('is read with any spacing', () => {
    expect(readAddressRanges(' 10.0.0.1, 10.0.0.2 ,196.201.214.0/24,')).toEqual([
      '10.0.0.1',
      '10.0.0.2',
      '196.201.214.0/24',
    ]);
    expect(readAddressRanges('')).toEqual([]);
  });

  const stkSettings = {
    STK_BASE_URL: 'https://a.example',
    STK_CONSUMER_KEY: 'k',
    STK_CONSUMER_SECRET: 's',
    STK_PASSKEY: 'p',
    STK_SHORTCODE: '174379',
  };

  it.each([undefined, '', ' ', ','])('is empty for %j, as compose files pass missing variables', (text) => {
    const stk = text === undefined ? stkSettings : { ...stkSettings, STK_CALLBACK_ADDRESSES: text };
    expect(readStkSettings(stk).callbackAddresses).toEqual([]);
  });

  it.each(['10.0.0.300', '10.0.0.1;10.0.0.2', 'proxy.internal', '10.0.0.0/33'])(
    'is rejected with its name for %s',
    (text) => {
      expect(() => readStkSettings({ ...stkSettings, STK_CALLBACK_ADDRESSES: text })).toThrow(
        'STK_CALLBACK_ADDRESSES must be IP addresses or CIDR blocks, separated by commas',
      );
    },
  );
});
