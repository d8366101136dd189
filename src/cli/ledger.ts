import type { Command } from 'commander';
import { lastLink, shownHead } from '../ledger/chain';
import { checkChain } from '../ledger/check-chain';
import { isDay, utcDay } from '../ledger/utc-days';
import { ActionError, InputError } from '../operator-actions/errors';
import { shownLink } from '../operator-actions/maintenance';
import { findRestores, type RestoreTold } from '../payments/recovery/restore';
import type { LedgerLinkRow } from '../store/ledger-tables';
import { collect } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count } from './table';

export function ledgerCommands(program: Command, { run, act }: Running): void {
  const ledger = program.command('ledger').description('the seals of the days of the ledger');
  act(ledger.command('seal').description('seal each day that is over, as a worker does by itself'), {
    kind: 'ledger.seal',
    input: () => ({}),
    print: (_, json) => ({
      json,
      text:
        json.sealed.length === 0
          ? 'No day was due: each is sealed two hours after it is over (UTC).'
          : json.sealed.map(({ head: shown }) => shown).join('\n'),
    }),
  });
  ledger
    .command('head')
    .description('the seal of the last day that has one, to be kept elsewhere')
    .option('--day <day>', 'of another day, such as 2026-01-31 (UTC)', readDay)
    .action(run(head));
  ledger
    .command('check')
    .description('compute all seals again, and compare with some that were kept elsewhere')
    .option('--head <day:hash>', 'as `malipo ledger head` told it; may be given several times', collect)
    .action(run(check));
}

function readDay(text: string): string {
  if (isDay(text)) return text;
  throw new InputError(`"${text}" is no day; write it like 2026-01-31.`);
}

async function head({ context: { db } }: Session, { day }: { day?: string }): Promise<Report> {
  const link = await (day === undefined ? lastLink(db) : db('ledger_links').where({ day }).first());
  if (!link) throw new ActionError(day === undefined ? 'No day is sealed yet.' : `${day} is not sealed.`);
  return { json: shownLink(link), text: shownHead(link) };
}

async function check({ context: { db } }: Session, { head: given }: { head?: string[] }): Promise<Report> {
  const kept = (given ?? []).map(readHead);
  const found = new Map<string, string>();
  const days = new Set(kept.map(({ day }) => day));
  let links = 0;
  let last: LedgerLinkRow | undefined;
  const faults = await checkChain(db, undefined, (link) => {
    links += 1;
    last = link;
    if (days.has(link.day)) found.set(link.day, shownHead(link));
  });
  const restores = await findRestores(db);
  const strangers = kept
    .filter(({ day, text }) => found.get(day) !== text)
    .map(({ day }) => ({
      day,
      detail: [
        found.has(day)
          ? 'has another head than the one that was kept: the ledger up to this day was REWRITTEN'
          : 'is not sealed here, and a head of it was kept',
        ...restores.filter((restore) => isCutIn(restore, day)).map(cutText),
      ].join('; '),
    }));
  const all = [...faults, ...strangers];
  const verdict =
    all.length === 0
      ? `${count(links, 'day is', 'days are')} as sealed${last ? `, up to ${shownHead(last)}` : ''}.`
      : `${count(all.length, 'fault')} in ${count(links, 'day')}.`;
  const compared =
    kept.length > 0
      ? [`${count(kept.length - strangers.length, 'head')} of ${String(kept.length)} agree.`]
      : [];
  return {
    json: { clean: all.length === 0, days: links, compared: kept.length, faults: all },
    text: [...all.map(({ day, detail }) => `day ${day} ${detail}`), [verdict, ...compared].join(' ')].join(
      '\n',
    ),
    ok: all.length === 0,
  };
}

/** Whether a restore to the past took away what a day's first seal was of, or of what the seals before it were. */
function isCutIn({ restoredTo, at }: RestoreTold, day: string): boolean {
  return utcDay(restoredTo) <= day && day <= utcDay(at);
}

const cutText = ({ restoredTo, at, by }: RestoreTold) =>
  `${by} restored the database on ${at.toISOString()} as it was at ${restoredTo.toISOString()}, ` +
  'which explains it of a head that was made in between';

function readHead(text: string): { day: string; text: string } {
  const [, day = '', hash = ''] = /^([\d-]{10}):([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  if (hash === '') throw new InputError(`"${text}" is no head; write it like 2026-01-31:9f86d0….`);
  return { day: readDay(day), text: `${day}:${hash.toLowerCase()}` };
}
