import { expectUsablePassword } from '../../../src/users/passwords';

describe('a password', () => {
  it.each([
    ['of whoever has a short name, which is part of many words', 'a@duka.example', 'korosho na maziwa', true],
    ['with the name of the mail address in it', 'amina@duka.example', 'amina na maziwa', false],
    ['that is longer than it looks', 'amina@duka.example', '\ufdfa korosho '.repeat(10), false],
    ['of few characters', 'amina@duka.example', 'abababababab', false],
  ])('%s', (_what, email, password, isUsable) => {
    const use = () => {
      expectUsablePassword(password, email);
    };
    if (isUsable) expect(use).not.toThrow();
    else expect(use).toThrow('A password has');
  });
});
