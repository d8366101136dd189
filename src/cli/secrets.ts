import type { Command } from 'commander';
import { resealSecrets } from '../merchants/reseal';
import { resealSecondFactors } from '../people/second-factor';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count } from './table';

export function secretsCommands(program: Command, run: Runner): void {
  const secrets = program.command('secrets').description('what is stored sealed');
  secrets
    .command('reseal')
    .description('seals every stored secret with the first of MALIPO_SECRET_KEYS, so that older keys can go')
    .action(run(reseal));
}

async function reseal({ context, box, config }: Session): Promise<Report> {
  const people = await resealSecondFactors(context.db, box);
  const merchants = await resealSecrets(context.db, box);
  const resealed = merchants.resealed + people.resealed;
  const current = merchants.current + people.current;
  const { unreadable } = merchants;
  const key = config.secretKeys[0]?.id ?? '';
  const sentences = [
    `${count(resealed, 'secret')} sealed anew with the key ${key}; ${String(current)} had been already.`,
    ...(unreadable.length === 0
      ? people.unreadable.length === 0
        ? ['The older keys can be taken out of MALIPO_SECRET_KEYS.']
        : []
      : [
          `No key of MALIPO_SECRET_KEYS opens the secret of ${count(unreadable.length, 'merchant')}: ${unreadable.join(', ')}.`,
          'Put the key that sealed it back, or give the merchant a new one: malipo merchant rotate-webhook-secret.',
        ]),
    ...(people.unreadable.length === 0
      ? []
      : [
          `Nor the second factor of ${count(people.unreadable.length, 'user')}: ${people.unreadable.join(', ')}.`,
          'Put the key that sealed it back, or take it away: malipo user reset-second-factor.',
        ]),
  ];
  return {
    json: { key, resealed, current, unreadable, unreadable_users: people.unreadable },
    text: sentences.join('\n'),
    ok: unreadable.length + people.unreadable.length === 0,
  };
}
