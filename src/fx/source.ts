/** Where rates come from: `MALIPO_FX_SOURCE`, or in the sandbox a fixed table. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import Joi from 'joi';
import { Agent, request } from 'undici';
import type { Environment } from '../config';
import { cutText } from '../domain/cut-text';
import { isCurrency, type Currency } from '../domain/money';

export interface RateSource {
  /** As it is stored with each rate and payment: never the whole address, which may hold a key. */
  name: string;
  /** @throws when it cannot be read, and RateSourceError when what it says is not usable. */
  read(signal: AbortSignal): Promise<RateDocument>;
}

/** A list of rates is never larger than this; what is larger is not one. */
const documentBytesMax = 1024 * 1024;
const answerTimeoutMs = 10_000;
const connectTimeoutMs = 5_000;
/** The column's width. */
const nameLengthMax = 100;
/** So that several workers of a sandbox store one observation, not one each. */
const sandboxObservedEveryMs = 10 * 60_000;

/** @returns undefined in live where none is configured: then nothing is converted. */
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
      // Of its own, because nobody keeps a connection open for a call every ten minutes.
      const agent = new Agent({ connect: { timeout: connectTimeoutMs } });
      try {
        const { statusCode, body } = await request(url, {
          dispatcher: agent,
          headers: { accept: 'application/json' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]),
        });
        // Redirects are not followed: what moves is configured anew.
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

// What the sandbox converts at when no source is configured: plausible, and the same in every test.

const sandboxRates: readonly ObservedRate[] = [
  { base: 'USD', quote: 'KES', rate: '129.50' },
  { base: 'USD', quote: 'TZS', rate: '2650.00' },
  { base: 'USD', quote: 'UGX', rate: '3700.00' },
];

// What a rate source says: `{"observed_at":"2026-01-31T08:00:00Z","rates":[{"base":"USD","quote":"KES","rate":"129.50"}]}`

interface ObservedRate {
  base: Currency;
  quote: Currency;
  rate: string;
}

interface RateDocument {
  observedAt: Date;
  /** Of the currencies that we move. */
  rates: readonly ObservedRate[];
}

/** What a source said is not usable; the message says why, and quotes nothing of it. */
class RateSourceError extends Error {}

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
function readRateDocument(text: string, now = new Date()): RateDocument {
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
