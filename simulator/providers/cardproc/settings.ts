import type { SettingsReader } from '../../settings';

/** Consumer key and secret: the credentials of a processor account. */
export interface Keys {
  consumerKey: string;
  consumerSecret: string;
}

export interface CardprocSettings {
  own: Keys;
  /** The main account and further ones. Orders and notification addresses belong to the account that made them. */
  accounts: readonly Keys[];
}

export function readCardprocSettings(reader: SettingsReader): CardprocSettings {
  const own = {
    consumerKey: reader.text('CARDPROC_CONSUMER_KEY'),
    consumerSecret: reader.text('CARDPROC_CONSUMER_SECRET'),
  };
  const accounts = [own, ...readFurtherAccounts(reader)];
  const keys = accounts.map(({ consumerKey }) => consumerKey);
  if (new Set(keys).size < keys.length) {
    reader.refuse('CARDPROC_EXTRA_ACCOUNTS must not name a consumer key twice');
  }
  return { own, accounts };
}

/** `key:secret,key:secret`: merchants' own accounts. */
function readFurtherAccounts(reader: SettingsReader): Keys[] {
  const value = reader.text('CARDPROC_EXTRA_ACCOUNTS', '');
  if (value === '') return [];
  return value.split(',').map((pair) => {
    const [, consumerKey = '', consumerSecret = ''] = /^([^:\s]+):(\S+)$/.exec(pair.trim()) ?? [];
    if (consumerKey === '') reader.refuse('CARDPROC_EXTRA_ACCOUNTS must be key:secret, comma-separated');
    return { consumerKey, consumerSecret };
  });
}
