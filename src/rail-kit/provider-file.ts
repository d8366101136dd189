/**
 * Fetches a file from an address that a provider names. We trust that address no more than a merchant's: outside the
 * provider's own origin only https is used, and only on the public internet. No credentials are sent, and no redirect
 * is followed.
 */
import { Agent, request } from 'undici';
import { guardedAgent, RefusedAddressError, type Lookup } from '../webhooks/guarded-agent';
import type { ProviderResponse } from './provider-http';
import type { ObserveProviderCall } from './rail';

/** The answer; `content` is all of it, byte for byte. */
export type FileAnswer = ProviderResponse & { content?: Buffer };

export interface FileRequest {
  /** The name of the call in the metrics. */
  call: string;
  url: string;
  timeoutMs: number;
  /** A larger file is refused. */
  bytesMax: number;
}

export interface ProviderFiles {
  /** Never throws for an address or an answer. Reports no part of the address, which may be a secret. */
  get(request: FileRequest): Promise<FileAnswer>;
}

const connectTimeoutMs = 5_000;

/** @param lookup replaces the name servers. */
export function providerFiles(
  rail: string,
  baseUrl: string,
  observe: ObserveProviderCall,
  lookup?: Lookup,
): ProviderFiles {
  const { origin } = new URL(baseUrl);
  const own = new Agent({ connect: { timeout: connectTimeoutMs } });
  const foreign = guardedAgent({ environment: 'live', connectTimeoutMs, lookup });

  return {
    async get({ call, url, timeoutMs, bytesMax }) {
      const startedAt = performance.now();
      const answer = await once();
      const label = answer.kind === 'answered' ? String(answer.status) : answer.kind;
      observe(rail, call, label, performance.now() - startedAt);
      return answer;

      async function once(): Promise<FileAnswer> {
        if (!URL.canParse(url)) return { kind: 'not_sent', text: 'no address' };
        const isOwn = new URL(url).origin === origin;
        try {
          const { statusCode, body } = await request(url, {
            dispatcher: isOwn ? own : foreign,
            signal: AbortSignal.timeout(timeoutMs),
          });
          const chunks: Buffer[] = [];
          let bytes = 0;
          for await (const chunk of body as AsyncIterable<Buffer>) {
            bytes += chunk.length;
            // Leaving the loop closes the connection, which is the only way to stop an endless body.
            if (bytes > bytesMax) return { kind: 'unknown', text: 'the file is too large' };
            chunks.push(chunk);
          }
          const content = Buffer.concat(chunks);
          return { kind: 'answered', status: statusCode, json: undefined, text: '', content };
        } catch (error) {
          if (error instanceof RefusedAddressError)
            return { kind: 'not_sent', text: 'its address is not https on the public internet' };
          const { code, name } = error as { code?: string; name?: string };
          return { kind: 'unknown', text: code ?? name ?? 'Error' };
        }
      }
    },
  };
}
