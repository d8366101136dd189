import { ConfigError } from '../../../src/config';
import { readMailSettings } from '../../../src/mail/settings';

const live = {
  MALIPO_SMTP_URL: 'smtps://duka:secret@mail.example.com',
  MALIPO_MAIL_FROM: 'Duka <pay@duka.example>',
};

describe('in the sandbox', () => {
  it('mail goes to the simulator by default, without an account', () => {
    expect(readMailSettings({}, 'sandbox')).toEqual({
      host: '127.0.0.1',
      port: 3025,
      tls: 'none',
      from: { name: 'Malipo Sandbox', address: 'no-reply@malipo.example' },
    });
    expect(readMailSettings({ MALIPO_SIMULATOR_SMTP_PORT: '4025' }, 'sandbox').port).toBe(4025);
    expect(readMailSettings({ MALIPO_SMTP_URL: 'smtp://127.0.0.1:5025' }, 'sandbox').port).toBe(5025);
  });
});

describe('in live', () => {
  it.each([
    [{}, 'MALIPO_SMTP_URL, MALIPO_MAIL_FROM'],
    [{ ...live, MALIPO_SMTP_URL: '' }, 'MALIPO_SMTP_URL'],
    [{ ...live, MALIPO_MAIL_FROM: '' }, 'MALIPO_MAIL_FROM'],
  ])('there are no defaults: %j lacks %s', (env, missing) => {
    expect(() => readMailSettings(env, 'live')).toThrow(ConfigError);
    expect(() => readMailSettings(env, 'live')).toThrow(`must be set: ${missing}`);
  });

  it.each([
    ['smtps://duka:secret@mail.example.com', { port: 465, tls: 'implicit' }],
    ['smtp://duka:secret@mail.example.com', { port: 587, tls: 'required' }],
    ['smtp://duka:secret@mail.example.com:2525/', { port: 2525, tls: 'required' }],
    ['smtp://duka:secret@localhost:25', { host: 'localhost', port: 25, tls: 'none' }],
    ['smtp://duka:secret@[::1]:25', { host: '::1', port: 25, tls: 'none' }],
  ])('%s requires encryption to another machine', (url, expected) => {
    expect(readMailSettings({ ...live, MALIPO_SMTP_URL: url }, 'live')).toEqual({
      host: 'mail.example.com',
      account: { user: 'duka', pass: 'secret' },
      from: { name: 'Duka', address: 'pay@duka.example' },
      ...expected,
    });
  });

  it('a password can have special characters of URLs', () => {
    const url = 'smtps://duka%40example.com:p%40ss%3Aw%2Frd@mail.example.com';
    expect(readMailSettings({ ...live, MALIPO_SMTP_URL: url }, 'live').account).toEqual({
      user: 'duka@example.com',
      pass: 'p@ss:w/rd',
    });
  });

  it('a relay can work without a password', () => {
    const settings = readMailSettings({ ...live, MALIPO_SMTP_URL: 'smtps://mail.example.com' }, 'live');
    expect(settings.account).toBeUndefined();
  });

  it.each([
    ['MALIPO_SMTP_URL', 'mail.example.com'],
    ['MALIPO_SMTP_URL', 'https://mail.example.com'],
    ['MALIPO_SMTP_URL', 'smtp://'],
    ['MALIPO_SMTP_URL', 'smtp://duka@mail.example.com'],
    ['MALIPO_SMTP_URL', 'smtp://duka:p%ZZ@mail.example.com'],
    ['MALIPO_SMTP_URL', 'smtp://mail.example.com?tls.rejectUnauthorized=false'],
    ['MALIPO_SMTP_URL', 'smtp://mail.example.com:port'],
    ['MALIPO_MAIL_FROM', 'Duka'],
    ['MALIPO_MAIL_FROM', 'pay@duka.example, other@duka.example'],
    ['MALIPO_MAIL_FROM', 'Duka\r\nBcc: eve@example.com <pay@duka.example>'],
  ])('%s=%j is rejected without showing its password', (name, value) => {
    const env = { ...live, [name]: value };
    expect(() => readMailSettings(env, 'live')).toThrow(ConfigError);
    expect(() => readMailSettings(env, 'live')).toThrow(name);
    expect(() => readMailSettings(env, 'live')).not.toThrow('p%ZZ');
  });
});
