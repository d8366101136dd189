/** The statement of a merchant's accounts between two days: opening and closing balances, and the CSV file. */
import { isCurrency } from '../../domain/money';
import { dayIn } from '../../domain/time';
import { faultsOfPeriod, openStatement } from '../../statements/statement';
import { csvName, csvOf } from '../../statements/statement-csv';
import { money } from '../format';
import { csvDownload, timeIn, canTakeFile, problem } from './parts';
import { draw, template } from '../render';
import { zoneOf, type PageResponse, type MerchantVisit } from '../visit';
import { isWord } from '../words';
import { overrun } from './error-pages';

const statementsTemplate = template(`
<%~ it.problem %>
<h1><%= it.t('statements.title') %></h1>
<p><%= it.t('statements.text') %> <%= it.zoneGiven %></p>
<form method="get" action="<%= it.base %>/statements" class="filters card" aria-label="<%= it.t('statements.title') %>">
<div class="field"><label for="from"><%= it.t('payments.from') %></label><input id="from" name="from" type="date" required value="<%= it.from %>"></div>
<div class="field"><label for="to"><%= it.t('payments.until') %></label><input id="to" name="to" type="date" required value="<%= it.to %>"></div>
<div class="field"><label for="currency"><%= it.t('statements.currency') %></label><select id="currency" name="currency"><% for (const one of it.currencies) { %><option<% if (one === it.currency) { %> selected<% } %>><%= one %></option><% } %></select></div>
<div class="field buttons"><button type="submit"><%= it.t('payments.show') %></button></div>
</form>
<% if (it.accounts.length > 0) { %>
<table class="stack"><caption class="unseen"><%= it.t('statements.title') %></caption>
<thead><tr><th scope="col"><%= it.t('payment.account') %></th><th scope="col" class="number"><%= it.t('statements.opening') %></th><th scope="col" class="number"><%= it.t('statements.closing') %></th></tr></thead>
<tbody><% for (const one of it.accounts) { %><tr><th scope="row"><%= one.name %></th>
<td class="number" data-label="<%= it.t('statements.opening') %>"><%= one.opening %></td><td class="number" data-label="<%= it.t('statements.closing') %>"><%= one.closing %></td></tr><% } %></tbody></table>
<p class="hint"><%= it.t(it.isFinal ? 'statements.final' : 'statements.open') %></p>
<p class="actions"><a class="button" href="<%= it.base %>/statements/file?<%= it.wishes %>" download><%= it.t('statements.download') %></a></p>
<% } else if (!it.problem) { %><div class="empty"><h2><%= it.t('statements.none.title') %></h2><p><%= it.t('statements.none.text') %></p></div><% } %>
`);

interface Wanted {
  from: string;
  to: string;
  currency: string;
  currencies: string[];
  zone: string;
}

/** The requested period, by default this month, and the currencies of the merchant's accounts. */
async function wantedOf({ db, place, query, config }: MerchantVisit): Promise<Wanted> {
  const { merchant_id: merchantId } = place.merchant;
  const currencies = await db('ledger_accounts')
    .where({ merchant_id: merchantId })
    .distinct('currency')
    .orderBy('currency')
    .pluck<string[]>('currency');
  const zone = zoneOf({ place, config });
  const today = dayIn(zone, new Date());
  const asked = query.get('currency') ?? '';
  return {
    from: (query.get('from') ?? `${today.slice(0, 8)}01`).slice(0, 10),
    to: (query.get('to') ?? today).slice(0, 10),
    currency: currencies.includes(asked) ? asked : (currencies[0] ?? ''),
    currencies,
    zone,
  };
}

const hasFault = ({ from, to, zone }: Wanted) => faultsOfPeriod({ from, to }, zone).length > 0;

export async function statements(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place, language, t } = visit;
  const wanted = await wantedOf(visit);
  const isFaulty = hasFault(wanted);
  const currency = isCurrency(wanted.currency) ? wanted.currency : undefined;
  const { merchant_id: merchantId } = place.merchant;
  const statement =
    isFaulty || !currency ? undefined : await openStatement(db, { ...wanted, currency, merchantId });
  const body = draw(visit, statementsTemplate, {
    ...wanted,
    zoneGiven: t('statements.zone', { zone: wanted.zone }),
    problem: problem(visit, isFaulty ? t('statements.fault') : '', 'from'),
    isFinal: statement?.isFinal,
    accounts: (statement?.accounts ?? []).map(({ name, openingMinor, closingMinor }) => ({
      name: accountWord(visit, name),
      opening: currency ? money(openingMinor, currency, language) : '',
      closing: currency ? money(closingMinor, currency, language) : '',
    })),
    wishes: new URLSearchParams({ from: wanted.from, to: wanted.to, currency: wanted.currency }).toString(),
  });
  return { kind: 'page', status: isFaulty ? 422 : 200, title: t('statements.title'), body };
}

/** The name of an account such as `float:momo:KEN`. */
function accountWord({ t }: MerchantVisit, name: string): string {
  const [kind = '', ...of] = name.split(':');
  const word = `account.${kind}`;
  return [isWord(word) ? t(word) : kind, ...of].join(' · ');
}

export async function statementFile(visit: MerchantVisit): Promise<PageResponse> {
  const { db, place } = visit;
  const wanted = await wantedOf(visit);
  const currency = isCurrency(wanted.currency) ? wanted.currency : undefined;
  if (hasFault(wanted) || !currency) return statements(visit);
  const { merchant_id: merchantId } = place.merchant;
  const may = await canTakeFile(visit, 'statement.export');
  if (!may.allowed) return overrun(visit, 429, may);
  const statement = await openStatement(db, { ...wanted, currency, merchantId });
  const { zone } = statement;
  return csvDownload(csvName(statement), csvOf(db, statement, { zone, timeOf: timeIn(zone) }));
}
