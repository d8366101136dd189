import type { Command } from 'commander';
import { lastLink, shownHead } from '../ledger/chain';
import { checkChain } from '../ledger/check-chain';
import { isDay, utcDay } from '../ledger/utc-days';
import { ActionError, InputError } from '../operator-actions/errors';
import { shownLink } from '../operator-actions/maintenance';
import { findRestores, type RestoreStatus } from '../payments/recovery/restore';
import type { LedgerLinkRow } from '../store/ledger-tables';
import { collect } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count } from './table';

export function ledgerCommands(program: Command, { run, act }: Running): void {
  const ledger = program.command('ledger').description('day digests of the ledger');
  act(ledger.command('digest').description('write the digest of each past day, as a worker does by itself'), {
    kind: 'ledger.digest',
    input: () => ({}),
    print: (_, json) => ({
      json,
      text:
        json.digests.length === 0
          ? 'No day was due: a day gets its digest two hours after its end (UTC).'
          : json.digests.map(({ head: shown }) => shown).join('\n'),
    }),
  });
  ledger
    .command('head')
    .description('show the chain head of the last day with a digest; keep it elsewhere')
    .option('--day <day>', 'the chain head of another day, such as 2026-01-31 (UTC)', readDay)
    .action(run(head));
  ledger
    .command('check')
    .description('compute all digests again, and compare them with chain heads that you kept elsewhere')
    .option('--head <day:hash>', 'a chain head, as `malipo ledger head` printed it; repeatable', collect)
    .action(run(check));
}

function readDay(text: string): string {
  if (isDay(text)) return text;
  throw new InputError(`"${text}" is not a day; write it like 2026-01-31.`);
}

async function head({ context: { db } }: Session, { day }: { day?: string }): Promise<Report> {
  const link = await (day === undefined ? lastLink(db) : db('day_digests').where({ day }).first());
  if (!link) throw new ActionError(day === undefined ? 'No day has a digest yet.' : `${day} has no digest.`);
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
  const differing = kept
    .filter(({ day, text }) => found.get(day) !== text)
    .map(({ day }) => ({
      day,
      detail: [
        found.has(day)
          ? 'has another chain head than the given one: the ledger up to this day was REWRITTEN'
          : 'has no digest here, but a chain head of it was given',
        ...restores.filter((restore) => isCutIn(restore, day)).map(cutText),
      ].join('; '),
    }));
  const all = [...faults, ...differing];
  const verdict =
    all.length === 0
      ? `${count(links, 'day matches its digest', 'days match their digests')}${last ? `, up to ${shownHead(last)}` : ''}.`
      : `${count(all.length, 'fault')} in ${count(links, 'day')}.`;
  const compared =
    kept.length > 0
      ? [`${String(kept.length - differing.length)} of ${count(kept.length, 'chain head')} match.`]
      : [];
  return {
    json: { clean: all.length === 0, days: links, compared: kept.length, faults: all },
    text: [...all.map(({ day, detail }) => `day ${day} ${detail}`), [verdict, ...compared].join(' ')].join(
      '\n',
    ),
    ok: all.length === 0,
  };
}

/** Whether a restore to the past removed postings that the first digest of a day covered, directly or by its chain. */
function isCutIn({ restoredTo, at }: RestoreStatus, day: string): boolean {
  return utcDay(restoredTo) <= day && day <= utcDay(at);
}

const cutText = ({ restoredTo, at, by }: RestoreStatus) =>
  `${by} restored the database on ${at.toISOString()} as it was at ${restoredTo.toISOString()}, ` +
  'which explains the difference if the chain head was made in between';

function readHead(text: string): { day: string; text: string } {
  const [, day = '', hash = ''] = /^([\d-]{10}):([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  if (hash === '') throw new InputError(`"${text}" is not a chain head; write it like 2026-01-31:9f86d0….`);
  return { day: readDay(day), text: `${day}:${hash.toLowerCase()}` };
}
