/** `/openapi.json`: made once, at the first question, and cheap for whoever asks after that. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Deprecations } from '../deprecations';
import type { Handler, Route } from '../routes';
import { describeApi, type DescribedPart } from './document';

const openApiPath = '/openapi.json';

interface Written {
  plain: Buffer;
  packed: Buffer;
  etag: string;
}

function write(parts: readonly DescribedPart[], server: string, going?: Deprecations): Written {
  const plain = Buffer.from(JSON.stringify(describeApi(parts, server, going)));
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 27);
  // Weak: the packed form has other bytes.
  return { plain, packed: gzipSync(plain), etag: `W/"${hash}"` };
}

/** @param server where the API is reached by others. */
export function openApiRoutes(
  parts: readonly DescribedPart[],
  server: string,
  going?: Deprecations,
): Route[] {
  let written: Written | undefined;
  const handle: Handler = (request, response) => {
    const { plain, packed, etag } = (written ??= write(parts, server, going));
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', etag);
    if (request.headers['if-none-match'] === etag) {
      response.status(304).end();
      return Promise.resolve();
    }
    const takesPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (takesPacked) response.setHeader('Content-Encoding', 'gzip');
    response.status(200).end(takesPacked ? packed : plain);
    return Promise.resolve();
  };
  return (['GET', 'HEAD'] as const).map((method) => ({ method, path: openApiPath, handle }));
}
