/** pawaPay, Merchant API v2: many mobile-money operators behind one asynchronous API. */
import type { ProviderDefinition } from '../../provider';
import { openAccount } from './account';
import { authorisationRouter } from './authorisation';
import { controls, momoControlRouter } from './control';
import { openFinancialCalls } from './financial-calls';
import { openSubmissions } from './submissions';
import { openLifecycle } from './lifecycle';
import { openAvailability } from './network/availability';
import { faultyCalls, wireRouter } from './routes';
import { scenarios } from './scenarios';
import { readMomoSettings } from './settings';
import { openToolkit } from './toolkit';
import { openTransactions } from './transactions';
import { openWalletStatements } from './wallet-statements';
import { openWallets } from './wallets';
import { pawapayStatement } from './statement';

/** Retries of a callback end after about a quarter of an hour. Later it is sent on request only. */
const RETRY_AFTER_MS = [10, 30, 60, 120, 240, 440].map((seconds) => seconds * 1_000);

export const momo: ProviderDefinition = {
  name: 'momo',
  port: 3220,
  title: 'Mobile money (deposits, payouts, refunds)',
  faultyCalls,
  statement: { type: 'text/csv', write: pawapayStatement },
  configure(reader) {
    const settings = readMomoSettings(reader);
    return (context) => {
      const { journal, clock, faults, requests, callbacks, statements } = context;
      const account = openAccount(journal, settings);
      callbacks.behave({ headersOf: account.signatureOf, retryAfterMs: RETRY_AFTER_MS });
      const transactions = openTransactions(journal);
      const wallets = openWallets(journal);
      const availability = openAvailability(journal);
      const lifecycle = openLifecycle({ context, settings, transactions, wallets, availability });
      const initiate = openSubmissions({ clock, transactions, lifecycle, wallets, availability });
      const calls = openFinancialCalls({ journal, transactions, initiate, lifecycle });
      const toolkit = openToolkit({ settings, account, availability, wallets });
      const walletStatements = openWalletStatements({ journal, clock, statements, wallets, settings });
      return {
        router: wireRouter({
          ...{ settings, account, transactions, calls, toolkit, walletStatements, faults, requests },
        }).use('/authorise', authorisationRouter(transactions, lifecycle, clock)),
        control: momoControlRouter({ settings, account, transactions, lifecycle, wallets, availability }),
        pages: [{ path: '/authorise', title: 'Payments that wait for approval: pay, decline or abandon' }],
        controls,
        testValues: [
          ...scenarios.map(({ suffix, of, title, behaviour }) => ({
            value: `…${suffix}`,
            asks: of === 'both' ? ['deposit', 'payout'] : [of],
            title,
            behaviour,
          })),
          ...byProvider,
        ],
      };
    };
  },
};

/** Depends on the provider, not on the number. */
const byProvider = [
  {
    value: 'WAVE_SEN, WAVE_CIV',
    asks: ['redirect'],
    title: 'Redirect',
    behaviour: 'The authorizationUrl comes after 2 s, where a user pays, declines or leaves.',
  },
  {
    value: 'ORANGE_BFA',
    asks: ['preauth'],
    title: 'Pre-authorisation',
    behaviour: 'Rejected without preAuthorisationCode, and with 000000; any other code works.',
  },
];
