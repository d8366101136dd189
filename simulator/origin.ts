/** Who may speak to the simulator's own pages and addresses, which need no credentials. */
import type { Request, RequestHandler } from 'express';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::(\d{1,5}))?$/i;

/** The socket's address is used, never a header, because a header can be made up. */
export const loopbackOnly: RequestHandler = (request, response, next) => {
  if (LOOPBACK.test(request.socket.remoteAddress ?? '')) {
    next();
    return;
  }
  response.status(403).json({ success: false, error: 'The control API answers to this machine only' });
};

/**
 * A site can let its own name point to this machine and have a browser here read our pages as its own. Its name then
 * stands in the Host header, which no page can change.
 */
function isMeant({ headers, socket }: Request): boolean {
  const [whole, port = '80'] = LOOPBACK_HOST.exec(headers.host ?? '') ?? [];
  return whole !== undefined && Number(port) === socket.localPort;
}

/** A browser names the page's origin with each POST; `null` stands for a page of ours, which tells no addresses. */
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

/** For pages and controls: reached by a name of this machine, and not pressed by a page of some other site. */
export const ownPagesOnly: RequestHandler = (request, response, next) => {
  if (!isMeant(request)) {
    response.status(403).json({ success: false, error: 'This answers to the names of this machine only' });
  } else if (isOfOtherSite(request)) {
    response.status(403).json({ success: false, error: 'This came from a page of another site' });
  } else next();
};
