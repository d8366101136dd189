import type { Command } from 'commander';
import { newestRates, rateMaxAgeMs } from '../fx/rates';
import type { Report, Running } from './report';
import type { Session } from './session';
import { table, ageText, clockOf } from './table';

export function fxCommands(program: Command, { run }: Running): void {
  const fx = program.command('fx').description('exchange rates');
  fx.command('show').description('show the newest rate of every pair, and its age').action(run(show));
}

async function show({ context, config }: Session): Promise<Report> {
  const now = new Date();
  const clock = clockOf(config.timezone);
  const rates = (await newestRates(context.db, now)).map(({ rate_id: _, ...rate }) => {
    const ageMs = now.getTime() - rate.observed_at.getTime();
    return { ...rate, age_seconds: Math.floor(ageMs / 1_000), usable: ageMs <= rateMaxAgeMs };
  });
  return {
    json: { rates },
    text:
      rates.length === 0
        ? 'There is no exchange rate yet.'
        : table(
            ['pair', 'rate', 'observed', 'age', 'source', ''],
            rates.map((r) => [
              `${r.base}/${r.quote}`,
              r.rate,
              clock(r.observed_at),
              ageText(r.age_seconds * 1_000),
              r.source,
              r.usable ? '' : 'too old to use',
            ]),
          ),
  };
}
