/** Who may use the simulator's own pages and addresses, which need no credentials. */
import type { Request, RequestHandler } from 'express';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::(\d{1,5}))?$/i;

/** Uses the socket's address, never a header, because a header can be forged. */
export const loopbackOnly: RequestHandler = (request, response, next) => {
  if (LOOPBACK.test(request.socket.remoteAddress ?? '')) {
    next();
    return;
  }
  response.status(403).json({ success: false, error: 'The control API answers only to this machine' });
};

/**
 * A site can point its own name to this machine, so that a browser here reads our pages as that site's. The Host header
 * then has that name, and no page can change it.
 */
function isMeant({ headers, socket }: Request): boolean {
  const [whole, port = '80'] = LOOPBACK_HOST.exec(headers.host ?? '') ?? [];
  return whole !== undefined && Number(port) === socket.localPort;
}

/** A browser sends the page's origin with each POST; `null` is from a page of ours, which sends no referrer. */
function isOfOtherSite({ method, headers }: Request): boolean {
  const { host, origin } = headers;
  const site = headers['sec-fetch-site'] ?? 'none';
  if (method === 'GET' || method === 'HEAD') return false;
  if (site !== 'none' && site !== 'same-origin') return true;
  return (
    origin !== undefined &&
    origin !== `http://${host ?? ''}` &&
    !(origin === 'null' && site === 'same-origin')
  );
}

/** For pages and controls: the request must use a name of this machine, and must not come from another site's page. */
export const ownPagesOnly: RequestHandler = (request, response, next) => {
  if (!isMeant(request)) {
    response
      .status(403)
      .json({ success: false, error: 'This address answers only to the names of this machine' });
  } else if (isOfOtherSite(request)) {
    response.status(403).json({ success: false, error: 'The request came from a page of another site' });
  } else next();
};
