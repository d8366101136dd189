/** The pages of a merchant that a customer is sent back to. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MerchantSite {
  url: string;
  close(): Promise<void>;
}

export async function startMerchantSite(): Promise<MerchantSite> {
  const server = createServer((request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>Merchant</title><link rel="icon" href="data:,"><p>Merchant: ${String(request.url)}</p>`);
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
