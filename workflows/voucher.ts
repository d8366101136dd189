import {
  allHandlersFinished,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import {
  names,
  signalSources,
  type Activities,
  type VoucherCommand,
  type VoucherResult,
} from '../src/domain/commands';
import { searchAttributes } from '../src/domain/search-attributes';
import type { VoucherState } from '../src/domain/voucher';
import { movableClock, requireMovable } from './movable-clock';

const advance = defineUpdate<string, [number]>(names.advance);
const status = defineQuery<{ voucherId: string; state: VoucherState }>(names.status);

const { sendVoucherMail, checkVoucher } = proxyActivities<Activities>({
  startToCloseTimeout: '90s',
  retry: { initialInterval: '1s', maximumInterval: '10 minutes' },
});

/** A voucher: its code is mailed, and the workflow waits for its redemption or its last day. */
export async function voucher(command: VoucherCommand): Promise<VoucherResult> {
  const { reference: voucherId, amount, merchant, expiresAtMs, fixedClock } = command;
  const clock = movableClock();
  let state: VoucherState = 'active';
  let reports = 0;
  const report = () => {
    reports += 1;
  };
  for (const source of signalSources) setHandler(defineSignal(source), report);
  setDefaultSignalHandler(report);
  const moveClock = (ms: number) => {
    clock.advance(ms);
    return new Date(clock.now()).toISOString();
  };
  if (fixedClock !== true) setHandler(advance, moveClock, { validator: requireMovable });
  setHandler(status, () => ({ voucherId, state }));

  const mailed = await sendVoucherMail.executeWithOptions({ summary: 'mail the code to its recipient' }, [
    { voucherId },
  ]);
  // A code that reaches no recipient is useless: the merchant gets the money back at once.
  const endsAt = mailed === 'sent' ? expiresAtMs : clock.now();
  while (state === 'active') {
    const until = new Date(endsAt).toISOString();
    setCurrentDetails(`**active**: the code was mailed. Waits for its redemption, until ${until}.`);
    await clock.waitUntil(() => reports > 0, endsAt, 'the voucher expires');
    reports = 0;
    const isOver = clock.now() >= endsAt;
    const summary = isOver ? 'expire it, if it was not redeemed' : 'check whether it was redeemed';
    state = await checkVoucher.executeWithOptions({ summary }, [{ voucherId, isOver }]);
  }
  upsertSearchAttributes([{ key: searchAttributes.status, value: state }]);
  const meaning = `${meanings[state]}${mailed === 'sent' ? '' : ' Its mail could not be delivered.'}`;
  setCurrentDetails(`**${state}**: ${meaning}`);
  await condition(allHandlersFinished);
  return { status: state, meaning, amount, merchant, reference: voucherId };
}

const meanings: Record<VoucherState, string> = {
  active: 'The code was mailed, and nobody has redeemed it.',
  redeemed: "The code was redeemed: the amount is in the merchant's wallet again, to be spent.",
  expired: "The code was not redeemed in time: the amount is in the merchant's wallet again.",
};
