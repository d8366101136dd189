/** What a provider's folder exports, and what it is given to play its part with. */
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
  /** Where the provider is, without a slash at its end. */
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
  /** What has to be asked for with it: each a word of the provider's own. */
  asks: readonly string[];
  title: string;
  behaviour: string;
}

export interface RunningProvider {
  /** At the root of the provider's origin: the wire format, and the pages a person plays a part on. */
  router: Router;
  /** Mounted under /control/<name>. */
  control?: Router;
  /** With their paths at the origin. */
  pages: { path: string; title: string }[];
  /** Lines of help for /control/<name>. */
  controls: { request: string; does: string }[];
  testValues: TestValue[];
}

/** A statement as the provider exports it, or as its API answers. */
export interface StatementFile {
  type: string;
  write(lines: readonly StatementLine[]): string;
}

export interface ProviderDefinition {
  /** The word that /control and the settings know it by. */
  name: string;
  /** Where its origin listens unless MALIPO_SIMULATOR_<NAME>_PORT says another. */
  port: number;
  title: string;
  faultyCalls: FaultyCalls;
  /** Absent where it gives none. */
  statement?: StatementFile;
  /** Reads its own settings now; starts once all providers' settings are known to be right. */
  configure(settings: SettingsReader): (context: ProviderContext) => RunningProvider;
}
