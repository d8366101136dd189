import {
  allHandlersFinished,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { names, type Activities, type VoucherCommand } from '../src/domain/commands';
import { searchAttributes } from '../src/domain/search-attributes';
import type { VoucherState } from '../src/domain/voucher';
import { movableClock } from './movable-clock';

const looked = defineSignal(names.outcomeReported);
const advance = defineUpdate<string, [number]>(names.advance);
const status = defineQuery<{ voucherId: string; state: VoucherState }>(names.status);

const { sendVoucherMail, endVoucher } = proxyActivities<Activities>({
  startToCloseTimeout: '90s',
  retry: { initialInterval: '1s', maximumInterval: '10 minutes' },
});

/** A voucher: its code is mailed, and the workflow waits for its redemption or its last day. */
export async function voucher({ voucherId, expiresAtMs, fixedClock }: VoucherCommand): Promise<VoucherState> {
  const clock = movableClock();
  let state: VoucherState = 'active';
  let reports = 0;
  setHandler(looked, () => {
    reports += 1;
  });
  const moveClock = (ms: number) => {
    clock.advance(ms);
    return new Date(clock.now()).toISOString();
  };
  if (fixedClock !== true) setHandler(advance, moveClock);
  setHandler(status, () => ({ voucherId, state }));

  const mailed = await sendVoucherMail.executeWithOptions({ summary: 'mail the code' }, [{ voucherId }]);
  // A code that reaches no recipient is useless: the merchant gets the money back at once.
  const endsAt = mailed === 'sent' ? expiresAtMs : clock.now();
  while (state === 'active') {
    await clock.waitUntil(() => reports > 0, endsAt, 'until the voucher expires');
    reports = 0;
    const isOver = clock.now() >= endsAt;
    state = await endVoucher.executeWithOptions({ summary: 'look whether it was used' }, [
      { voucherId, isOver },
    ]);
  }
  upsertSearchAttributes([{ key: searchAttributes.status, value: state }]);
  await condition(allHandlersFinished);
  return state;
}
