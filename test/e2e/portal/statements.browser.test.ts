/** Statements in a real browser: downloaded and compared with the ledger. */
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { parseAmount } from '../../../src/domain/money';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { deposit, testContext } from '../../support/verify/books-support';
import { describeInBrowser, journeys, useVisitor } from '../../support/portal/browser-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

describeInBrowser('the statements', () => {
  let portal: TestPortal;
  const visitor = useVisitor(() => portal.url);
  let merchantId: string;
  let persons = 0;
  beforeAll(async () => {
    portal = await startPortal();
    merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
    const engine = testContext(portal.test.db);
    for (const account_reference of ['INV-1', '=HYPERLINK("https://evil.example")', 'a,"b"'])
      await deposit(
        engine,
        { merchantId, with: { account_reference } },
        'initiating',
        'pending',
        'succeeded',
      );
  });
  afterAll(() => portal.stop());

  it.each(journeys)('are downloaded, match the ledger, and contain no formulas: %s', async (_name, check) => {
    await visitor.open(check);
    const bookkeeper = await createPerson(portal.db, `books.${check.id}@duka.example`, {
      merchantId,
      role: 'finance',
    });
    await visitor.signInAs(await sessionOf(portal, bookkeeper));
    const page = visitor.page();
    await visitor.at(`/m/${merchantId}`);
    await visitor.link('Statements').click();
    await visitor.link('Download all movements (CSV)').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      visitor.link('Download all movements (CSV)').click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^statement-KES-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).not.toMatch(/(?:^|,|")[=+@]/m);
    const rows = parse<Record<string, string>>(text, { columns: true, bom: true });
    const wallet = rows.filter(({ account }) => account === 'wallet');
    const moved = wallet
      .filter(({ amount }) => amount !== '')
      .reduce((sum, { amount = '' }) => sum + (parseAmount(amount, 'KES') ?? 0n), 0n);
    const [ledger] = await portal.db('ledger_accounts').where({ merchant_id: merchantId, class: 'wallet' });
    expect([moved.toString(), wallet.at(-1)?.['balance']]).toEqual([ledger?.balance, '300.00']);
    expect(wallet.map(({ reference }) => reference).filter(Boolean)).toEqual([
      'INV-1',
      `'=HYPERLINK("https://evil.example")`,
      'a,"b"',
    ]);
  });

  it.each([
    ['another merchant’s', 'KES', 404],
    ['an invalid day', 'from=x', 422],
    ['a future day', 'to=2999-01-01', 422],
    ['an invalid currency', 'currency=%3Cb%3E', 200],
  ])('validate the request: %s', async (what, query, status) => {
    const elsewhere = await aMerchant(portal.db, portal.box, 'Elsewhere');
    const of = what.startsWith('another') ? elsewhere : merchantId;
    persons += 1;
    const email = `f${String(persons)}@duka.example`;
    const token = await sessionOf(
      portal,
      await createPerson(portal.db, email, { merchantId, role: 'finance' }),
    );
    for (const path of ['statements', 'statements/file']) {
      const answer = await call(portal, { method: 'GET', path: `/m/${of}/${path}?${query}`, token });
      expect([answer.status, answer.text.includes('<b>')]).toEqual([status, false]);
    }
  });
});
