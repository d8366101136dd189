import { setAside } from '../payments/payout-on-hold';
import { insertPayment } from '../../support/store/rows';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

const note = ['--note', 'the recipient was called', '--as', 'amina'];

it('malipo hold list shows payouts on hold, and malipo hold release releases one once', async () => {
  expect((await cli.run('hold', 'list')).out).toBe('No payout is on hold.\n');
  const { payment_id: id } = await setAside(cli.db, await insertPayment(cli.db, { kind: 'payout' }));
  const hold = { payment_id: id, reason: 'new_recipients_per_day', held_at: new Date() };
  await cli.db('payout_holds').insert(hold as never);
  expect((await cli.run('hold', 'list')).out).toMatch(
    new RegExp(`${id} .* 1250\\.00 KES +new_recipients_per_day .* released`),
  );
  expect(await cli.json('hold', 'list')).toMatchObject({ holds: [{ payment_id: id, amount: '1250.00' }] });
  expect((await cli.run('hold', 'release', id)).code).toBe(2);
  expect((await cli.run('hold', 'release', id, ...note)).out).toBe(
    `Payout ${id} is released by amina: it continues by itself at once.\n`,
  );
  const again = await cli.run('hold', 'release', id, ...note);
  expect([again.code, again.err]).toEqual([1, `Payout ${id} is already released, by amina.\n`]);
  expect((await cli.run('hold', 'release', 'käse', ...note)).code).toBe(2);
  expect((await cli.run('hold', 'release', 'nobody', ...note)).code).toBe(1);
  expect(await cli.db('audit_log').where({ subject_id: id })).toMatchObject([
    { acted_by: 'nobody', action: 'hold.release' },
  ]);
  expect(await cli.db('payout_holds').where({ payment_id: id }).first()).toMatchObject({
    released_by: 'amina',
  });
  expect(await cli.json('hold', 'list')).toEqual({ holds: [] });
});

it('malipo hold release does not print "at once" when the workflow was not waiting to submit', async () => {
  const { payment_id: id } = await setAside(cli.db, await insertPayment(cli.db, { kind: 'payout' }));
  const hold = { payment_id: id, reason: 'new_recipients_per_day', held_at: new Date() };
  await cli.db('payout_holds').insert(hold as never);
  cli.engine.retryNow = () => Promise.resolve(false);
  expect((await cli.run('hold', 'release', id, ...note)).out).toBe(
    `Payout ${id} is released by amina: it continues by itself within a minute.\n`,
  );
});
