/** An attacker reports that a payment has failed. */
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { HoldRow, PaymentRow } from '../../../../src/store/tables';
import { bookingsOf, endingsReported, type Begun, type ContractStage } from './stand';

/** A payment's state after the forged event was processed. */
export interface AfterForgery {
  status: number;
  state: PaymentRow['state'];
  reported: PaymentRow['state'][];
  bookings: bigint[];
  holds: HoldRow['state'][];
}

/** Forges the failure of a payment that the provider has just accepted, and waits until the event was processed. */
export async function forgeFailure(stand: ContractStage, begun: Begun): Promise<AfterForgery> {
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
        const providerEvents = await db('inbox').where({ payment_id: id });
        return providerEvents.length > 0 && providerEvents.every(({ processed_at: at }) => at !== null);
      },
      { what: 'the forged failure to be processed', timeoutMs: 60_000 },
    );
  }
  const holds = await db('holds').where({ payment_id: id });
  return {
    status,
    state: (await begun.row()).state,
    reported: await endingsReported(db, id),
    bookings: await bookingsOf(db, id),
    holds: holds.map(({ state }) => state),
  };
}
