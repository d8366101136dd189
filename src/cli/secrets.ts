import type { Command } from 'commander';
import type { ReEncrypted } from '../operator-actions/maintenance';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count } from './table';

export function secretsCommands(program: Command, { act }: Running): void {
  const secrets = program.command('secrets').description('encrypted secrets in the database');
  act(
    secrets
      .command('re-encrypt')
      .description(
        'encrypt every stored secret again with the first of MALIPO_SECRET_KEYS, so that you can remove older keys',
      ),
    { kind: 'secrets.re-encrypt', input: () => ({}), print: printReEncrypted },
  );
}

function printReEncrypted(_: Session, json: ReEncrypted): Report {
  const { key, re_encrypted: reEncrypted, current, unreadable, unreadable_users: users } = json;
  const sentences = [
    `${count(reEncrypted, 'secret')} encrypted again with the key ${key}; ${String(current)} already had this key.`,
    ...(unreadable.length === 0
      ? users.length === 0
        ? ['You can remove the older keys from MALIPO_SECRET_KEYS.']
        : []
      : [
          `No key of MALIPO_SECRET_KEYS decrypts the secret of ${count(unreadable.length, 'merchant')}: ${unreadable.join(', ')}.`,
          'Add the key that encrypted it again, or make a new secret: malipo merchant rotate-webhook-secret.',
        ]),
    ...(users.length === 0
      ? []
      : [
          `No key of MALIPO_SECRET_KEYS decrypts the second factor of ${count(users.length, 'user')}: ${users.join(', ')}.`,
          'Add the key that encrypted it again, or remove the second factor: malipo user reset-second-factor.',
        ]),
  ];
  return { json, text: sentences.join('\n'), ok: unreadable.length + users.length === 0 };
}
