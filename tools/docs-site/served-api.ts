/** The API that `npm start` serves, for programs that read it without starting it. */
import { describeApi, type DescribedPart } from '../../src/api/openapi/document';
import { ownDescription, ownEndpoints } from '../../src/api/own-endpoints';
import type { JsonSchema } from '../../src/rail-kit/description';
import type { Rail, RailApi } from '../../src/rail-kit/rail';
import { createRails } from '../../src/rails';
import type { Database } from '../../src/store/database';
import { madeUpBeside, providerEnvironment } from '../sandbox/credentials';
import { forEachProvider, providerAddresses } from '../sandbox/simulated-providers';

/** The default address of `npm start`'s API. */
const publicUrl = 'http://127.0.0.1:3000';

/** Handlers are created with these, and never called. */
const nothing = () => {
  throw new Error('this API is only described');
};
const db = nothing as unknown as Database;

/** As in a sandbox with a time scale of 1. */
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
  const vouchers = { db, signalOrStart: nothing };
  const box = { encrypt: nothing, open: nothing, isCurrent: nothing };
  const webhooks = {
    db,
    box,
    environment: 'sandbox' as const,
    signalOrStart: nothing,
    notify: nothing,
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

/** The committed description. */
export function committedDescription(): JsonSchema {
  return describeApi(servedApi(), publicUrl);
}
