/** The source of exchange rates: `MALIPO_FX_SOURCE`, or in the sandbox a fixed table. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import Joi from 'joi';
import { Agent, request } from 'undici';
import type { Environment } from '../config';
import { cutText } from '../domain/cut-text';
import { isCurrency, type Currency } from '../domain/money';

export interface RateSource {
  /** The name in each rate and payment: never the whole address, which may contain a key. */
  name: string;
  /** @throws if the source cannot be read, and RateSourceError if its content is not usable. */
  read(signal: AbortSignal): Promise<RateDocument>;
}

/** A larger document is not a list of rates. */
const documentBytesMax = 1024 * 1024;
const answerTimeoutMs = 10_000;
const connectTimeoutMs = 5_000;
/** The size of the column. */
const nameLengthMax = 100;
/** All workers of a sandbox use the same time, so they store one observation. */
const sandboxObservedEveryMs = 10 * 60_000;

/** @returns undefined in live without a configured source: then no amount is converted. */
export function rateSource(configured: string | undefined, environment: Environment): RateSource | undefined {
  if (configured === undefined) return environment === 'sandbox' ? sandboxSource : undefined;
  return configured.startsWith('file:') ? fileSource(configured) : httpSource(configured);
}

const sandboxSource: RateSource = {
  name: 'sandbox',
  read: async () => {
    const observedAt = new Date(Math.floor(Date.now() / sandboxObservedEveryMs) * sandboxObservedEveryMs);
    return { observedAt, rates: sandboxRates };
  },
};

function fileSource(configured: string): RateSource {
  const path = configured.startsWith('file://')
    ? fileURLToPath(configured)
    : configured.slice('file:'.length);
  return {
    name: cutText(`file:${basename(path)}`, nameLengthMax),
    async read() {
      const file = await open(path);
      try {
        return readRateDocument(await textOf(file.createReadStream({ autoClose: false })));
      } finally {
        await file.close();
      }
    },
  };
}

function httpSource(url: string): RateSource {
  return {
    name: cutText(new URL(url).origin, nameLengthMax),
    async read(signal) {
      // A separate agent, because a connection must not stay open for a call every ten minutes.
      const agent = new Agent({ connect: { timeout: connectTimeoutMs } });
      try {
        const { statusCode, body } = await request(url, {
          dispatcher: agent,
          headers: { accept: 'application/json' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]),
        });
        // Redirects are not followed: the operator configures the new address.
        if (statusCode !== 200) throw new RateSourceError(`the source of rates answered ${statusCode}`);
        return readRateDocument(await textOf(body));
      } finally {
        await agent.destroy();
      }
    },
  };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > documentBytesMax) throw new RateSourceError('the rates are larger than 1 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

// The rates of a sandbox without a configured source: plausible, and the same in every test.

const sandboxRates: readonly ObservedRate[] = [
  { base: 'USD', quote: 'KES', rate: '129.50' },
  { base: 'USD', quote: 'TZS', rate: '2650.00' },
  { base: 'USD', quote: 'UGX', rate: '3700.00' },
];

// The document of a rate source: `{"observed_at":"2026-01-31T08:00:00Z","rates":[{"base":"USD","quote":"KES","rate":"129.50"}]}`

interface ObservedRate {
  base: Currency;
  quote: Currency;
  rate: string;
}

interface RateDocument {
  observedAt: Date;
  /** Only rates of our currencies. */
  rates: readonly ObservedRate[];
}

/** The document of a source is not usable. The message says why, and quotes nothing of it. */
export class RateSourceError extends Error {}

interface SourceAnswer {
  observed_at: string;
  rates: { base: string; quote: string; rate: string }[];
}

const ratesMax = 1_000;
/** A message lists at most this many faults. */
const faultsMax = 5;
/** The source's clock may be ahead of ours by this much. */
const aheadMaxMs = 5 * 60_000;

const currencyCode = Joi.string()
  .pattern(/^[A-Z]{3}$/)
  .required()
  .messages({ 'string.pattern.base': '{#label} must be a currency code such as KES' });

/** As wide as the column, which would round longer texts without an error. A JSON number may already have lost digits. */
const rateText = Joi.string()
  .pattern(/^\d{1,10}(?:\.\d{1,10})?$/)
  .pattern(/[1-9]/)
  .required()
  .messages({
    'string.base': '{#label} must be a decimal in quotes',
    'string.pattern.base':
      '{#label} must be a decimal above zero with at most 10 digits on either side of the point',
  });

const document = Joi.object<SourceAnswer>({
  observed_at: Joi.string()
    .isoDate()
    .pattern(/^[^T]*T[^T]*(?:Z|[+-]\d{2}:?\d{2})$/)
    .required()
    .messages({ 'string.pattern.base': '{#label} must name its time zone' }),
  rates: Joi.array()
    .items(Joi.object({ base: currencyCode, quote: currencyCode.invalid(Joi.ref('base')), rate: rateText }))
    .min(1)
    .max(ratesMax)
    .unique(
      (a: SourceAnswer['rates'][number], b: SourceAnswer['rates'][number]) =>
        a.base === b.base && a.quote === b.quote,
    )
    .required(),
}).options({ stripUnknown: true, convert: false, abortEarly: false });

/** @throws RateSourceError if the text is not a list of rates with a time in the past. */
function readRateDocument(text: string, now = new Date()): RateDocument {
  const answer = validated(parsed(text));
  const observedAt = new Date(answer.observed_at);
  if (Number.isNaN(observedAt.getTime())) throw new RateSourceError('"observed_at" must be a time');
  if (observedAt.getTime() > now.getTime() + aheadMaxMs) {
    throw new RateSourceError(`"observed_at" is in the future: ${observedAt.toISOString()}`);
  }
  return {
    observedAt,
    rates: answer.rates.flatMap(({ base, quote, rate }) =>
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

function validated(answer: unknown): SourceAnswer {
  const result = document.validate(answer);
  if (!result.error) return result.value;
  const faults = result.error.details.map(({ message }) => message);
  const more = faults.length > faultsMax ? ` and ${faults.length - faultsMax} more` : '';
  throw new RateSourceError(`the rates are not usable: ${faults.slice(0, faultsMax).join('; ')}${more}`);
}
