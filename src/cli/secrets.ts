import type { Command } from 'commander';
import type { Resealed } from '../operator-actions/maintenance';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count } from './table';

export function secretsCommands(program: Command, { act }: Running): void {
  const secrets = program.command('secrets').description('what is stored sealed');
  act(
    secrets
      .command('reseal')
      .description(
        'seals every stored secret with the first of MALIPO_SECRET_KEYS, so that older keys can go',
      ),
    { kind: 'secrets.reseal', input: () => ({}), print: printResealed },
  );
}

function printResealed(_: Session, json: Resealed): Report {
  const { key, resealed, current, unreadable, unreadable_users: users } = json;
  const sentences = [
    `${count(resealed, 'secret')} sealed anew with the key ${key}; ${String(current)} had been already.`,
    ...(unreadable.length === 0
      ? users.length === 0
        ? ['The older keys can be taken out of MALIPO_SECRET_KEYS.']
        : []
      : [
          `No key of MALIPO_SECRET_KEYS opens the secret of ${count(unreadable.length, 'merchant')}: ${unreadable.join(', ')}.`,
          'Put the key that sealed it back, or give the merchant a new one: malipo merchant rotate-webhook-secret.',
        ]),
    ...(users.length === 0
      ? []
      : [
          `Nor the second factor of ${count(users.length, 'user')}: ${users.join(', ')}.`,
          'Put the key that sealed it back, or take it away: malipo user reset-second-factor.',
        ]),
  ];
  return { json, text: sentences.join('\n'), ok: unreadable.length + users.length === 0 };
}
