import { Webhook } from 'standardwebhooks';
import { mintWebhookSecret } from '../../../src/merchants/api-keys';
import { signatureHeaders } from '../../../src/webhooks/post';

const body = '{"status":"Success","payer_name":"Wanjikũ 🥭"}';
const current = mintWebhookSecret();
const previous = mintWebhookSecret();

describe('the signature of a webhook', () => {
  it('matches the Standard Webhooks specification', () => {
    const headers = signatureHeaders(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1614265330_000),
      '{"test": 2432232314}',
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    );
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is verified by the library that merchants use', () => {
    const headers = { ...signatureHeaders('id-1', new Date(), body, [current]) };
    expect(new Webhook(current).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('is verified with either secret during a rotation', () => {
    const headers = { ...signatureHeaders('id-1', new Date(), body, [current, previous]) };
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(new Webhook(current).verify(body, headers)).toBeDefined();
    expect(new Webhook(previous).verify(body, headers)).toBeDefined();
    expect(() => new Webhook(mintWebhookSecret()).verify(body, headers)).toThrow('No matching signature');
  });

  it('does not fit another body, id or time', () => {
    const headers = { ...signatureHeaders('id-1', new Date(), body, [current]) };
    const verifier = new Webhook(current);
    expect(() => verifier.verify(body.replace('Success', 'Failed'), headers)).toThrow();
    expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'id-2' })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verifier.verify(body, { ...headers, 'webhook-timestamp': later })).toThrow();
  });

  it('is too old after five minutes, so that a copy cannot be replayed', () => {
    const sixMinutesAgo = new Date(Date.now() - 6 * 60_000);
    const headers = { ...signatureHeaders('id-1', sixMinutesAgo, body, [current]) };
    expect(() => new Webhook(current).verify(body, headers)).toThrow('too old');
  });
});
