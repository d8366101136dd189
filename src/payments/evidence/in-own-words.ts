import type { Finding } from '../../domain/outcome';

type Success = Extract<Finding, { kind: 'succeeded' }>;

/**
 * An unsigned report tells what the answer leaves out, and nothing else: what the provider says when asked is booked,
 * whatever figure somebody has reported. Of two currencies the one we did not ask for counts, so that a person looks.
 */
export function inOwnWords(reported: Success, answer: Success, instructedCurrency: string): Success {
  const { amountMinor, receipt, providerReference, details } = answer;
  const told = [reported.currency, answer.currency].filter((currency) => currency !== undefined);
  const currency = told.find((each) => each !== instructedCurrency) ?? told[0];
  return {
    ...reported,
    ...(amountMinor === undefined ? {} : { amountMinor }),
    ...(currency === undefined ? {} : { currency }),
    ...(receipt === undefined ? {} : { receipt }),
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(details === undefined ? {} : { details: { ...reported.details, ...details } }),
  };
}
