import { faultOfUrl, isPublicAddress } from '../../../src/merchants/allowed-url';

const publicUrls = [
  'https://shop.example.com/hooks/malipo?token=abc',
  'https://shop.example.com:8443/hooks',
  'https://SHOP.example.com',
  'https://93.184.216.34/hooks',
  'https://93.184.216.34:443/hooks',
  'https://[2606:4700::6810:84e5]/hooks',
  'https://xn--bcher-kva.example/hooks',
  'https://shop.internal.example.com/hooks',
  'https://shop.example.com:80/hooks',
  'https://shop.example.com:1024/hooks',
  `https://shop.example.com/${'a'.repeat(1975)}`,
];

const loopbackUrls = [
  'http://127.0.0.1:4000/hooks',
  'http://localhost:4000/hooks',
  'http://[::1]:4000/hooks',
  'http://127.8.8.8:4000/hooks',
  'http://merchant.localhost:4000/hooks',
];

const refusedEverywhere: [string, string][] = [
  ['a private network', 'https://10.0.0.1/'],
  ['a private network', 'https://172.16.0.1/'],
  ['a private network', 'https://172.31.255.255/'],
  ['a private network', 'https://192.168.1.1/'],
  ['carrier-grade NAT', 'https://100.64.0.1/'],
  ['link-local', 'https://169.254.1.1/'],
  ['cloud metadata', 'https://169.254.169.254/latest/meta-data/'],
  ['this network', 'https://0.0.0.0/'],
  ['this network', 'https://0.1.2.3/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['multicast', 'https://224.0.0.1/'],
  ['reserved', 'https://240.0.0.1/'],
  ['benchmarks', 'https://198.18.0.1/'],
  ['documentation', 'https://192.0.2.1/'],
  ['documentation', 'https://203.0.113.9/'],
  ['unspecified v6', 'https://[::]/'],
  ['link-local v6', 'https://[fe80::1]/'],
  ['site-local v6', 'https://[fec0::1]/'],
  ['unique local v6', 'https://[fd00::1]/'],
  ['unique local v6, metadata', 'https://[fd00:ec2::254]/'],
  ['multicast v6', 'https://[ff02::1]/'],
  ['documentation v6', 'https://[2001:db8::1]/'],
  ['mapped v4', 'https://[::ffff:127.0.0.1]/'],
  ['mapped private v4', 'https://[::ffff:a00:1]/'],
  ['mapped public v4', 'https://[::ffff:93.184.216.34]/'],
  ['compatible v4', 'https://[::7f00:1]/'],
  ['NAT64', 'https://[64:ff9b::7f00:1]/'],
  ['local NAT64', 'https://[64:ff9b:1::7f00:1]/'],
  ['6to4', 'https://[2002:7f00:1::]/'],
  ['Teredo', 'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/'],
  ['unassigned v6', 'https://[4000::1]/'],
  ['decimal', 'https://2130706433/'],
  ['octal', 'https://0177.0.0.1/'],
  ['hexadecimal', 'https://0x7f.0.0.1/'],
  ['hexadecimal in one', 'https://0x7f000001/'],
  ['two parts', 'https://127.1/'],
  ['a public address in decimal', 'https://1572395042/'],
  ['a final dot', 'https://127.0.0.1./'],
  ['wide digits', 'https://１２７.0.0.1/'],
  ['a percent sign', 'https://127%2e0%2e0%2e1/'],
  ['a name of one word', 'https://intranet/'],
  ['a name of this network', 'https://db.internal/'],
  ['a name of this network', 'https://printer.local./'],
  ['a user name', 'https://shop.example.com@10.0.0.1/'],
  ['a user name', 'https://user@shop.example.com/'],
  ['a password', 'https://user:pass@shop.example.com/'],
  ['an empty user name', 'https://@shop.example.com/'],
  ['the port of a mail server', 'https://shop.example.com:25/'],
  ['the port of a shell', 'https://shop.example.com:22/'],
  ['a newline', 'https://shop.exa\nmple.com/'],
  ['a space', ' https://shop.example.com/'],
  ['a backslash', 'https:\\\\shop.example.com/'],
  ['no slashes', 'https:shop.example.com/'],
  ['a file', 'file:///etc/passwd'],
  ['another scheme', 'gopher://shop.example.com/'],
  ['a scheme that ends alike', 'xhttps://shop.example.com/'],
  ['a script', 'javascript:alert(1)'],
  ['no scheme', 'shop.example.com/hooks'],
  ['no host', 'https:///hooks'],
  ['nothing', ''],
  ['too much', `https://shop.example.com/${'a'.repeat(2000)}`],
];

describe('the URL of a merchant', () => {
  describe('in live', () => {
    it.each(publicUrls)('allows %s', (url) => {
      expect(faultOfUrl(url, 'live')).toBeUndefined();
    });

    it.each([
      ...loopbackUrls,
      'https://127.0.0.1/',
      'https://localhost/',
      'https://localhost./',
      'https://[::1]/',
      'https://merchant.localhost/',
    ])('rejects this machine: %s', (url) => {
      expect(faultOfUrl(url, 'live')).toBeDefined();
    });

    it('rejects plain http', () => {
      expect(faultOfUrl('http://shop.example.com/', 'live')).toBe('must be an https URL');
    });
  });

  describe('in sandbox', () => {
    it.each([...publicUrls, ...loopbackUrls, 'http://shop.example.com/'])('allows %s', (url) => {
      expect(faultOfUrl(url, 'sandbox')).toBeUndefined();
    });
  });

  describe.each(['live', 'sandbox'] as const)('in %s', (environment) => {
    it.each(refusedEverywhere)('rejects %s: %s', (_, url) => {
      expect(faultOfUrl(url, environment)).toMatch(/^must /);
    });
  });

  it('is not repeated in the error', () => {
    expect(faultOfUrl('https://user:secret@shop.example.com/', 'live')).not.toContain('secret');
  });
});

describe('an address that a name resolves to', () => {
  it.each([
    ['93.184.216.34', true, true],
    ['2606:4700::6810:84e5', true, true],
    ['127.0.0.1', false, true],
    ['::1', false, true],
    ['::ffff:127.0.0.1', false, false],
    ['10.0.0.1', false, false],
    ['169.254.169.254', false, false],
    ['100.64.0.1', false, false],
    ['64:ff9b::a00:1', false, false],
    ['fe80::1%eth0', false, false],
    ['shop.example.com', false, false],
    ['', false, false],
  ])('%s: live %s, sandbox %s', (address, inLive, inSandbox) => {
    expect(isPublicAddress(address, 'live')).toBe(inLive);
    expect(isPublicAddress(address, 'sandbox')).toBe(inSandbox);
  });
});
