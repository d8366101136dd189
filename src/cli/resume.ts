import type { Command } from 'commander';
import { beforeWaking, inPages, unfinishedIds } from '../payments/care/sweeper';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { count } from './table';
import { forEachWorkflow, sleepersIn, type Waking } from './wake';

export function resumeCommand(program: Command, run: Runner): void {
  program
    .command('resume')
    .description('begin or wake the workflow of every unfinished payment, such as after Temporal was lost')
    .action(run(resume));
}

async function resume(session: Session): Promise<Report> {
  const { context, engine } = session;
  const ids = await unfinishedIds(context);
  const woken: Waking = { done: 0, failed: [] };
  let left = ids.length;
  for await (const payments of inPages(context.db, ids)) {
    const { done, failed } = await forEachWorkflow(payments, async (payment) => {
      // A customer is not asked today for what they wanted to pay before the night, nor is a merchant's payout begun.
      await beforeWaking(context, payment);
      await engine.wake(payment);
    });
    woken.done += done;
    woken.failed.push(...failed);
    left -= done + failed.length;
    // Where nothing can be reached, each page would wait for it anew.
    if (done === 0 && failed.length > 0) break;
  }
  const text = `${count(ids.length, 'payment')} unfinished, ${String(woken.done)} taken up.`;
  const untried = left > 0 && `${count(left, 'payment')} not tried.`;
  return {
    json: { unfinished: ids.length, resumed: woken.done, not_resumed: woken.failed, not_tried: left },
    text: [text, sleepersIn(woken), untried].filter(Boolean).join('\n'),
    ok: woken.failed.length === 0 && left === 0,
  };
}
