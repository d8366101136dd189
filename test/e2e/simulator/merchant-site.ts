/** The pages of a merchant to which a customer returns, and one that shows ?frame= in an iframe. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MerchantSite {
  url: string;
  close(): Promise<void>;
}

export async function startMerchantSite(): Promise<MerchantSite> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const framed = searchParams.get('frame');
    const content =
      framed === null
        ? `<p>Merchant: ${String(request.url)}</p>`
        : `<h1>Shop</h1><iframe title="Checkout" width="100%" height="900" src="${framed}"></iframe>`;
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<title>Merchant</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">${content}`,
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
