/** The dashboard: what is broken, late, or needs an operator. */
import { workflowListUrl, workflowQueries } from '../../domain/workflow-queries';
import { findPayoutPauses } from '../../controls/pauses';
import { backlogAgeMs } from '../../payments/recovery/backlog';
import { callbackFigures } from '../../payments/resolve/notifications/health';
import { findStops } from '../../payments/submit/stopped-accounts';
import { countUnknown, listStillest } from '../../payments/read/open-payments';
import type { Database } from '../../store/database';
import { live } from '../pages/parts';
import { draw, template } from '../render';
import type { PageResponse, PlatformVisit } from '../visit';
import { pauseText } from './pauses';
import { lateMinutes } from './webhooks';

const titleTemplate = template(`<h1><%= it.t('ops.now') %></h1>`);
const nowTemplate = template(`
<ul class="tiles">
<% for (const one of it.tiles) { %><li class="card"><span class="hint"><%= one.name %></span><strong><% if (one.href) { %><a href="<%= one.href %>"><%= one.value %></a><% } else { %><%= one.value %><% } %></strong> <span class="state <%= one.tone %>"><%= one.word %></span><% if (one.at) { %> <span class="hint"><%~ it.time(one.at) %></span><% } %><% if (one.hint) { %> <span class="hint"><%= one.hint %></span><% } %></li><% } %>
</ul>
<% for (const stop of it.stops) { %><p class="problem"><%= it.t('ops.now.stopped', { what: stop.what }) %> <a href="<%= stop.href %>"><%= it.t('ops.look') %></a></p><% } %>
<section class="card" aria-labelledby="callbacks">
<h2 id="callbacks"><%= it.t('ops.callbacks') %></h2>
<% if (it.callbacks.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('ops.callbacks') %></caption>
<thead><tr><th scope="col"><%= it.t('payments.rail') %></th><th scope="col"><%= it.t('payments.state') %></th><th scope="col" class="number"><%= it.t('ops.callbacks.come') %></th><th scope="col" class="number"><%= it.t('ops.callbacks.lag') %></th></tr></thead>
<tbody><% for (const one of it.callbacks) { %><tr>
<th scope="row"><%= it.railName(one.rail) %> · <%= one.account %> · <%= it.t('kind.' + one.kind) %></th>
<td data-label="<%= it.t('payments.state') %>"><span class="state <%= it.tones[one.verdict] %>"><%= it.t('ops.callbacks.' + one.verdict) %></span></td>
<td class="number" data-label="<%= it.t('ops.callbacks.come') %>"><%= it.count(one.received) %> / <%= it.count(one.expected) %></td>
<td class="number" data-label="<%= it.t('ops.callbacks.lag') %>"><%= one.lag %></td></tr><% } %></tbody></table>
<% } else { %><p><%= it.t('ops.callbacks.none') %></p><% } %>
</section>
<section class="card" aria-labelledby="temporal">
<h2 id="temporal"><%= it.t('ops.temporal') %></h2>
<ul><% for (const one of it.queries) { %><li><a href="<%= one.href %>" rel="noreferrer"><%= it.t('ops.temporal.' + one.name) %></a></li><% } %></ul>
</section>
`);

const tones = { healthy: 'good', unknown: 'open', late: 'open', stopped: 'bad' } as const;
const dayMs = 86_400_000;
/** How long the times in the links to Temporal stay the same. */
const linksLastMs = 600_000;
/** A higher number is shown as `500+`. */
const countedMax = 500;

export async function now(visit: PlatformVisit): Promise<PageResponse> {
  const { db, t } = visit;
  const [figures, facts, accounts, payoutStops] = await Promise.all([
    callbackFigures(db, new Date(Date.now() - dayMs)),
    readFacts(db),
    findStops(db),
    findPayoutPauses(db),
  ]);
  const ids = payoutStops.flatMap(({ merchant_id: id }) => id ?? []);
  const stopped = await db('merchants').whereIn('merchant_id', ids).select('merchant_id', 'name');
  const html = draw(visit, nowTemplate, {
    tiles: tilesOf(visit, facts),
    stops: [
      ...accounts.map(({ account, caseId }) => ({ what: account, href: `/ops/cases/${caseId}` })),
      ...payoutStops.map((stop) => ({ what: pauseText(visit, stop, stopped), href: '/ops/pauses' })),
    ],
    callbacks: figures.map((one) => ({
      ...one,
      lag: one.lagP99Seconds === undefined ? '–' : `${String(one.lagP99Seconds)} s`,
    })),
    tones,
    queries: Object.entries(workflowQueries(startOfSlot(new Date()))).map(([name, one]) => ({
      name,
      href: workflowListUrl(visit.config, one),
    })),
  });
  const region = live(visit, { id: 'now', url: '/ops', seconds: 10, html });
  const body = draw(visit, titleTemplate) + region.html;
  return { kind: 'page', title: t('ops.now'), body, seen: region.seen };
}

/** A page whose links name each second never counts as unchanged. */
function startOfSlot(now: Date): Date {
  return new Date(now.getTime() - (now.getTime() % linksLastMs));
}

interface Facts {
  verdict: { checked_at: Date | null; violations: number } | undefined;
  backlogMs: number;
  cases: number;
  oldestCase: Date | undefined;
  dead: number;
  late: number;
  /** Payments with an unanswered submission, which the provider may have accepted. */
  unknown: number;
  unfinished: number;
  /** The last change of the open payment that is unchanged for longest. */
  stillest: Date | undefined;
}

async function readFacts(db: Database): Promise<Facts> {
  const some = async (sql: string): Promise<number> => {
    const text = `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM ${sql} LIMIT ${String(countedMax)}) AS some`;
    const [[row]] = (await db.raw(text)) as unknown as [[{ n: number | string } | undefined]];
    return Number(row?.n ?? 0);
  };
  const [verdict, backlogMs, cases, oldestCase, dead, late, unknown, unfinished, stillest] =
    await Promise.all([
      db('verify_results').where({ id: 1 }).first('checked_at', 'violations'),
      backlogAgeMs(db),
      some('cases WHERE closed_at IS NULL'),
      db('cases').whereNull('closed_at').orderBy('case_id').first('opened_at'),
      some(`outbox WHERE state = 'dead'`),
      some(
        `outbox WHERE state = 'pending' AND next_at < UTC_TIMESTAMP(3) - INTERVAL ${String(lateMinutes)} MINUTE`,
      ),
      countUnknown(db),
      some('payments WHERE is_final = 0'),
      // The longest unchanged payment is more useful than the oldest one, and it has an index.
      listStillest(db, 1),
    ]);
  return {
    ...{ verdict, backlogMs, cases, dead, late, unknown, unfinished },
    oldestCase: oldestCase?.opened_at,
    stillest: stillest[0]?.updated_at,
  };
}

function tilesOf({ t }: PlatformVisit, facts: Facts) {
  const { verdict, backlogMs, cases, dead, late, unknown, unfinished } = facts;
  const much = (n: number) => (n >= countedMax ? `${String(countedMax)}+` : String(n));
  const backlogSeconds = Math.round(backlogMs / 1_000);
  const tile = (name: string, value: string, isBad: boolean, href: string, at?: Date | null, hint = '') => ({
    ...{ name, value, href, at, hint },
    tone: isBad ? 'bad' : 'good',
    word: t(isBad ? 'ops.now.bad' : 'ops.now.good'),
  });
  const broken = verdict?.violations ?? 0;
  const isUnproved = !verdict?.checked_at;
  return [
    tile(
      t('ops.now.books'),
      isUnproved
        ? t('ops.now.unproved')
        : t(broken === 0 ? 'ops.now.clean' : 'ops.now.broken', { n: broken }),
      isUnproved || broken > 0,
      '',
      verdict?.checked_at,
      t(broken > 0 || isUnproved ? 'ops.now.books.look' : 'ops.now.books.looked'),
    ),
    tile(t('ops.cases'), much(cases), cases > 0, '/ops/cases', facts.oldestCase),
    tile(t('ops.now.backlog'), `${String(backlogSeconds)} s`, backlogSeconds > 10, '/ops/payments'),
    tile(t('ops.now.unknown'), much(unknown), unknown > 0, '/ops/payments?unknown=1'),
    tile(t('ops.now.unfinished'), much(unfinished), false, '/ops/payments', facts.stillest),
    tile(t('ops.now.dead'), much(dead), dead > 0, '/ops/webhooks?trouble=dead'),
    tile(t('ops.now.late'), much(late), late > 0, '/ops/webhooks?trouble=late'),
  ];
}
