/** Who may speak to the simulator's own addresses, which need no credentials. */
import type { RequestHandler } from 'express';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/** The socket's address is used, never a header, because a header can be made up. */
export const loopbackOnly: RequestHandler = (request, response, next) => {
  if (LOOPBACK.test(request.socket.remoteAddress ?? '')) {
    next();
    return;
  }
  response.status(403).json({ success: false, error: 'The control API answers to this machine only' });
};

/** Keeps a page of some other site, open in the same browser, from pressing our buttons. */
export const notFromOtherSites: RequestHandler = (request, response, next) => {
  const site = request.get('sec-fetch-site') ?? 'none';
  if (request.method === 'GET' || site === 'none' || site === 'same-origin') {
    next();
    return;
  }
  response.status(403).json({ success: false, error: 'This came from a page of another site' });
};
