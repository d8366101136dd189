/** /control/xb: actions of the payer or the network on a collection, and of the provider on the account. */
import express, { type Router } from 'express';
import { ControlError } from '../../control-error';
import { recordOf, textOf } from '../../fields';
import { lieControl } from '../../reported-balances';
import { decisions, type Decision, type Invoices } from './invoices';
import type { Wallets } from './wallets';

export const controls = [
  {
    request: 'POST /control/xb/invoices/<invoice_id> {"action":"pay|fail|cancel"}',
    does: 'Decides a collection instead of its scenario, also a second time.',
  },
  {
    request: 'POST /control/xb/wallets {"currencies":["KES"]}',
    does: 'Limits the account’s wallets to these currencies.',
  },
  {
    request: `POST /control/xb/told {"currency":"UGX",${lieControl.fields}}`,
    does: `Reports an invalid balance: ${lieControl.does}`,
  },
];

export function xbControlRouter(invoices: Invoices, wallets: Wallets): Router {
  const router = express.Router();
  router.post('/invoices/:id', (request, response) => {
    const { id } = request.params;
    const { action } = recordOf(request.body);
    if (typeof action !== 'string' || !Object.hasOwn(decisions, action)) {
      throw new ControlError(400, `action must be one of: ${Object.keys(decisions).join(', ')}`);
    }
    const invoice = invoices.find(id);
    if (!invoice) throw new ControlError(404, `There is no invoice ${id}`);
    if (invoice.state === 'COMPLETE') throw new ControlError(409, `Invoice ${id} is paid`);
    const { state } = invoices.decide(invoice, action as Decision);
    response.json({ success: true, invoice_id: id, action, state });
  });
  router.post('/wallets', (request, response) => {
    const { currencies } = recordOf(request.body);
    if (!Array.isArray(currencies)) throw new ControlError(400, 'currencies must be a list');
    wallets.keep(currencies.map(textOf));
    response.json({ success: true, currencies });
  });
  router.post('/told', (request, response) => {
    const fields = recordOf(request.body);
    wallets.lie(textOf(fields['currency']), fields);
    response.json({ success: true, ...fields });
  });
  return router;
}
