/** The environment of the histories, and steps that several of them share. */
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import * as momo from '../../support/rails/momo/payments';
import type { SimulatorControl } from '../../support/rails/simulator-control';
import * as walletpay from '../../support/rails/walletpay/payments';
import { ended } from '../../support/payments/timeline';
import type { Stack, TestMerchant } from '../../support/stack';
import { create, fund } from '../../support/vouchers/vouchers';
import type { TestEngine } from '../../support/workflows/temporal-client';

export interface Stage {
  stack: Stack;
  merchant: TestMerchant;
  engine: TestEngine;
  provider(rail: string): SimulatorControl;
  /** Waits until the workflow has ended. */
  over(workflowId: string): Promise<unknown>;
}

export interface Tale {
  timeScale: number;
  /** @returns the id of the workflow whose history is saved in its current state: ended, or still open. */
  live(stage: Stage): Promise<string>;
}

/** One payment or voucher in real time, with its clock advanced where it waits. */
export const tale = (live: Tale['live']): Tale => ({ timeScale: 1, live });

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export async function overOf(stack: Stack, over: Stage['over'], paymentId: string): Promise<string> {
  const { workflow_id: workflowId } = await getPaymentOrThrow(stack.db, paymentId);
  await over(workflowId);
  return workflowId;
}

/** Advances the payment's own clock, and waits until the due checks are done. */
export async function advance({ stack, engine }: Stage, paymentId: string, ms: number): Promise<void> {
  const payment = await getPaymentOrThrow(stack.db, paymentId);
  await engine.advance(payment, ms);
  await engine.checkNow(payment);
}

export async function queuedPayout(stage: Stage, changes: Record<string, unknown> = {}): Promise<string> {
  const { stack, merchant, provider } = stage;
  await momo.setNetwork(provider('momo'), 'MTN_MOMO_ZMB', 'PAYOUT', 'DELAYED');
  await momo.fund(stack, merchant, 2_550n);
  const id = await momo.accepted(stack, merchant, 'payout', momo.transferBody(changes));
  await ended(stack.db, id, ['queued']);
  return id;
}

export async function paidDeposit({ stack, merchant, provider }: Stage): Promise<string> {
  const id = await momo.accepted(stack, merchant, 'deposit', momo.transferBody());
  await provider('momo').advance(10 * second);
  await momo.notifiedOf(merchant, id, 'Success');
  return id;
}

export async function paidPayout({ stack, merchant, provider }: Stage): Promise<string> {
  await walletpay.canPayOut(stack, merchant);
  const id = await walletpay.newPayout(stack, merchant);
  await provider('walletpay').advance(6 * second);
  await walletpay.notifiedOf(merchant, id, 'Success');
  return id;
}

export async function unclaimedPayout({ stack, merchant, provider }: Stage): Promise<string> {
  await walletpay.canPayOut(stack, merchant);
  const id = await walletpay.newPayout(stack, merchant, { recipient_email: 'unclaimed@example.org' });
  await provider('walletpay').advance(6 * second);
  await walletpay.stored(stack, id, { state: 'queued' });
  return id;
}

/** As for a payment whose workflow was lost: a new one is started for it. */
export async function takenUpAgain({ stack, engine }: Stage, paymentId: string): Promise<void> {
  const payment = await getPaymentOrThrow(stack.db, paymentId);
  await engine.client.workflow.getHandle(payment.workflow_id).terminate();
  await engine.checkNow(payment);
}

export async function voucher({ stack, merchant }: Stage, email: string): Promise<string> {
  await fund(stack, merchant, 25_000n);
  const { body } = await create(stack, merchant, { email });
  return String(body.data?.['voucher_id']);
}

export async function voucherRow({ stack }: Stage, voucherId: string) {
  const row = await stack.db('vouchers').where({ voucher_id: voucherId }).first();
  if (!row) throw new Error(`no voucher ${voucherId}`);
  return row;
}

export async function timersOf({ engine }: Stage, workflowId: string): Promise<number> {
  const { events } = await engine.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes).length;
}
