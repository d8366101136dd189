/** Account Balance: all accounts of the organisation in one text, sent later to the given address. */
import type { CallResponse } from '../../calls';
import type { ProviderContext } from '../../provider';
import { openReportedBalances, type ReportedBalances } from '../../reported-balances';
import { nairobiTimestamp, newConversationId } from './identifiers';
import { openQuestion, type QueryCall } from './later-answer';
import { results } from './results';
import type { StkSettings } from './settings';

/** The opening balance. */
const OPENING_CENTS = 70_000_000n;

export interface AccountBalance {
  ask(body: unknown): CallResponse;
  /** The collections balance to report; see `ToldBalances`. */
  lie(fields: Parameters<ReportedBalances['lie']>[1]): void;
}

export function openAccountBalance(context: ProviderContext, settings: StkSettings): AccountBalance {
  const { clock, callbacks, books, faults, journal } = context;
  const reported = openReportedBalances(journal, 'stk');

  /** Collections are booked to the utility account; nothing is moved out of it. */
  const balances = () => {
    const utility = reported.of('KES', OPENING_CENTS + (books.nets('stk').get('KES') ?? 0n));
    const accounts = [
      ['Working Account', '0.00'],
      ['Utility Account', utility],
      ['Charges Paid Account', '-1540.00'],
      ['Organization Settlement Account', '0.00'],
    ];
    return accounts
      .map(([name, amount = '']) => [name, 'KES', amount, amount, '0.00', '0.00'].join('|'))
      .join('&');
  };
  const resultOf = ({ conversationId, mayAsk }: QueryCall) => ({
    ResultType: 0,
    ResultCode: mayAsk ? 0 : 2001,
    ResultDesc: results[mayAsk ? '0' : '2001'],
    OriginatorConversationID: conversationId,
    ConversationID: newConversationId(clock.callersNow()),
    TransactionID: 'AAA0000000',
    ...(mayAsk && {
      ResultParameters: {
        ResultParameter: [
          { Key: 'ActionType', Value: 'AccountBalance' },
          { Key: 'AccountBalance', Value: balances() },
          { Key: 'BOCompletedTime', Value: Number(nairobiTimestamp(clock.callersNow())) },
        ],
      },
    }),
  });

  return {
    ask: openQuestion(context, settings, {
      kind: 'stk.balance',
      command: 'AccountBalance',
      about: () => ({}),
      async answer(asked) {
        if (faults.take('stk', 'balance_result', {}, ['drop'])) return;
        const body = JSON.stringify({ Result: resultOf(asked) });
        await callbacks.send({ url: asked.url, body }, { phone_number: '' }, asked.conversationId);
      },
    }),
    lie(fields) {
      reported.lie('KES', fields);
    },
  };
}
