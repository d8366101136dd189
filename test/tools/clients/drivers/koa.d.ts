/** Types for the parts of Koa that the tests use; the package has none. */
declare module 'koa' {
  import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';

  interface Context {
    /** Node's own request. */
    req: IncomingMessage;
    /** Koa's own request. */
    request: { headers: IncomingHttpHeaders };
    headers: IncomingHttpHeaders;
    path: string;
    body: object;
  }

  export default class Koa {
    use(handle: (context: Context) => Promise<void>): this;
    callback(): RequestListener;
  }
}
