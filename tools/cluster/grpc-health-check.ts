/** The bytes of a gRPC health check that HAProxy sends and expects: it has no such check itself. */

const method = '/grpc.health.v1.Health/Check';

/** Types and flags of HTTP/2 frames. */
const frames = { data: 0, headers: 1, settings: 4 } as const;
const flags = { none: 0, endStream: 1, endHeaders: 4 } as const;

function frame(kind: number, flag: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(kind, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Text with its length, one byte for up to 126 characters. */
function text(words: string): Buffer {
  return Buffer.from([words.length, ...Buffer.from(words)]);
}

/** Header names are numbers of HTTP/2's static table, except one that it lacks. */
function headers(authority: string): Buffer {
  return Buffer.concat([
    Buffer.from([0x83, 0x87]), // POST, https
    Buffer.concat([Buffer.from([0x04]), text(method)]),
    Buffer.concat([Buffer.from([0x01]), text(authority)]),
    Buffer.concat([Buffer.from([0x0f, 0x10]), text('application/grpc')]),
    Buffer.concat([Buffer.from([0x00]), text('te'), text('trailers')]),
  ]);
}

/** A gRPC message: not compressed, its length, and its content. */
function message(content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** All bytes from the start of a connection, in hexadecimal digits. */
export function healthQuestion(authority: string, service: string): string {
  const stream = 1;
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(frames.settings, flags.none, 0, Buffer.alloc(0)),
    frame(frames.headers, flags.endHeaders, stream, headers(authority)),
    frame(frames.data, flags.endStream, stream, message(Buffer.concat([Buffer.from([0x0a]), text(service)]))),
  ]).toString('hex');
}

/** The answer of a server that serves. Any other answer counts as none. */
export const healthyAnswer = message(Buffer.from([0x08, 0x01])).toString('hex');
