/** /control/momo: actions of the provider's staff, the network or the customer. */
import express, { type Router } from 'express';
import { ControlError } from '../../control-error';
import { recordOf, type Fields } from '../../fields';
import { lieControl } from '../../reported-balances';
import type { Account, Switches } from './account';
import { personActions, type Lifecycle, type PersonAction } from './lifecycle';
import { availabilities, type AvailabilityBoard } from './network/availability';
import { findProvider } from './network/numbers';
import { operationNames } from './operations';
import type { MomoSettings } from './settings';
import type { Transaction, Transactions } from './transactions';
import type { WalletName, Wallets } from './wallets';

export interface ControlParts {
  settings: MomoSettings;
  account: Account;
  transactions: Transactions;
  lifecycle: Lifecycle;
  wallets: Wallets;
  availability: AvailabilityBoard;
}

export const controls = [
  {
    request:
      'POST /control/momo/providers/<provider> {"operation":"DEPOSIT|PAYOUT|REFUND","status":"OPERATIONAL|DELAYED|CLOSED"}',
    does: 'Changes the status of a provider. OPERATIONAL releases the queue.',
  },
  {
    request: 'POST /control/momo/authorisations/<deposit_id> {"action":"pay|decline"}',
    does: 'Decides a deposit that waits for a user on the page of a redirect provider.',
  },
  {
    request: 'POST /control/momo/wallets {"country":"ZMB","currency":"ZMW","balance":"10.00"}',
    does: 'Sets the merchant’s balance at the provider; larger payouts and refunds are rejected.',
  },
  {
    request: `POST /control/momo/told {"country":"ZMB","currency":"ZMW",${lieControl.fields}}`,
    does: `Reports an invalid balance: ${lieControl.does}`,
  },
  {
    request:
      'POST /control/momo/account {"signed_requests_only":true,"signed_callbacks":true,"signature_encoding":"der|raw"}',
    does: "Changes the account's signature settings; omitted fields stay.",
  },
];

export function momoControlRouter(parts: ControlParts): Router {
  const { settings, account, transactions, lifecycle, wallets, availability } = parts;
  const router = express.Router();

  router.post('/providers/:provider', (request, response) => {
    const { provider } = request.params;
    if (!findProvider(provider)) throw new ControlError(404, `There is no provider ${provider}`);
    const { operation, status } = recordOf(request.body);
    const wantedOperation = oneOf('operation', operationNames, operation);
    const wantedStatus = oneOf('status', availabilities, status);
    availability.set(provider, wantedOperation, wantedStatus);
    if (wantedStatus === 'OPERATIONAL') lifecycle.resume(wantedOperation, provider);
    response.json({ success: true, provider, operation, status });
  });

  router.post('/authorisations/:id', (request, response) => {
    const { action } = recordOf(request.body);
    const { id } = decideWaiting(transactions, lifecycle, request.params.id, action);
    response.json({ success: true, deposit_id: id, action });
  });

  const walletIn = ({ country, currency }: Fields): WalletName => {
    const wallet = { country: String(country), currency: String(currency) };
    if (!wallets.exists(wallet))
      throw new ControlError(400, `There is no wallet of that country and currency`);
    return wallet;
  };
  router.post('/told', (request, response) => {
    const fields = recordOf(request.body);
    wallets.lie(walletIn(fields), fields);
    response.json({ success: true, ...fields });
  });

  router.post('/wallets', (request, response) => {
    const { balance, ...named } = recordOf(request.body);
    const wallet = walletIn(named);
    if (typeof balance !== 'string' || !/^\d{1,15}\.\d{2}$/.test(balance)) {
      throw new ControlError(400, 'balance must be a string with two decimals, such as "10.00"');
    }
    wallets.set(wallet, balance);
    response.json({ success: true, ...wallet, balance });
  });

  router.post('/account', (request, response) => {
    const changes = readSwitches(request.body);
    if (changes.signedRequestsOnly === true && !settings.requestKey) {
      throw new ControlError(
        409,
        'Set MOMO_REQUEST_PUBLIC_KEY first: no signature could be verified without it',
      );
    }
    const { signedRequestsOnly, signedCallbacks, signatureEncoding } = account.change(changes);
    response.json({
      success: true,
      signed_requests_only: signedRequestsOnly,
      signed_callbacks: signedCallbacks,
      signature_encoding: signatureEncoding,
    });
  });
  return router;
}

/** @throws ControlError if there is nothing to decide. */
export function decideWaiting(
  transactions: Transactions,
  lifecycle: Lifecycle,
  id: string,
  action: unknown,
): Transaction {
  const wanted = oneOf('action', Object.keys(personActions) as PersonAction[], action);
  const deposit = transactions.find('DEPOSIT', id);
  if (!deposit) throw new ControlError(404, `There is no deposit ${id}`);
  if (deposit.redirect?.waitsUntil === undefined) {
    throw new ControlError(409, `Deposit ${id} is not waiting for a user`);
  }
  lifecycle.decide(deposit, wanted);
  return deposit;
}

function readSwitches(body: unknown): Partial<Switches> {
  const fields = recordOf(body);
  const known = ['signed_requests_only', 'signed_callbacks', 'signature_encoding'];
  for (const name of Object.keys(fields)) oneOf('A field', known, name);
  const flag = (name: string) => {
    const value = fields[name];
    if (typeof value === 'boolean' || value === undefined) return value;
    throw new ControlError(400, `${name} must be true or false`);
  };
  const encoding = fields['signature_encoding'];
  const [signedRequestsOnly, signedCallbacks] = [flag('signed_requests_only'), flag('signed_callbacks')];
  return {
    ...(signedRequestsOnly !== undefined && { signedRequestsOnly }),
    ...(signedCallbacks !== undefined && { signedCallbacks }),
    ...(encoding !== undefined && {
      signatureEncoding: oneOf('signature_encoding', ['der', 'raw'] as const, encoding),
    }),
  };
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: unknown): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new ControlError(400, `${name} must be one of: ${allowed.join(', ')}`);
  return found;
}
