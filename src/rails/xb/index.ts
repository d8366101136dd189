import type { Policy } from '../../domain/commands';
import { referenceOf } from '../../payments/notices';
import type { Operation, Rail, RailSettings } from '../../payments/rail';
import { scalePolicy } from '../../payments/scale-policy';
import { announce } from './callback';
import { matchNotification, notificationPath, xbNotifications } from './notifications';
import { intasendProvider } from './providers/intasend';
import { xbEndpoints } from './routes';
import { readXbSettings } from './settings';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The provider is asked from 10 s on, more and more rarely for a day; what is still open then is an operator's
 * question. A collection whose acceptance was lost, and that is not found by our name for it, is given up after half an
 * hour: a person is asked to look for it, and a success that is notified later still corrects it.
 */
const policy: Policy = {
  checksMs: [
    ...[10, 20, 30, 45, 60, 90].map((s) => s * second),
    ...[2, 3, 5, 10, 15, 30].map((m) => m * minute),
    ...Array.from({ length: 24 }, (_, i) => (i + 1) * hour),
  ],
  unknownDeadlineMs: 30 * minute,
  rechecksMs: [],
  watchMs: 72 * hour,
  confirmDelaysMs: [1, 2, 5, 10, 30, 60, 300].map((s) => s * second),
};

/** Handset prompts in Uganda (UGX) and Tanzania (TZS). */
export function xbRail(settings: RailSettings): Rail {
  const xb = readXbSettings(settings.env);
  const { checkups, ...intasend } = intasendProvider(xb, settings);
  const push: Operation = {
    ...intasend,
    workflowType: 'xbPush',
    story: 'collection',
    policy: scalePolicy(policy, settings.timeScale),
    trustQueryFailureAfterMs: 0,
    tentativeFailureMs: 0,
    notificationsAreProof: false,
    whenAmountDiffers: 'settle_and_open_case',
    lateSuccess: 'correct',
    whenSilent: ({ provider_reference: known }, answer) =>
      known === null && (answer === undefined || referenceOf(answer) === undefined)
        ? 'time_out'
        : 'ask_operator',
    announce,
  };
  return {
    name: 'xb',
    operations: { deposit: push },
    endpoints: xbEndpoints,
    notificationRoutes: (api) => xbNotifications(api, xb),
    matchNotification,
    checkups: () => [checkups(`${settings.publicUrl}${notificationPath}`)],
  };
}
