/** Pull Transactions: what customers have paid to the shortcode within the last 48 hours, from a row on. */
import { randomUUID } from 'node:crypto';
import type { Answer } from '../../calls';
import type { Facts } from '../../faults';
import { isHttpUrl, recordOf, textOf, type Fields } from '../../fields';
import type { ProviderContext } from '../../provider';
import type { StatementLine } from '../../statement-lines';
import { firstFault } from './answers';
import type { StkSettings } from './settings';

const keptMs = 48 * 3_600_000;
/** How many the real one gives at once is told nowhere. */
const pageSizeMax = 100;
const [done, nothingNew] = ['1000', '1001'];

export interface PullTransactions {
  register(body: unknown): Answer;
  query(body: unknown): Answer;
}

/** What a rule for a query may be narrowed by. */
export const pulledFrom = (body: unknown): Facts => ({ offset: textOf(recordOf(body)['OffSetValue']) });

export function openPullTransactions(
  { journal, statements }: ProviderContext,
  { shortcode }: StkSettings,
): PullTransactions {
  const registered = journal.collection<{ number: string; url: string }>('stk.pull');

  return {
    register(body) {
      const told = readerOf(body);
      const refused = firstFault([
        ['ShortCode', told('ShortCode') === shortcode],
        ['RequestType', told('RequestType') === 'Pull'],
        ['NominatedNumber', /^(?:254|0)[17]\d{8}$/.test(told('NominatedNumber'))],
        ['CallBackURL', isHttpUrl(told('CallBackURL'))],
      ]);
      if (refused) return refused;
      const isKnown = registered.get(shortcode) !== undefined;
      if (!isKnown) registered.put(shortcode, { number: told('NominatedNumber'), url: told('CallBackURL') });
      return answer({
        ResponseStatus: isKnown ? nothingNew : done,
        ShortCode: shortcode,
        ResponseDescription: `Shortcode ${isKnown ? 'already Registered' : 'Registered Successfully'}`,
      });
    },

    query(body) {
      const told = readerOf(body);
      const [start, end] = [momentOf(told('StartDate')), momentOf(told('EndDate'))];
      const refused = firstFault([
        ['ShortCode', told('ShortCode') === shortcode && registered.get(shortcode) !== undefined],
        // The caller has no other clock than that on the wall.
        ['StartDate', start >= Date.now() - keptMs],
        ['EndDate', end >= start],
        ['OffSetValue', /^\d{1,9}$/.test(told('OffSetValue'))],
      ]);
      if (refused) return refused;
      const paid = statements
        .lines('stk')
        .filter(({ kind, at }) => kind === undefined && Date.parse(at) >= start && Date.parse(at) <= end);
      const offset = Number(told('OffSetValue'));
      const page = paid.slice(offset, offset + statements.pageSize('stk', pageSizeMax));
      if (page.length === 0)
        return answer({ ResponseCode: nothingNew, ResponseMessage: 'No transactions', Response: '[[]]' });
      return answer({
        ResponseCode: done,
        ResponseMessage: 'Success',
        Response: [page.map(transactionOf)],
      });
    },
  };
}

/** Its keys are in small letters, unlike all others of the provider. */
function transactionOf({ receipt, at, phone = '', callerReference = '', amount }: StatementLine): object {
  return {
    transactionId: receipt,
    trxDate: `${new Date(at).toISOString().slice(0, 19)}Z`,
    msisdn: Number(phone.slice(3)),
    sender: 'SIMULATED CUSTOMER',
    transactiontype: 'c2b-pay-bill-debit',
    billreference: callerReference,
    amount,
    organizationname: 'SIMULATED',
  };
}

const answer = (json: object): Answer => ({ status: 200, json: { ResponseRefID: randomUUID(), ...json } });

function readerOf(body: unknown): (name: string) => string {
  const fields: Fields = recordOf(body);
  return (name) => textOf(fields[name]);
}

/** Nairobi's clock. NaN for what is none, which is neither before nor after anything. */
function momentOf(text: string): number {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)
    ? Date.parse(`${text.replace(' ', 'T')}+03:00`)
    : NaN;
}
