/** The provider returns what it has paid out, and reports it ten times at once. */
import type { PaymentRow } from '../../../../src/store/tables';
import { expectChargedOnce } from './charged';
import { bookingsOf, endingsReported, type Begun, type ContractStage } from './stand';

export async function takeBack(
  { contract, provider, stack }: ContractStage,
  { flow, customer }: Begun,
  payment: PaymentRow,
): Promise<void> {
  await provider.next({ call: 'callback', behave: 'duplicate', where: flow.where(customer) });
  await contract.takeBack?.(stack, payment);
}

export async function expectBackOnce({ stack: { db } }: ContractStage, payment: PaymentRow): Promise<void> {
  const { payment_id: id, requested_minor, corrected } = payment;
  const minor = BigInt(requested_minor);
  expect(await bookingsOf(db, id)).toEqual([minor, -minor]);
  expect(await endingsReported(db, id)).toEqual(['succeeded', 'returned']);
  expect(corrected).toBe(1);
  await expectChargedOnce(db, payment);
}
