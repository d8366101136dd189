import type { Command } from 'commander';
import { unfinishedPayments } from '../../payments/sweeper';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count } from './table';
import { sleepersIn, wakeAll } from './wake';

export function resumeCommand(program: Command, run: Runner): void {
  program
    .command('resume')
    .description('begin or wake the workflow of every unfinished payment, such as after Temporal was lost')
    .action(run(resume));
}

async function resume(session: Session): Promise<Report> {
  const payments = await unfinishedPayments(session.context.db);
  const woken = await wakeAll(session, payments);
  const text = `${count(payments.length, 'payment')} unfinished, ${String(woken.done)} taken up.`;
  return {
    json: { unfinished: payments.length, resumed: woken.done, not_resumed: woken.failed },
    text: [text, sleepersIn(woken)].filter((part) => part !== '').join('\n'),
    ok: woken.failed.length === 0,
  };
}
