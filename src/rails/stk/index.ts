import type { Policy } from '../../domain/commands';
import type { Operation, Rail, RailSettings } from '../../payments/rail/rail';
import { scalePolicy } from '../../payments/rail/scale-policy';
import { announce } from './callback';
import { notificationPath, stkNotifications } from './notifications';
import { darajaProvider } from './providers/daraja';
import { stkEndpoints } from './routes';
import { readStkSettings } from './settings';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * A prompt lives about a minute. The provider is asked from 20 s on, the prompt is given up after five minutes (three
 * where even its acceptance is unknown), looked at again after 15 minutes and a day, and may be corrected for 72 hours.
 */
const policy: Policy = {
  checksMs: [20, 35, 50, 65, 90, 120, 180, 300].map((s) => s * second),
  unknownDeadlineMs: 180 * second,
  rechecksMs: [15 * minute, 24 * hour],
  watchMs: 72 * hour,
  confirmDelaysMs: [1, 2, 5, 10, 30, 60, 300].map((s) => s * second),
};

/** Kenyan STK push: a PIN prompt on the customer's handset, in KES. */
export function stkRail(settings: RailSettings): Rail {
  const stk = readStkSettings(settings.env);
  const daraja = darajaProvider(stk, settings, `${settings.publicUrl}${notificationPath}`);
  const push: Operation = {
    workflowType: 'stkPush',
    story: 'collection',
    policy: scalePolicy(policy, settings.timeScale),
    // The provider's query is reported to say "failed" for payments whose callback said "paid": the callback goes first.
    trustQueryFailureAfterMs: (90 * second) / settings.timeScale,
    tentativeFailureMs: (30 * second) / settings.timeScale,
    initiate: daraja.initiate,
    retrieveStatus: daraja.retrieveStatus,
    readNotification: daraja.readNotification,
    ...(daraja.requestReceipt && { requestReceipt: daraja.requestReceipt }),
    notificationsAreProof: false,
    whenAmountDiffers: 'settle_and_open_case',
    lateSuccess: 'correct',
    whenSilent: () => 'time_out',
    announce: (payment) => announce(payment, settings.timezone),
  };
  return {
    name: 'stk',
    operations: { deposit: push },
    endpoints: (api) => stkEndpoints(api, stk),
    notificationRoutes: (api) => stkNotifications(api, stk.callbackAddresses),
    checkups: () => [daraja.checkups()],
  };
}
