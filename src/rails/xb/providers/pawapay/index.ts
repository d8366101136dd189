import type { SubmissionResult, ProviderResult } from '../../../../domain/outcome';
import type { HandsetCollections } from '../../../../rail-kit/handset-collections';

/** The merchant's fields on this rail; the provider's errors may name others. */
const ownFields = new Set(['phone_number', 'amount', 'currency']);
/** Failures caused by the number (Merchant API v2, transaction failure codes). */
const ofNumber = new Set(['PAYER_NOT_FOUND']);

/** pawaPay's deposits, through the mobile money account, in the words of this rail. */
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

/** A merchant that named no network gets no error about a network. */
function refusedInOwnWords<T extends SubmissionResult>(submissionResult: T): T {
  if (submissionResult.kind !== 'refused') return submissionResult;
  const { field, publicCode, ...rest } = submissionResult;
  const isForeign = publicCode === 'PROVIDER_NOT_FOUND' || publicCode === 'COUNTRY_NOT_SUPPORTED';
  return {
    ...rest,
    publicCode: isForeign ? 'PROVIDER_REJECTED_REQUEST' : publicCode,
    ...(field !== undefined && ownFields.has(field) && { field }),
  } as T;
}

function foundInOwnWords(providerResult: ProviderResult): ProviderResult {
  if (providerResult.kind === 'failed' && ofNumber.has(providerResult.code)) {
    return { ...providerResult, details: { ...providerResult.details, failure: 'FAILED_VALIDATE' } };
  }
  return providerResult;
}
