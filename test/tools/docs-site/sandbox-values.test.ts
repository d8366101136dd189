/** The page of test values by outcome: each value is one of the simulator, in the row of what it does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { railDefinitions } from '../../../src/rails';
import { specifiedRails } from '../../support/specified-endpoints';
import { startTestBench } from '../../support/simulator/bench';
import { pageTables } from './page-tables';

/** The scenarios' names, after the rail, that belong into a row. */
const rowsOf: Record<string, RegExp> = {
  paid: /(?:^|\.)(?:success|payout-succeeds|no-surprise)$/,
  'paid, but not at once':
    /still-under-processing|ending-that-is-none|reconciliation|tried-again|pending-then-completed|before-the-status-is-ready|being-completed-once/,
  'paid, with another amount': /amount-differs|another-(?:value|amount)/,
  'paid, and the provider reports it in another form':
    /partial-metadata|named-by|challenge-in-a-header|loose-answers/,
  'too little money': /insufficient-(?:funds|balance)|account-is-empty/,
  'cancelled by the customer': /^cancelled(?!-callback)|payment-not-approved/,
  'no answer of the customer in time': /^timeout$|transaction-expired|^no-answer$/,
  'wrong or locked PIN': /wrong-pin|pin-locked/,
  'the number or account cannot be used':
    /subscriber-locked|no-such-operator|refused-at-once|not-found|not-a-number|payout-(?:fails|blocked)/,
  'a limit of the customer or recipient': /limit-reached/,
  'too soon after another one': /too-soon|payment-in-progress/,
  'declined, or failed for another reason':
    /declined|denied|system-busy|not-set-up|unspecified-failure|wallet-out-of-funds|pending-then-failed|no-part-is-refunded/,
  'paid, but the notification is lost':
    /^(?!cancelled).*(?:callback|webhook|events|notification)-lost|neither-notif/,
  'cancelled, but the notification is lost': /^cancelled-callback-lost/,
  'the notification is late': /(?:^|\.)late-|events-late/,
  'the notification comes three times': /three-times/,
  'notifications contradict each other, or come in the wrong order': /contradiction|out-of-order/,
  'no result, ever': /no-answer-at-all|no-answer-1|never-ends/,
  'accepted, but the answer is lost': /answer-lost/,
  'accepted, but the answer is an error': /error-though/,
  'not accepted: the provider is down': /gateway-down|request-lost|not-accepted|server-error|error-inside/,
  'you decide on a page, or the customer does': /a-person-decides|^redirect\./,
  'the customer gets a code first': /^preauth\./,
  'queued: you can cancel the payout': /queued/,
  'the recipient has to claim the payout': /unclaimed|never-claimed|payout-held/,
};

interface Scenario {
  name: string;
  value: string;
}

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'guides', '03-sandbox.md'), 'utf8');
const tables = pageTables(page).filter(({ head }) => head[0] === 'outcome');
const placed = tables.flatMap(({ head, rows }) =>
  rows.flatMap(([outcome = '', ...cells]) =>
    cells.flatMap((cell, at) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, value = '']) => ({
        outcome,
        rail: head[at + 1] ?? '',
        value,
      })),
    ),
  ),
);
const nameOf = (title: string) => railDefinitions.find((rail) => rail.title === title)?.name ?? title;

describe('the test values by outcome', () => {
  let scenarios: Scenario[];
  beforeAll(async () => {
    const bench = await startTestBench();
    const answer = await fetch(`${bench.simulator.url}/control/scenarios`);
    const all = ((await answer.json()) as { scenarios: Scenario[] }).scenarios;
    // A further rail lists its values in its own guide only.
    scenarios = all.filter(({ name }) => specifiedRails.includes(name.split('.')[0] ?? ''));
    await bench.stop();
  });

  it('have a column for each rail of the specification', () => {
    for (const { head } of tables)
      expect(head.slice(1).map(nameOf).sort()).toEqual([...specifiedRails].sort());
  });

  it('are values of the simulator, each in the row of what it does', () => {
    const wrong = placed.filter(({ outcome, rail, value }) => {
      const named = scenarios.filter((one) => one.name.startsWith(`${nameOf(rail)}.`) && one.value === value);
      const names = named.map((one) => one.name.slice(nameOf(rail).length + 1));
      return names.length === 0 || !names.every((name) => rowsOf[outcome]?.test(name));
    });
    expect(wrong).toEqual([]);
    expect(new Set(placed.map(({ outcome }) => outcome))).toEqual(new Set(Object.keys(rowsOf)));
  });

  it('are complete: each scenario is in the table once', () => {
    const values = new Set(scenarios.map(({ name, value }) => `${name.split('.')[0] ?? ''} ${value}`));
    expect(placed.map(({ rail, value }) => `${nameOf(rail)} ${value}`).sort()).toEqual([...values].sort());
  });
});
