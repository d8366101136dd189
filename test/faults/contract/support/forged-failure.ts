/** Somebody who is not the provider tells us that a payment has failed. */
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { HoldRow, PaymentRow } from '../../../../src/store/tables';
import { bookingsOf, endingsTold, type Begun, type Stand } from './stand';

/** What is to be seen of a payment once we have looked at what was forged. */
export interface AfterForgery {
  status: number;
  state: PaymentRow['state'];
  told: PaymentRow['state'][];
  bookings: bigint[];
  holds: HoldRow['state'][];
}

/** Forges the failure of a payment that the provider has just accepted, and waits until it was looked at. */
export async function forgeFailure(stand: Stand, begun: Begun): Promise<AfterForgery> {
  const { db } = stand.stack;
  await begun.answer;
  const payment = await waitFor(
    async () => {
      const row = await begun.row();
      return ['received', 'initiating'].includes(row.state) ? undefined : row;
    },
    { what: 'the payment to be accepted', timeoutMs: 60_000 },
  );
  const { payment_id: id } = payment;
  const status = await stand.contract.forgeFailure(stand.stack, payment);
  if (status === 200) {
    await waitFor(
      async () => {
        const notices = await db('inbox').where({ payment_id: id });
        return notices.length > 0 && notices.every(({ processed_at: at }) => at !== null);
      },
      { what: 'the forged failure to be looked at', timeoutMs: 60_000 },
    );
  }
  const holds = await db('holds').where({ payment_id: id });
  return {
    status,
    state: (await begun.row()).state,
    told: await endingsTold(db, id),
    bookings: await bookingsOf(db, id),
    holds: holds.map(({ state }) => state),
  };
}
