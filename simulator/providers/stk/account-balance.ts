/** Account Balance: all accounts of the organisation in one text, told later at the address that was given. */
import type { Answer } from '../../calls';
import { isHttpUrl, recordOf, textOf } from '../../fields';
import type { ProviderContext } from '../../provider';
import { openToldBalances, type ToldBalances } from '../../told-balances';
import { badRequest } from './answers';
import { nairobiTimestamp, newConversationId, newMerchantRequestId } from './identifiers';
import { results } from './results';
import type { StkSettings } from './settings';

interface BalanceJob {
  url: string;
  conversationId: string;
  mayAsk: boolean;
}

const RESULT = 'stk.balance';
const SOON_MS = 1_000;
/** What was there before. */
const OPENING_CENTS = 70_000_000n;

export interface AccountBalance {
  ask(body: unknown): Answer;
  /** What the collections are told to be; see `ToldBalances`. */
  lie(fields: Parameters<ToldBalances['lie']>[1]): void;
}

export function openAccountBalance(
  { clock, schedule, callbacks, books, faults, journal }: ProviderContext,
  settings: StkSettings,
): AccountBalance {
  const told = openToldBalances(journal, 'stk');

  /** Collections come to the utility account; nothing is ever moved out of it here. */
  const balances = () => {
    const utility = told.of('KES', OPENING_CENTS + (books.nets('stk').get('KES') ?? 0n));
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
  const resultOf = ({ conversationId, mayAsk }: BalanceJob) => ({
    ResultType: 0,
    ResultCode: mayAsk ? 0 : 2001,
    ResultDesc: results[mayAsk ? '0' : '2001'],
    OriginatorConversationID: conversationId,
    ConversationID: newConversationId(clock.now()),
    TransactionID: 'AAA0000000',
    ...(mayAsk && {
      ResultParameters: {
        ResultParameter: [
          { Key: 'ActionType', Value: 'AccountBalance' },
          { Key: 'AccountBalance', Value: balances() },
          { Key: 'BOCompletedTime', Value: Number(nairobiTimestamp(clock.now())) },
        ],
      },
    }),
  });

  schedule.on(RESULT, async (data) => {
    const job = data as BalanceJob;
    if (faults.take('stk', 'balance_result', {}, ['drop'])) return;
    const body = JSON.stringify({ Result: resultOf(job) });
    await callbacks.send({ url: job.url, body }, { phone_number: '' }, job.conversationId);
  });

  return {
    ask(body) {
      const fields = recordOf(body);
      const said = (name: string) => textOf(fields[name]);
      const checks: readonly (readonly [field: string, isRight: boolean])[] = [
        ['Initiator', said('Initiator') !== ''],
        ['SecurityCredential', said('SecurityCredential') !== ''],
        ['CommandID', said('CommandID') === 'AccountBalance'],
        ['PartyA', said('PartyA') === settings.shortcode],
        ['IdentifierType', said('IdentifierType') === '4'],
        ['ResultURL', isHttpUrl(said('ResultURL'))],
        ['QueueTimeOutURL', isHttpUrl(said('QueueTimeOutURL'))],
        ['Remarks', said('Remarks') !== ''],
      ];
      const wrong = checks.find(([, isRight]) => !isRight);
      if (wrong) return badRequest(wrong[0]);
      const conversationId = newMerchantRequestId();
      const job: BalanceJob = {
        url: said('ResultURL'),
        conversationId,
        mayAsk:
          settings.initiator !== '' &&
          said('Initiator') === settings.initiator &&
          said('SecurityCredential') === settings.securityCredential,
      };
      const dueAt = clock.now() + SOON_MS;
      schedule.add({
        id: `${RESULT}:${conversationId}`,
        kind: RESULT,
        dueAt,
        lane: conversationId,
        data: job,
      });
      return {
        status: 200,
        json: {
          OriginatorConversationID: conversationId,
          ConversationID: newConversationId(dueAt),
          ResponseCode: '0',
          ResponseDescription: 'Accept the service request successfully.',
        },
      };
    },
    lie(fields) {
      told.lie('KES', fields);
    },
  };
}
