import { PaymentError, invalid } from '../../domain/errors';
import {
  networkDetail,
  type HandsetPrompt,
  type HandsetCollections,
} from '../../rail-kit/handset-collections';
import type { RailSettings } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { chooseNetwork } from './choose-network';
import type { NetworkDirectory } from './network';
import { accountProvider, matchNotification, notificationOf, notificationPath } from './notifications';
import { pawapayProvider } from './providers/pawapay';
import { readMomoSettings } from './settings';

/**
 * Provides the account's deposits to another rail.
 * @returns undefined if there is no account.
 */
export function momoCollections(settings: RailSettings): HandsetCollections | undefined {
  if ((settings.env['MOMO_TOKEN'] ?? '') === '') return undefined;
  const momo = readMomoSettings(settings.env, settings.environment);
  const pawapay = pawapayProvider(momo, settings);
  const { initiate, recover, retrieveStatus, readNotification } = pawapay.actionsOf('deposit');
  const verification = {
    publicUrl: settings.publicUrl,
    findKey: momo.signedCallbacks ? pawapay.findKey : undefined,
  };
  return {
    provider: accountProvider,
    account: 'momo',
    networkOf: (asked) => networkOf(pawapay.directory, asked),
    actions: {
      initiate: (payment, call) => initiate(asDeposit(payment), call),
      recover: async (payment, call) =>
        (await recover?.(asDeposit(payment), call)) ?? {
          kind: 'unknown',
          text: 'the payment cannot be looked up',
        },
      retrieveStatus: (payment, call) => retrieveStatus(asDeposit(payment), call),
      readNotification,
    },
    notificationsAreTrusted: momo.signedCallbacks,
    notificationRoute: (api, path) => notificationOf(api, path, verification, 'handsetNotification'),
    matchNotification,
    checkups: (countries) => pawapay.checkups(`${settings.publicUrl}${notificationPath}`, countries),
  };
}

/** A payment of another rail in the form of a deposit of this rail. */
function asDeposit(payment: PaymentRow): PaymentRow {
  const phoneNumber = `+${payment.phone_number ?? ''}`;
  return { ...payment, provider: payment.details[networkDetail] ?? '', phone_number: phoneNumber };
}

/** Merchants of the other rail send a number and no network: a fault of the network is a fault of the number. */
async function networkOf(
  directory: NetworkDirectory,
  { country, currency, amountMinor, phoneDigits }: HandsetPrompt,
): Promise<string> {
  const transfer = {
    ...{ country, currency, amount: amountMinor },
    phone_number: `+${phoneDigits}`,
    account_reference: '',
  };
  const { network } = await chooseNetwork(directory, transfer, 'deposit').catch((error: unknown) => {
    const code = error instanceof PaymentError ? error.code : undefined;
    if (code === 'PROVIDER_NOT_FOUND' || code === 'PREAUTH_CODE_REQUIRED') throw notOnHandset();
    if (code === 'COUNTRY_NOT_SUPPORTED' || code === 'UNSUPPORTED_CURRENCY') {
      throw new PaymentError('PROVIDER_ACCOUNT_REFUSED', {
        detail: `no deposits in ${country}`,
        cause: error,
      });
    }
    throw error;
  });
  if (network.requiresRedirect) throw notOnHandset();
  return network.provider;
}

function notOnHandset(): PaymentError {
  const message = 'is not a number that can get a payment prompt';
  return invalid([{ field: 'phone_number', message }], 'INVALID_PHONE_NUMBER');
}
