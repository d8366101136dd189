/** Transaction Status: asked by receipt or by OriginatorConversationID, answered later at the address that was given. */
import type { Answer } from '../../calls';
import type { Callback } from '../../callbacks';
import { isHttpUrl, recordOf, textOf } from '../../fields';
import type { ProviderContext } from '../../provider';
import { badRequest } from './answers';
import { nairobiTimestamp, newConversationId, newMerchantRequestId } from './identifiers';
import type { Prompt, Prompts } from './prompts';
import { results } from './results';
import type { StkSettings } from './settings';

interface StatusJob {
  url: string;
  conversationId: string;
  mayAsk: boolean;
  /** The prompt asked about; none where nothing is known by that name. */
  checkoutRequestId?: string;
}

const RESULT = 'stk.status';
const SOON_MS = 1_000;

export function openTransactionStatus(
  { clock, schedule, callbacks }: ProviderContext,
  settings: StkSettings,
  prompts: Prompts,
): (body: unknown) => Answer {
  schedule.on(RESULT, async (data) => {
    const job = data as StatusJob;
    const prompt = job.checkoutRequestId === undefined ? undefined : prompts.find(job.checkoutRequestId);
    const lane = job.checkoutRequestId ?? job.conversationId;
    await callbacks.send(resultOf(job, prompt), { phone_number: prompt?.phone ?? '' }, lane);
  });

  return (body) => {
    const fields = recordOf(body);
    const told = (name: string) => textOf(fields[name]);
    const [receipt, original] = [told('TransactionID'), told('OriginalConversationID')];
    const checks: readonly (readonly [field: string, isRight: boolean])[] = [
      ['Initiator', told('Initiator') !== ''],
      ['SecurityCredential', told('SecurityCredential') !== ''],
      ['CommandID', told('CommandID') === 'TransactionStatusQuery'],
      ['TransactionID', receipt !== '' || original !== ''],
      ['PartyA', told('PartyA') === settings.shortcode],
      ['IdentifierType', told('IdentifierType') === '4'],
      ['ResultURL', isHttpUrl(told('ResultURL'))],
      ['QueueTimeOutURL', isHttpUrl(told('QueueTimeOutURL'))],
      ['Remarks', told('Remarks') !== ''],
    ];
    const wrong = checks.find(([, isRight]) => !isRight);
    if (wrong) return badRequest(wrong[0]);

    const prompt = prompts.findPaid(receipt, original);
    const conversationId = newMerchantRequestId();
    const job: StatusJob = {
      url: told('ResultURL'),
      conversationId,
      mayAsk:
        settings.initiator !== '' &&
        told('Initiator') === settings.initiator &&
        told('SecurityCredential') === settings.securityCredential,
      ...(prompt && { checkoutRequestId: prompt.checkoutRequestId }),
    };
    const dueAt = clock.now() + SOON_MS;
    schedule.add({ id: `${RESULT}:${conversationId}`, kind: RESULT, dueAt, lane: conversationId, data: job });
    return {
      status: 200,
      json: {
        OriginatorConversationID: conversationId,
        ConversationID: newConversationId(dueAt),
        ResponseCode: '0',
        ResponseDescription: 'Accept the service request successfully.',
      },
    };
  };
}

function resultOf({ url, conversationId, mayAsk }: StatusJob, prompt: Prompt | undefined): Callback {
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

/** As they were seen in public of a prompt that was paid: some keys come without a value, numbers as numbers. */
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
