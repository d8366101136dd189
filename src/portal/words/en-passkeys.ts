/** The English of passkeys. */
export const enPasskeys = {
  'passkey.title': 'Add a passkey',
  'passkey.text':
    'A passkey is in your phone, your computer or a security key, and opens with your finger, your face or its PIN. It works on this page alone: a copy of the page gets nothing.',
  'passkey.none':
    'There are no passkeys in this browser, or at this address, or scripts are off. An authenticator app works everywhere.',
  'passkey.app': 'Set up an authenticator app',
  'passkey.other': 'Or add a passkey, without an app',
  'passkey.name': 'Which device is it?',
  'passkey.name.hint': 'Such as “my phone”, so that you know which to take away when it is lost.',
  'passkey.add': 'Add a passkey',
  'passkey.use': 'Use your passkey',
  'passkey.or_code': 'Or enter a code',
  'passkey.failed': 'The device gave no passkey. Try again, or enter a code.',
  'passkey.wrong': 'This passkey was not taken: the page was open for too long. Try again, or enter a code.',
  'passkey.wrong_new':
    'This passkey was not added: it is yours already, or the page was open for too long. Try again.',
  'security.second.passkey_on': 'A passkey is set up. Who knows your password alone does not get in.',
  'security.app.remove': 'Take the app away',
  'security.passkeys': 'Passkeys',
  'security.passkeys.used': 'Last used',
  'security.passkeys.unused': 'never',
  'security.passkeys.remove': 'Take away',
  'security.passkeys.remove_of': 'Take away the passkey {name}',
  'security.done.passkey': 'The passkey is added.',
  'security.done.passkey_removed': 'The passkey is taken away.',
} as const;
