/** What a rate source says: `{"observed_at":"2026-01-31T08:00:00Z","rates":[{"base":"USD","quote":"KES","rate":"129.50"}]}` */
import Joi from 'joi';
import { isCurrency, type Currency } from '../domain/money';

export interface ObservedRate {
  base: Currency;
  quote: Currency;
  rate: string;
}

export interface RateDocument {
  observedAt: Date;
  /** Of the currencies that we move. */
  rates: readonly ObservedRate[];
}

/** What a source said is not usable; the message says why, and quotes nothing of it. */
export class RateSourceError extends Error {}

interface Said {
  observed_at: string;
  rates: { base: string; quote: string; rate: string }[];
}

const ratesMax = 1_000;
/** Faults told at once: enough to see what is wrong with a source. */
const faultsMax = 5;
/** The source's clock may be ahead of ours by this much. */
const aheadMaxMs = 5 * 60_000;

const currencyCode = Joi.string()
  .pattern(/^[A-Z]{3}$/)
  .required()
  .messages({ 'string.pattern.base': '{#label} must be a currency code such as KES' });

/** As wide as the column, which would otherwise round without a word. A JSON number may have lost digits already. */
const rateText = Joi.string()
  .pattern(/^\d{1,10}(?:\.\d{1,10})?$/)
  .pattern(/[1-9]/)
  .required()
  .messages({
    'string.base': '{#label} must be a decimal in quotes',
    'string.pattern.base':
      '{#label} must be a decimal above zero with at most 10 digits on either side of the point',
  });

const document = Joi.object<Said>({
  observed_at: Joi.string()
    .isoDate()
    .pattern(/^[^T]*T[^T]*(?:Z|[+-]\d{2}:?\d{2})$/)
    .required()
    .messages({ 'string.pattern.base': '{#label} must name its time zone' }),
  rates: Joi.array()
    .items(Joi.object({ base: currencyCode, quote: currencyCode.invalid(Joi.ref('base')), rate: rateText }))
    .min(1)
    .max(ratesMax)
    .unique((a: Said['rates'][number], b: Said['rates'][number]) => a.base === b.base && a.quote === b.quote)
    .required(),
}).options({ stripUnknown: true, convert: false, abortEarly: false });

/** @throws RateSourceError for anything that is not a list of rates, observed in the past. */
export function readRateDocument(text: string, now = new Date()): RateDocument {
  const said = validated(parsed(text));
  const observedAt = new Date(said.observed_at);
  if (Number.isNaN(observedAt.getTime())) throw new RateSourceError('"observed_at" must be a moment');
  if (observedAt.getTime() > now.getTime() + aheadMaxMs) {
    throw new RateSourceError(`"observed_at" is in the future: ${observedAt.toISOString()}`);
  }
  return {
    observedAt,
    rates: said.rates.flatMap(({ base, quote, rate }) =>
      isCurrency(base) && isCurrency(quote) ? [{ base, quote, rate }] : [],
    ),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RateSourceError('the rates are not JSON');
  }
}

function validated(said: unknown): Said {
  const result = document.validate(said);
  if (!result.error) return result.value;
  const faults = result.error.details.map(({ message }) => message);
  const more = faults.length > faultsMax ? ` and ${faults.length - faultsMax} more` : '';
  throw new RateSourceError(`the rates are not usable: ${faults.slice(0, faultsMax).join('; ')}${more}`);
}
