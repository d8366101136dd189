import { expectUsablePassword } from '../../../src/users/passwords';

describe('a password', () => {
  it.each([
    ['with a short e-mail name, which is part of many words', 'a@duka.example', 'korosho na maziwa', true],
    ['with the name of the e-mail address', 'amina@duka.example', 'amina na maziwa', false],
    ['that is longer after normalization', 'amina@duka.example', '\ufdfa korosho '.repeat(10), false],
    ['with few different characters', 'amina@duka.example', 'abababababab', false],
  ])('%s', (_what, email, password, isUsable) => {
    const use = () => {
      expectUsablePassword(password, email);
    };
    if (isUsable) expect(use).not.toThrow();
    else expect(use).toThrow('A password needs');
  });
});
