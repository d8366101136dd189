import type { Client } from '@temporalio/client';
import type { Config } from '../../config';
import { attention, fault, type Diagnosis } from '../../domain/diagnosis';
import type { Database } from '../../store/database';
import type { DeploymentAddress } from '../../worker/versions/server-view';

export interface Patient {
  config: Config;
  /** The environment, for settings that only some deployments have. */
  env: NodeJS.ProcessEnv;
  db: Database;
  client: Client;
  /** Whether the default limits apply where no limit is set. */
  outflowDefaults: boolean;
  /** A file that each backup writes when it has succeeded. */
  backupStamp?: string | undefined;
  /** Undefined where workers have no versions. */
  versions: DeploymentAddress | undefined;
}

export interface Checkup {
  name: string;
  examine(patient: Patient): Promise<Diagnosis>;
}

export interface CheckupResult extends Diagnosis {
  name: string;
}

/** A fault in live; in the sandbox, where no money can be lost, only something to review. */
export function faultInLive({ config }: Patient, sentence: string): Diagnosis {
  return config.environment === 'live' ? fault(sentence) : attention(sentence);
}
