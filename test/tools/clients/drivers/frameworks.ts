/**
 * A shop's webhook handler in each framework, each behind a server of its own, at /FORM: with what that framework makes of
 * the HTTP request. /parsed passes the body as the framework parses it. Prints the address of each server.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { verifyWebhook, WebhookError, type Webhook } from '../../../../packages/clients/node/src/index';

const secret = process.env['MALIPO_WEBHOOK_SECRET'] ?? '';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;
type Forms = Record<string, () => Webhook | Promise<Webhook>>;

async function resultOf(forms: Forms, path: string): Promise<Record<string, string>> {
  try {
    const webhook = await forms[path.slice(1)]?.();
    return { id: String(webhook?.id), type: String(webhook?.type), event: String(webhook?.eventType) };
  } catch (error) {
    const { constructor, message } = error as Error;
    return { error: error instanceof WebhookError ? 'WebhookError' : constructor.name, message };
  }
}

function byExpress(): RequestListener {
  const app = express();
  const handle = async (request: express.Request, response: express.Response) => {
    const forms = {
      headers: () => verifyWebhook(request.body as Buffer, request.headers, secret),
      request: () => verifyWebhook(request.body as Buffer, request, secret),
      raw: () => verifyWebhook(request.body as Buffer, request.rawHeaders, secret),
    };
    response.json(await resultOf({ ...forms, parsed: forms.headers, unread: forms.headers }, request.path));
  };
  app.post('/parsed', express.json(), handle);
  app.post('/unread', handle);
  app.post('/:form', express.raw({ type: () => true }), handle);
  return app;
}

async function byFastify(): Promise<string> {
  const app = fastify();
  app.post('/parsed', (request) =>
    resultOf({ parsed: () => verifyWebhook(request.body as Buffer, request.headers, secret) }, request.url),
  );
  await app.register((shop, _options, ready) => {
    shop.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    shop.post('/:form', (request) => {
      const forms = {
        headers: () => verifyWebhook(request.body as Buffer, request.headers, secret),
        request: () => verifyWebhook(request.body as Buffer, request, secret),
      };
      return resultOf(forms, request.url);
    });
    ready();
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
}

function byKoa(): RequestListener {
  return new Koa()
    .use(async (context) => {
      const forms = {
        headers: async () => verifyWebhook(await buffer(context.req), context.headers, secret),
        request: async () => verifyWebhook(await buffer(context.req), context.request, secret),
        context: async () => verifyWebhook(await buffer(context.req), context, secret),
      };
      context.body = await resultOf(forms, context.path);
    })
    .callback();
}

function byHono(): Listener {
  const app = new Hono();
  app.post('/:form', async (context) => {
    const forms = {
      request: async () => verifyWebhook(await context.req.text(), context.req.raw, secret),
      headers: async () => verifyWebhook(await context.req.text(), context.req.raw.headers, secret),
      record: async () => verifyWebhook(await context.req.text(), context.req.header(), secret),
      bytes: async () => verifyWebhook(await context.req.arrayBuffer(), context.req.raw, secret),
      parsed: async () => verifyWebhook(await context.req.json<string>(), context.req.raw, secret),
    };
    return context.json(await resultOf(forms, context.req.path));
  });
  return getRequestListener(app.fetch);
}

/** With the platform's own requests, as Next.js has them. Those of Hono's server only look like them. */
function byRequest(): Listener {
  const handle = async (request: Request): Promise<Response> => {
    const forms = {
      request: async () => verifyWebhook(await request.text(), request, secret),
      headers: async () => verifyWebhook(await request.text(), request.headers, secret),
      pairs: async () => verifyWebhook(await request.text(), [...request.headers], secret),
    };
    return Response.json(await resultOf(forms, new URL(request.url).pathname));
  };
  return getRequestListener(({ url, headers, body }) =>
    handle(new Request(url, { method: 'POST', headers, body, duplex: 'half' })),
  );
}

function byNode(): Listener {
  return async (request, response) => {
    const forms = {
      headers: async () => verifyWebhook(await buffer(request), request.headers, secret),
      request: async () => verifyWebhook(await buffer(request), request, secret),
      distinct: async () => verifyWebhook(await buffer(request), request.headersDistinct, secret),
    };
    response.end(JSON.stringify(await resultOf(forms, request.url ?? '')));
  };
}

async function urlOf(listener: Listener): Promise<string> {
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function main(): Promise<void> {
  const urls = {
    express: await urlOf(byExpress()),
    fastify: await byFastify(),
    koa: await urlOf(byKoa()),
    hono: await urlOf(byHono()),
    request: await urlOf(byRequest()),
    node: await urlOf(byNode()),
  };
  process.stdout.write(`${JSON.stringify(urls)}\n`);
}

void main();
