/** A form with a file in it, as browsers send it. Read for who is signed in alone: nobody else is waited for that long. */
import { raw, type Request, type Response } from 'express';

export type Upload = Record<string, string | Buffer>;

/**
 * @returns `too_large`, or what was sent: fields as texts and files as bytes, each file's name under `<field>.name`;
 * nothing of what is no form.
 */
export async function readUpload(
  request: Request,
  response: Response,
  bytesMax: number,
): Promise<Upload | 'too_large'> {
  const reading = raw({ type: 'multipart/form-data', limit: bytesMax });
  const error = await new Promise<unknown>((resolve) => {
    reading(request, response, resolve);
  });
  if ((error as { status?: unknown } | undefined)?.status === 413) return 'too_large';
  const body: unknown = request.body;
  if (error !== undefined) return {};
  // Sent as forms without files are, it is read already.
  if (!Buffer.isBuffer(body)) return (body ?? {}) as Upload;
  const boundary = /;\s*boundary="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return boundary === undefined ? {} : Object.fromEntries(partsOf(body, boundary));
}

/** More than any form has. */
const partsMax = 50;

/** RFC 7578, of a body that is whole: what follows a part that is not closed is left out. */
function* partsOf(body: Buffer, boundary: string): Generator<[name: string, content: string | Buffer]> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter has no line before it.
  const bytes = Buffer.concat([Buffer.from('\r\n'), body]);
  let at = bytes.indexOf(delimiter);
  for (let parts = 0; parts < partsMax; parts += 1) {
    const begin = at + delimiter.length;
    const next = at < 0 ? -1 : bytes.indexOf(delimiter, begin);
    const head = bytes.indexOf('\r\n\r\n', begin);
    if (next < 0 || head < 0 || head > next) return;
    const disposition = /^content-disposition:(.*)$/im.exec(bytes.toString('utf8', begin, head))?.[1] ?? '';
    const name = /;\s*name="([^"]*)"/i.exec(disposition)?.[1];
    const content = bytes.subarray(head + 4, next);
    const isFile = /;\s*filename\*?=/i.test(disposition);
    if (name !== undefined) yield [name, isFile ? content : content.toString('utf8')];
    const called = /;\s*filename="([^"]*)"/i.exec(disposition)?.[1];
    if (name !== undefined && called !== undefined) yield [`${name}.name`, called];
    at = next;
  }
}
