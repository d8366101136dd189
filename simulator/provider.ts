/** The exports of a provider's folder, and the parameters that it gets. */
import type { Router } from 'express';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import type { Clock } from './clock';
import type { Faults, FaultyCalls } from './faults';
import type { Journal } from './journal';
import type { Mailbox } from './mailbox';
import type { RequestLog } from './requests';
import type { Schedule } from './schedule';
import type { SettingsReader } from './settings';
import type { StatementLine, Statements } from './statement-lines';

export interface ProviderContext {
  /** The provider's base address, without a trailing slash. */
  origin: string;
  journal: Journal;
  clock: Clock;
  /** Job kinds start with the provider's name and a dot. */
  schedule: Schedule;
  faults: Faults;
  requests: RequestLog;
  callbacks: CallbackSender;
  books: Books;
  statements: Statements;
  mailbox: Mailbox;
  /** Returns the private key of the named owner, in PEM. Without it, each provider generates its own keys. */
  makeRsaKey?: ((owner: string) => string) | undefined;
}

/** A row of the table of test values on the index page. */
export interface TestValue {
  value: string;
  /** The provider's operations that it applies to. */
  asks: readonly string[];
  title: string;
  behaviour: string;
}

export interface RunningProvider {
  /** At the root of the provider's origin: the wire format, and pages for users. */
  router: Router;
  /** Mounted under /control/<name>. */
  control?: Router;
  /** With their paths at the origin. */
  pages: { path: string; title: string }[];
  /** Help lines for /control/<name>. */
  controls: { request: string; does: string }[];
  testValues: TestValue[];
}

/** A statement as the provider exports it, or as its API returns it. */
export interface StatementFile {
  type: string;
  write(lines: readonly StatementLine[]): string;
}

export interface ProviderDefinition {
  /** Its name in /control and the settings. */
  name: string;
  /** The port of its origin, unless MALIPO_SIMULATOR_<NAME>_PORT sets another. */
  port: number;
  title: string;
  faultyCalls: FaultyCalls;
  /** Absent if it has none. */
  statement?: StatementFile;
  /** Reads its own settings now; it starts when the settings of all providers are valid. */
  configure(settings: SettingsReader): (context: ProviderContext) => RunningProvider;
}
