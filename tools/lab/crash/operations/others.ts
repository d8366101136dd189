/** Operations that do not begin with a single request. */
import { randomUUID } from 'node:crypto';
import { waitFor } from '../../../sandbox/services/wait-for';
import { setNetwork, transferBody } from '../../../../test/support/rails/momo/payments';
import { simulatorControl } from '../../../../test/support/rails/simulator-control';
import { call, stkPush } from '../../../../test/support/merchant-client';
import { ended } from '../../../../test/support/payments/timeline';
import { orNone } from './accepted';
import type { Operation } from './operation';

const hourMs = 3_600_000;

const payoutCancelled: Operation = {
  name: 'momo/payout-cancelled',
  async begin({ stack, merchant }) {
    const provider = simulatorControl(stack.simulatorUrl, 'momo');
    await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'DELAYED');
    const phone = { phone_number: '+260773000789' };
    const answer = await call(stack, merchant, 'POST', '/api/v1/momo/payout', transferBody(phone));
    const id = String(answer.body['transaction_id']);
    await ended(stack.db, id, ['queued']);
    return {
      about: [id],
      async ask() {
        const path = '/api/v1/momo/cancel_payout';
        const reported = await orNone(call(stack, merchant, 'POST', path, { transaction_id: id }));
        // A repeated request is too late: the payout is already cancelled.
        const isOver = reported?.status === 200 || reported?.body.code === 'PAYOUT_NOT_CANCELLABLE';
        return isOver ? id : undefined;
      },
      living: () => Promise.resolve([id]),
      ends: ['cancelled'],
    };
  },
};

/** The API has died before it could start the payment's workflow, and its merchant does not repeat the request. */
const pushSwept: Operation = {
  name: 'stk/push-swept',
  async begin(rig, name) {
    const { stack, merchant } = rig;
    const body = stkPush({ account_reference: name });
    const headers = { 'Idempotency-Key': randomUUID() };
    const push = () => orNone(call(stack, merchant, 'POST', '/api/v1/stk_push', body, headers));
    const point = 'POST:/api/v1/stk_push#1/Temporal:ExecuteMultiOperation-1.before';
    const { exited } = stack.process('api');
    await rig.arm('api', { trial: `${name}-begin`, point });
    await push();
    await exited;
    const row = await stack.db('payments').where({ account_reference: name }).first('payment_id');
    const id = row?.payment_id ?? '';
    const checkAt = (next_check_at: Date) =>
      stack.db('payments').where({ payment_id: id }).update({ next_check_at });
    // Not before the trial has begun.
    await checkAt(new Date(Date.now() + hourMs));
    await stack.start('api');
    let isDue = false;
    return {
      about: [id],
      isUnsettled: true,
      async ask() {
        if (!isDue) await checkAt(new Date());
        isDue = true;
        await waitFor(async () => (await ended(stack.db, id)).payment_id, {
          what: 'the sweeper to resume it',
          timeoutMs: 120_000,
        });
        const reported = await push();
        return reported?.status === 200 ? String(reported.body.data?.payment_id) : undefined;
      },
      living: () => stack.db('payments').where({ account_reference: name }).pluck('payment_id'),
      ends: ['succeeded'],
    };
  },
};

export const others: Operation[] = [payoutCancelled, pushSwept];
