/** What Daraja is asked with an initiator's name, and answers later at the address that was given. */
import type { Answer } from '../../calls';
import { isHttpUrl, recordOf, textOf } from '../../fields';
import type { ProviderContext } from '../../provider';
import { firstFault, type Check } from './answers';
import { newConversationId, newMerchantRequestId } from './identifiers';
import type { StkSettings } from './settings';

const SOON_MS = 1_000;

export interface Asked {
  url: string;
  conversationId: string;
  /** False for an initiator that is not the organisation's. */
  mayAsk: boolean;
}

type Said = (field: string) => string;

interface Question<About> {
  /** Of the jobs of its answers. */
  kind: string;
  command: string;
  /** Fields that others do not have, and whether they are right. */
  further?(said: Said): readonly Check[];
  about(said: Said): About;
  answer(asked: Asked & About): Promise<void>;
}

export function openQuestion<About extends object>(
  { clock, schedule }: ProviderContext,
  settings: StkSettings,
  { kind, command, further, about, answer }: Question<About>,
): (body: unknown) => Answer {
  schedule.on(kind, (data) => answer(data as Asked & About));

  return (body) => {
    const fields = recordOf(body);
    const said: Said = (name) => textOf(fields[name]);
    const refused = firstFault([
      ['Initiator', said('Initiator') !== ''],
      ['SecurityCredential', said('SecurityCredential') !== ''],
      ['CommandID', said('CommandID') === command],
      ...(further?.(said) ?? []),
      ['PartyA', said('PartyA') === settings.shortcode],
      ['IdentifierType', said('IdentifierType') === '4'],
      ['ResultURL', isHttpUrl(said('ResultURL'))],
      ['QueueTimeOutURL', isHttpUrl(said('QueueTimeOutURL'))],
      ['Remarks', said('Remarks') !== ''],
    ]);
    if (refused) return refused;

    const conversationId = newMerchantRequestId();
    const asked: Asked & About = {
      url: said('ResultURL'),
      conversationId,
      mayAsk:
        settings.initiator !== '' &&
        said('Initiator') === settings.initiator &&
        said('SecurityCredential') === settings.securityCredential,
      ...about(said),
    };
    const dueAt = clock.now() + SOON_MS;
    schedule.add({ id: `${kind}:${conversationId}`, kind, dueAt, lane: conversationId, data: asked });
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
