/** All that the API serves, as `npm start` sets it up, for whoever wants to know it without starting anything. */
import { describeApi, type DescribedPart } from '../../src/api/openapi/document';
import { ownDescription, ownEndpoints } from '../../src/api/own-endpoints';
import type { JsonSchema } from '../../src/rail-kit/description';
import type { Rail, RailApi } from '../../src/rail-kit/rail';
import { createRails } from '../../src/rails';
import type { Database } from '../../src/store/database';
import { madeUpBeside, providerEnvironment } from '../sandbox/credentials';
import { forEachProvider, providerAddresses } from '../sandbox/simulated-providers';

/** Where `npm start` serves the API, unless told otherwise. */
const publicUrl = 'http://127.0.0.1:3000';

/** Handlers are made of these, and never called. */
const nothing = () => {
  throw new Error('this API is only described');
};
const db = nothing as unknown as Database;

/** As a sandbox has them, whose clock runs as fast as the wall's. */
export function describedRails(): Rail[] {
  const env = {
    ...providerAddresses(forEachProvider(() => 'http://127.0.0.1:1')),
    ...providerEnvironment(madeUpBeside()),
  };
  return createRails({
    environment: 'sandbox',
    publicUrl,
    timezone: 'Africa/Nairobi',
    timeScale: 1,
    env,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    tokens: { read: nothing, lease: nothing, put: nothing, release: nothing },
    observe: nothing,
  });
}

export function servedApi(): DescribedPart[] {
  const rails = describedRails();
  const api: RailApi = {
    db,
    accept: nothing,
    acceptBulk: nothing,
    answerAgain: nothing,
    cancel: nothing,
    checkNow: nothing,
    checkOnUnverifiedEvent: nothing,
  };
  const vouchers = { db, wake: nothing };
  const box = { seal: nothing, open: nothing, isCurrent: nothing };
  const webhooks = {
    db,
    box,
    environment: 'sandbox' as const,
    wake: nothing,
    tell: nothing,
    tests: { send: nothing, sendTo: nothing },
  };
  return [
    {
      name: 'malipo',
      endpoints: ownEndpoints({ db, rails, walletBalance: nothing, timezone: 'UTC', vouchers, webhooks }),
      notificationRoutes: [],
      description: ownDescription,
    },
    ...rails.map((rail) => ({
      name: rail.name,
      endpoints: rail.endpoints(api),
      notificationRoutes: rail.notificationRoutes(api),
      description: rail.description,
    })),
  ];
}

/** The description that is committed. */
export function committedDescription(): JsonSchema {
  return describeApi(servedApi(), publicUrl);
}
