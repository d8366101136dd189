import { setAside } from '../payments/held-payout';
import { insertPayment } from '../../support/store/rows';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

const note = ['--note', 'the recipient was called', '--as', 'amina'];

it('malipo hold list shows what waits, and malipo release lets one go on, once', async () => {
  expect((await cli.run('hold', 'list')).out).toBe('No payout waits by itself.\n');
  const { payment_id: id } = await setAside(cli.db, await insertPayment(cli.db, { kind: 'payout' }));
  const hold = { payment_id: id, reason: 'new_recipients_per_day', held_at: new Date() };
  await cli.db('payout_holds').insert(hold as never);
  expect((await cli.run('hold', 'list')).out).toMatch(
    new RegExp(`${id} .* 1250\\.00 KES +new_recipients_per_day .* released`),
  );
  expect(await cli.json('hold', 'list')).toMatchObject({ holds: [{ payment_id: id, amount: '1250.00' }] });
  expect((await cli.run('release', id)).code).toBe(2);
  expect((await cli.run('release', id, ...note)).out).toBe(
    `Payout ${id} is released by amina: it goes on by itself at once.\n`,
  );
  const again = await cli.run('release', id, ...note);
  expect([again.code, again.err]).toEqual([1, `Payout ${id} was released before, by amina.\n`]);
  expect((await cli.run('release', 'käse', ...note)).code).toBe(2);
  expect((await cli.run('release', 'nobody', ...note)).code).toBe(1);
  expect(await cli.db('audit_log').where({ subject_id: id })).toMatchObject([
    { acted_by: 'nobody', action: 'release' },
  ]);
  expect(await cli.db('payout_holds').where({ payment_id: id }).first()).toMatchObject({
    released_by: 'amina',
  });
  expect(await cli.json('hold', 'list')).toEqual({ holds: [] });
});

it('malipo release tells of nothing at once where nothing waited that could be hastened', async () => {
  const { payment_id: id } = await setAside(cli.db, await insertPayment(cli.db, { kind: 'payout' }));
  const hold = { payment_id: id, reason: 'new_recipients_per_day', held_at: new Date() };
  await cli.db('payout_holds').insert(hold as never);
  cli.engine.hasten = () => Promise.resolve(false);
  expect((await cli.run('release', id, ...note)).out).toBe(
    `Payout ${id} is released by amina: it goes on by itself within a minute.\n`,
  );
});
