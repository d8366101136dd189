/** The signature headers of a webhook event: faults that are rejected before any download. */
import { webhookVerifier } from '../../../../src/rails/walletpay/providers/paypal/webhook-signature';
import { railSettings, walletpaySettings } from './paypal-support';

const minute = 60_000;
const days = 24 * 60 * minute;
const now = Date.UTC(2026, 0, 5, 9);
const isoAt = (moment: number) => new Date(moment).toISOString();
/** Its address is checked last, and is rejected. */
const right: Record<string, string> = {
  'transmission-id': 'T-1',
  'transmission-time': isoAt(now),
  'transmission-sig': 'AAAA',
  'cert-url': 'http://127.0.0.1:9/C1.pem',
  'auth-algo': 'SHA256withRSA',
};
const names = Object.keys(right);

const fetched: string[] = [];
const verify = webhookVerifier(
  () => () => Promise.reject(new Error('nobody is asked')),
  walletpaySettings('https://api.example'),
  railSettings({ observe: (_rail, call) => fetched.push(call) }),
);
async function whyOf(headers: Record<string, string | string[] | undefined>): Promise<string> {
  const named = Object.entries(headers).map(([name, value]) => [`paypal-${name}`, value] as const);
  const verdict = await verify(Object.fromEntries(named), Buffer.from('{}'));
  return verdict.kind === 'forged' ? verdict.why : verdict.kind;
}
const lastError = 'the certificate’s address is not https on port 443';

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => jest.restoreAllMocks());
afterAll(() => expect(fetched).toEqual([]));

describe('the headers of an event', () => {
  it('must all be there, once each, or the event is rejected', async () => {
    expect(await whyOf(right)).toBe(lastError);
    for (const name of names) {
      for (const value of [undefined, '', ['a', 'b']])
        expect(await whyOf({ ...right, [name]: value })).toBe('a header of the signature is missing');
      expect(await whyOf({ [name]: right[name] })).toBe('a header of the signature is missing');
    }
  });

  it.each<[string, string, string]>([
    ['auth-algo', 'SHA1withRSA', 'the signature’s algorithm is not the provider’s'],
    ['auth-algo', 'sha256withrsa', 'the signature’s algorithm is not the provider’s'],
    ...['not base64!', '!AAAA', 'AAAA!', 'AAAA===', '=', 'A', 'AAB='].map(
      (text): [string, string, string] => ['transmission-sig', text, 'the signature is not base64'],
    ),
  ])('with PAYPAL-%s %s are rejected with that reason', async (name, value, why) => {
    expect(await whyOf({ ...right, [name]: value })).toBe(why);
  });

  it.each(['A+/9', 'AAA=', 'AA=='])('may contain the signature %s', async (signature) => {
    expect(await whyOf({ ...right, 'transmission-sig': signature })).toBe(lastError);
  });
});

describe('the time of a transmission', () => {
  const whyAt = (time: string) => whyOf({ ...right, 'transmission-time': time });
  const seconds = (moment: number) => isoAt(moment).slice(0, 19);

  it.each([
    isoAt(now),
    `${seconds(now)}Z`,
    `${seconds(now)}.123456789Z`,
    `${seconds(now + 120 * minute)}+02:00`,
    `${seconds(now - 210 * minute)}-03:30`,
  ])('may be written %s', async (time) => {
    expect(await whyAt(time)).toBe(lastError);
  });

  it.each([
    ...['zzz', '2026', '1767600000', 'Mon, 05 Jan 2026 09:00:00 GMT', '2026-13-45T99:00:00Z'],
    ...[seconds(now), `${seconds(now)}.1234567891Z`, `${seconds(now)}.Z`, `${seconds(now)}+0200`],
    ...[` ${isoAt(now)}`, `${isoAt(now)} `, `${isoAt(now)} (noon)`, isoAt(now).replace('T', ' ')],
  ])('is rejected as %j', async (time) => {
    expect(await whyAt(time)).toBe('the transmission’s time cannot be read');
  });

  it.each([
    ['three days ago is in time', -3 * days, lastError],
    ['longer ago is too late', -3 * days - 1, 'it was sent more than three days ago'],
    ['a year ago is too late', -365 * days, 'it was sent more than three days ago'],
    ['five minutes ahead is by another clock', 5 * minute, lastError],
    ['further ahead is in the future', 5 * minute + 1, 'it was sent in the future'],
  ])('%s', async (_what, ms, why) => {
    expect(await whyAt(isoAt(now + ms))).toBe(why);
  });
});
