import type { Acceptance, Finding } from '../../../../domain/outcome';
import type { HandsetCollections } from '../../../../rail-kit/handset-collections';

/** The merchant's fields of this rail; the provider's refusals may name others. */
const ownFields = new Set(['phone_number', 'amount', 'currency']);
/** Failures that are the number's (Merchant API v2, transaction failure codes). */
const ofNumber = new Set(['PAYER_NOT_FOUND']);

/** pawaPay's deposits, through the mobile-money account, in the words of this rail. */
export function pawapayPushes({ actions }: HandsetCollections): HandsetCollections['actions'] {
  return {
    initiate: async (payment, call) => refusedInOwnWords(await actions.initiate(payment, call)),
    async recover(payment, call) {
      const recovery = await actions.recover(payment, call);
      return recovery.kind === 'refused' ? refusedInOwnWords(recovery) : recovery;
    },
    retrieveStatus: async (payment, call) => foundInOwnWords(await actions.retrieveStatus(payment, call)),
    readNotification: (notification) => foundInOwnWords(actions.readNotification(notification)),
  };
}

/** A merchant that has named no network is not told of one. */
function refusedInOwnWords<T extends Acceptance>(acceptance: T): T {
  if (acceptance.kind !== 'refused') return acceptance;
  const { field, publicCode, ...rest } = acceptance;
  const isForeign = publicCode === 'PROVIDER_NOT_FOUND' || publicCode === 'COUNTRY_NOT_SUPPORTED';
  return {
    ...rest,
    publicCode: isForeign ? 'PROVIDER_REJECTED_REQUEST' : publicCode,
    ...(field !== undefined && ownFields.has(field) && { field }),
  } as T;
}

function foundInOwnWords(finding: Finding): Finding {
  if (finding.kind === 'failed' && ofNumber.has(finding.code)) {
    return { ...finding, details: { ...finding.details, failure: 'FAILED_VALIDATE' } };
  }
  return finding;
}
