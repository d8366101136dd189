/** What a developer of a merchant's shop has: commands that need its keys, and no access to the deployment. */
import type { Command } from 'commander';
import { readWholeNumber } from '../../src/operator-actions/read';
import { complain, tell, type Io, type Report } from './answers';
import { listen, type ListenOptions } from './listen';
import { login } from './login';
import { logs, type LogsOptions } from './logs';
import { defaultName } from './profile';
import { trigger } from './trigger';

interface Shared {
  profile: string;
  json?: true;
}

export function developerCommands(program: Command, io: Io, exit: (code: number) => void): void {
  const ends = async (json: boolean, work: () => Promise<boolean>) => {
    try {
      exit((await work()) ? 0 : 1);
    } catch (error) {
      exit(complain(io, json, error));
    }
  };
  const reports = (shared: Shared, work: () => Promise<Report>) =>
    ends(shared.json === true, async () => {
      tell(io, shared.json === true, await work());
      return true;
    });
  const withProfile = (name: string, about: string) =>
    program
      .command(name)
      .description(about)
      .option('--json', 'answer in JSON, for scripts')
      .option('--profile <name>', 'whose keys; those of MALIPO_API_KEY where it is set', defaultName);

  withProfile('login', "try a merchant's keys, and keep them for listen and trigger")
    .option('--merchant <name>', 'one of the merchants of the sandbox in this folder')
    .action((options: Shared & { merchant?: string }) => reports(options, () => login(io, options)));
  withProfile('listen', "show a merchant's events as they happen")
    .option(
      '--forward-to <url>',
      'send on what webhooks tell, signed as they are; r sends the last one again',
    )
    .option('--all', 'send on what no webhook tells, too')
    .option('--types <types>', 'only these, such as deposit.succeeded,payout.*')
    .option('--after <cursor>', 'begin after this cursor of the feed')
    .option('--from-beginning', 'begin with the oldest event that is kept')
    .option('--check-signature', 'first try whether the server tells what is signed from what is forged')
    .option('--limit <n>', 'end after so many', readWholeNumber)
    .action((options: ListenOptions) => ends(options.json === true, () => listen(io, options)));
  withProfile('logs', "show a merchant's own requests of the last 7 days")
    .option('--refused', 'only what was refused, or failed')
    .option('--code <code>', 'only what was refused with this code')
    .option('--request <id>', 'only this X-Request-Id')
    .option('--limit <n>', 'so many at most; 50 unless told', readWholeNumber)
    .action((options: Shared & LogsOptions) => reports(options, () => logs(io, options)));
  withProfile(
    'trigger [scenario]',
    'make a payment of the sandbox fare as a scenario says; without one list them',
  )
    .option('--wait <seconds>', 'until it has ended, so long at most', readWholeNumber)
    .action((scenario: string | undefined, options: Shared & { wait?: number }) =>
      reports(options, () => trigger(io, options, scenario)),
    );
}
