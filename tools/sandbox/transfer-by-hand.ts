/** Money that is there when a test or a tool begins, as an operator would have put it there: with its action and its line. */
import { v7 as uuid } from 'uuid';
import { transfer, type Transfer } from '../../src/ledger/conversions';
import type { Database, Transaction } from '../../src/store/database';
import { recordAction } from '../../src/users/audit-log';
import { duringAction } from '../../src/users/current-action';

/** @returns the id of the transfer. */
export function transferByHand(db: Database, wanted: Transfer): Promise<string> {
  const actionId = uuid();
  return duringAction(actionId, () =>
    transfer(db, {
      ...wanted,
      async alongside(trx) {
        await writeDown(trx, actionId);
        await wanted.alongside?.(trx);
      },
    }),
  );
}

/** Does in a transaction what only operators do. */
export function byHand(trx: Transaction, work: () => Promise<unknown>): Promise<void> {
  const actionId = uuid();
  return duringAction(actionId, async () => {
    await work();
    await writeDown(trx, actionId);
  });
}

function writeDown(trx: Transaction, actionId: string): Promise<void> {
  const subject = { kind: 'action', id: actionId };
  return recordAction(trx, { by: 'nobody', action: 'test.move', subject, details: { action_id: actionId } });
}
