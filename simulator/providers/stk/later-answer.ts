/** Daraja's queries with an initiator's name, whose results come later to the given address. */
import type { CallResponse } from '../../calls';
import { isHttpUrl, recordOf, textOf } from '../../fields';
import type { ProviderContext } from '../../provider';
import { firstFault, type Check } from './answers';
import { newConversationId, newMerchantRequestId } from './identifiers';
import type { StkSettings } from './settings';

const SOON_MS = 1_000;

export interface QueryCall {
  url: string;
  conversationId: string;
  /** False for an unknown initiator. */
  mayAsk: boolean;
}

type FieldReader = (field: string) => string;

interface Question<About> {
  /** The job kind of its results. */
  kind: string;
  command: string;
  /** Further fields of one query, and whether they are valid. */
  further?(readField: FieldReader): readonly Check[];
  about(readField: FieldReader): About;
  answer(asked: QueryCall & About): Promise<void>;
}

export function openQuestion<About extends object>(
  { clock, schedule }: ProviderContext,
  settings: StkSettings,
  { kind, command, further, about, answer }: Question<About>,
): (body: unknown) => CallResponse {
  schedule.on(kind, (data) => answer(data as QueryCall & About));

  return (body) => {
    const fields = recordOf(body);
    const readField: FieldReader = (name) => textOf(fields[name]);
    const refused = firstFault([
      ['Initiator', readField('Initiator') !== ''],
      ['SecurityCredential', readField('SecurityCredential') !== ''],
      ['CommandID', readField('CommandID') === command],
      ...(further?.(readField) ?? []),
      ['PartyA', readField('PartyA') === settings.shortcode],
      ['IdentifierType', readField('IdentifierType') === '4'],
      ['ResultURL', isHttpUrl(readField('ResultURL'))],
      ['QueueTimeOutURL', isHttpUrl(readField('QueueTimeOutURL'))],
      ['Remarks', readField('Remarks') !== ''],
    ]);
    if (refused) return refused;

    const conversationId = newMerchantRequestId();
    const asked: QueryCall & About = {
      url: readField('ResultURL'),
      conversationId,
      mayAsk:
        settings.initiator !== '' &&
        readField('Initiator') === settings.initiator &&
        readField('SecurityCredential') === settings.securityCredential,
      ...about(readField),
    };
    const dueAt = clock.now() + SOON_MS;
    schedule.add({ id: `${kind}:${conversationId}`, kind, dueAt, bulkhead: conversationId, data: asked });
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
