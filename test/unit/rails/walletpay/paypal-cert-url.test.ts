/** Addresses from which a certificate may be downloaded: the provider's, and none that only looks similar. */
import { faultOfCertUrl } from '../../../../src/rails/walletpay/providers/paypal/certificates';

describe('a certificate’s address', () => {
  it.each([
    'https://api.paypal.com/v1/notifications/certs/CERT-360caa42',
    'https://api.paypal.com:443/v1/notifications/certs/CERT-360caa42',
    'https://api-m.paypal.com/c',
    'https://api.sandbox.paypal.com/c',
    'https://api-m.sandbox.paypal.com/c',
    'https://messageverificationcerts.paypal.com/c',
    'https://API.PayPal.com/c',
  ])('%s is allowed', (url) => {
    expect(faultOfCertUrl(url, [])).toBeUndefined();
  });

  it.each([
    'http://api.paypal.com/c',
    'https://api.paypal.com:8443/c',
    'https://api.paypal.com.attacker.example/c',
    'https://attacker.example/api.paypal.com',
    'https://notpaypal.com/c',
    'https://evil-paypal.com/c',
    'https://api.paypal.com@attacker.example/c',
    'https://user:pass@api.paypal.com/c',
    'https://api.paypal.com./c',
    'https://аpi.pаypal.com/c',
    'https://127.0.0.1/c',
    'https://[::1]/c',
    'file:///etc/passwd',
    'ftp://api.paypal.com/c',
    'data:text/plain,https://api.paypal.com',
    '//api.paypal.com/c',
    '',
    `https://api.paypal.com/${'c'.repeat(600)}`,
  ])('%s is forbidden', (url) => {
    expect(faultOfCertUrl(url, [])).toBeDefined();
  });

  it('of the sandbox is allowed at its exact port, in the sandbox', () => {
    const own = ['127.0.0.1:3001'];
    expect(faultOfCertUrl('http://127.0.0.1:3001/certs/C1.pem', own)).toBeUndefined();
    expect(faultOfCertUrl('http://127.0.0.1:3002/certs/C1.pem', own)).toBeDefined();
    expect(faultOfCertUrl('ftp://127.0.0.1:3001/certs/C1.pem', own)).toBeDefined();
  });
});
