/** A collector of traces that stores what it receives: OTLP over HTTP, as JSON. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '../../tools/sandbox/services/wait-for';

export interface ReceivedSpan {
  /** The name and instance of the process that sent it. */
  service: string;
  instance: string;
  traceId: string;
  spanId: string;
  /** Empty for the root span of the payment. */
  parentSpanId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, string | number>;
  links: { traceId: string; spanId: string }[];
  hasFailed: boolean;
  /** Milliseconds since 1970. */
  fromMs: number;
  toMs: number;
}

export interface OtlpReceiver {
  url: string;
  /** Every body, byte for byte, with its headers. */
  bodies: { headers: IncomingMessage['headers']; text: string }[];
  spans(): ReceivedSpan[];
  /** Replaces the answer, 200 at first. */
  answerWith(answer: (response: ServerResponse) => void): void;
  /** Waits until the spans of a trace are complete by this condition. */
  traceOf(traceId: string, isWhole: (spans: ReceivedSpan[]) => boolean): Promise<ReceivedSpan[]>;
  close(): Promise<void>;
}

interface OtlpBody {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}
interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  links?: { traceId: string; spanId: string }[];
  status: { code: number };
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: OtlpReceiver['bodies'] = [];
  let answer = (response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json').end('{}');
  };
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push({ headers: request.headers, text: Buffer.concat(chunks).toString('latin1') });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spans = () => bodies.flatMap(({ text }) => spansOf(JSON.parse(text) as OtlpBody));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    bodies,
    spans,
    answerWith(other) {
      answer = other;
    },
    traceOf(traceId, isWhole) {
      const ofTrace = () => spans().filter((span) => span.traceId === traceId);
      return waitFor(
        () => {
          const found = ofTrace();
          if (isWhole(found)) return Promise.resolve(found);
          throw new Error(`there are ${found.map(({ name }) => name).join(', ')}`);
        },
        { what: `the trace ${traceId}`, timeoutMs: 60_000, everyMs: 100 },
      );
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

function spansOf({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(attributesOf(resource.attributes)['service.name']),
        instance: String(attributesOf(resource.attributes)['service.instance.id']),
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        attributes: attributesOf(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        hasFailed: span.status.code === 2,
        fromMs: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000,
        toMs: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000,
      })),
    ),
  );
}

function attributesOf(attributes: OtlpAttribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
