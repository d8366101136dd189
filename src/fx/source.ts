/** Where rates come from: `MALIPO_FX_SOURCE`, or in the sandbox a fixed table. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { cutText } from '../domain/cut-text';
import type { Environment } from '../config';
import { RateSourceError, readRateDocument, type RateDocument } from './rate-document';
import { sandboxRates } from './sandbox-rates';

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
