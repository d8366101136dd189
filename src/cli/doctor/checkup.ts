import type { Client } from '@temporalio/client';
import type { Config } from '../../config';
import { attention, fault, type Diagnosis } from '../../domain/diagnosis';
import type { Database } from '../../store/database';
import type { Place } from '../../worker/versions/server-view';

export interface Patient {
  config: Config;
  /** The settings as they stand, for what only some deployments have. */
  env: NodeJS.ProcessEnv;
  db: Database;
  client: Client;
  /** Whether the default limits apply where nobody has set one. */
  outflowDefaults: boolean;
  /** A file that each backup writes when it has succeeded. */
  backupStamp?: string | undefined;
  /** Undefined where workers have no versions. */
  versions: Place | undefined;
}

export interface Checkup {
  name: string;
  examine(patient: Patient): Promise<Diagnosis>;
}

export interface Finding extends Diagnosis {
  name: string;
}

/** What would lose money in live is only worth a word in the sandbox. */
export function faultInLive({ config }: Patient, sentence: string): Diagnosis {
  return config.environment === 'live' ? fault(sentence) : attention(sentence);
}
