/** The interpreter that knows the clients, or why there is none on this machine. */
import { join } from 'node:path';
import {
  pythonEnvironment,
  type PythonEnvironment,
} from '../../../../tools/sandbox/services/python-environment';

/** Before any test is told of, because what cannot run is to be shown as skipped. */
export const pythonClients = (): PythonEnvironment => pythonEnvironment(join(__dirname, 'requirements.txt'));
