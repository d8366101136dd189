/** Posts spans to a collector by OTLP over HTTP, as protobuf or JSON. */
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { Agent, request } from 'undici';
import type { TracingSettings } from './settings';

export interface Collector {
  /**
   * @returns how many of the spans the collector rejected.
   * @throws if the collector accepted none in time. The error has a code, and nothing of the request or the answer.
   */
  post(spans: ReadableSpan[]): Promise<number>;
  close(): Promise<void>;
}

/** An answer has a few bytes: the number of rejected spans, and the reason. */
const answerBytesMax = 64 * 1024;
/** These status codes allow a retry, by the OTLP specification. */
const transient = new Set([429, 502, 503, 504]);
const pauseMs = 500;

class NotTaken extends Error {
  constructor(readonly code: string) {
    super('the collector accepted no spans');
    this.name = 'NotTaken';
  }
}

export async function openCollector(settings: TracingSettings): Promise<Collector> {
  const { JsonTraceSerializer, ProtobufTraceSerializer } = await import('@opentelemetry/otlp-transformer');
  const { url, protocol, headers, timeoutMs, isCompressed } = settings;
  const [serializer, contentType] =
    protocol === 'http/json'
      ? ([JsonTraceSerializer, 'application/json'] as const)
      : ([ProtobufTraceSerializer, 'application/x-protobuf'] as const);
  const agent = new Agent({ connections: 2, pipelining: 1 });

  async function once(body: Uint8Array, signal: AbortSignal): Promise<number | 'again'> {
    const encoding = isCompressed ? { 'content-encoding': 'gzip' } : {};
    const response = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { ...headers, 'content-type': contentType, ...encoding },
      body,
      signal,
    });
    const answer = await readCapped(response.body);
    if (transient.has(response.statusCode)) return 'again';
    if (response.statusCode > 299) throw new NotTaken(`HTTP ${String(response.statusCode)}`);
    return refusedOf(answer);
  }

  /** A successful answer that cannot be parsed means that the spans were accepted. */
  function refusedOf(answer: Uint8Array): number {
    try {
      const reported = answer.length === 0 ? {} : serializer.deserializeResponse(answer);
      return reported.partialSuccess?.rejectedSpans ?? 0;
    } catch {
      return 0;
    }
  }

  return {
    async post(spans) {
      const signal = AbortSignal.timeout(timeoutMs);
      const plain = serializer.serializeRequest(spans) ?? new Uint8Array();
      const body = isCompressed ? await promisify(gzip)(plain) : plain;
      for (let pause = pauseMs; ; pause *= 2) {
        try {
          const refused = await once(body, signal);
          if (refused !== 'again') return refused;
          await delay(pause, undefined, { signal });
        } catch (error) {
          throw error instanceof NotTaken ? error : new NotTaken(codeOf(error, signal));
        }
      }
    },
    close: () => agent.destroy(),
  };
}

function codeOf(error: unknown, { aborted }: AbortSignal): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (aborted) return 'not in time';
  return typeof code === 'string' ? code : String(name);
}

async function readCapped(stream: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > answerBytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
