/** The interpreter with the clients, or why this machine has none. */
import { join } from 'node:path';
import {
  pythonEnvironment,
  type PythonEnvironment,
} from '../../../../tools/sandbox/services/python-environment';

/** Checked before the tests are defined, so that missing ones show as skipped. */
export const pythonClients = (): PythonEnvironment => pythonEnvironment(join(__dirname, 'requirements.txt'));
