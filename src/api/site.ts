/** The documentation, as `npm run docs` has written it: read once, and served so that only its own files can run. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';

interface File {
  type: string;
  body: Buffer;
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const policy = `${nothing}; style-src 'self'`;

/** What Redoc draws. Of its style sheets it fills one that is empty at first, and one is that of its scroll bars. */
const drawnFolder = 'reference/';
const sheetsOfRedoc = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
];
const drawnPolicy = [
  nothing,
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  `style-src 'self' ${sheetsOfRedoc.join(' ')}`,
].join('; ');

/** Only what was written lies in it: no name that is asked for reaches the disk. */
function filesIn(folder: string): Map<string, File> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const type = types[extname(name)];
      if (type === undefined) return [];
      return [[name.replaceAll('\\', '/'), { type, body: readFileSync(join(folder, name)) }] as const];
    }),
  );
}

/** Mounted at `/docs`. */
export function siteHandler(folder: string): RequestHandler {
  const files = filesIn(folder);
  return (request: Request, response: Response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [pathname] = request.originalUrl.split('?');
    if (isRead && pathname === '/docs' && files.size > 0) {
      response.redirect(308, '/docs/');
      return;
    }
    const name = request.path.slice(1);
    const file = isRead
      ? files.get(name === '' || name.endsWith('/') ? `${name}index.html` : name)
      : undefined;
    if (!file) {
      next();
      return;
    }
    response.setHeader('Content-Type', file.type);
    response.setHeader('Content-Security-Policy', name.startsWith(drawnFolder) ? drawnPolicy : policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.status(200).end(file.body);
  };
}
