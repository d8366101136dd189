/**
 * Transaction Status: queried by receipt or by OriginatorConversationID, with the result sent later to the given
 * address.
 */
import type { CallResponse } from '../../calls';
import type { Callback } from '../../callbacks';
import type { ProviderContext } from '../../provider';
import { nairobiTimestamp, newConversationId } from './identifiers';
import { openQuestion, type QueryCall } from './later-answer';
import type { Prompt, Prompts } from './prompts';
import { results } from './results';
import type { StkSettings } from './settings';

interface About {
  /** The queried prompt; undefined for an unknown name. */
  checkoutRequestId?: string;
}

export function openTransactionStatus(
  context: ProviderContext,
  settings: StkSettings,
  prompts: Prompts,
): (body: unknown) => CallResponse {
  return openQuestion<About>(context, settings, {
    kind: 'stk.status',
    command: 'TransactionStatusQuery',
    further: (readField) => [
      ['TransactionID', readField('TransactionID') !== '' || readField('OriginalConversationID') !== ''],
    ],
    about(readField) {
      const prompt = prompts.findPaid(readField('TransactionID'), readField('OriginalConversationID'));
      return prompt ? { checkoutRequestId: prompt.checkoutRequestId } : {};
    },
    async answer(asked) {
      const { checkoutRequestId: id } = asked;
      const prompt = id === undefined ? undefined : prompts.find(id);
      const phone = { phone_number: prompt?.phone ?? '' };
      await context.callbacks.send(resultOf(asked, prompt), phone, id ?? asked.conversationId);
    },
  });
}

function resultOf({ url, conversationId, mayAsk }: QueryCall, prompt: Prompt | undefined): Callback {
  const payment = mayAsk ? prompt?.payment : undefined;
  const [code, words] = mayAsk
    ? payment
      ? ([0, results['0']] as const)
      : (['SFC_IC0003', results.SFC_IC0003] as const)
    : ([2001, results['2001']] as const);
  const result = {
    ResultType: 0,
    ResultCode: code,
    ResultDesc: words,
    OriginatorConversationID: conversationId,
    ConversationID: newConversationId(Date.now()),
    TransactionID: `${payment?.receipt.slice(0, 3) ?? 'AAA'}0000000`,
    ...(prompt && payment && { ResultParameters: { ResultParameter: parametersOf(prompt, payment) } }),
    ReferenceData: { ReferenceItem: { Key: 'Occasion' } },
  };
  return { url, body: JSON.stringify({ Result: result }) };
}

/** As observed in public for a paid prompt: some keys have no value, and numbers are numbers. */
function parametersOf(prompt: Prompt, payment: NonNullable<Prompt['payment']>) {
  const at = Number(nairobiTimestamp(payment.at));
  return [
    { Key: 'DebitPartyName', Value: `0${prompt.phone.slice(3)} - John Doe` },
    { Key: 'OriginatorConversationID', Value: prompt.merchantRequestId },
    { Key: 'InitiatedTime', Value: at },
    { Key: 'CreditPartyCharges' },
    { Key: 'DebitAccountType', Value: 'MMF Account For Customer' },
    { Key: 'TransactionReason' },
    { Key: 'ReasonType', Value: 'Pay Bill Online' },
    { Key: 'TransactionStatus', Value: 'Completed' },
    { Key: 'FinalisedTime', Value: at },
    { Key: 'Amount', Value: payment.amount },
    { Key: 'ConversationID', Value: newConversationId(payment.at) },
    { Key: 'ReceiptNo', Value: payment.receipt },
  ];
}
