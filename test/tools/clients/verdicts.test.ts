/**
 * The result of each client for every answer, and for none. It must be the same in all languages, because it decides
 * whether a payment may exist.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { languages, verdictsIn, type SentCall, type Verdict } from './languages';
import { scenarios } from './scenarios';
import { startScriptedFront, type ScriptedFront, type Try } from './scripted-front';

const folder = mkdtempSync(join(tmpdir(), 'malipo-verdicts-'));
let front: ScriptedFront;
beforeAll(async () => {
  front = await startScriptedFront();
});
afterAll(async () => {
  await front.close();
  rmSync(folder, { recursive: true, force: true });
});

const deposit: Pick<SentCall, 'operation' | 'input' | 'triesMax'> = {
  operation: 'momoDeposit',
  input: {
    amount: '25.50',
    currency: 'ZMW',
    country: 'ZMB',
    phone_number: '+260763456789',
    account_reference: 'O-1',
  },
  triesMax: 4,
};

for (const language of Object.values(languages)) {
  const itThere = language.command === undefined ? it.skip : it;
  describe(`the result of the client in ${language.name}`, () => {
    const asked = new Map<string, { verdict: Verdict; tries: Try[] }>();
    beforeAll(async () => {
      if (language.command === undefined) return;
      const scripts = Object.entries(scenarios).map(([name, { steps, call }]) => ({
        name,
        call,
        ...front.add(steps),
      }));
      const calls = scripts.map(({ url, call }) => ({ ...deposit, ...call, url }));
      const verdicts = await verdictsIn(language, folder, calls);
      scripts.forEach(({ name, tries }, n) => {
        asked.set(name, { verdict: verdicts[n] ?? { kind: 'misuse', message: 'none' }, tries });
      });
    });

    itThere.each(Object.keys(scenarios))('on %s', (name) => {
      const { verdict, tries } = asked.get(name) ?? { tries: [] };
      const wanted = scenarios[name];
      expect(verdict).toMatchObject(wanted?.wanted ?? {});
      expect(tries).toHaveLength(wanted?.tries ?? 0);
      // Every attempt is the same request.
      expect(new Set(tries.map(({ key, body }) => `${key ?? ''} ${body}`)).size).toBeLessThanOrEqual(1);
      expect(JSON.stringify(verdict)).not.toContain('s3cret');
    });

    itThere('waits as long as it is told to', () => {
      const [first, second] = asked.get('a pause of a second')?.tries ?? [];
      expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
    });

    itThere('reads on from where a page ends', () => {
      const paths = asked
        .get('the feed, page by page')
        ?.tries.map(({ path }) => new URL(path, 'http://x').searchParams);
      expect(paths?.map((query) => [query.get('types'), query.get('after')])).toEqual([
        ['deposit.*', null],
        ['deposit.*', 'c1'],
        ['deposit.*', 'c1'],
      ]);
    });

    itThere('makes a key of its own for what starts something, and none for what starts nothing', () => {
      expect(asked.get('no answer at all')?.tries[0]?.key).toBe('pay-1');
      expect(asked.get('a refusal')?.tries[0]?.key).toMatch(/^[\da-f-]{32,36}$/);
      expect(asked.get('a status that did not arrive')?.tries[0]?.key).toBeUndefined();
    });
  });
}
