/** Pull Transactions: the payments to the shortcode in the last 48 hours, from a given row on. */
import { randomUUID } from 'node:crypto';
import type { CallResponse } from '../../calls';
import type { Facts } from '../../faults';
import { isHttpUrl, recordOf, textOf, type Fields } from '../../fields';
import type { ProviderContext } from '../../provider';
import type { StatementLine } from '../../statement-lines';
import { firstFault } from './answers';
import type { StkSettings } from './settings';

const keptMs = 48 * 3_600_000;
/** The real limit is not documented. */
const pageSizeMax = 100;
const [done, nothingNew] = ['1000', '1001'];

export interface PullTransactions {
  register(body: unknown): CallResponse;
  query(body: unknown): CallResponse;
}

/** The fields that a rule for a query can match. */
export const pulledFrom = (body: unknown): Facts => ({ offset: textOf(recordOf(body)['OffSetValue']) });

export function openPullTransactions(
  { journal, statements }: ProviderContext,
  { shortcode }: StkSettings,
): PullTransactions {
  const registered = journal.collection<{ number: string; url: string }>('stk.pull');

  return {
    register(body) {
      const reported = readerOf(body);
      const refused = firstFault([
        ['ShortCode', reported('ShortCode') === shortcode],
        ['RequestType', reported('RequestType') === 'Pull'],
        ['NominatedNumber', /^(?:254|0)[17]\d{8}$/.test(reported('NominatedNumber'))],
        ['CallBackURL', isHttpUrl(reported('CallBackURL'))],
      ]);
      if (refused) return refused;
      const isKnown = registered.get(shortcode) !== undefined;
      if (!isKnown)
        registered.put(shortcode, { number: reported('NominatedNumber'), url: reported('CallBackURL') });
      return answer({
        ResponseStatus: isKnown ? nothingNew : done,
        ShortCode: shortcode,
        ResponseDescription: `Shortcode ${isKnown ? 'already Registered' : 'Registered Successfully'}`,
      });
    },

    query(body) {
      const reported = readerOf(body);
      const [start, end] = [momentOf(reported('StartDate')), momentOf(reported('EndDate'))];
      const refused = firstFault([
        ['ShortCode', reported('ShortCode') === shortcode && registered.get(shortcode) !== undefined],
        // The caller has no other clock than the wall clock.
        ['StartDate', start >= Date.now() - keptMs],
        ['EndDate', end >= start],
        ['OffSetValue', /^\d{1,9}$/.test(reported('OffSetValue'))],
      ]);
      if (refused) return refused;
      const paid = statements
        .lines('stk')
        .filter(({ kind, at }) => kind === undefined && Date.parse(at) >= start && Date.parse(at) <= end);
      const offset = Number(reported('OffSetValue'));
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

/** Its keys are in lower case, unlike all others of the provider. */
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

const answer = (json: object): CallResponse => ({
  status: 200,
  json: { ResponseRefID: randomUUID(), ...json },
});

function readerOf(body: unknown): (name: string) => string {
  const fields: Fields = recordOf(body);
  return (name) => textOf(fields[name]);
}

/** Nairobi time. NaN for an invalid time, which is neither before nor after any other. */
function momentOf(text: string): number {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)
    ? Date.parse(`${text.replace(' ', 'T')}+03:00`)
    : NaN;
}
