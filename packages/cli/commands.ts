/** Commands for the developer of a merchant: they need at most the merchant's keys, and no access to the deployment. */
import type { Command } from 'commander';
import { readWholeNumber } from '../../src/operator-actions/read';
import { complain, printAnswer, type Io, type Report } from './answers';
import { listen, type ListenOptions } from './listen';
import { login } from './login';
import { logs, type LogsOptions } from './logs';
import { newShop, type NewShopOptions } from './new-shop';
import { defaultName } from './profile';
import { trigger } from './trigger';

interface Answered {
  json?: true;
}
interface Shared extends Answered {
  profile: string;
}

export function developerCommands(program: Command, io: Io, exit: (code: number) => void): void {
  const ends = async (json: boolean, work: () => Promise<boolean>) => {
    try {
      exit((await work()) ? 0 : 1);
    } catch (error) {
      exit(complain(io, json, error));
    }
  };
  const reports = (shared: Answered, work: () => Promise<Report>) =>
    ends(shared.json === true, async () => {
      printAnswer(io, shared.json === true, await work());
      return true;
    });
  const withProfile = (name: string, about: string) =>
    program
      .command(name)
      .description(about)
      .option('--json', 'print JSON, for scripts')
      .option(
        '--profile <name>',
        'the profile with the keys; MALIPO_API_KEY is used instead, if it is set',
        defaultName,
      );

  program
    .command('new-shop [folder]')
    .description('make a small shop that runs: checkout page, webhooks, orders')
    .option('--json', 'print JSON, for scripts')
    .option('--lang [language]', 'its language: node, python or php')
    .action((folder: string | undefined, options: Answered & NewShopOptions) =>
      reports(options, () => newShop(io, options, folder)),
    );
  withProfile('login', "check a merchant's keys, and store them for the other commands")
    .option('--merchant <name>', 'one of the merchants of the sandbox in this folder')
    .action((options: Shared & { merchant?: string }) => reports(options, () => login(io, options)));
  withProfile('listen', "show a merchant's events as they happen")
    .option(
      '--forward-to <url>',
      'forward the events that have a webhook to this URL, signed like webhooks; the key r sends the last one again',
    )
    .option('--all', 'also forward events without a webhook')
    .option('--types <types>', 'only these types, such as deposit.succeeded,payout.*')
    .option('--after <cursor>', 'start after this cursor of the feed')
    .option('--from-beginning', 'start with the oldest stored event')
    .option('--check-signature', 'first check that the server accepts a signed test and refuses a forged one')
    .option('--limit <n>', 'stop after this many events; 0 only checks the signature', (text) =>
      text === '0' ? 0 : readWholeNumber(text),
    )
    .action((options: ListenOptions) => ends(options.json === true, () => listen(io, options)));
  withProfile('logs', "show a merchant's own requests of the last 7 days")
    .option('--refused', 'only requests that were denied or failed')
    .option('--code <code>', 'only requests that were denied with this code')
    .option('--request <id>', 'only the request with this X-Request-Id')
    .option('--limit <n>', 'show at most this many; 50 by default', readWholeNumber)
    .action((options: Shared & LogsOptions) => reports(options, () => logs(io, options)));
  withProfile(
    'trigger [scenario]',
    'create a sandbox payment that follows a scenario; without a scenario, list them',
  )
    .option('--wait <seconds>', 'wait until the payment ends, at most this long', readWholeNumber)
    .action((scenario: string | undefined, options: Shared & { wait?: number }) =>
      reports(options, () => trigger(io, options, scenario)),
    );
}
