/** The page for operators, against a real server: every query of it, and of the portal's and the start's links, is understood. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { searchAttributeTypes } from '../../../src/domain/search-attributes';
import { workflowListUrl, workflowQueries } from '../../../src/domain/workflow-queries';
import { testTemporal } from '../../support/temporal';

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'temporal.md'), 'utf8');
const documented = [...page.matchAll(/^ *```query\n([^`]+?)\n *```$/gm)].map(([, query = '']) =>
  query.trim(),
);
const linked = Object.values(workflowQueries(new Date()));

describe('the page about Temporal', () => {
  let connection: Connection;
  let client: Client;
  beforeAll(async () => {
    const { options, namespace } = testTemporal();
    connection = await Connection.connect(options);
    client = new Client({ connection, namespace });
  });
  afterAll(() => connection.close());

  it('answers twelve questions', () => {
    expect(documented).toHaveLength(12);
  });

  it.each([...documented, ...linked.map(({ query }) => query)])(
    'has a query that works: %s',
    async (query) => {
      expect((await client.workflow.count(query)).count).toEqual(expect.any(Number));
    },
  );

  it('names every search attribute with its type', () => {
    const rows = [...page.matchAll(/^\| `(Malipo\w+)` +\| (\w+)/gm)].map(([, name, type]) => ({
      name,
      type,
    }));
    const byName = (one: { name?: string | undefined }, other: { name?: string | undefined }) =>
      (one.name ?? '').localeCompare(other.name ?? '');
    expect(rows.sort(byName)).toEqual([...searchAttributeTypes].sort(byName));
  });

  it('is linked with the query filled in', () => {
    const at = { temporalUiUrl: 'http://127.0.0.1:8233', temporalNamespace: 'default' };
    expect(workflowListUrl(at, { question: '', query: "A = 'b c'" })).toBe(
      "http://127.0.0.1:8233/namespaces/default/workflows?query=A%20%3D%20'b%20c'",
    );
  });
});
